/**
 * What a plan says of one data source: when it is read and why then, what it asks, what it was
 * answered, and who uses that.
 */

import { judgedBy } from "../../../model/operation/operation.ts";
import type { DataUse, Desired, DesiredData } from "../../../model/plan/desired.ts";
import type { Plan, PlannedData } from "../../../model/plan/plan.ts";
import type { Diagnostic, SourcePosition } from "../../../model/said/diagnostic.ts";
import { type Address, parseAddress } from "../../../model/value/address.ts";
import {
  type DeferredAttributes,
  type DeferredValue,
  writtenTemplate,
} from "../../../model/value/expression.ts";
import type { SchemaRegistry } from "../../../model/value/resource-schema.ts";
import { equalValues, isKnown, type PlannedValue, type Value } from "../../../model/value/value.ts";
import { isSensitive } from "../../text/value/sensitivity.ts";
import { actionWords, sentenceOf } from "../change/change-text.ts";

export type ExplainedArgument = {
  readonly name: string;
  readonly place: SourcePosition | undefined;
  readonly value: PlannedValue;
  /** The expression of a value that is known after apply, as written. */
  readonly template: string | undefined;
  readonly sensitive: boolean;
};

export type ExplainedAnswer = {
  readonly name: string;
  readonly value: Value;
  readonly sensitive: boolean;
};

export type ExplainedUse = Omit<DataUse, "data"> & {
  /** An object or another data source; else an output or a check, by its name. */
  readonly user: { readonly kind: "object" | "output" | "check"; readonly name: string };
};

export type DataExplanation = {
  readonly address: Address;
  readonly type: string;
  readonly provider: string;
  readonly place: SourcePosition | undefined;
  /** `plan`: it was read for the plan. `never`: it is blocked, or no part of the plan. */
  readonly read: "plan" | "apply" | "never";
  /** Why it is read then: sentences without a period. */
  readonly rules: readonly string[];
  /** What has to be done before it is read, and why. */
  readonly waitsFor: readonly { readonly address: Address; readonly why: string }[];
  /** Undefined where it is not known what it asks. */
  readonly query: readonly ExplainedArgument[] | undefined;
  /** Undefined where it is not read yet. */
  readonly answer: readonly ExplainedAnswer[] | undefined;
  /** Others that ask the same: one request serves all of them. */
  readonly alike: readonly Address[];
  readonly uses: readonly ExplainedUse[];
  /** What uses it through other data sources alone. */
  readonly through: readonly Address[];
  /** Whether the configuration is known; else only uses that wait for it are. */
  readonly usesKnown: boolean;
  readonly problems: readonly Diagnostic[];
};

/** Pure. `desired` is absent of a saved plan. `types` are those of data sources. */
export function explainData(
  plan: Plan,
  address: Address,
  types: SchemaRegistry,
  desired: Desired | undefined,
): DataExplanation {
  const planned = plan.data.find((one) => one.address === address);
  const source = desired?.data.find((one) => one.address === address);
  const problems = plan.diagnostics.filter((diagnostic) => diagnostic.address === address);
  const type = planned?.type ?? source?.type ?? parseAddress(address)?.type ?? "";
  const when =
    planned === undefined ? "never" : planned.attributes === undefined ? "apply" : "plan";
  const uses = desired === undefined ? waitingUses(plan, address) : usesOf(desired, address);
  return {
    address,
    type,
    provider: planned?.provider ?? source?.provider ?? "",
    place: source?.source,
    read: when,
    rules: rulesOf(plan, address, planned, desired !== undefined),
    waitsFor:
      planned?.waitsFor.map((other) => ({ address: other, why: reasonToWait(plan, other) })) ?? [],
    query: planned === undefined ? undefined : argumentsOf(planned, source, types),
    answer: planned === undefined ? undefined : answerOf(planned, types),
    alike: planned === undefined ? [] : alikeOf(plan, planned),
    uses,
    through: desired === undefined ? [] : throughOthers(desired, address, uses),
    usesKnown: desired !== undefined,
    problems,
  };
}

function rulesOf(
  { blocked, partial }: Plan,
  address: Address,
  planned: PlannedData | undefined,
  isNew: boolean,
): readonly string[] {
  if (planned === undefined) {
    if (blocked.includes(address)) {
      return ["it is blocked: it cannot be read, or what it depends on has errors"];
    }
    return [
      partial
        ? "nothing that the plan is about uses it: --target or --exclude leave it out"
        : "the plan needs nothing of it",
    ];
  }
  if (planned.attributes === undefined) {
    return [
      "it is read while applying, when what it waits for is done and something needs it" +
        ": an answer of before would be an old one",
    ];
  }
  return [
    "what it asks for is known, and nothing that it depends on changes: it was read while planning",
    ...(isNew ? [] : ["applying the saved plan uses this answer, and asks no more"]),
  ];
}

function reasonToWait({ changes, data }: Plan, address: Address): string {
  if (data.some((one) => one.address === address)) return "a data source that is read by then";
  const change = changes.find((one) => one.address === address && one.objectKey === "current");
  if (change === undefined || change.action === "no-op") {
    return "a value of it is told by then";
  }
  return `it ${sentenceOf(change, actionWords[change.action])}`;
}

