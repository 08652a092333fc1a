/** When something that may not begin now may begin: looked for, since any expression may decide. */

import type { DesiredPolicy } from "../../model/plan/policy.ts";

const minuteMs = 60_000;
/** A window that is open for less may be missed, and is then told by no time. */
const stepMs = 5 * minuteMs;
const horizonMs = 8 * 24 * 60 * minuteMs;

/** A search may ask a policy some thousand times: so many are made, then no more is told. */
const searchesMax = 20;

/** When a policy that does not hold now holds of something; undefined where nobody can tell. */
export type Openings = (
  policy: DesiredPolicy,
  holdsAt: (ms: number) => boolean,
) => number | undefined;

/** What opens by the time alone is looked for once. Good for one moment. */
export function createOpenings(nowMs: number): Openings {
  const known = new Map<DesiredPolicy, number | undefined>();
  let searches = 0;
  return (policy, holdsAt) => {
    if (known.has(policy)) return known.get(policy);
    searches += 1;
    if (searches > searchesMax) return undefined;
    const found = nextOpening(holdsAt, nowMs);
    if (policy.windowed === true) known.set(policy, found);
    return found;
  };
}

/** The first minute of the next eight days at which it holds; undefined when there is none. */
function nextOpening(holdsAt: (ms: number) => boolean, nowMs: number): number | undefined {
  const start = Math.floor(nowMs / minuteMs) * minuteMs;
  for (let at = start + stepMs; at <= start + horizonMs; at += stepMs) {
    if (!holdsAt(at)) continue;
    // Within the step it may have held earlier.
    let first = at;
    for (let earlier = at - minuteMs; earlier > at - stepMs; earlier -= minuteMs) {
      if (!holdsAt(earlier)) break;
      first = earlier;
    }
    return first;
  }
  return undefined;
}
