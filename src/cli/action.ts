/** What stands between commander and a command: its exit code out, its errors in one place. */

import type { Command, CommandUnknownOpts } from "commander";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { CommonOptions } from "./options.ts";
import { type Run, runCommand, type Shell } from "./run.ts";
import type { ViewOptions } from "./terminal/view.ts";

/** Takes the exit code of the command that ran. */
export type Done = (code: ExitCode) => void;

/** `words` are the arguments of the command, as they are declared. */
export type Work<A, F> = (run: Run, flags: F, words: A) => Promise<ExitCode>;

export function action<A extends unknown[], F extends CommonOptions>(
  shell: Shell,
  done: Done,
  work: Work<A, F>,
  form: ViewOptions["form"] = "document",
): (this: Command<A, F>) => Promise<void> {
  return async function run(this: Command<A, F>): Promise<void> {
    const flags = this.opts();
    const words = this.processedArgs;
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
function nameOf(command: CommandUnknownOpts): string {
  const above = command.parent === null ? "" : `${nameOf(command.parent)} `;
  return `${above}${command.name()}`;
}
