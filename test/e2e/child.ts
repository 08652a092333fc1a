/** Processes of the command: started, read to their end, signalled. Each is ended with the test. */

import { type ChildProcess, spawn } from "node:child_process";

export type Ended = {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Child = {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has printed so far. */
  stdout(): string;
  /** Resolves once the text has been written to stdout; rejects when the process ends before. */
  printed(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
};

export type ChildOptions = {
  readonly cwd: string;
  /** Options of Node.js, before the script. */
  readonly node?: readonly string[];
  readonly environment?: { readonly [name: string]: string };
};

const running = new Set<ChildProcess>();

/** Starts `node MAIN WORDS…` with nothing of the test's own environment but the path. */
export function startChild(main: string, words: readonly string[], options: ChildOptions): Child {
  const child = spawn(process.execPath, [...(options.node ?? []), main, ...words], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? "", HOME: options.cwd, CI: "true", ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const watch of watchers) watch();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal, stdout, stderr });
    });
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        if (!stdout.includes(text)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
      const fail = (): void =>
        reject(new Error(`it ended without printing ${text}:\n${stdout}\n${stderr}`));
      ended.then(fail, fail);
    });
  const { pid } = child;
  if (pid === undefined) throw new Error("the process could not be started");
  return {
    pid,
    ended,
    stdout: () => stdout,
    printed,
    kill: (signal) => void child.kill(signal),
  };
}

/** Ends what is still running, so that nothing outlives a failed test. */
export async function endChildren(): Promise<void> {
  const left = [...running];
  const closed = left.map((child) => new Promise((resolve) => child.once("close", resolve)));
  for (const child of left) child.kill("SIGKILL");
  await Promise.all(closed);
}
