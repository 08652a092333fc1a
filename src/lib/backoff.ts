/** Pauses between attempts: exponential, capped, with jitter. Pure: randomness is an argument. */

export type Backoff = {
  /** Pause before the first repeat, milliseconds, before jitter. */
  readonly baseMs: number;
  /** No pause is longer, milliseconds. */
  readonly capMs: number;
};

/**
 * Pause before repeat `repeat` (0 is the first), milliseconds: half of the exponential step is
 * fixed, the other half is random, so that clients that failed together do not come back together.
 * `random` gives a number in [0, 1).
 */
export function backoffMs(repeat: number, backoff: Backoff, random: () => number): number {
  // Beyond 2^30 the step is over any cap, and larger powers would end as Infinity.
  const step = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(Math.max(repeat, 0), 30));
  return Math.round(step / 2 + (step / 2) * random());
}
