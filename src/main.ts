/**
 * Entry point: runs the command line and sets the exit code. Loads at once only what every command
 * needs; the rest is loaded by whoever needs it.
 */

import { exitCodes } from "./cli/exit-codes.ts";
import { runProgram } from "./cli/program.ts";
import type { Shell } from "./cli/run.ts";
import { createNodeTerminal } from "./cli/terminal/node-terminal.ts";
import {
  descriptorsWayOut,
  isOutOfDescriptors,
  requireDescriptors,
} from "./lib/files/file-descriptors.ts";
import { packageVersion } from "./lib/files/package-file.ts";
import { createSecretMask } from "./lib/mask.ts";
import { traceVariables } from "./telemetry/variables.ts";
import { hasForeignCode } from "./wiring/package-guard.ts";

const version = packageVersion();
/** Every secret that was read; what is said of a fault goes through it too. */
const mask = createSecretMask();
const terminal = createNodeTerminal();
const shell: Shell = {
  terminal,
  version,
  environment: async (options) => {
    // Before anything is begun: what fails half way for want of them is a nuisance to mend.
    requireDescriptors();
    const { createEnvironment } = await import("./wiring/environment.ts");
    return createEnvironment({ version, mask, terminal }, options);
  },
  startTrace: async (command) => {
    const variables = traceVariables(process.env);
    if (variables === undefined) return undefined;
    const { startTrace } = await import("./wiring/tracing.ts");
    return startTrace(variables, { command, version, mask, terminal });
  },
  simulate: async (options, view) => {
    const { simulate } = await import("./wiring/simulators.ts");
    await simulate(options, view);
  },
  agent: async (options, run) => {
    requireDescriptors();
    const { serveSite } = await import("./wiring/sites/agent.ts");
    const { openHttpLog } = await import("./wiring/http-log.ts");
    const { debugHttp } = options;
    const log = debugHttp === undefined ? undefined : openHttpLog(debugHttp, terminal);
    await serveSite(options, run, { version, mask, log });
  },
  agentSql: async (definition) => {
    const { agentSql } = await import("./wiring/sites/agent.ts");
    return agentSql(definition);
  },
};
process.once("beforeExit", ended);
void main().then(() => process.off("beforeExit", ended));

/** Nothing is left that could go on, and the work is not done: that is no success. */
function ended(): void {
  const text = "it waits for what never comes";
  process.stderr.write(`vmform: a fault of vmform itself, please report it:\n${text}\n`);
  process.exitCode = exitCodes.bug;
}

async function main(): Promise<void> {
  try {
    process.exitCode = await terminal.end(await runProgram(shell, process.argv.slice(2)));
    // What a provider package has left behind would keep the process.
    if (hasForeignCode()) process.exit();
  } catch (error) {
    if (isOutOfDescriptors(error)) {
      // Nothing more can be loaded, what shows diagnostics included.
      process.stderr.write(`error: ${error.message}.\n${descriptorsWayOut}\n`);
      process.exit(exitCodes.error);
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const told = mask.mask(text);
    process.stderr.write(`vmform: a fault of vmform itself, please report it:\n${told}\n`);
    process.exitCode = exitCodes.bug;
  }
}
