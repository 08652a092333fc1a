/** Versions of interfaces: dotted numbers. */

/** 5.10 is later than 5.9. */
export function isAtLeast(version: string, wanted: string): boolean {
  const left = version.split(".").map(Number);
  const right = wanted.split(".").map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
