/** Time that goes on, whatever is done to the clock of the system. */

/**
 * A clock that never goes back. Waits end by points in time: a system clock that is set back during
 * one would make it longer by as much. Set forward, waits end early, and what they waited for is
 * looked at again.
 */
export function steadyClock(wall: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  let aheadMs = 0;
  return () => {
    const read = wall();
    const now = Math.max(read + aheadMs, last);
    // What was lost is never caught up: time goes on from here.
    aheadMs = now - read;
    last = now;
    return now;
  };
}
