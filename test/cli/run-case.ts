/**
 * Runs a case in a folder of its own, against a simulator in this process, and watches that nothing
 * changed: no file of the folder, no part of the world, and no request but reads.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningSimulators, startSimulators } from "../../src/simulators/start.ts";
import type { CliCase, Need } from "./case-file.ts";
import { recordedVms, worldOfVms } from "./recorded-vms.ts";
import { type Outcome, transcriptOf } from "./transcript.ts";

export type CaseResult = {
  readonly transcript: string;
  readonly outcomes: readonly Outcome[];
  /** What changed though it must not: one line each. */
  readonly changes: readonly string[];
};

/** Functions the steps may use. */
const prelude = `
pty() { local columns=$1; shift; script -qefc "stty cols $columns rows 40; $*" /dev/null; }
`;

/** `bin` is a folder with the command `vmform`; `files` the folder of the case. */
export async function runCase(
  definition: CliCase,
  files: string,
  bin: string,
): Promise<CaseResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "vmform-case-")));
  const simulators = await startSimulators({
    world: definition.world ?? worldOfVms(definition.recorded),
    ...(definition.faults.length === 0 ? {} : { faults: { faults: definition.faults } }),
  });
  const { daemon: origin, cloud } = simulators.origins;
  const shell = { folder, bin };
  try {
    layOut(definition, files, folder, simulators.origins);
    const prepared = await run(shell, `set -e\n${definition.prepare}`);
    if (prepared.code !== 0) throw new Error(`the case cannot be prepared: ${prepared.stderr}`);
    const outcomes: Outcome[] = [];
    const changes: string[] = [];
    for (const step of definition.steps) {
      const before = look(folder, simulators);
      outcomes.push(await run(shell, step));
      changes.push(
        ...differences(before, look(folder, simulators)).map((line) => `${step}: ${line}`),
      );
    }
    return { transcript: transcriptOf(outcomes, { folder, origin, cloud }), outcomes, changes };
  } finally {
    await simulators.stop();
    const state = join(folder, "state");
    spawnSync("umount", [state], { stdio: "ignore" });
    if (existsSync(state)) chmodSync(state, 0o700);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies the files, with what only a run knows put into them. */
function layOut(
  definition: CliCase,
  files: string,
  folder: string,
  origins: RunningSimulators["origins"],
): void {
  for (const name of readdirSync(files)) {
    if (name === "case.yaml" || name === "expected.txt") continue;
    cpSync(join(files, name), join(folder, name), { recursive: true });
  }
  if (definition.recorded > 0) {
    mkdirSync(join(folder, "state"), { recursive: true });
    const state = recordedVms(definition.recorded, origins.daemon);
    writeFileSync(join(folder, "state", "default.json"), state, { mode: 0o600 });
  }
  const known = new Map([
    ["{{daemon}}", origins.daemon],
    ["{{cloud}}", origins.cloud],
    ["{{host}}", hostname()],
    ["{{pid}}", String(process.pid)],
  ]);
  for (const file of filesBelow(folder)) {
    const text = readFileSync(file, "latin1");
    let filled = text;
    for (const [mark, value] of known) filled = filled.replaceAll(mark, value);
    if (filled !== text) writeFileSync(file, filled, "latin1");
  }
}

function run(shell: { folder: string; bin: string }, command: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", `${prelude}${command}`], {
      cwd: shell.folder,
      env: {
        PATH: `${shell.bin}:${process.env.PATH ?? ""}`,
        HOME: shell.folder,
        LANG: "C.UTF-8",
        TERM: "xterm",
        SHELL: "/bin/bash",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ command, stdout, stderr, code }));
  });
}

type Look = {
  readonly files: ReadonlyMap<string, string>;
  readonly world: string;
  readonly mutations: number;
};

function look(folder: string, simulators: RunningSimulators): Look {
  const files = filesBelow(folder).map((file) => [file, readFileSync(file, "latin1")] as const);
  const { daemon, cloud } = simulators.world();
  const mutations = simulators.log().filter((entry) => entry.class === "mutate");
  return {
    files: new Map(files),
    world: JSON.stringify([daemon, cloud]),
    mutations: mutations.length,
  };
}

function differences(before: Look, after: Look): readonly string[] {
  const names = new Set([...before.files.keys(), ...after.files.keys()]);
  const files = [...names].filter((name) => before.files.get(name) !== after.files.get(name));
  return [
    ...files.map((name) => `${name} changed`),
    ...(before.world === after.world ? [] : ["the world changed"]),
    ...(before.mutations === after.mutations ? [] : ["a mutating request was sent"]),
  ];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Whether script(1) can give a command a terminal; where not, what is skipped is said loudly. */
export function isTerminalThere(lacking: string): boolean {
  const isThere = isMet("script");
  if (!isThere) console.warn(`SKIPPED: ${lacking}, since there is no script(1) here`);
  return isThere;
}

/** Whether this machine can run what a case needs. */
export function isMet(need: Need): boolean {
  switch (need) {
    case "script":
      return spawnSync("script", ["-qefc", "true", "/dev/null"], { stdio: "ignore" }).status === 0;
    case "mount":
      return canMount();
    case "permissions":
      return process.getuid?.() !== 0;
  }
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "vmform-mount-"));
  const words = ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder];
  const mounted = spawnSync("mount", words, { stdio: "ignore" }).status === 0;
  if (mounted) spawnSync("umount", [folder], { stdio: "ignore" });
  rmSync(folder, { recursive: true, force: true });
  return mounted;
}
