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
  environment: { readonly [name: string]: string },
): Promise<Said> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, ...environment };
  const child = spawn(command, words, { env, stdio: ["ignore", "pipe", "pipe"] });
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
export async function script(
  name: "manager.py" | "cloud.py",
  origin: string,
  ...words: readonly string[]
): Promise<unknown> {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const { code, stdout, stderr } = await run(
    pythonPath,
    [path, new URL(origin).port, ...words],
    // Nothing is compiled into the folder of the tests.
    { PYTHONDONTWRITEBYTECODE: "1" },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}
