/** What conditions of tests may name, by the command whose run they are about. */

import type { DeclaredRoots } from "../../expressions/check/declared.ts";
import { planRoot } from "../blocks/policies.ts";

export const testCommands = ["plan", "apply", "destroy", "drift"] as const;
export type TestCommand = (typeof testCommands)[number];

const text = { type: "string" } as const;
const integer = { type: "int" } as const;
const list = { type: "list" } as const;
const map = { type: "map" } as const;
const any = { type: "dyn" } as const;

const afterAny: DeclaredRoots = {
  problems: { all: list, errors: list, warnings: list },
  requests: { all: list, session: list, read: list, mutate: list },
  state: {
    ...{ lineage: text, serial: integer, simulated: any, objects: list, outputs: map },
    ...{ open: list, restores: list },
  },
  world: {
    ...{ format_version: integer, seed: integer, clock: map },
    ...{ daemon: map, cloud: map, manager: map, appliance: map, packages: map },
  },
};

const afterPlan: DeclaredRoots = { ...afterAny, plan: planRoot, outputs: { "*": any } };

/** One object for each command: what is checked by it is kept by it. */
export const rootsAfter: { readonly [command in TestCommand]: DeclaredRoots } = {
  plan: afterPlan,
  apply: afterPlan,
  destroy: afterPlan,
  drift: {
    ...afterAny,
    drift: {
      ...{ objects: list, causes: list, restores: list, never_read: list, unlisted: list },
      ...{ unmanaged: list, diagnostics: list, counts: map, configuration: map, "*": any },
    },
  },
};
