/** Small builders of plans, changes and operations for tests. */

import type { Operation, PreparedOperation } from "../../src/model/operation/operation.ts";
import type { AttributeChange, Change } from "../../src/model/plan/change.ts";
import type { Plan } from "../../src/model/plan/plan.ts";
import type { DeferredValue } from "../../src/model/value/expression.ts";
import { equalValues, type PlannedAttributes } from "../../src/model/value/value.ts";
import { type Parts, withParts } from "./parts.ts";
import { address } from "./recorded-builder.ts";

export function buildPlan(parts: Partial<Plan> = {}): Plan {
  return {
    formatVersion: "1.0",
    id: "plan-1",
    createdMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    mode: "apply",
    base: { lineage: "6c1e4a2f-0000-4000-8000-000000000001", serial: 7, position: 40 },
    simulated: false,
    changes: [],
    operations: [],
    joins: [],
    notes: [],
    closingNotes: [],
    keptNotes: [],
    observed: [],
    drift: [],
    differences: [],
    notChecked: [],
    outputs: [],
    data: [],
    facts: [],
    providers: [],
    endpoints: [],
    partial: false,
    scope: { selected: 0, objects: 0 },
    blocked: [],
    diagnostics: [],
    consent: [],
    allowed: [],
    interrupted: [],
    ...parts,
  };
}

type ChangeParts = Partial<Omit<Change, "attributes">> & {
  readonly forcing?: readonly string[];
  readonly sensitive?: readonly string[];
};

/** The changed attributes are those that differ between `before` and `after`. */
export function buildChange(text: string, parts: ChangeParts): Change {
  const { forcing = [], sensitive = [], ...given } = parts;
  const before: PlannedAttributes = given.before ?? {};
  const after: PlannedAttributes = given.after ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const attributes = names.flatMap((attribute): AttributeChange[] => {
    const [old, wanted] = [before[attribute] ?? null, after[attribute] ?? null];
    if (equalValues(old, wanted)) return [];
    return [
      {
        attribute,
        before: old,
        after: wanted,
        sensitive: sensitive.includes(attribute),
        forcesReplace: forcing.includes(attribute),
      },
    ];
  });
  return {
    address: address(text),
    objectKey: "current",
    type: text.split(".")[0] ?? "",
    provider: "daemon",
    identity: text.replace(/^.*\./, ""),
    action: "update",
    reason: { kind: "attributes" },
    before: null,
    after: null,
    ...given,
    attributes: given.action === "forget" ? [] : attributes,
  };
}

/** An operation whose id is `<address>#<verb>.1` when none is given. */
export function buildOperation(text: string, verb: string, parts: Parts<Operation>): Operation {
  const base: Operation = {
    id: `${text}#${verb}.1`,
    subject: {
      address: address(text),
      type: text.split(".")[0] ?? "",
      provider: "daemon",
      objectKey: "current",
      identity: text.replace(/^.*\./, ""),
    },
    verb,
    effect: { kind: "update" },
    summary: `${verb} ${text.replace(/^.*\./, "")}`,
    request: { inputs: {}, deferred: {}, repeat: "safe" },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    order: { after: [], locks: [], pools: [], long: false },
    disrupts: [],
    proof: { expect: [], unobservable: false, lagging: false, limitMs: 120_000, readBack: [] },
  };
  return withParts(base, parts);
}

/** The same with no late values, as a provider is given it to send. */
export function buildPrepared(
  text: string,
  verb: string,
  parts: Parts<PreparedOperation>,
): PreparedOperation {
  const { request, record, ...rest } = buildOperation(text, verb, {});
  const { deferred: _none, ...planned } = request;
  const base = { ...rest, request: { ...planned, inputs: {} }, record: { ...record, applied: {} } };
  return withParts<PreparedOperation>(base, parts);
}

export function deferredValue(template: string): DeferredValue {
  return { template, scope: {}, pending: {}, type: "string", references: [] };
}
