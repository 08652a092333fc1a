/** Wanted instances of any type, without a configuration. */

import type { Desired, DesiredInstance } from "../../../src/model/plan/desired.ts";
import type { Attributes } from "../../../src/model/value/value.ts";
import { at } from "../state/samples.ts";

export function instance(
  text: string,
  attributes: Attributes,
  parts: Partial<DesiredInstance> = {},
): DesiredInstance {
  const address = at(text);
  return {
    address,
    type: text.split(".")[0] ?? "",
    provider: text.split("_")[0] ?? "",
    order: 0,
    references: [],
    data: [],
    explicitDependencies: [],
    dependencies: [],
    lifecycle: { preventDestroy: false, createBeforeDestroy: false, ignoreChanges: [] },
    timeoutsMs: {},
    resolve: () => ({ attributes, deferred: {}, diagnostics: [] }),
    ...parts,
  };
}

export function desiredOf(
  instances: readonly DesiredInstance[],
  parts: Partial<Desired> = {},
): Desired {
  const names = [...new Set(instances.map(({ provider }) => provider))];
  return {
    instances,
    data: [],
    providers: names.map((name) => ({ name, settings: null })),
    outputs: [],
    removed: [],
    imports: [],
    moved: [],
    ...parts,
  };
}
