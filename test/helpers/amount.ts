/**
 * What is tried in full only by `npm run test:long`. A person waits for `npm test`: it tries some rows
 * of long tables, and fewer kill points, seeds and runs of properties.
 */

/** Everything is tried, as by `npm run test:long`. */
export const isLongRun = process.env.VMFORM_LONG === "1";

/** How many of something that can be tried any number of times. */
export function amount(quick: number, long: number): number {
  return isLongRun ? long : quick;
}

/** Tests that only a long run tries, beside what shows the same in less time. */
export const onlyInLongRun = { skip: !isLongRun };

/**
 * As many rows, spread evenly over the table, the first among them; in a long run all, or at most
 * `long`.
 */
export function some<T>(rows: readonly T[], quick: number, long = rows.length): readonly T[] {
  const length = isLongRun ? long : quick;
  if (rows.length <= length) return rows;
  return Array.from({ length }, (_, index) => {
    const row = rows[Math.floor((index * rows.length) / length)];
    if (row === undefined) throw new Error("there is no such row");
    return row;
  });
}
