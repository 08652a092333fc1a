/**
 * A database, a simulated daemon and a folder of configuration, with the command line and workers in
 * the process of the test, wired as `main` wires them.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import type { Shell } from "../../src/cli/run.ts";
import type { StopSignal, Terminal } from "../../src/cli/terminal/terminal.ts";
import { createSecretMask } from "../../src/lib/mask.ts";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import type { WorldSource } from "../../src/simulators/world.ts";
import { createEnvironment } from "../../src/wiring/environment.ts";
import { expectCode, type Output } from "../helpers/program.ts";
import type { PostgresServer } from "../stores/postgres-server.ts";

export type RunningWorker = {
  /** As Ctrl-C does. */
  readonly stop: () => void;
  readonly ended: Promise<Output>;
};

export type FleetPlace = {
  readonly folder: string;
  readonly url: string;
  readonly simulators: RunningSimulators;
  /** Resources, and what else stands in the configuration. */
  readonly write: (resources: string, more?: string) => void;
  readonly run: (code: number, ...words: readonly string[]) => Promise<Output>;
  /** Submits, and gives the id of the run. */
  readonly submit: (...words: readonly string[]) => Promise<string>;
  /** Waits until it has ended or waits for somebody. */
  readonly watch: (code: number, id: string) => Promise<string>;
  /** As a person does who has watched it: the plan is named by what was shown. */
  readonly approve: (shown: string, ...words: readonly string[]) => Promise<Output>;
  readonly worker: (name: string, version?: string, ...more: readonly string[]) => RunningWorker;
  readonly mutations: () => readonly LoggedRequest[];
  readonly remove: () => Promise<void>;
};

/** The version of Node.js is that of the tests, which the commands would refuse. */
const nodeVersion = "v22.12.0";

export async function createFleetPlace(
  server: PostgresServer,
  world: WorldSource = {},
  role = "admin",
): Promise<FleetPlace> {
  const url = server.url(await server.createDatabase()).replace("admin@", `${role}@`);
  const folder = mkdtempSync(join(tmpdir(), "vmform-fleet-"));
  mkdirSync(join(folder, "web"));
  const simulators = await startSimulators({ world });
  const workers = new Set<RunningWorker>();
  const run: FleetPlace["run"] = async (code, ...words) => {
    const all = [...words, "--chdir", join(folder, "web")];
    return expectCode(code, all, await inProcess(all, "0.1.0").ended);
  };
  return {
    folder: join(folder, "web"),
    url,
    simulators,
    write: (resources, more = "") => {
      const state = `vmform: { state: { postgres: { url: "${url}", name: web } } }`;
      const provider = `providers: { daemon: { url: "${simulators.origins.daemon}" } }`;
      const text = `${state}\n${provider}\nresources:\n${resources}\n${more}\n`;
      writeFileSync(join(folder, "web", "main.vmform.yaml"), text);
    },
    run,
    submit: async (...words) => {
      const { stdout } = await run(0, "submit", ...words);
      const id = /Submitted as (\S+)\./.exec(stdout)?.[1];
      expect(id).toMatch(/^[0-9a-f]{10}$/);
      return id ?? "";
    },
    watch: async (code, id) => {
      const { stdout, stderr } = await run(code, "runs", "--watch", id);
      return `${stdout}\n${stderr}`;
    },
    approve: (shown, ...words) => {
      const [, id = "", sum = ""] = /vmform approve (\S+) --plan (\S+)/.exec(shown) ?? [];
      return run(0, "approve", id, "--plan", sum, ...words);
    },
    worker: (name, version = "0.1.0", ...more) => {
      const words = ["worker", "--database", url, "--name", name, "--heartbeat", "10s", ...more];
      const started = inProcess(words, version);
      workers.add(started);
      return started;
    },
    mutations: () => simulators.log().filter((entry) => entry.class === "mutate"),
    remove: async () => {
      for (const worker of workers) worker.stop();
      await Promise.all([...workers].map(({ ended }) => ended));
      await simulators.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function inProcess(words: readonly string[], version: string): RunningWorker {
  let stdout = "";
  let stderr = "";
  let asked = false;
  const listeners: ((signal: StopSignal) => void)[] = [];
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
    askHidden: () => Promise.resolve(undefined),
    lines: async function* () {},
    onInterrupt: (listener) => {
      listeners.push(listener);
      if (asked) listener("SIGTERM");
    },
    takeKeys: () => () => {},
    exit: () => {
      throw new Error("nobody asks twice");
    },
  };
  const mask = createSecretMask();
  const shell: Shell = {
    terminal,
    version,
    environment: (options) => {
      const environment = createEnvironment({ version, mask, terminal }, options);
      const { system } = environment;
      const operator = { who: "ann", host: "desk" };
      return Promise.resolve({ ...environment, operator, system: { ...system, nodeVersion } });
    },
    simulate: () => Promise.reject(new Error("simulators run beside it")),
    agent: () => Promise.reject(new Error("no agent in this test")),
    agentSql: () => Promise.reject(new Error("no agent in this test")),
  };
  const ended = runProgram(shell, words).then((code) => ({ code, stdout, stderr }));
  const stop = (): void => {
    if (asked) return;
    asked = true;
    for (const listener of listeners) listener("SIGTERM");
  };
  return { stop, ended };
}
