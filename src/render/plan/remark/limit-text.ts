/** Time limits that a plan has in place of the usual ones, in words. */

import type { Plan } from "../../../model/plan/plan.ts";
import type { ValueMap } from "../../../model/value/value.ts";
import { durationText } from "../../text/duration-text.ts";
import { type StyledLine, textLine } from "../../text/styled-line.ts";

/** Lines; the rest is counted. */
const linesMax = 20;

export function limitSection({ limits = [] }: Plan): StyledLine[] {
  if (limits.length === 0) return [];
  const more = limits.length - linesMax;
  return [
    textLine("Time limits by timeouts:", undefined, 2),
    ...limits.slice(0, linesMax).map(({ address, verb, limitMs, usualMs }) => {
      const [limit, usual] = [durationText(limitMs), durationText(usualMs)];
      return textLine(`  ${address}: ${verb} ${limit}, usually ${usual}`);
    }),
    ...(more > 0 ? [textLine(`  and ${more} more`)] : []),
  ];
}

export function limitsJson({ limits = [] }: Plan): readonly ValueMap[] {
  return limits.map(({ address, verb, limitMs, usualMs }) => {
    return { address, verb, limit_ms: limitMs, usual_ms: usualMs };
  });
}
