/** A copy of the quickstart for the commands of docs/stores.md, which are run in a shell. */

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "../cli/command.ts";
import { root } from "./copy.ts";

type Variables = { readonly [name: string]: string };
export type Ran = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type StoresProject = {
  readonly folder: string;
  /** Commands of the page that have worked, as the page has them. */
  readonly ran: readonly string[];
  /** Variables that every command is given from now on. */
  readonly setEnvironment: (variables: Variables) => void;
  readonly run: (command: string) => Promise<Ran>;
  /** The same, where it has to work. */
  readonly works: (command: string) => Promise<Ran>;
  /** A command of the page, with what stands in it for a name of its reader. */
  readonly documented: (command: string, given?: Variables) => Promise<Ran>;
  /** Other settings of the block `vmform` in place of where recorded state is. */
  readonly settings: (yaml: string) => void;
  /** Nothing is to be done: what was recorded is where it is looked for. */
  readonly converged: () => Promise<void>;
  readonly remove: () => void;
};

export function storesProject(installed: Command): StoresProject {
  const folder = mkdtempSync(join(tmpdir(), "vmform-stores-"));
  cpSync(join(root, "examples", "quickstart"), folder, { recursive: true });
  const main = join(folder, "main.vmform.yaml");
  const original = readFileSync(main, "utf8");
  const ran: string[] = [];
  let environment: Variables = {};
  const run = (command: string): Promise<Ran> => {
    const own = { HOME: folder, CI: "1", NO_COLOR: "1", ...environment };
    const env = { PATH: `${installed.bin}:${process.env.PATH ?? ""}`, ...own };
    return inShell(command, folder, env);
  };
  const works = async (command: string): Promise<Ran> => {
    const ended = await run(command);
    if (ended.code === 0) return ended;
    throw new Error(`${command}: ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
  };
  return {
    folder,
    ran,
    run,
    works,
    setEnvironment: (variables) => {
      environment = variables;
    },
    documented: async (command, given = {}) => {
      let text = command;
      for (const [name, value] of Object.entries(given)) text = text.replace(name, () => value);
      const ended = await works(text);
      ran.push(command);
      return ended;
    },
    settings: (yaml) => {
      writeFileSync(
        main,
        original.replace(/^ {2}state: .*$/m, () => `  ${yaml}`),
      );
    },
    converged: async () => {
      await works("vmform plan --detailed-exitcode");
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function inShell(command: string, cwd: string, env: Variables): Promise<Ran> {
  const child = spawn("bash", ["-o", "pipefail", "-c", command], {
    ...{ cwd, env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
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
