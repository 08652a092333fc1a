/** Telling the hooks of a configuration of how a command has ended, and what it waits for. */

import { CommandError, InterruptedError } from "../commands/environment.ts";
import { notify } from "../commands/notify.ts";
import { diagnosticsOf } from "../commands/told.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import type { HookEvent } from "../model/said/hook.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type CommonOptions, workspaceOptions } from "./options.ts";
import type { Run } from "./run.ts";

/**
 * Tells hooks, and gives warnings of those that could not be told. Does not reject. `about` is what
 * makes it other news than the last time; the summary unless it is given.
 */
export type Tell = (
  event: HookEvent,
  summary: string,
  about?: string,
) => Promise<readonly Diagnostic[]>;

/** True for what was not the last thing it was asked of. */
export type News = (about: string) => boolean;

/** For a command that looks again and again: nobody wants to be told the same each time. */
export function newsOnly(): News {
  let last: string | undefined;
  return (about) => {
    const isNews = about !== last;
    last = about;
    return isNews;
  };
}

/**
 * The work with its exit code, whatever becomes of the hooks. What it throws is told as failed once
 * a person has been shown it: a hook that hangs must not keep back, nor a Ctrl-C lose, why nothing
 * was done. A slip on the command line, or a Ctrl-C before anything was done, is not told.
 */
export async function notifying(
  { view, environment }: Run,
  flags: CommonOptions,
  command: string,
  work: (tell: Tell) => Promise<ExitCode>,
  isNews: News = () => true,
): Promise<ExitCode> {
  const tell: Tell = async (event, summary, about = summary) => {
    if (!isNews(`${event} ${about}`)) return [];
    return notify(environment, workspaceOptions(flags), { event, command, summary });
  };
  try {
    return await work(tell);
  } catch (error) {
    const errors = diagnosticsOf(error);
    const [first] = errors;
    const isSlip = error instanceof CommandError && error.problem === "usage";
    if (first === undefined || isSlip || error instanceof InterruptedError) throw error;
    if (!view.isDocument) view.diagnostics(errors);
    const isAsking = error instanceof CommandError && error.problem === "approval";
    const warnings = await tell(isAsking ? "needs_approval" : "failed", first.detail);
    view.diagnostics(view.isDocument ? [...errors, ...warnings] : warnings);
    return exitCodes.error;
  }
}
