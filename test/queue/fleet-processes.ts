/** Workers, agents and those who ask them, as processes of a newer Node.js that can be killed. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import type { Ended } from "../examples/program.ts";
import { buildProgram } from "../helpers/build.ts";

export type Processes = {
  /** A command to its end. */
  readonly run: (words: readonly string[]) => Promise<Ended>;
  /** What goes on until it is killed. */
  readonly start: (words: readonly string[]) => Running;
  readonly killAll: () => Promise<void>;
};

export type Running = {
  readonly signal: (name: NodeJS.Signals) => void;
  readonly isRunning: () => boolean;
  /** What it has said, for whoever looks into a failure. */
  readonly said: () => string;
};

export function createProcesses(node: string, folder: string): Processes {
  const { main } = buildProgram();
  // What Node.js warns of is a fault of ours, and says from where.
  const env = {
    ...{ PATH: process.env.PATH ?? "", HOME: folder, CI: "true" },
    NODE_OPTIONS: "--trace-warnings",
  };
  const started = new Set<ChildProcess>();
  return {
    run: (words) =>
      new Promise((resolve) => {
        execFile(node, [main, ...words], { cwd: folder, env }, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : (error.code ?? "killed"), stdout, stderr });
        }).stdin?.end();
      }),
    start: (words) => {
      const child = spawn(node, [main, ...words], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      started.add(child);
      let said = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          said += text;
        });
      }
      return {
        signal: (name) => void child.kill(name),
        isRunning: () => child.exitCode === null && child.signalCode === null,
        said: () => said,
      };
    },
    killAll: async () => {
      const left = [...started].filter((one) => one.exitCode === null && one.signalCode === null);
      await Promise.all(
        left.map(async (child) => {
          const ended = once(child, "exit");
          child.kill("SIGKILL");
          await ended;
        }),
      );
    },
  };
}
