/**
 * The simulators' clock: every duration of the simulated world is measured on it. It runs with the
 * host's clock (scaled), or stands still, and can be moved forward by hand.
 *
 * Nothing else in the simulators reads the time.
 */

export interface SimulatorClock {
  /** Simulated milliseconds since the epoch. */
  now(): number;
  /** Resolves once `now()` has reached `timeMs`; rejects with the signal's reason when aborted. */
  until(timeMs: number, signal: AbortSignal): Promise<void>;
  /** Moves the clock forward by `ms` (not negative) and wakes everyone whose time has come. */
  advance(ms: number): void;
}

export type ClockOptions = {
  /** Simulated time at the start; the host's time by default. */
  readonly startMs?: number;
  /** Simulated milliseconds per real one, 1 by default; 0 stands still until advanced. */
  readonly timeScale?: number;
};

/** Timers of the host hold at most 2^31 - 1 ms; longer waits are re-armed. */
const timerMaxMs = 2 ** 31 - 1;

type Waiter = { readonly timeMs: number; readonly wake: () => void; timer?: NodeJS.Timeout };

export function createClock(options: ClockOptions = {}): SimulatorClock {
  const scale = options.timeScale ?? 1;
  if (!(scale >= 0 && Number.isFinite(scale))) {
    throw new RangeError(`timeScale must be a number of at least 0, not ${scale}`);
  }
  const realStartMs = Date.now();
  const startMs = options.startMs ?? realStartMs;
  let movedMs = 0;
  const waiters = new Set<Waiter>();

  const now = (): number =>
    Math.floor(startMs + movedMs + (scale === 0 ? 0 : (Date.now() - realStartMs) * scale));

  const check = (waiter: Waiter): void => {
    clearTimeout(waiter.timer);
    const leftMs = waiter.timeMs - now();
    if (leftMs <= 0) {
      waiters.delete(waiter);
      waiter.wake();
    } else if (scale > 0) {
      const realMs = Math.min(Math.ceil(leftMs / scale), timerMaxMs);
      waiter.timer = setTimeout(check, realMs, waiter);
    }
  };

  return {
    now,
    advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms))) {
        throw new RangeError(`a clock moves forward only, not by ${ms} ms`);
      }
      movedMs += ms;
      for (const waiter of [...waiters]) check(waiter);
    },
    until(timeMs, signal) {
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          clearTimeout(waiter.timer);
          waiters.delete(waiter);
          reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
        };
        const waiter: Waiter = {
          timeMs,
          wake: () => {
            signal.removeEventListener("abort", abort);
            resolve();
          },
        };
        if (signal.aborted) {
          abort();
          return;
        }
        signal.addEventListener("abort", abort, { once: true });
        waiters.add(waiter);
        check(waiter);
      });
    },
  };
}

export type Changes = {
  /** Something has changed: whoever waits looks again. */
  announce(): void;
  /** Resolves then, or at a change before; rejects when the simulators stop. */
  next(untilMs: number): Promise<void>;
};

export function watchChanges(clock: SimulatorClock, signal: AbortSignal): Changes {
  const waiting = new Set<() => void>();
  return {
    announce() {
      for (const wake of [...waiting]) wake();
    },
    async next(untilMs) {
      const over = new AbortController();
      try {
        await new Promise<void>((resolve, reject) => {
          waiting.add(resolve);
          over.signal.addEventListener("abort", () => waiting.delete(resolve), { once: true });
          clock.until(untilMs, AbortSignal.any([signal, over.signal])).then(resolve, reject);
        });
      } finally {
        over.abort();
      }
    },
  };
}
