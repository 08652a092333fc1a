/**
 * The clock of a test of a configuration: it stands still while anything is done, and jumps to what
 * is waited for next when nothing else is left to do. So hours of waiting take no time, and how
 * fast the machine is decides nothing.
 */

import type { Clock } from "../../model/clock.ts";

export type TestClock = Clock & {
  /** The same for a simulator, whose request waits. */
  until(timeMs: number, signal: AbortSignal): Promise<void>;
  /** Moves it forward and wakes everyone whose time has come. */
  advance(ms: number): void;
  /** Whoever still sleeps is forgotten: what slept was given up. */
  forget(): void;
};

type Waiter = {
  readonly kind: "sleeper" | "request";
  readonly timeMs: number;
  readonly wake: () => void;
};

/** Turns of the event loop in which nothing happens before time may jump. */
const quietTurns = 4;

/** `inFlight` counts requests that are sent and not answered; those that wait here included. */
export function createTestClock(startMs: number, inFlight: () => number): TestClock {
  const line = createTimeline(startMs, inFlight);
  return {
    now: line.now,
    uptime: () => ({ boot: "test", ms: line.now() }),
    sleep: (ms) =>
      new Promise((resolve) => {
        line.wait("sleeper", line.now() + Math.max(0, ms), resolve);
      }),
    until: (timeMs, signal) => waitUntil(line, timeMs, signal),
    advance: line.advance,
    forget: line.forget,
  };
}

function waitUntil(line: Timeline, timeMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    };
    if (signal.aborted) return give();
    if (timeMs <= line.now()) return resolve();
    const abort = (): void => {
      stop();
      give();
    };
    const stop = line.wait("request", timeMs, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    signal.addEventListener("abort", abort, { once: true });
  });
}

type Timeline = Pick<TestClock, "now" | "advance" | "forget"> & {
  /** Gives what ends the waiting. */
  readonly wait: (kind: Waiter["kind"], timeMs: number, wake: () => void) => () => void;
};

function createTimeline(startMs: number, inFlight: () => number): Timeline {
  let nowMs = startMs;
  /** In the order in which they came. */
  let waiters: readonly Waiter[] = [];
  /** Changes with whatever is asked of the clock. */
  let stirred = 0;
  let watching = false;

  const isIdle = (): boolean =>
    inFlight() <= waiters.filter(({ kind }) => kind === "request").length;

  const advanceTo = (timeMs: number): void => {
    stirred += 1;
    nowMs = Math.max(nowMs, timeMs);
    const due = waiters.filter((waiter) => waiter.timeMs <= nowMs);
    waiters = waiters.filter((waiter) => waiter.timeMs > nowMs);
    for (const { wake } of due.toSorted((a, b) => a.timeMs - b.timeMs)) wake();
  };

  const watch = async (): Promise<void> => {
    while (waiters.length > 0) {
      const before = stirred;
      for (let turn = 0; turn < quietTurns; turn += 1) await nextTurn();
      if (!isIdle()) await shortWhile();
      else if (stirred === before) advanceTo(Math.min(...waiters.map(({ timeMs }) => timeMs)));
    }
    watching = false;
  };

  return {
    now: () => nowMs,
    advance: (ms) => advanceTo(nowMs + ms),
    forget: () => {
      stirred += 1;
      waiters = waiters.filter(({ kind }) => kind === "request");
    },
    wait: (kind, timeMs, wake) => {
      stirred += 1;
      const waiter: Waiter = { kind, timeMs, wake };
      waiters = [...waiters, waiter];
      if (!watching) {
        watching = true;
        void watch();
      }
      return () => {
        stirred += 1;
        waiters = waiters.filter((other) => other !== waiter);
      };
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function shortWhile(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
