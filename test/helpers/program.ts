/**
 * The command line in the process of the test: everything that `main` wires, but the terminal, which
 * is captured, and the embedded simulator. Many times faster than a process of its own.
 */

import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { fileReader } from "../../src/cli/files/file-reader.ts";
import { nodeFiles } from "../../src/cli/files/node-files.ts";
import { runProgram } from "../../src/cli/program.ts";
import type { EnvironmentFactory, Shell } from "../../src/cli/run.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { isConfigurationFile } from "../../src/commands/reading.ts";
import type { HttpClientFactory, HttpReply } from "../../src/http/call.ts";
import { createHttpClients } from "../../src/http/client.ts";
import { ownProcess } from "../../src/lib/files/process-identity.ts";
import { createSecretMask } from "../../src/lib/mask.ts";
import type { Clock } from "../../src/model/clock.ts";
import { moduleReader } from "../../src/modules/reader.ts";
import { openProviderAccess } from "../../src/providers/access.ts";
import {
  dataRegistry,
  providerCodes,
  settingsSchemas,
  typeRegistry,
} from "../../src/providers/registry.ts";
import { siteScript } from "../../src/queue/sites/definitions.ts";
import { createSecretReader } from "../../src/secrets/reader.ts";
import { prefixed } from "../../src/wiring/environment.ts";
import { shippedExamples } from "../../src/wiring/examples.ts";
import { hookSender } from "../../src/wiring/hooks.ts";
import { recordedPlaces } from "../../src/wiring/stores/recorded-places.ts";
import { createSeals } from "../../src/wiring/stores/seals.ts";
import { mirrorsIn, openStore, type StorePorts } from "../../src/wiring/stores/stores.ts";
import {
  chooseWorkspace,
  chosenWorkspace,
  openWorkspaces,
} from "../../src/wiring/stores/workspaces.ts";
import { openTestWorld } from "../../src/wiring/testing/world.ts";
import { openTwin } from "../../src/wiring/twin/twin.ts";

export type Output = { readonly code: number; readonly stdout: string; readonly stderr: string };

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** The output, when it ended with this code; throws an error with all that was said otherwise. */
export function expectCode(code: number, words: readonly string[], output: Output): Output {
  if (output.code === code) return output;
  const said = `${output.stdout}\n${output.stderr}`;
  throw new Error(`vmform ${words.join(" ")} ended with ${output.code}, not ${code}:\n${said}`);
}

export type InsideOptions = {
  /** Variables of the environment: secrets, proxies, colour. None by default. */
  readonly environment?: { readonly [name: string]: string };
  /** Columns of both streams, which are terminals then. */
  readonly width?: number;
  readonly clock?: Clock;
  /** What a person says to each question; nobody is there otherwise. */
  readonly answer?: string;
  /** Somebody presses Ctrl-C at the first question, which nobody answers. */
  readonly stopsAtQuestion?: boolean;
  /** Hears of everything that is written, to either stream. */
  readonly onWrite?: (text: string) => void;
  /** Sees every reply of an endpoint as it came. */
  readonly onReply?: (reply: HttpReply) => void;
};

/** Runs one command line on the configuration in `folder`. */
export async function runInside(
  folder: string,
  words: readonly string[],
  options: InsideOptions = {},
): Promise<Output> {
  const { width } = options;
  let stdout = "";
  let stderr = "";
  const stops = options.stopsAtQuestion === true;
  let stop = (_signal: "SIGINT"): void => {};
  const terminal: Terminal = {
    write: (text) => {
      stdout += text;
      options.onWrite?.(text);
    },
    writeError: (text) => {
      stderr += text;
      options.onWrite?.(text);
    },
    width,
    interactive: stops || options.answer !== undefined,
    isTerminal: width !== undefined,
    errorWidth: width,
    errorIsTerminal: width !== undefined,
    environment: options.environment ?? {},
    ask: () => {
      if (!stops) return Promise.resolve(options.answer);
      stop("SIGINT");
      return new Promise(() => {});
    },
    askHidden: () => Promise.resolve(undefined),
    lines: async function* () {},
    onInterrupt: (listener) => {
      stop = listener;
    },
    takeKeys: () => () => {},
    exit: () => {
      if (!stops) throw new Error("nobody interrupts this run");
    },
  };
  const shell: Shell = {
    terminal,
    environment: environmentWith(options),
    version: "0.1.0",
    simulate: () => Promise.reject(new Error("simulators run in processes of their own")),
    agent: () => Promise.reject(new Error("agents run in processes of their own")),
    agentSql: async (definition) => siteScript(definition),
  };
  const code = await runProgram(shell, [...words, "--chdir", folder]);
  return { code, stdout, stderr };
}