/** In the order of the schema. */
function argumentsOf(
  { type, query, deferred }: PlannedData,
  source: DesiredData | undefined,
  types: SchemaRegistry,
): readonly ExplainedArgument[] {
  return inOrder(Object.keys(query), type, types).map((name) => ({
    name,
    place: source?.placeOf?.(name),
    value: query[name] ?? null,
    template: writtenIn(deferred, name),
    sensitive: isSensitive(types, type, name) || (deferred[name]?.sensitive?.length ?? 0) > 0,
  }));
}

function writtenIn(deferred: DeferredAttributes, name: string): string | undefined {
  const waiting = deferred[name];
  return waiting === undefined ? undefined : writtenTemplate(waiting);
}

/** Without what was asked. */
function answerOf(
  { type, query, attributes }: PlannedData,
  types: SchemaRegistry,
): readonly ExplainedAnswer[] | undefined {
  if (attributes === undefined) return undefined;
  const names = Object.keys(attributes).filter((name) => !Object.hasOwn(query, name));
  return inOrder(names, type, types).map((name) => ({
    name,
    value: attributes[name] ?? null,
    sensitive: isSensitive(types, type, name),
  }));
}

function inOrder(names: readonly string[], type: string, types: SchemaRegistry): readonly string[] {
  const schema = Object.hasOwn(types, type) ? types[type]?.schema.attributes : undefined;
  const order = new Map(Object.keys(schema ?? {}).map((name, index) => [name, index]));
  const placeOf = (name: string): number => order.get(name) ?? order.size;
  return names.toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
}

function alikeOf({ data }: Plan, asked: PlannedData): readonly Address[] {
  if (asked.attributes === undefined) return [];
  return data.flatMap((one) =>
    one.address !== asked.address &&
    one.attributes !== undefined &&
    one.type === asked.type &&
    one.provider === asked.provider &&
    isKnown(one.query) &&
    equalValues(one.query, asked.query)
      ? [one.address]
      : [],
  );
}

function usesOf(desired: Desired, address: Address): readonly ExplainedUse[] {
  const { instances, data, outputs, checks = [] } = desired;
  const users = [
    ...[...data, ...instances].map((one) => ({ one, kind: "object", name: one.address }) as const),
    ...outputs.map((one) => ({ one, kind: "output", name: one.name }) as const),
    ...checks.map((one) => ({ one, kind: "check", name: one.name }) as const),
  ];
  return users.flatMap(({ one, kind, name }) =>
    (one.dataUses?.() ?? []).flatMap(({ data: used, ...use }) =>
      used === address ? [{ ...use, user: { kind, name } }] : [],
    ),
  );
}

function throughOthers(
  { instances, data }: Desired,
  address: Address,
  uses: readonly ExplainedUse[],
): readonly Address[] {
  const direct = new Set(uses.map(({ user }) => user.name));
  return [...data, ...instances].flatMap((one) =>
    one.data.includes(address) && !direct.has(one.address) ? [one.address] : [],
  );
}

/** Those that a plan itself knows: its values that are known after apply. */
function waitingUses(plan: Plan, address: Address): readonly ExplainedUse[] {
  const uses: ExplainedUse[] = [];
  const add = (waiting: DeferredValue | undefined, use: Omit<ExplainedUse, "reads">): void => {
    for (const { address: named, attribute: reads } of waiting?.references ?? []) {
      if (named === address) uses.push(reads === undefined ? use : { ...use, reads });
    }
  };
  for (const { address: name, deferred, conditions = [] } of plan.data) {
    const user = { kind: "object", name } as const;
    for (const [attribute, waiting] of Object.entries(deferred)) {
      add(waiting, { user, by: "attribute", attribute });
    }
    for (const one of conditions) add(one.deferred, { user, by: "condition", place: one.source });
  }
  for (const operation of plan.operations) {
    const user = { kind: "object", name: operation.subject.address } as const;
    for (const [attribute, waiting] of Object.entries(operation.request.deferred)) {
      add(waiting, { user, by: "attribute", attribute });
    }
    for (const one of judgedBy(operation)) {
      add(one.deferred, { user, by: "condition", place: one.source });
    }
  }
  for (const { name, deferred } of plan.outputs) {
    add(deferred, { user: { kind: "output", name }, by: "value" });
  }
  for (const { output: name, deferred, source: place } of plan.outputConditions ?? []) {
    add(deferred, { user: { kind: "output", name }, by: "condition", place });
  }
  for (const { name, deferred } of plan.checks ?? []) {
    add(deferred, { user: { kind: "check", name }, by: "condition" });
  }
  return uniqueUses(uses);
}

/** Several operations of an object wait for the same value. */
function uniqueUses(uses: readonly ExplainedUse[]): readonly ExplainedUse[] {
  const keyOf = ({ user, by, attribute, reads, place }: ExplainedUse): string =>
    [user.kind, user.name, by, attribute, reads, place?.line, place?.column].join(" ");
  return [...new Map(uses.map((use) => [keyOf(use), use])).values()];
}
