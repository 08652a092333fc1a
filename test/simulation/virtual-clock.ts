/** Time that jumps: timers fire in order as soon as nothing else can run. */

import type { Clock } from "../../src/model/clock.ts";

export type VirtualClock = Clock & {
  at(ms: number, action: () => void): void;
  /** Runs timers until the promise settles. Fails when it never can. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** Runs timers for some time. */
  advance(ms: number): Promise<void>;
};

type Timer = { readonly ms: number; readonly order: number; readonly action: () => void };

export function createVirtualClock(startMs = 1_000_000): VirtualClock {
  let nowMs = startMs;
  let order = 0;
  const timers: Timer[] = [];
  const before = (a: Timer, b: Timer): boolean => (a.ms !== b.ms ? a.ms < b.ms : a.order < b.order);

  const timerAt = (index: number): Timer => {
    const timer = timers[index];
    if (timer === undefined) throw new Error(`no timer ${index}`);
    return timer;
  };
  const swap = (left: number, right: number): void => {
    const moved = timerAt(left);
    timers[left] = timerAt(right);
    timers[right] = moved;
  };
  const push = (timer: Timer): void => {
    let child = timers.push(timer) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!before(timerAt(child), timerAt(parent))) break;
      swap(child, parent);
      child = parent;
    }
  };
  const pop = (): Timer | undefined => {
    const first = timers[0];
    const last = timers.pop();
    if (first === undefined || last === undefined || timers.length === 0) return first;
    timers[0] = last;
    for (let parent = 0; ; ) {
      let child = 2 * parent + 1;
      if (child >= timers.length) break;
      if (child + 1 < timers.length && before(timerAt(child + 1), timerAt(child))) child += 1;
      if (!before(timerAt(child), timerAt(parent))) break;
      swap(child, parent);
      parent = child;
    }
    return first;
  };

  const at = (ms: number, action: () => void): void => {
    order += 1;
    push({ ms: Math.max(ms, nowMs), order, action });
  };
  const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  return {
    now: () => nowMs,
    uptime: () => ({ boot: "virtual", ms: nowMs }),
    sleep: (ms) => new Promise((resolve) => at(nowMs + Math.max(0, ms), resolve)),
    at,
    until: async (promise) => {
      const outcome = { settled: false };
      const mark = (): void => {
        outcome.settled = true;
      };
      promise.then(mark, mark);
      await quiet();
      while (!outcome.settled) {
        const timer = pop();
        if (timer === undefined) throw new Error("nothing left to wait for: a deadlock");
        nowMs = timer.ms;
        timer.action();
        await quiet();
      }
      return promise;
    },
    advance: async (ms) => {
      const end = nowMs + ms;
      await quiet();
      for (let next = timers[0]; next !== undefined && next.ms <= end; next = timers[0]) {
        pop();
        nowMs = next.ms;
        next.action();
        await quiet();
      }
      nowMs = end;
    },
  };
}
