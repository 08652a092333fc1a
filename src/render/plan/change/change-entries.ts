/** The changes of a plan, each as a section of its own: all that a person is shown, in order. */

import type { Operation } from "../../../model/operation/operation.ts";
import { adoptedObjects } from "../../../model/plan/adopted.ts";
import type { Change } from "../../../model/plan/change.ts";
import type { Plan } from "../../../model/plan/plan.ts";
import type { Address } from "../../../model/value/address.ts";
import { writtenTemplate } from "../../../model/value/expression.ts";
import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";
import type { StyledLine } from "../../text/styled-line.ts";
import { type ChangeContext, changeLines, powerOnlyLines } from "./change-text.ts";
import { powerSteps } from "./power-steps.ts";

/** Without what neither changes nor joins recorded state. */
export function shownChanges(plan: Plan): readonly Change[] {
  const adopted = adoptedObjects(plan);
  return plan.changes.filter(({ action, address }) => action !== "no-op" || adopted.has(address));
}

/** The first line of each says what happens to which object. */
export function changeEntries(plan: Plan, types: SchemaRegistry): StyledLine[][] {
  const of = contextOf(plan, types);
  const shown = shownChanges(plan);
  const sections = shown.map((change) => changeLines(change, of(change)));
  return [...sections, ...powerOnlyEntries(plan)];
}

/** VMs that are powered off and on for their content alone. */
export function powerOnlyEntries(plan: Plan): StyledLine[][] {
  return [...powerOnly(plan)].map(([address, text]) => powerOnlyLines(address, text));
}

/** Their steps, by address. */
export function powerOnly(plan: Plan): ReadonlyMap<Address, string> {
  const changed = new Set<Address>(shownChanges(plan).map(({ address }) => address));
  return new Map([...powerSteps(plan)].filter(([address]) => !changed.has(address)));
}

/** What is told of a change beyond itself. */
export function contextOf(plan: Plan, types: SchemaRegistry): (change: Change) => ChangeContext {
  const steps = powerSteps(plan);
  const templates = templatesOf(plan.operations);
  const adopted = adoptedObjects(plan);
  return ({ address, objectKey }) => ({
    types,
    templates: templates.get(`${address} ${objectKey}`) ?? new Map(),
    powerSteps: objectKey === "current" ? steps.get(address) : undefined,
    adopted: adopted.get(address),
  });
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
      templates.set(attribute, writtenTemplate(value));
      byObject.set(key, templates);
    }
  }
  return byObject;
}
