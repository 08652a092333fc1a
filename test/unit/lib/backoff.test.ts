import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "../../../src/lib/backoff.ts";

const backoff = { baseMs: 500, capMs: 10_000 };

test.each([
  [0, 0, 250],
  [0, 0.5, 375],
  [1, 0, 500],
  [2, 0.999, 1999],
  [4, 0, 4000],
  [5, 0, 5000],
  [1000, 0, 5000],
])("repeat %i with random %d", (repeat, random, ms) => {
  expect(backoffMs(repeat, backoff, () => random)).toBe(ms);
});

test("never above the cap, never below half of the step, never shorter for a later repeat", () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.nat(5000), random, (repeat, value) => {
      const ms = backoffMs(repeat, backoff, () => value);
      expect(ms).toBeLessThanOrEqual(backoff.capMs);
      expect(ms).toBeGreaterThanOrEqual(250);
      expect(backoffMs(repeat + 1, backoff, () => value)).toBeGreaterThanOrEqual(ms);
    }),
  );
});
