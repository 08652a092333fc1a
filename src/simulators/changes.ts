/** Waiting for a time or for a change of the world, whichever comes first. */

import type { SimulatorClock } from "./clock.ts";

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
