/**
 * Power that an interrupted run still owes, beside what policies deny. A denied plan is applied in
 * nothing; but a VM that is off for the sake of work begun earlier does not stay off because
 * somebody forbids something else. Its own work is then planned, shown and applied alone; of a
 * destroy and of a saved plan, which have no configuration to plan by, its power alone.
 */

import { quotedWord } from "../../lib/shell-word.ts";
import type { Desired, DesiredInstance } from "../../model/plan/desired.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { OpenRestore, RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import { isRestoring, takenVms } from "../../plan/policies/groups.ts";
import { warning } from "../codes.ts";
import { errorsOf } from "./plan.ts";

const deniedCode = "PLN060";

/**
 * VMs to which a plan that policies deny, and nothing else stops, would give back their power. What
 * is denied itself is none of them.
 */
export function owedBesideDenied(
  plan: Plan,
  restores: readonly OpenRestore[],
  types: SchemaRegistry,
): readonly Address[] {
  if (!isDeniedAlone(plan)) return [];
  const giving = givingBack(plan, restores, types);
  const denied = deniedIn(plan);
  return giving.filter((address) => !denied.has(address));
}

/**
 * VMs that a denied plan leaves without the power they are owed, where that power alone may be
 * given back: by a destroy those it would have deleted or let go of, by a saved plan those it would
 * have turned on.
 */
export function owedByDenied(
  plan: Plan,
  restores: readonly OpenRestore[],
  types: SchemaRegistry,
): readonly Address[] {
  if (!isDeniedAlone(plan)) return [];
  if (plan.mode !== "destroy") return givingBack(plan, restores, types);
  const planned = new Set(plan.changes.map(({ address }) => address));
  return [...takenVms(plan, restores, types)].filter((address) => planned.has(address));
}

/** What policies deny something of. */
export function deniedIn({ policies }: Plan): ReadonlySet<Address> {
  return new Set(
    (policies?.findings ?? []).flatMap(({ level, verdict, address }) =>
      level === "deny" && verdict === "violated" ? (address ?? []) : [],
    ),
  );
}

function isDeniedAlone(plan: Plan): boolean {
  const errors = errorsOf(plan);
  return errors.length > 0 && errors.every(({ code }) => code === deniedCode);
}

function givingBack(
  plan: Plan,
  restores: readonly OpenRestore[],
  types: SchemaRegistry,
): readonly Address[] {
  const owed = takenVms(plan, restores, types);
  const giving = plan.operations.filter((operation) => isRestoring(operation, owed));
  return [...new Set(giving.map(({ subject }) => subject.address))];
}

/** Whether nothing comes of a plan but that power which is owed is given back. */
export function onlyGivesBack({ changes }: Plan): boolean {
  return changes.every(({ action, reason }) => action === "no-op" || reason.kind === "restore");
}

/**
 * What is recorded, wanted as it is: everything that differs is left to others, and power is not
 * set, so that a plan of it has nothing to do but to give back what is owed.
 */
export function wantedAsRecorded(
  { objects }: Pick<RecordedState, "objects">,
  types: SchemaRegistry,
  { providers, policies }: Pick<Desired, "providers" | "policies">,
): Desired {
  const current = objects.filter(({ objectKey }) => objectKey === "current");
  return {
    instances: current.flatMap((object, order) => instanceOf(object, order, types)),
    ...{ data: [], outputs: [], moved: [], removed: [], imports: [] },
    providers,
    ...(policies === undefined ? {} : { policies }),
  };
}

function instanceOf(
  object: RecordedObject,
  order: number,
  types: SchemaRegistry,
): readonly DesiredInstance[] {
  const { address, type, provider, dependencies, triggers, timeoutsMs } = object;
  const known = types[type];
  if (known === undefined) return [];
  const names = Object.keys(known.schema.attributes);
  const attributes = wishesOf(object, known);
  return [
    {
      ...{ address, type, provider, order, references: [], data: [], timeoutsMs },
      ...{ explicitDependencies: dependencies, dependencies },
      lifecycle: {
        preventDestroy: object.preventDestroy === true,
        createBeforeDestroy: false,
        ignoreChanges: names.filter((name) => name !== known.power?.wanted),
      },
      ...(triggers === undefined ? {} : { triggers }),
      resolve: () => ({ attributes, deferred: {}, diagnostics: [] }),
    },
  ];
}

/** The inputs it was made with, but its power; of what was imported, those it was read with. */
function wishesOf(
  { applied, attributes }: RecordedObject,
  { schema, power }: SchemaRegistry[string],
): Attributes {
  const wishes: { [name: string]: Value } = {};
  for (const { name, computed } of Object.values(schema.attributes)) {
    if (computed || name === power?.wanted) continue;
    const value = applied === null ? attributes[name] : applied[name];
    if (value !== undefined) wishes[name] = value;
  }
  return wishes;
}

/** Said where nothing comes of giving it back. */
export function stillOwedTold(addresses: readonly Address[]): Diagnostic {
  const targets = addresses.map((one) => `--target ${quotedWord(one)}`).join(" ");
  return warning(nowhere, "CLI030", {
    detail:
      "Policies deny the plan above, so nothing of it is done. An interrupted run still owes " +
      `power to ${addressesText(addresses)}, and it cannot be given back alone.`,
    fix: `See what stands against it: vmform plan ${targets}`,
  });
}

/** Said before the plan of that alone is shown. */
export function owedAloneTold(addresses: readonly Address[]): Diagnostic {
  const [only] = addresses;
  const at = addresses.length === 1 && only !== undefined ? { address: only } : nowhere;
  return warning(at, "CLI029", {
    detail:
      "Policies deny the plan above, so nothing of it is done. What an interrupted run has begun " +
      `with ${addressesText(addresses)} is ended alone, since power is owed.`,
  });
}
