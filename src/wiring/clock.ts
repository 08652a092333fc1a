/** The clock of the process. */

import { uptime } from "node:os";
import { steadyClock } from "../lib/steady-clock.ts";
import type { Clock } from "../model/clock.ts";

export const clock: Clock = {
  now: steadyClock({
    wall: () => Date.now(),
    awake: () => performance.now(),
    booted: () => uptime() * 1000,
  }),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
