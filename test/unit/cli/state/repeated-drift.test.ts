/** One report after another: when the next one comes, what a failed one does, and how it ends. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { pauseAfter, repeatDrift } from "../../../../src/cli/state/repeated-drift.ts";
import { CommandError, InterruptedError } from "../../../../src/commands/environment.ts";

const minuteMs = 60_000;

test("the next one begins at the interval or later, and never at once", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 10_000, max: 86_400_000 }),
      fc.integer({ min: -1000, max: 200_000_000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (everyMs, tookMs, random) => {
        const pauseMs = pauseAfter(everyMs, tookMs, random);
        expect(pauseMs).toBeGreaterThanOrEqual(1000);
        expect(pauseMs + Math.max(tookMs, 0)).toBeGreaterThanOrEqual(everyMs);
        expect(pauseMs).toBeLessThanOrEqual(1.1 * everyMs + 1000);
      },
    ),
  );
});

/** Runs turns until the last one is over, then interrupts the pause after it. */
async function turns(outcomes: readonly (() => Promise<0 | 2>)[], everyMs = 15 * minuteMs) {
  const said: string[] = [];
  const told: string[] = [];
  const exits: number[] = [];
  let nowMs = 0;
  let turn = 0;
  const run = {
    view: {
      text: (text: string) => void said.push(text),
      diagnostics: (list: readonly { readonly detail: string }[]) =>
        void told.push(...list.map(({ detail }) => detail)),
    },
    environment: {
      clock: {
        now: () => nowMs,
        sleep: async (ms: number) => {
          nowMs += ms;
        },
      },
      interrupts: {
        untilInterrupted: async (work: () => Promise<void>) => {
          if (turn >= outcomes.length) throw new InterruptedError();
          await work();
        },
      },
    },
  };
  const shell = { terminal: { exit: (code: number) => void exits.push(code) } };
  const code = await repeatDrift(shell as never, run as never, everyMs, async () => {
    const outcome = outcomes[turn];
    turn += 1;
    if (outcome === undefined) throw new Error("a turn too many");
    return outcome();
  });
  return { code, said, told, exits, turn, nowMs };
}

test("a report that fails is told, and the next one comes; an interruption ends it well", async () => {
  const { code, told, exits, turn, nowMs } = await turns([
    async () => 2,
    () => Promise.reject(new CommandError("the port is closed")),
    async () => 0,
  ]);
  expect({ code, exits, turn }).toEqual({ code: 0, exits: [0], turn: 3 });
  expect(told).toEqual(["the port is closed"]);
  expect(nowMs).toBeGreaterThanOrEqual(30 * minuteMs);
});

test("a fault of the program ends it", async () => {
  await expect(turns([() => Promise.reject(new Error("a fault"))])).rejects.toThrow("a fault");
});

test("an interruption within a report ends it as it ends any report", async () => {
  const work = turns([() => Promise.reject(new InterruptedError())]);
  await expect(work).rejects.toThrow(InterruptedError);
});

test("too often is refused", async () => {
  await expect(turns([async () => 0], 5000)).rejects.toThrow("--every is at least 10s.");
});
