/** Time that goes on, whatever is done to the clock of the system. */

/** What a machine tells of time, each in milliseconds. */
export type Times = {
  /** The clock of the system, which anybody may set. */
  readonly wall: () => number;
  /** Goes on evenly while the machine is awake. */
  readonly awake: () => number;
  /** Goes on while it sleeps as well; asked only when the two others disagree. */
  readonly booted: () => number;
};

/** The clock of the system runs a little faster or slower while it is put right. */
const toleranceMs = 2000;

/**
 * A clock that begins as the system's and then only goes on. Waits end by points in time: set back,
 * a system clock would make them longer by as much, and set forward it would end them at once, with
 * "not seen within 5 m" after a second. The time that the machine slept has passed for everybody
 * else, so it counts.
 */
export function steadyClock({ wall, awake, booted }: Times): () => number {
  const start = { wall: wall(), awake: awake(), booted: booted() };
  let sleptMs = 0;
  let setMs = 0;
  return () => {
    const awakeMs = awake() - start.awake;
    const offMs = wall() - (start.wall + awakeMs + sleptMs + setMs);
    if (Math.abs(offMs) > toleranceMs) {
      const moreMs = booted() - start.booted - awakeMs - sleptMs;
      const sleepMs = moreMs > toleranceMs ? moreMs : 0;
      sleptMs += sleepMs;
      setMs += offMs - sleepMs;
    }
    return Math.floor(start.wall + awakeMs + sleptMs);
  };
}
