/** When something that may not begin now may begin: looked for, since any expression may decide. */

const minuteMs = 60_000;
/** A window that is open for less may be missed, and is then told by no time. */
const stepMs = 5 * minuteMs;
const horizonMs = 8 * 24 * 60 * minuteMs;

/** The first minute of the next eight days at which it holds; undefined when there is none. */
export function nextOpening(holdsAt: (ms: number) => boolean, nowMs: number): number | undefined {
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
