/**
 * Data sources while planning: which are known, which have to wait, and for what. Reading is not
 * planned here: what was read comes in, and what could be read now goes out in the plan, as a data
 * source that waits for nothing and is not known.
 */

import type { DesiredData, ResolvedAttributes } from "../../model/plan/desired.ts";
import type { PlannedData } from "../../model/plan/plan.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import { problem } from "../codes.ts";
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
  const resolved = data.resolve((other) => draft.planned.get(other));
  const { diagnostics } = resolved;
  if (hasErrors(diagnostics)) return blocked(address, ...diagnostics);
  const answer = draft.input.data.get(address);
  if (answer?.status === "failed") {
    return blocked(address, ...diagnostics, unreadable(data, answer.reason));
  }
  const { type, provider } = data;
  const { attributes: query, deferred } = resolved;
  const waitsFor = awaitedBy(draft, data, resolved);
  const planned: PlannedData = { address, type, provider, query, deferred, waitsFor };
  // An answer that came before what it depends on changes would be an old one.
  const isKnown = answer !== undefined && waitsFor.length === 0;
  if (!isKnown) return { address, diagnostics, data: planned };
  const { attributes } = answer;
  return { address, diagnostics, data: { ...planned, attributes }, planned: attributes };
}

/**
 * Data sources it uses that are not known, instances behind it that change, however far, and those
 * whose value is awaited though they do not change.
 */
function awaitedBy(
  draft: Draft,
  data: DesiredData,
  { deferred }: ResolvedAttributes,
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
  const unknown = Object.values(deferred).flatMap(({ references }) => references);
  return [...new Set(unknown.map((reference) => reference.address))];
}

function unreadable(data: DesiredData, reason: string): ReturnType<typeof problem> {
  return problem(data, "PLN021", {
    detail: `${reason}. Nothing is planned for what depends on it.`,
  });
}
