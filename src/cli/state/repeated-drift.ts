/** `vmform drift --every`: one report after another on one machine, until it is interrupted. */

import { CommandError, InterruptedError } from "../../commands/environment.ts";
import { diagnosticsOf } from "../../commands/told.ts";
import { clockText } from "../../lib/time/clock-text.ts";
import { durationText } from "../../render/text/duration-text.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { Run, Shell } from "../run.ts";

/** Endpoints are asked for all that is recorded each time. */
const everyMsMin = 10_000;
/** Of the interval: machines that were started together do not ask together for ever. */
const jitterMax = 0.1;

/**
 * A turn that cannot be done is told, and the next one comes all the same. Ends with 0 when it is
 * interrupted between two turns.
 */
export async function repeatDrift(
  shell: Shell,
  { view, environment }: Run,
  everyMs: number,
  report: () => Promise<ExitCode>,
): Promise<ExitCode> {
  if (everyMs < everyMsMin) {
    const least = durationText(everyMsMin);
    throw new CommandError(`--every is at least ${least}.`, "Write it like 15m.", "usage");
  }
  const { clock, interrupts } = environment;
  for (;;) {
    const startedMs = clock.now();
    view.text(`${clockText(startedMs)}\n`);
    await told(view, report);
    const pauseMs = pauseAfter(everyMs, clock.now() - startedMs, Math.random());
    view.text(`\nThe next report in ${durationText(pauseMs)} (Ctrl-C ends).\n`);
    try {
      await interrupts.untilInterrupted(() => clock.sleep(pauseMs));
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
      // The timer would keep the process.
      shell.terminal.exit(exitCodes.ok);
      return exitCodes.ok;
    }
  }
}

async function told(view: Run["view"], report: () => Promise<ExitCode>): Promise<void> {
  try {
    await report();
  } catch (error) {
    const diagnostics = diagnosticsOf(error);
    if (diagnostics.length === 0 || error instanceof InterruptedError) throw error;
    view.diagnostics(diagnostics);
  }
}

/**
 * Milliseconds until the next turn: they begin at the interval, or one after another where a turn
 * takes longer than that. `random` is in [0, 1).
 */
export function pauseAfter(everyMs: number, tookMs: number, random: number): number {
  const rest = Math.max(everyMs - Math.max(tookMs, 0), 1000);
  return Math.round(rest + everyMs * jitterMax * random);
}
