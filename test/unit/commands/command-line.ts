/**
 * The command line in the process of the test, with everything that `main` wires but the terminal,
 * on a folder and a simulated daemon of the test's own. Both are gone when the test ends.
 */

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import type { EnvironmentFactory } from "../../../src/cli/run.ts";
import type { Terminal } from "../../../src/cli/terminal.ts";
import { createHttpClients } from "../../../src/http/client.ts";
import { createSecretMask } from "../../../src/lib/mask.ts";
import type { Clock } from "../../../src/model/clock.ts";
import { openProviderAccess } from "../../../src/providers/access.ts";
import { dataRegistry, settingsSchemas, typeRegistry } from "../../../src/providers/registry.ts";
import { type RunningSimulators, startSimulators } from "../../../src/simulators/start.ts";
import type { WorldSource } from "../../../src/simulators/world.ts";
import { createLocalStore } from "../../../src/store/local/local-store.ts";

export type Output = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type Workplace = {
  readonly folder: string;
  readonly daemon: RunningSimulators;
  /** Writes files of the configuration; `DAEMON` in them becomes its origin. */
  write(files: { readonly [name: string]: string }): void;
  run(...words: readonly string[]): Promise<Output>;
  /** The document a command prints with `--json`. */
  json(...words: readonly string[]): Promise<{ readonly [member: string]: unknown }>;
};

const clock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

const ended: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

export async function workplace(world: WorldSource = {}): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), "vmform-commands-"));
  const daemon = await startSimulators({ world });
  ended.push(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true });
  });
  const run = (...words: readonly string[]): Promise<Output> =>
    runWords([...words, "--chdir", folder]);
  return {
    folder,
    daemon,
    write: (files) => {
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(folder, name), text.replaceAll("DAEMON", daemon.origins.daemon));
      }
    },
    run,
    json: async (...words) => {
      const { stdout } = await run(...words, "--json");
      return JSON.parse(stdout) as { readonly [member: string]: unknown };
    },
  };
}

async function runWords(words: readonly string[]): Promise<Output> {
  let stdout = "";
  let stderr = "";
  const terminal: Terminal = {
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    width: undefined,
    errorWidth: undefined,
    interactive: false,
    isTerminal: false,
    errorIsTerminal: false,
    environment: {},
    ask: () => Promise.resolve(undefined),
    onInterrupt: () => {},
    takeKeys: () => () => {},
    exit: () => {
      throw new Error("nobody interrupts these runs");
    },
  };
  const simulate = (): Promise<void> => Promise.reject(new Error("it runs already"));
  const code = await runProgram({ terminal, environment, version: "0.1.0", simulate }, words);
  return { code, stdout, stderr };
}

const environment: EnvironmentFactory = ({ events, interrupts }) => {
  const mask = createSecretMask();
  const open = openProviderAccess({
    clock,
    mask,
    events,
    environment: {},
    readSecretFile: (path) => readFile(path, "utf8"),
    dialTo: undefined,
    http: (options) =>
      createHttpClients({ clock, random: Math.random, environment: {}, mask, ...options }),
  });
  return {
    version: "0.1.0",
    types: typeRegistry(),
    dataTypes: dataRegistry(),
    providerSettings: settingsSchemas(),
    clock,
    newId: randomUUID,
    variables: {},
    listFolder: readdir,
    readFile,
    writeFile: async (path, text) => {
      await writeFile(`${path}.tmp`, text, { mode: 0o600 });
      await rename(`${path}.tmp`, path);
    },
    createFile: (path, text) => writeFile(path, text, { flag: "wx" }),
    rewriteFile: (path, text) => writeFile(path, text),
    openStore: (path) =>
      createLocalStore({
        path,
        clock,
        random: randomUUID,
        host: hostname(),
        pid: process.pid,
        user: "test",
      }),
    openProviders: () =>
      Promise.resolve({ open, requestsSent: () => 0, close: () => Promise.resolve() }),
    hideSecret: (secret) => mask.add(secret),
    events,
    interrupts,
  };
};
