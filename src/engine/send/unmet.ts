/** Why an expectation is not met, in words: what was wanted, and what a read showed instead. */

import { stringifyJson } from "../../lib/json.ts";
import type { AttributeExpectation } from "../../model/operation/expectation.ts";
import type { Operation } from "../../model/operation/operation.ts";
import type { Observation } from "../../model/provider/observation.ts";
import { isKnown, isMap, type PlannedValue } from "../../model/value/value.ts";
import { isSilent, reaches, type Settled } from "../settle.ts";

/** Why an effect was expected: a positive reply, a task that succeeded, or one that is gone. */
export type Claim = "reply" | "task" | "gone task";

const claims: { readonly [claim in Claim]: string } = {
  reply: "the server accepted the request, but",
  task: "its task succeeded, but",
  "gone task": "its task is gone, and",
};

export function unmetText(
  { proof: { expect, unmetAdvice } }: Pick<Operation, "proof">,
  settled: Settled,
  claim: Claim,
): string {
  const { observation, reason } = settled;
  const hidden = `its effect cannot be read back${reason === undefined ? "" : `: ${reason}`}`;
  const differences =
    observation === undefined
      ? []
      : expect.flatMap((item) => differenceText(item, observation) ?? []);
  const [difference] = differences;
  // Where nothing was read, nothing is known to be wrong.
  const isAdvised = unmetAdvice !== undefined && !isSilent(expect, settled);
  const advice = isAdvised ? `; ${unmetAdvice}` : "";
  return `${claims[claim]} ${difference ?? hidden}${advice}`;
}

/** A wait that saw nothing until its limit. */
export function notSeenText(
  { proof: { expect, limitMs, unmetAdvice } }: Pick<Operation, "proof">,
  settled: Settled,
): string {
  const seen = seenText(expect, settled);
  const last = seen === undefined ? "" : `, ${seen}`;
  const advice = unmetAdvice === undefined ? "" : `${unmetAdvice}, `;
  return (
    `not seen within ${limitMs / 1000} s${last}; ` +
    `${advice}or allow more time: timeouts: { wait: ${Math.ceil(limitMs / 30_000)}m }`
  );
}

/** What a read shows of the expectation; undefined where it shows nothing. */
export function seenText(
  expect: readonly AttributeExpectation[],
  { observation, reason }: Settled,
): string | undefined {
  if (observation === undefined) return reason === undefined ? undefined : `not read: ${reason}`;
  const [difference] = expect.flatMap((item) => differenceText(item, observation) ?? []);
  return difference === undefined ? undefined : `so far ${difference}`;
}

function differenceText(
  expected: AttributeExpectation,
  observation: Observation,
): string | undefined {
  if ("existence" in expected) {
    if (observation.status === expected.existence) return undefined;
    return expected.existence === "found" ? "there is no such object" : "the object is still there";
  }
  if (observation.status === "missing") return "the object is gone";
  if (observation.status !== "found") return undefined;
  const { attribute } = expected;
  const value = observation.attributes[attribute] ?? null;
  const { [attribute]: rule } = observation.unreadable;
  if (value === null && rule !== undefined) {
    const reason = observation.reasons?.[attribute];
    return `${attribute} cannot be read${reason === undefined ? "" : `: ${reason}`}`;
  }
  if ("atLeast" in expected) return shortText(attribute, value, expected.atLeast);
  if ("present" in expected) {
    const reason = observation.reasons?.[attribute];
    const missing = `${attribute} is not there${reason === undefined ? "" : ` (${reason})`}`;
    return value === null ? missing : undefined;
  }
  const [is, wanted] = [shown(value), shown(expected.equals)];
  return is === wanted ? undefined : `${attribute} is still ${is}, not ${wanted}`;
}

/** Of many members, those that fall short. */
function shortText(name: string, value: PlannedValue, wanted: PlannedValue): string {
  if (!isMap(wanted) || !isMap(value)) {
    return `${name} is ${shown(value)}, which is less than ${shown(wanted)}`;
  }
  const members = new Map(Object.entries(value));
  return Object.entries(wanted)
    .map(([member, least]) => ({ member, least, is: members.get(member) ?? null }))
    .filter(({ least, is }) => !reaches(is, least))
    .map(({ member, least, is }) => shortText(`${name} of ${member}`, is, least))
    .join(", ");
}

function shown(value: PlannedValue): string {
  if (value === null) return "unset";
  if (typeof value === "string") return value;
  return isKnown(value) ? stringifyJson(value) : "unknown";
}
