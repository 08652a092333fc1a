/**
 * Data sources while planning: which are known, which have to wait, and for what. Reading is not
 * planned here: what was read comes in, and what could be read now goes out in the plan, as a data
 * source that waits for nothing and is not known.
 */

import { deferredIn, type LateCondition } from "../../model/operation/condition.ts";
import type { DesiredData } from "../../model/plan/desired.ts";
import type { PlannedData } from "../../model/plan/plan.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import type { DeferredValue, ReferenceLookup } from "../../model/value/expression.ts";
import { problem } from "../codes.ts";
import { judgeConditions, ofKind } from "../conditions.ts";
import { blocked, type Draft, type Drafting, type Outcome } from "./draft.ts";

/**
 * Classifies one data source, once, after those it uses. The instances it depends on have been
 * classified before.
 */
export function classifyData(drafting: Drafting, address: Address): void {
  const { draft, fold } = drafting;
  const data = draft.sources.get(address);
  if (data === undefined || draft.data.has(address) || draft.blocked.has(address)) return;
  for (const used of data.data) classifyData(drafting, used);
  fold(outcomeOf(draft, data));
}

/** One that cannot be read is blocked, and so is what uses it. */
function outcomeOf(draft: Draft, data: DesiredData): Outcome {
  const { address } = data;
  if ([...data.data, ...data.dependencies].some((one) => draft.blocked.has(one))) {
    return blocked(address);
  }
  const lookup: ReferenceLookup = (other) => draft.planned.get(other);
  const before = judgeConditions(ofKind(data.conditions, "precondition"), lookup, { address });
  if (before.diagnostics.length > 0) return blocked(address, ...before.diagnostics);
  const resolved = data.resolve(lookup);
  const { diagnostics } = resolved;
  if (hasErrors(diagnostics)) return blocked(address, ...diagnostics);
  const answer = draft.input.data.get(address);
  if (answer?.status === "failed") {
    return blocked(address, ...diagnostics, unreadable(data, answer.reason));
  }
  const { type, provider } = data;
  const { attributes: query, deferred } = resolved;
  const waitsFor = awaitedBy(draft, data, [...Object.values(deferred), ...waiting(before.late)]);
  const planned: PlannedData = { address, type, provider, query, deferred, waitsFor };
  const after = ofKind(data.conditions, "postcondition");
  // An answer that came before what it depends on changes would be an old one.
  if (answer === undefined || waitsFor.length > 0) {
    const late = judgeConditions(after, lookup, { address }, "lateSelf");
    // What is false already, or cannot be told, needs no answer.
    if (late.diagnostics.length > 0) return blocked(address, ...diagnostics, ...late.diagnostics);
    return { address, diagnostics, data: withConditions(planned, [...before.late, ...late.late]) };
  }
  const { attributes } = answer;
  const judged = judgeConditions(
    after,
    (other) => (other === address ? attributes : lookup(other)),
    { address },
  );
  if (judged.diagnostics.length > 0) {
    return blocked(address, ...diagnostics, ...judged.diagnostics);
  }
  if (judged.late.length === 0) {
    return { address, diagnostics, data: { ...planned, attributes }, planned: attributes };
  }
  // An answer that is still to be judged is none: it is read when what the condition names is done.
  const late = judgeConditions(after, lookup, { address }, "lateSelf").late;
  const awaited = { ...planned, waitsFor: awaitedBy(draft, data, waiting(judged.late)) };
  return { address, diagnostics, data: withConditions(awaited, late) };
}

function waiting(late: readonly LateCondition[]): readonly DeferredValue[] {
  return late.flatMap(deferredIn);
}

function withConditions(data: PlannedData, late: readonly LateCondition[]): PlannedData {
  return late.length === 0 ? data : { ...data, conditions: late };
}

/**
 * Data sources it uses that are not known, instances behind it that change, however far, and those
 * whose value is awaited though they do not change.
 */
function awaitedBy(
  draft: Draft,
  data: DesiredData,
  late: readonly DeferredValue[],
): readonly Address[] {
  const awaited = data.data.filter((used) => draft.data.get(used)?.attributes === undefined);
  const seen = new Set<Address>();
  const stack = [...data.dependencies];
  for (let address = stack.pop(); address !== undefined; address = stack.pop()) {
    if (seen.has(address)) continue;
    seen.add(address);
    const unit = draft.units.get(address);
    if (unit === undefined) continue;
    if (unit.action !== "no-op") awaited.push(address);
    stack.push(...unit.dependencies);
  }
  if (awaited.length > 0) return awaited;
  const unknown = late.flatMap(({ references }) => references);
  return [...new Set(unknown.map((reference) => reference.address))];
}

function unreadable(data: DesiredData, reason: string): ReturnType<typeof problem> {
  return problem(data, "PLN021", {
    detail: `${reason}. Nothing is planned for what depends on it.`,
  });
}