function environmentWith(options: InsideOptions): EnvironmentFactory {
  const { clock = realClock, environment = {} } = options;
  return async ({ events, remark, interrupts, debugHttp }) => {
    const mask = createSecretMask();
    const seals = createSeals(mask);
    const storePorts: StorePorts = {
      ...seals,
      clock,
      random: randomUUID,
      host: hostname(),
      process: ownProcess(),
      user: "test",
      environment,
      mask,
      version: "0.1.0",
      events,
      openLog: () => undefined,
    };
    let sent = 0;
    const open = openProviderAccess({
      clock,
      mask,
      events,
      readSecret: createSecretReader({
        mask,
        environment,
        readFile: (path) => readFile(path, "utf8"),
        runCommand: "no program is run in this test",
        readVault: () => Promise.reject(new Error("nothing is asked of Vault in this test")),
      }).read,
      readTextFile: (path) => readFile(path, "utf8"),
      dialTo: undefined,
      onExchange: () => {
        sent += 1;
      },
      http: (wiring) => {
        const log = (record: object) => {
          if (debugHttp !== undefined) appendFileSync(debugHttp, `${JSON.stringify(record)}\n`);
        };
        const ports = { clock, random: Math.random, environment, mask, log, ...wiring };
        return watched(createHttpClients(ports), options.onReply);
      },
    });
    return {
      version: "0.1.0",
      types: typeRegistry(),
      dataTypes: dataRegistry(),
      providerSettings: settingsSchemas(),
      providerCodes,
      examples: shippedExamples,
      system: {
        nodeVersion: process.version,
        home: environment.HOME ?? homedir(),
        folderProblem: () => Promise.resolve(undefined),
        proxyOf: () => undefined,
      },
      clock,
      newId: randomUUID,
      operator: { who: "test", host: hostname() },
      variables: prefixed(environment, "VMFORM_VAR_"),
      ...nodeFiles,
      fileReader: (path) => fileReader(path, homedir()),
      folderReader: (root) =>
        moduleReader({
          root,
          isConfiguration: isConfigurationFile,
          fileReader: (path) => fileReader(path, homedir()),
        }),
      packageLoader: () => ({
        load: () => Promise.resolve({ ok: false, detail: "There are none.", fix: "Name none." }),
        isMissing: () => Promise.resolve(false),
      }),
      moduleInstaller: async () => ({
        fetch: () => Promise.reject(new Error("nothing is fetched in this test")),
        prune: () => Promise.resolve(),
      }),
      openSeal: ({ encryption }, location) => seals.sealFor(location, encryption),
      storeDefinitions: () => Promise.resolve(undefined),
      openStore: (settings, from) => openStore(settings, storePorts, from),
      openMirrors: (directory, settings) => mirrorsIn(directory, settings, storePorts),
      recordedPlaces: (directory, settings) => recordedPlaces(directory, settings, storePorts),
      loadFleet: () => Promise.reject(new Error("no workers in this test")),
      openWorkspaces: (written) => openWorkspaces(written, storePorts),
      workspace: chosenWorkspace,
      selectWorkspace: chooseWorkspace,
      openProviders: (simulator) => {
        if (simulator !== undefined) throw new Error("simulators run in processes of their own");
        return Promise.resolve({
          open,
          allowCommands: () => {},
          requestsSent: () => sent,
          close: () => Promise.resolve(),
        });
      },
      openTwin: (source) => openTwin(source, mask),
      openTestWorld: (source, packages = []) => openTestWorld(source, mask, packages),
      sendHook: hookSender(mask, "0.1.0"),
      hideSecret: (secret) => mask.add(secret),
      events,
      remark,
      interrupts,
    };
  };
}

function watched(
  factory: HttpClientFactory,
  onReply: ((reply: HttpReply) => void) | undefined,
): HttpClientFactory {
  if (onReply === undefined) return factory;
  return (target) => {
    const client = factory(target);
    return {
      ...client,
      call: (call, decode) =>
        client.call(call, (reply) => {
          onReply(reply);
          return decode(reply);
        }),
    };
  };
}
