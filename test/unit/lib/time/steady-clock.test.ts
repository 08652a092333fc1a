import fc from "fast-check";
import { expect, test } from "vitest";
import { steadyClock } from "../../../../src/lib/time/steady-clock.ts";

/** A machine whose clock can be set, and which can sleep. */
function machine() {
  const times = { wall: 1_000_000, awake: 50, booted: 900 };
  return {
    times: { wall: () => times.wall, awake: () => times.awake, booted: () => times.booted },
    pass: (ms: number) => {
      for (const name of ["wall", "awake", "booted"] as const) times[name] += ms;
    },
    sleep: (ms: number) => {
      for (const name of ["wall", "booted"] as const) times[name] += ms;
    },
    set: (ms: number) => {
      times.wall += ms;
    },
  };
}

type Step = readonly ["pass" | "sleep" | "set", number];

test.each<[string, readonly Step[], number]>([
  ["it goes on with the system's", [["pass", 5]], 5],
  [
    "set forward, it goes on from where it was",
    [
      ["set", 86_400_000],
      ["pass", 7],
    ],
    7,
  ],
  [
    "set back, it goes on from where it was",
    [
      ["set", -86_400_000],
      ["pass", 7],
    ],
    7,
  ],
  [
    "set twice",
    [
      ["set", 9000],
      ["pass", 1],
      ["set", -9000],
      ["pass", 2],
    ],
    3,
  ],
  [
    "the time that the machine slept has passed",
    [
      ["sleep", 3_600_000],
      ["pass", 1],
    ],
    3_600_001,
  ],
  [
    "it slept, and its clock was put right",
    [
      ["sleep", 50_000],
      ["set", -4000],
    ],
    50_000,
  ],
  [
    "it slept twice",
    [
      ["sleep", 50_000],
      ["pass", 1],
      ["sleep", 60_000],
    ],
    110_001,
  ],
])("%s", (_what, steps, expected) => {
  const { times, ...does } = machine();
  const now = steadyClock(times);
  const begin = now();
  for (const [what, ms] of steps) {
    does[what](ms);
    now();
  }
  expect(now() - begin).toBe(expected);
});

test("it never goes back, and passes as much as did for everybody", () => {
  const step = fc.tuple(
    fc.constantFrom("pass" as const, "sleep" as const, "set" as const),
    // What is less than the tolerance is not told from a clock that is put right.
    fc.integer({ min: 2001, max: 10_000_000 }),
    fc.boolean(),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const { times, ...does } = machine();
      const now = steadyClock(times);
      const begin = now();
      let passedMs = 0;
      for (const [what, ms, isBack] of steps) {
        does[what](what === "set" && isBack ? -ms : ms);
        if (what !== "set") passedMs += ms;
        expect(now() - begin).toBe(passedMs);
      }
    }),
  );
});
