/** What every command run shares: the view, the environment, and how errors become exit codes. */

import { type CommandEnvironment, CommandError } from "../commands/environment.ts";
import type { EventSink } from "../model/event.ts";
import { StoreError } from "../model/store.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { CommonOptions } from "./options.ts";
import type { Terminal } from "./terminal.ts";
import { createView, type View } from "./view.ts";

/** Makes the environment of one run; `main` knows how. */
export type EnvironmentFactory = (options: {
  readonly events: EventSink;
  readonly debugHttp: string | undefined;
}) => CommandEnvironment;

export type Shell = {
  readonly terminal: Terminal;
  readonly environment: EnvironmentFactory;
  readonly version: string;
  /** Starts `vmform simulate`; resolves when it was stopped. */
  readonly simulate: (options: SimulateOptions, view: View) => Promise<void>;
};

export type SimulateOptions = {
  readonly world: string | undefined;
  readonly port: number;
  readonly persist: string | undefined;
  readonly faults: string | undefined;
  readonly log: string | undefined;
  readonly seed: number | undefined;
};

export type Run = { readonly view: View; readonly environment: CommandEnvironment };

/** Runs a command; errors a user can mend are shown and give 1, faults of ours give 3. */
export async function runCommand(
  shell: Shell,
  options: CommonOptions,
  work: (run: Run) => Promise<ExitCode>,
): Promise<ExitCode> {
  let show: EventSink = () => {};
  const environment = shell.environment({
    events: (event) => show(event),
    debugHttp: options.debugHttp,
  });
  const view = createView(shell.terminal, {
    json: options.json === true,
    noColor: options.color === false,
    version: shell.version,
    types: environment.types,
    now: () => environment.clock.now(),
  });
  show = (event) => view.event(event);
  try {
    return await work({ view, environment });
  } catch (error) {
    if (error instanceof CommandError) {
      view.error("Command cannot go on", error.message, error.fix);
      return exitCodes.error;
    }
    if (error instanceof StoreError) {
      const { code, message: detail, fix } = error;
      const summary = "Recorded state";
      view.diagnostics([{ severity: "error", code, summary, detail, fix }]);
      return exitCodes.error;
    }
    if (isFileError(error)) {
      view.error("File", `${error.path ?? ""}: ${error.code}`);
      return exitCodes.error;
    }
    throw error;
  }
}

type FileError = { readonly code: string; readonly path?: string };

function isFileError(error: unknown): error is FileError {
  return (
    error instanceof Error &&
    "code" in error &&
    "syscall" in error &&
    typeof error.code === "string"
  );
}
