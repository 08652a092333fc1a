#!/usr/bin/env node
/** Entry point: wires the ports, runs the command line, sets the exit code. */

import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { dirname } from "node:path";
import { createInterface } from "node:readline/promises";
import { exitCodes } from "./cli/exit-codes.ts";
import { runProgram } from "./cli/program.ts";
import type { EnvironmentFactory, Shell, SimulateOptions } from "./cli/run.ts";
import type { Terminal } from "./cli/terminal.ts";
import type { View } from "./cli/view.ts";
import {
  CommandError,
  type EmbeddedSimulator,
  type ProviderAccess,
} from "./commands/environment.ts";
import type { HttpLogRecord } from "./http/call.ts";
import { createHttpClients } from "./http/client.ts";
import { parseJson } from "./lib/json.ts";
import { createSecretMask, type SecretMask } from "./lib/mask.ts";
import type { Clock } from "./model/clock.ts";
import type { EventSink } from "./model/event.ts";
import { openProviderAccess } from "./providers/access.ts";
import { settingsSchemas, typeRegistry } from "./providers/registry.ts";
import { SimulatorInputError } from "./simulators/decode.ts";
import { startSimulators } from "./simulators/start.ts";
import { createLocalStore } from "./store/local/local-store.ts";

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const contents = parseJson(text);
  if (typeof contents === "object" && contents !== null && "version" in contents) {
    if (typeof contents.version === "string") return contents.version;
  }
  throw new Error("package.json names no version");
}

const version = readVersion();

const environmentFactory: EnvironmentFactory = ({ events, debugHttp }) => {
  const mask = createSecretMask();
  return {
    version,
    types: typeRegistry(),
    providerSettings: settingsSchemas(),
    clock,
    newId: randomUUID,
    variables: prefixed(process.env, "VMFORM_VAR_"),
    listFolder: readdir,
    readFile,
    writeFile: writeWhole,
    openStore: (path) =>
      createLocalStore({
        path,
        clock,
        random: randomUUID,
        host: hostname(),
        pid: process.pid,
        user: userName(),
      }),
    openProviders: (simulator) => openProviders(simulator, mask, events, debugHttp),
    events,
  };
};

function prefixed(
  variables: { readonly [name: string]: string | undefined },
  prefix: string,
): { readonly [name: string]: string } {
  const entries = Object.entries(variables).flatMap(([name, value]) =>
    name.startsWith(prefix) && value !== undefined ? [[name.slice(prefix.length), value]] : [],
  );
  return Object.fromEntries(entries);
}

/** A container may run under a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, path);
}

async function openProviders(
  simulator: EmbeddedSimulator | undefined,
  mask: SecretMask,
  events: EventSink,
  debugHttp: string | undefined,
): Promise<ProviderAccess> {
  const running = simulator === undefined ? undefined : await startEmbedded(simulator);
  const log = debugHttp === undefined ? undefined : httpLog(debugHttp);
  const access = openProviderAccess({
    clock,
    mask,
    events,
    environment: process.env,
    readSecretFile: (path) => readFile(path, "utf8"),
    dialTo: running?.origins,
    http: (options) =>
      createHttpClients({
        clock,
        random: Math.random,
        environment: process.env,
        mask,
        ...options,
        ...(log === undefined ? {} : { log }),
      }),
  });
  return {
    open: access,
    close: async () => {
      await running?.stop();
    },
  };
}

async function startEmbedded(simulator: EmbeddedSimulator) {
  mkdirSync(dirname(simulator.persist), { recursive: true });
  try {
    return await startSimulators({ world: simulator.world, persist: simulator.persist });
  } catch (error) {
    if (error instanceof SimulatorInputError) {
      throw new CommandError(`The simulator cannot start: ${error.problems.join("; ")}.`);
    }
    throw error;
  }
}

function httpLog(path: string): (record: HttpLogRecord) => void {
  return (record) => appendFileSync(path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

async function simulate(options: SimulateOptions, view: View): Promise<void> {
  const { world, port, persist, faults, log, seed } = options;
  const running = await startSimulators({
    port,
    world: world ?? {},
    ...(persist === undefined ? {} : { persist }),
    ...(faults === undefined ? {} : { faults }),
    ...(log === undefined ? {} : { log }),
    ...(seed === undefined ? {} : { seed }),
  }).catch((error: unknown) => {
    if (!(error instanceof SimulatorInputError)) throw error;
    throw new CommandError(`The simulator cannot start: ${error.problems.join("; ")}.`);
  });
  view.text(`daemon: ${running.origins.daemon}`);
  view.text("Serving until interrupted. Control: /_simulator/ (log, world, change, faults).");
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await running.stop();
}

const terminal: Terminal = {
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  interactive: process.stdout.isTTY && process.stdin.isTTY && !isCi(),
  isTerminal: process.stdout.isTTY,
  environment: process.env,
  ask: async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await lines.question(question);
    } catch {
      return undefined;
    } finally {
      lines.close();
    }
  },
  onInterrupt: (listener) => {
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
  },
  exit: (code) => process.exit(code),
};

function isCi(): boolean {
  const value = process.env.CI;
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}

/** A reader that went away, as `head` does, is no error. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(process.exitCode ?? exitCodes.ok);
  throw error;
}

process.stdout.on("error", ignoreClosedPipe);
process.stderr.on("error", ignoreClosedPipe);

const shell: Shell = { terminal, environment: environmentFactory, version, simulate };
try {
  process.exitCode = await runProgram(shell, process.argv.slice(2));
} catch (error) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`vmform: a fault of vmform itself, please report it:\n${text}\n`);
  process.exitCode = exitCodes.bug;
}
