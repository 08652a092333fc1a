/** The movable clock. */

import { setMaxListeners } from "node:events";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createClock } from "../../../../src/simulators/kit/clock.ts";

const never = new AbortController().signal;
setMaxListeners(0, never);

test("a still clock moves by hand only, and wakes exactly whose time has come", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(100), { maxLength: 8 }),
      fc.array(fc.nat(60), { maxLength: 8 }),
      async (waits, moves) => {
        const clock = createClock({ startMs: 1000, timeScale: 0 });
        const woken = new Set<number>();
        for (const [index, wait] of waits.entries()) {
          void clock.until(1000 + wait, never).then(() => woken.add(index));
        }
        let movedMs = 0;
        for (const move of [0, ...moves]) {
          clock.advance(move);
          movedMs += move;
          expect(clock.now()).toBe(1000 + movedMs);
          await new Promise(setImmediate);
          const due = waits.flatMap((wait, index) => (wait <= movedMs ? [index] : []));
          expect([...woken].toSorted((a, b) => a - b)).toEqual(due);
        }
      },
    ),
  );
});

test("a running clock wakes a waiter not before its time", async () => {
  const clock = createClock({ startMs: 5000, timeScale: 100 });
  await clock.until(6000, never);
  expect(clock.now()).toBeGreaterThanOrEqual(6000);
});

test("an aborted wait ends, before and while waiting", async () => {
  const clock = createClock({ timeScale: 0 });
  const abort = new AbortController();
  const waiting = clock.until(clock.now() + 1, abort.signal);
  abort.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(clock.until(clock.now() + 1, abort.signal)).rejects.toThrow("stopped");
});

test.each([-1, Number.NaN, Infinity])("neither a pace nor a move of %d", (value) => {
  expect(() => createClock({ timeScale: value })).toThrow(RangeError);
  const clock = createClock();
  expect(() => {
    clock.advance(value);
  }).toThrow(RangeError);
});
