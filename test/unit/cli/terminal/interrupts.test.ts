/** Requests to stop, as one command counts them. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createInterrupts } from "../../../../src/cli/terminal/interrupts.ts";
import type { StopSignal } from "../../../../src/cli/terminal/terminal.ts";
import { InterruptedError } from "../../../../src/commands/environment.ts";

function setUp() {
  const trace: string[] = [];
  let send: ((signal: StopSignal) => void) | undefined;
  const interrupts = createInterrupts(
    {
      onInterrupt: (listener) => {
        trace.push("listens");
        send = listener;
      },
      exit: (code) => void trace.push(`exit ${code}`),
    },
    () => void trace.push("given up"),
  );
  return { trace, interrupts, send: (signal: StopSignal = "SIGINT") => send?.(signal) };
}

const never = new Promise<never>(() => {});

test("until a command asks, the system's own handling stays", () => {
  expect(setUp().trace).toEqual([]);
});

test("what can be given up ends at the first request, the process at the second", async () => {
  const { trace, interrupts, send } = setUp();
  const works = [
    interrupts.untilInterrupted(() => never),
    interrupts.untilInterrupted(() => never),
  ];
  expect(await interrupts.untilInterrupted(() => Promise.resolve(1))).toBe(1);
  send();
  for (const work of works) await expect(work).rejects.toThrow(InterruptedError);
  await expect(interrupts.untilInterrupted(() => never)).rejects.toThrow(InterruptedError);
  expect(() => interrupts.begin()).toThrow(InterruptedError);
  send();
  expect(trace).toEqual(["listens", "given up", "exit 130"]);
});

test("what has begun is drained, by the first request, also one that came before it listened", () => {
  const early = setUp();
  void early.interrupts.untilInterrupted(() => never);
  early.interrupts.begin();
  early.send("SIGTERM");
  early.interrupts.onDrain(() => early.trace.push("drains"));
  early.send("SIGINT");
  expect(early.trace).toEqual(["listens", "drains", "exit 130"]);
  expect(early.interrupts.lastSignal()).toBe("SIGINT");
});

test("a cancel goes to who listens, and nowhere while nobody does", () => {
  const { trace, interrupts } = setUp();
  expect(interrupts.lastSignal()).toBeUndefined();
  interrupts.cancel();
  interrupts.onCancel(() => trace.push("cancels"));
  interrupts.cancel();
  expect(trace).toEqual(["cancels"]);
});

describe("what is still tried at the second request", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function begun(work: () => Promise<void>) {
    const run = setUp();
    run.interrupts.onQuit?.(() => {
      run.trace.push("quits");
      return work();
    });
    void run.interrupts.untilInterrupted(() => never);
    run.interrupts.begin();
    run.send();
    return run;
  }

  test.each([
    ["done", () => Promise.resolve()],
    ["failed", () => Promise.reject(new Error("no"))],
  ])("%s: the process ends then", async (_what, work) => {
    const { trace, send } = begun(work);
    expect(trace).toEqual(["listens"]);
    send();
    expect(trace).toEqual(["listens", "given up", "quits"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(trace).toEqual(["listens", "given up", "quits", "exit 130"]);
  });

  test("takes two seconds at most", async () => {
    const { trace, send } = begun(() => never);
    send();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(trace).toEqual(["listens", "given up", "quits"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(trace).toEqual(["listens", "given up", "quits", "exit 130"]);
  });

  test("is given up at the third", () => {
    const { trace, send } = begun(() => never);
    send();
    send();
    expect(trace).toEqual(["listens", "given up", "quits", "exit 130"]);
  });

  test("is not tried where nothing has begun: that is given up already", () => {
    const { trace, interrupts, send } = setUp();
    interrupts.onQuit?.(() => Promise.reject(new Error("asked")));
    interrupts.untilInterrupted(() => never).catch(() => {});
    send();
    send();
    expect(trace).toEqual(["listens", "given up", "exit 130"]);
  });
});
