/** The clock of the process. */

import { uptime } from "node:os";
import { presentBoot } from "../lib/files/process-identity.ts";
import { steadyClock } from "../lib/time/steady-clock.ts";
import type { Clock } from "../model/clock.ts";

/** Of the machine, its sleep included, milliseconds. */
function upMs(): number {
  return Math.round(uptime() * 1000);
}

let boot: { readonly id: string | undefined } | undefined;

export const clock: Clock = {
  now: steadyClock({
    wall: () => Date.now(),
    // The same clock as that of `performance`, which takes long to load.
    awake: () => process.uptime() * 1000,
    booted: upMs,
  }),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  uptime: () => {
    boot ??= { id: presentBoot() };
    return boot.id === undefined ? undefined : { boot: boot.id, ms: upMs() };
  },
};
