/** What stands between commander and a command: its exit code out, its errors in one place. */

import type { Command } from "commander";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { CommonOptions } from "./options.ts";
import { type Run, runCommand, type Shell } from "./run.ts";
import type { ViewOptions } from "./terminal/view.ts";

/** Takes the exit code of the command that ran. */
export type Done = (code: ExitCode) => void;

/** `words` are the arguments of the command. */
export type Work<F> = (run: Run, flags: F, words: readonly string[]) => Promise<ExitCode>;

export function action<F extends CommonOptions>(
  shell: Shell,
  done: Done,
  work: Work<F>,
  form: ViewOptions["form"] = "document",
): (this: Command) => Promise<void> {
  return async function run(this: Command): Promise<void> {
    const flags = this.opts<F>();
    const words = wordsOf(this.processedArgs);
    const trace = await shell.startTrace?.(nameOf(this));
    const traced = trace === undefined ? shell : { ...shell, hear: trace.hear };
    let code: ExitCode = exitCodes.bug;
    try {
      code = await runCommand(traced, flags, form, (ready) => work(ready, flags, words));
    } finally {
      await trace?.end(code);
    }
    done(code);
  };
}

/** Such as `vmform state list`. */
function nameOf(command: Command): string {
  const above = command.parent === null ? "" : `${nameOf(command.parent)} `;
  return `${above}${command.name()}`;
}

/** As they were read, one after another; those that were not given are left out. */
function wordsOf(read: readonly unknown[]): readonly string[] {
  return read.flat().filter((word) => typeof word === "string");
}
