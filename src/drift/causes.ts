/** Causes: objects of one type that show the same finding most likely do so for one reason. */

import { stringifyJson } from "../lib/json.ts";
import type {
  AttributeDifference,
  DriftCause,
  DriftVerdict,
  ObjectDrift,
} from "../model/plan/drift-report.ts";
import { type Advice, adviceKey, suggestionsOf } from "./advice.ts";

export type Finding = { readonly object: ObjectDrift; readonly advice: readonly Advice[] };

const worthALine: ReadonlySet<DriftVerdict> = new Set([
  "drifted",
  "missing",
  "unknown",
  "not_checked",
]);

/** Only of two or more objects, in the order of their first address. Linear in the findings. */
export function causesOf(findings: readonly Finding[], directory: string): readonly DriftCause[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const { object } = finding;
    if (!worthALine.has(object.verdict) || object.objectKey !== "current") continue;
    if (finding.advice.some(({ single }) => single === true)) continue;
    const key = causeKey(finding);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => cause(group, directory));
}

function cause(group: readonly Finding[], directory: string): DriftCause {
  const [first] = group;
  if (first === undefined) throw new Error("a cause without findings");
  const { type, verdict, reason, drifted } = first.object;
  const addresses = group.map(({ object }) => object.address);
  return {
    type,
    verdict,
    ...(reason === undefined ? {} : { reason }),
    differences: drifted.map(withoutFingerprint),
    addresses,
    suggestions: suggestionsOf(first.advice, addresses, directory),
  };
}

/** Values of sensitive attributes are null here, so secrets that changed count as alike. */
function causeKey({ object, advice }: Finding): string {
  const { type, verdict, reason = "", drifted } = object;
  const alike = drifted.map(withoutFingerprint);
  return stringifyJson([type, verdict, reason, alike, adviceKey(advice)]);
}

function withoutFingerprint(
  difference: AttributeDifference,
): Omit<AttributeDifference, "fingerprint"> {
  const { fingerprint: _fingerprint, ...rest } = difference;
  return rest;
}
