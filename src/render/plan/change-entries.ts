/** The changes of a plan, each as a section of its own: all that a person is shown, in order. */

import type { Operation } from "../../model/operation/operation.ts";
import { adoptedObjects } from "../../model/plan/adopted.ts";
import type { Change } from "../../model/plan/change.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Address } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import type { StyledLine } from "../text/styled-line.ts";
import { changeLines, powerOnlyLines } from "./change-text.ts";
import { powerSteps } from "./power-steps.ts";

/** Without what neither changes nor joins recorded state. */
export function shownChanges(plan: Plan): readonly Change[] {
  const adopted = adoptedObjects(plan);
  return plan.changes.filter(({ action, address }) => action !== "no-op" || adopted.has(address));
}

/** The first line of each says what happens to which object. */
export function changeEntries(plan: Plan, types: SchemaRegistry): StyledLine[][] {
  const steps = powerSteps(plan);
  const templates = templatesOf(plan.operations);
  const adopted = adoptedObjects(plan);
  const shown = shownChanges(plan);
  const sections = shown.map((change) =>
    changeLines(change, {
      types,
      templates: templates.get(`${change.address} ${change.objectKey}`) ?? new Map(),
      powerSteps: change.objectKey === "current" ? steps.get(change.address) : undefined,
      adopted: adopted.get(change.address),
    }),
  );
  const changed = new Set<Address>(shown.map((change) => change.address));
  for (const [address, text] of steps) {
    if (!changed.has(address)) sections.push(powerOnlyLines(address, text));
  }
  return sections;
}

/** Templates by attribute, by address and object key. */
function templatesOf(
  operations: readonly Operation[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const byObject = new Map<string, Map<string, string>>();
  for (const {
    subject: { address, objectKey },
    request: { deferred },
  } of operations) {
    const key = `${address} ${objectKey}`;
    for (const [attribute, value] of Object.entries(deferred)) {
      const templates = byObject.get(key) ?? new Map<string, string>();
      templates.set(attribute, value.template);
      byObject.set(key, templates);
    }
  }
  return byObject;
}
