/** Why an expectation is not met, in words: what was wanted, and what a read showed instead. */

import { stringifyJson } from "../lib/json.ts";
import type { Observation } from "../model/observation.ts";
import type { AttributeExpectation } from "../model/operation.ts";
import { isKnown, type PlannedValue } from "../model/value.ts";

/** Why an effect was expected: a positive reply, a task that succeeded, or one that is gone. */
export type Claim = "reply" | "task" | "gone task";

const claims: { readonly [claim in Claim]: string } = {
  reply: "the server accepted the request, but",
  task: "its task succeeded, but",
  "gone task": "its task is gone, and",
};

export function unmetText(
  expect: readonly AttributeExpectation[],
  observation: Observation | undefined,
  claim: Claim,
): string {
  const hidden = "its effect cannot be read back";
  const differences =
    observation === undefined
      ? []
      : expect.flatMap((item) => differenceText(item, observation) ?? []);
  return `${claims[claim]} ${differences[0] ?? hidden}`;
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
  if ("atLeast" in expected) {
    const [is, wanted] = [shown(value), shown(expected.atLeast)];
    return `${attribute} is ${is}, which is less than ${wanted}`;
  }
  if ("present" in expected) return value === null ? `${attribute} is not there` : undefined;
  const [is, wanted] = [shown(value), shown(expected.equals)];
  return is === wanted ? undefined : `${attribute} is still ${is}, not ${wanted}`;
}

function shown(value: PlannedValue): string {
  if (value === null) return "unset";
  if (typeof value === "string") return value;
  return isKnown(value) ? stringifyJson(value) : "unknown";
}
