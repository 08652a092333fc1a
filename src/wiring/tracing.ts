/** A command as a trace, sent to the collector that the environment names. */

import { type ExitCode, exitCodes } from "../cli/exit-codes.ts";
import type { CommandTrace } from "../cli/run.ts";
import type { Terminal } from "../cli/terminal/terminal.ts";
import type { SecretMask } from "../lib/mask.ts";
import type { TraceVariables } from "../telemetry/variables.ts";

/** A text says why there is no trace. Neither a run nor its exit code depends on any of it. */
export async function startTrace(
  variables: TraceVariables | string,
  about: {
    readonly command: string;
    readonly version: string;
    readonly mask: SecretMask;
    readonly terminal: Pick<Terminal, "writeError">;
  },
): Promise<CommandTrace | undefined> {
  const { command, version, mask, terminal } = about;
  const warn = (why: string): void => {
    terminal.writeError(`warning: This run is not traced whole: ${mask.mask(why)}.\n`);
  };
  if (typeof variables === "string") {
    warn(variables);
    return undefined;
  }
  const { openExporter } = await import("../telemetry/exporter.ts");
  const { startRunTrace } = await import("../telemetry/run-trace.ts");
  const { tracer, parent, end } = await openExporter(variables, version);
  const now = (): Date => new Date();
  const began = new Date(Date.now() - process.uptime() * 1000);
  const text = (said: string): string => mask.mask(said);
  const trace = startRunTrace({ tracer, name: command, parent, began, now, mask: text });
  return {
    hear: trace.hear,
    end: async (code) => {
      trace.end(code, failedCodes.has(code));
      const problem = await end();
      if (problem !== undefined) warn(problem);
    },
  };
}

const failedCodes: ReadonlySet<ExitCode> = new Set([
  exitCodes.error,
  exitCodes.bug,
  exitCodes.interrupted,
]);
