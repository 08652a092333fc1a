/**
 * The command line in the process of the test: everything that `main` wires, but the terminal, which
 * is captured, and the embedded simulator. Many times faster than a process of its own.
 */

import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { runProgram } from "../../src/cli/program.ts";
import type { EnvironmentFactory, Shell } from "../../src/cli/run.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { createHttpClients } from "../../src/http/client.ts";
import { createSecretMask } from "../../src/lib/mask.ts";
import type { Clock } from "../../src/model/clock.ts";
import { openProviderAccess } from "../../src/providers/access.ts";
import { dataRegistry, settingsSchemas, typeRegistry } from "../../src/providers/registry.ts";
import { createLocalStore } from "../../src/store/local/local-store.ts";

export type Output = { readonly code: number; readonly stdout: string; readonly stderr: string };

const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** The output, when it ended with this code; throws an error with all that was said otherwise. */
export function expectCode(code: number, words: readonly string[], output: Output): Output {
  if (output.code === code) return output;
  const said = `${output.stdout}\n${output.stderr}`;
  throw new Error(`vmform ${words.join(" ")} ended with ${output.code}, not ${code}:\n${said}`);
}

/** Runs one command line on the configuration in `folder`. */
export async function runInside(folder: string, words: readonly string[]): Promise<Output> {
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
    interactive: false,
    isTerminal: false,
    errorWidth: undefined,
    errorIsTerminal: false,
    environment: {},
    ask: () => Promise.resolve(undefined),
    onInterrupt: () => {},
    exit: () => {
      throw new Error("nobody interrupts these runs");
    },
  };
  const shell: Shell = {
    terminal,
    environment,
    version: "0.1.0",
    simulate: () => Promise.reject(new Error("simulators run in processes of their own")),
  };
  const code = await runProgram(shell, [...words, "--chdir", folder]);
  return { code, stdout, stderr };
}

const environment: EnvironmentFactory = ({ events, interrupts }) => {
  const mask = createSecretMask();
  const open = openProviderAccess({
    clock: realClock,
    mask,
    events,
    environment: {},
    readSecretFile: (path) => readFile(path, "utf8"),
    dialTo: undefined,
    http: (options) =>
      createHttpClients({
        clock: realClock,
        random: Math.random,
        environment: {},
        mask,
        ...options,
      }),
  });
  return {
    version: "0.1.0",
    types: typeRegistry(),
    dataTypes: dataRegistry(),
    providerSettings: settingsSchemas(),
    clock: realClock,
    newId: randomUUID,
    variables: {},
    listFolder: readdir,
    readFile,
    writeFile: async (path, text) => {
      await writeFile(`${path}.tmp`, text, { mode: 0o600 });
      await rename(`${path}.tmp`, path);
    },
    createFile: () => Promise.reject(new Error("no test makes configuration")),
    rewriteFile: () => Promise.reject(new Error("no test formats configuration")),
    openStore: (path) =>
      createLocalStore({
        path,
        clock: realClock,
        random: randomUUID,
        host: hostname(),
        pid: process.pid,
        user: "test",
      }),
    openProviders: (simulator) => {
      if (simulator !== undefined) throw new Error("simulators run in processes of their own");
      return Promise.resolve({ open, requestsSent: () => 0, close: () => Promise.resolve() });
    },
    events,
    interrupts,
  };
};
