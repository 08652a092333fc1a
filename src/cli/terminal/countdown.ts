/** A countdown in one line of the terminal that is written again and again, on standard error. */

import type { RunInterrupts } from "../../commands/environment.ts";
import type { Clock } from "../../model/clock.ts";
import type { Terminal } from "./terminal.ts";

export type Countdown = {
  readonly untilMs: number;
  /** What stands there, at most `width` columns: a longer line could not be written over. */
  readonly text: (leftMs: number, width: number) => string;
  /** What stands there at last; without it when the user ends it before. */
  readonly over: string;
};

const widthDefault = 80;
/** A request to stop is noticed within this time. */
const pauseMs = 100;

/** Ends when the time is over, or when the user asks to stop. No escape codes: only `\r`. */
export async function countDown(
  terminal: Pick<Terminal, "writeError" | "errorWidth">,
  clock: Clock,
  interrupts: RunInterrupts,
  { untilMs, text, over }: Countdown,
): Promise<void> {
  let stopped = false;
  interrupts.begin();
  interrupts.onDrain(() => {
    stopped = true;
  });
  const width = (terminal.errorWidth ?? widthDefault) - 1;
  let shown = "";
  const show = (next: string): void => {
    if (next !== shown) terminal.writeError(`\r${next.padEnd(shown.length)}`);
    shown = next;
  };
  for (;;) {
    const leftMs = untilMs - clock.now();
    if (stopped || leftMs <= 0) break;
    show(text(leftMs, width));
    await clock.sleep(Math.min(pauseMs, leftMs));
  }
  if (!stopped) show(over.slice(0, width));
  terminal.writeError("\n");
}
