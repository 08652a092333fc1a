/**
 * Clients of the interfaces that nobody here wrote, as processes of their own: what they cannot do
 * at a simulator, they could not do at a server either, or the simulator is wrong. `.ci/run`
 * installs them; where one is missing, its tests say so loudly and are skipped, which CI does not
 * allow.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";

/** Set by `.ci/run`: the command govc, and a Python that has pyVmomi, libcloud and Ansible. */
const govcPath = process.env.VMFORM_GOVC ?? "";
const pythonPath = process.env.VMFORM_FOREIGN_PYTHON ?? "";

export const lacksGovc = isLacking("govc", "VMFORM_GOVC", govcPath);
export const lacksPython = isLacking("a Python client", "VMFORM_FOREIGN_PYTHON", pythonPath);

function isLacking(what: string, variable: string, path: string): boolean {
  if (path !== "") return false;
  if (process.env.CI !== undefined) throw new Error(`${variable} does not say where ${what} is`);
  const why = `${variable} does not say where it is; .ci/run installs it and sets that`;
  console.warn(`!! ${what} is not there, and what is tested with it is skipped: ${why}`);
  return true;
}

/** Set by `.ci/run`: the folder of packages that read what we write, and the command actionlint. */
const readersPath = process.env.VMFORM_READERS ?? "";
const actionlintPath = process.env.VMFORM_ACTIONLINT ?? "";

export const lacksReaders = isLacking("a reader of reports", "VMFORM_READERS", readersPath);
export const lacksActionlint = isLacking("actionlint", "VMFORM_ACTIONLINT", actionlintPath);

/** gitlab-ci-local needs a newer Node.js than the rest. */
const node22Path = process.env.VMFORM_NODE22 ?? "";
export const lacksNode22 = isLacking("a newer Node.js", "VMFORM_NODE22", node22Path);

/** What a client keeps at home stays out of the user's. */
const home = mkdtempSync(join(tmpdir(), "vmform-foreign-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

export type Said = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

function run(
  command: string,
  words: readonly string[],
  environment: { readonly [name: string]: string } = {},
  folder = process.cwd(),
): Promise<Said> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, ...environment };
  const child = spawn(command, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs govc at a manager. */
export function govc(
  origin: string,
  words: readonly string[],
  environment: { readonly [name: string]: string } = {},
): Promise<Said> {
  const url = `${origin.replace("//", "//admin:secret@")}/sdk`;
  return run(govcPath, words, { GOVC_URL: url, GOVC_PERSIST_SESSION: "false", ...environment });
}

/** Runs `ansible-inventory`, with an executable file as its inventory. */
export function ansibleInventory(file: string, ...words: readonly string[]): Promise<Said> {
  return run(join(dirname(pythonPath), "ansible-inventory"), ["-i", file, ...words], {});
}

/** What a script prints as JSON, at a simulator of this origin; it must end well. */
export function script(
  name: "manager.py" | "cloud.py",
  origin: string,
  ...words: readonly string[]
): Promise<unknown> {
  return pythonScript(name, new URL(origin).port, ...words);
}

/** What a script of this folder prints as JSON; it must end well. */
export async function pythonScript(name: string, ...words: readonly string[]): Promise<unknown> {
  const path = fileURLToPath(new URL(name, import.meta.url));
  // Nothing is compiled into the folder of the tests.
  const environment = { PYTHONDONTWRITEBYTECODE: "1" };
  return printed(await run(pythonPath, [path, ...words], environment));
}

/** What the libraries of drawings read of these files, in their order. */
export async function drawings(files: readonly string[]): Promise<unknown> {
  const path = fileURLToPath(new URL("drawings.mjs", import.meta.url));
  return printed(await run(process.execPath, [path, readersPath, ...files]));
}

/** What it printed as JSON. */
function printed({ code, stdout, stderr }: Said): unknown {
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** Validates reports of SARIF, and writes into `log` what is to be said of them. */
export function sarifMultitool(files: readonly string[], log: string): Promise<Said> {
  const program = join(readersPath, "@microsoft", "sarif-multitool-linux", "Sarif.Multitool");
  const words = ["validate", ...files, "--rule-kind", "Sarif;Ghas", "--output", log];
  // Without it, it ends where the machine has no tables of languages.
  return run(program, words, { DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" });
}

/** Runs gitlab-ci-local in a folder. */
export function gitlabCiLocal(folder: string, ...words: readonly string[]): Promise<Said> {
  const program = join(readersPath, "gitlab-ci-local", "dist", "index.js");
  return run(node22Path, [program, ...words], {}, folder);
}

/** Checks a workflow of GitHub by its text alone: neither shellcheck nor pyflakes is run. */
export function actionlint(file: string): Promise<Said> {
  return run(actionlintPath, ["-shellcheck=", "-pyflakes=", "-no-color", file]);
}

/** Runs pre-commit in a folder, with the programs of `bin` on its path. */
export function preCommit(folder: string, bin: string, ...words: readonly string[]): Promise<Said> {
  const environment = { PATH: `${bin}:${process.env.PATH ?? ""}` };
  return run(join(dirname(pythonPath), "pre-commit"), words, environment, folder);
}
