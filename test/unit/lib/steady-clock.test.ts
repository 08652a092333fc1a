import fc from "fast-check";
import { expect, test } from "vitest";
import { steadyClock } from "../../../src/lib/steady-clock.ts";

test("time goes on from where it was when the system clock is set back", () => {
  const walls = [100, 150, 50, 60, 90];
  const now = steadyClock(() => walls.shift() ?? 0);
  expect([now(), now(), now(), now(), now()]).toEqual([100, 150, 150, 160, 190]);
});

test("it never goes back, and is the system's clock while that goes on", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1 }), (walls) => {
      const rest = [...walls];
      const now = steadyClock(() => rest.shift() ?? 0);
      const told = walls.map(() => now());
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      if (walls.every((wall, index) => index === 0 || wall >= (walls[index - 1] ?? 0))) {
        expect(told).toEqual(walls);
      }
    }),
  );
});
