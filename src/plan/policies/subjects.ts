/** What policies are asked of: a finished plan as values that their expressions can name. */

import type { Operation, OperationId } from "../../model/operation/operation.ts";
import type { Change } from "../../model/plan/change.ts";
import type { Plan, PlannedData } from "../../model/plan/plan.ts";
import { planCounts } from "../../model/plan/plan-counts.ts";
import type { PolicyScope, PolicySubject } from "../../model/plan/policy.ts";
import { type Address, parseAddress } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value/value.ts";
import type { JudgedAction } from "./judge-action.ts";

export type PlanSubject = {
  readonly subject: PolicySubject;
  readonly address?: Address;
  readonly operation?: OperationId;
  /** What is done to it, for people. */
  readonly what?: string;
};
export type PlanSubjects = { readonly [over in PolicyScope]: readonly PlanSubject[] };

/** Values of an object that are known by now, over those that the plan was made with. */
export type LateAttributes = (address: Address) => PlannedAttributes | undefined;

/** What changes nothing and what sends nothing is no subject. O(changes + operations). */
export function subjectsOf(
  plan: Plan,
  types: SchemaRegistry,
  late: LateAttributes = () => undefined,
): PlanSubjects {
  const shown = plan.changes.filter(({ action }) => action !== "no-op");
  const sent = plan.operations.filter(({ request }) => request.preview !== undefined);
  const disrupted = disruptionsOf(plan);
  const rootOf = (change: Change) =>
    changeRoot(change, types, disrupted.get(change.address) ?? new Set(), late);
  const changes = shown.map((change) => ({ change, root: rootOf(change) }));
  const ofAddress = new Map(
    [...plan.changes]
      .filter(({ action, objectKey }) => action === "no-op" || objectKey !== "current")
      .map((change) => [change.address, { change, root: rootOf(change) }]),
  );
  for (const entry of changes) ofAddress.set(entry.change.address, entry);
  const operations = sent.map((operation) => ({ operation, root: operationRoot(operation) }));
  const data = plan.data.map((source) => ({ source, root: dataRoot(source) }));
  const root: PlannedAttributes = {
    mode: plan.mode,
    changes: changes.map((entry) => entry.root),
    operations: operations.map((entry) => entry.root),
    data: data.map((entry) => entry.root),
    counts: { ...planCounts(plan) },
  };
  return {
    changes: changes.map((entry) => ({
      subject: subjectOf({ change: entry.root, plan: root }, entry.change.type, types),
      address: entry.change.address,
      what: entry.change.action,
    })),
    operations: operations.map((entry) => {
      const { id, subject, verb } = entry.operation;
      const change = ofAddress.get(subject.address)?.root ?? {};
      const values = { operation: entry.root, change, plan: root };
      return {
        subject: subjectOf(values, subject.type, types),
        ...{ address: subject.address, operation: id, what: verb },
      };
    }),
    data: data.map((entry) => ({
      subject: subjectOf({ data: entry.root, plan: root }, "", types),
      address: entry.source.address,
      what: "read",
    })),
    plan: [{ subject: subjectOf({ plan: root }, "", types) }],
  };
}

/** An action as the only operation of a plan that changes nothing. */
export function actionSubjects(
  { record, verb, summary, disrupts }: JudgedAction,
  types: SchemaRegistry,
): { readonly [over in "operations" | "plan"]: PolicySubject } {
  const { address, type, provider, identity, objectKey, attributes } = record;
  const object = { address, type, provider, identity, object_key: objectKey };
  const name = parseAddress(address)?.name ?? "";
  const shared = { ...object, name, disrupts: [...disrupts] };
  const operation = { ...shared, id: "", verb, summary, kind: "action", inputs: {} };
  const known = complete(attributes, type, types, () => null);
  const change = { ...shared, action: "no-op", reason: "none", changed: [] };
  const counts = planCounts({
    ...{ changes: [], operations: [], notes: [], outputs: [], blocked: [], consent: [] },
  });
  const plan = {
    ...{ mode: "apply", changes: [], operations: [operation], data: [] },
    counts: { ...counts },
  };
  const values = { operation, change: { ...change, before: known, after: known }, plan };
  return {
    operations: subjectOf(values, type, types),
    plan: subjectOf({ plan }, "", types),
  };
}

function subjectOf(
  values: PolicySubject["values"],
  type: string,
  types: SchemaRegistry,
): PolicySubject {
  const attributes = Object.values(types[type]?.schema.attributes ?? {});
  const roots = ["change.before", "change.after", "operation.inputs"];
  const pathsOf = (isAsked: (attribute: (typeof attributes)[number]) => boolean) =>
    attributes.filter(isAsked).flatMap(({ name }) => roots.map((root) => `${root}.${name}`));
  return {
    values,
    sensitive: pathsOf(({ sensitive }) => sensitive),
    doubles: pathsOf((attribute) => attribute.type === "number"),
  };
}

function disruptionsOf({ operations, consent }: Plan): ReadonlyMap<Address, Set<string>> {
  const disrupted = new Map<Address, Set<string>>();
  const add = (address: Address, words: readonly string[]): void => {
    const known = disrupted.get(address) ?? new Set<string>();
    for (const word of words) if (!word.startsWith("policy:")) known.add(word);
    disrupted.set(address, known);
  };
  for (const { subject, disrupts } of operations) add(subject.address, disrupts);
  for (const { address, disruption } of consent) add(address, [disruption]);
  return disrupted;
}

function changeRoot(
  change: Change,
  types: SchemaRegistry,
  disrupts: ReadonlySet<string>,
  late: LateAttributes,
): PlannedAttributes {
  const { address, type, provider, identity, objectKey, action, reason } = change;
  const { before, after } = change;
  const known = after === null ? undefined : late(address);
  return {
    ...{ address, type, provider, identity, action },
    name: parseAddress(address)?.name ?? "",
    object_key: objectKey,
    reason: reason.kind,
    disrupts: [...disrupts],
    changed: change.attributes.map(({ attribute }) => attribute),
    before: complete(before, type, types, () => null),
    after: complete(after && { ...after, ...known }, type, types, (computed, name) => {
      if (after === null) return null;
      if (!computed) return null;
      return before === null || action === "replace" ? unknown : (before[name] ?? null);
    }),
  };
}

/** Every attribute of the type is there, so that none that exists is a mistake. */
function complete(
  attributes: PlannedAttributes | null,
  type: string,
  types: SchemaRegistry,
  absent: (computed: boolean, name: string) => PlannedValue,
): PlannedAttributes {
  const all: { [name: string]: PlannedValue } = {};
  for (const { name, computed } of Object.values(types[type]?.schema.attributes ?? {})) {
    all[name] = absent(computed, name);
  }
  return { ...all, ...attributes };
}

function operationRoot(operation: Operation): PlannedAttributes {
  const { id, verb, summary, subject, effect, disrupts, request } = operation;
  return {
    ...{ id, verb, summary },
    ...{ address: subject.address, type: subject.type, provider: subject.provider },
    name: parseAddress(subject.address)?.name ?? "",
    identity: subject.identity,
    object_key: subject.objectKey,
    kind: effect.kind,
    disrupts: [...disrupts],
    inputs: { ...request.inputs },
  };
}

function dataRoot({ address, type, provider, attributes }: PlannedData): PlannedAttributes {
  const name = parseAddress(address)?.name ?? "";
  return { address, type, name, provider, attributes: attributes ?? unknown };
}
