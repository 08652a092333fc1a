#!/usr/bin/env node
/** Entry point: wires the ports, runs the command line, sets the exit code. */

import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { constants, access as mayAccess, readFile, stat } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { dirname, resolve as resolvePath } from "node:path";
import { exitCodes } from "./cli/exit-codes.ts";
import { fileProblem, isSystemError } from "./cli/file-problem.ts";
import { nodeFiles } from "./cli/node-files.ts";
import { createNodeTerminal } from "./cli/node-terminal.ts";
import { runProgram } from "./cli/program.ts";
import type { EnvironmentFactory, Shell, SimulateOptions } from "./cli/run.ts";
import type { View } from "./cli/view.ts";
import {
  CommandError,
  type EmbeddedSimulator,
  type ProviderAccess,
} from "./commands/environment.ts";
import type { HttpLogRecord } from "./http/call.ts";
import { proxyFor } from "./http/proxy.ts";
import { beginAppending } from "./lib/appended-file.ts";
import { parseJson } from "./lib/json.ts";
import { createSecretMask } from "./lib/mask.ts";
import { packageFile } from "./lib/package-file.ts";
import { ownProcess } from "./lib/process-identity.ts";
import { realPathOf } from "./lib/real-path.ts";
import { steadyClock } from "./lib/steady-clock.ts";
import type { Clock } from "./model/clock.ts";
import type { EventSink } from "./model/event.ts";
import { openProviderAccess } from "./providers/access.ts";
import {
  dataRegistry,
  providerCodes,
  settingsSchemas,
  typeRegistry,
} from "./providers/registry.ts";
import type { RunningSimulators, SimulatorOptions } from "./simulators/start.ts";
import { createLocalStore } from "./store/local/local-store.ts";

const clock: Clock = {
  now: steadyClock(() => Date.now()),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

function readVersion(): string {
  const text = readFileSync(packageFile("package.json"), "utf8");
  const contents = parseJson(text);
  if (typeof contents === "object" && contents !== null && "version" in contents) {
    if (typeof contents.version === "string") return contents.version;
  }
  throw new Error("package.json names no version");
}

const version = readVersion();
/** Every secret that was read; what is said of a fault goes through it too. */
const mask = createSecretMask();

const environmentFactory: EnvironmentFactory = ({ events, debugHttp, interrupts }) => {
  return {
    version,
    types: typeRegistry(),
    dataTypes: dataRegistry(),
    providerSettings: settingsSchemas(),
    providerCodes: providerCodes(),
    clock,
    newId: randomUUID,
    variables: prefixed(process.env, "VMFORM_VAR_"),
    ...nodeFiles,
    openStore: (path) =>
      createLocalStore({
        path: realPathOf(path),
        clock,
        random: randomUUID,
        host: hostname(),
        process: ownProcess(),
        user: userName(),
      }),
    openProviders: (simulator, directory) => openProviders(simulator, directory, events, debugHttp),
    hideSecret: (secret) => mask.add(secret),
    system: {
      nodeVersion: process.version,
      folderProblem,
      proxyOf: (origin) => proxyFor(origin, process.env)?.host,
    },
    events,
    interrupts,
  };
};

/** Of a folder that is still to be made, its nearest parent counts. */
async function folderProblem(path: string): Promise<string | undefined> {
  try {
    await mayAccess(path, constants.W_OK | constants.X_OK);
    return (await stat(path)).isDirectory() ? undefined : "it is no folder";
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const parent = dirname(path);
    if (error.code === "ENOENT" && parent !== path) return folderProblem(parent);
    return error.message;
  }
}

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

async function openProviders(
  simulator: EmbeddedSimulator | undefined,
  directory: string,
  events: EventSink,
  debugHttp: string | undefined,
): Promise<ProviderAccess> {
  const log = debugHttp === undefined ? undefined : httpLog(debugHttp);
  const running = simulator === undefined ? undefined : await startEmbedded(simulator);
  const { createHttpClients } = await import("./http/client.ts");
  let sent = 0;
  const access = openProviderAccess({
    clock,
    mask,
    events,
    environment: process.env,
    readSecretFile: (path) => readFile(resolvePath(directory, path), "utf8"),
    dialTo: running?.origins,
    onExchange: () => {
      sent += 1;
    },
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
    requestsSent: () => sent,
    close: async () => {
      await running?.stop();
    },
  };
}

async function startEmbedded({ world, persist }: EmbeddedSimulator): Promise<RunningSimulators> {
  mkdirSync(dirname(persist), { recursive: true });
  return start({ world, persist });
}

async function start(options: SimulatorOptions): Promise<RunningSimulators> {
  const { startSimulators } = await import("./simulators/start.ts");
  const { SimulatorInputError } = await import("./simulators/decode.ts");
  try {
    return await startSimulators(options);
  } catch (error) {
    if (!(error instanceof SimulatorInputError)) throw error;
    throw new CommandError(`The simulator cannot start: ${error.problems.join("; ")}.`);
  }
}

/** A log that cannot be begun is an error; later, the work counts more than its log. */
function httpLog(path: string): (record: HttpLogRecord) => void {
  try {
    // Each record begins with its time.
    if (!beginAppending(path, '{"atMs":')) {
      throw new CommandError(
        `${path} is there already, and is no log of requests: it is left as it is.`,
        "Name another file, or remove that one first.",
        "overwrite",
      );
    }
  } catch (error) {
    throw fileProblem("write", path, error);
  }
  let broken = false;
  return (record) => {
    if (broken) return;
    try {
      appendFileSync(path, `${JSON.stringify(record)}\n`);
    } catch (error) {
      broken = true;
      const reason = error instanceof Error ? error.message : String(error);
      terminal.writeError(`vmform: ${path} is no longer written: ${reason}\n`);
    }
  };
}

async function simulate(options: SimulateOptions, view: View): Promise<void> {
  const { world, persist, faults, log, seed } = options;
  const { port, cloudPort, managerPort, appliancePort } = options;
  const running = await start({
    port,
    cloudPort,
    managerPort,
    appliancePort,
    world: world ?? {},
    ...(persist === undefined ? {} : { persist }),
    ...(faults === undefined ? {} : { faults }),
    ...(log === undefined ? {} : { log }),
    ...(seed === undefined ? {} : { seed }),
  });
  view.document({ origins: running.origins });
  for (const [name, origin] of Object.entries(running.origins)) view.text(`${name}: ${origin}`);
  view.text("Serving until interrupted. Control: /_simulator/ (log, world, change, faults).");
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await running.stop();
}

const terminal = createNodeTerminal();
const shell: Shell = { terminal, environment: environmentFactory, version, simulate };
try {
  process.exitCode = await terminal.end(await runProgram(shell, process.argv.slice(2)));
} catch (error) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const told = mask.mask(text);
  process.stderr.write(`vmform: a fault of vmform itself, please report it:\n${told}\n`);
  process.exitCode = exitCodes.bug;
}
