/** The clock of the process. */

import { steadyClock } from "../lib/steady-clock.ts";
import type { Clock } from "../model/clock.ts";

export const clock: Clock = {
  now: steadyClock(() => Date.now()),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
