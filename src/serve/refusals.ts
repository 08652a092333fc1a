/** Whoever is refused shall not fill the database with that: so many of a minute are noted. */

const refusalsOfMinute = 20;

/** Whether one more is to be noted now. */
export function createRefusals(now: () => number): () => boolean {
  let [minute, count] = [0, 0];
  return () => {
    const present = Math.floor(now() / 60_000);
    count = present === minute ? count + 1 : 1;
    minute = present;
    return count <= refusalsOfMinute;
  };
}
