/** Running a program for the secret that it prints: its own words, no shell, a limit. */

import { type ChildProcess, spawn } from "node:child_process";

export type CommandResult =
  | { readonly kind: "printed"; readonly output: string }
  /** `why` follows the name of the program: `ended with code 1: no such entry`. */
  | { readonly kind: "failed"; readonly why: string; readonly output: string };

export type CommandPlace = {
  /** Folder it is started in. */
  readonly directory: string;
  readonly environment: { readonly [name: string]: string | undefined };
  /** It may ask a person, at the terminal itself; milliseconds. */
  readonly limitMs: number;
};

/** What may be printed: a secret is no document. */
const outputBytesMax = 65_536;
const complaintMax = 300;

/** What it left running, such as an agent, may keep its output open; milliseconds. */
const afterwardsMs = 500;

/**
 * Standard input is empty. Does not reject. A program that does not end is killed. What it started
 * in turn is not, nor is it waited for: it may be an agent that is meant to stay.
 */
export function runCommand(
  words: readonly string[],
  { directory, environment, limitMs }: CommandPlace,
): Promise<CommandResult> {
  const [program = "", ...rest] = words;
  if (words.some((word) => word.includes("\0"))) {
    const why = "cannot be started: a word of it has a zero byte, which no program can be given";
    return Promise.resolve({ kind: "failed", why, output: "" });
  }
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      cwd: directory,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    const output: Buffer[] = [];
    const complaint: Buffer[] = [];
    let bytes = 0;
    let stopped: string | undefined;
    const stop = (why: string): void => {
      stopped ??= why;
      kill(child);
    };
    const timer = setTimeout(() => {
      stop(`did not end within ${limitMs / 1000} s`);
    }, limitMs);
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > outputBytesMax) stop(`printed more than ${outputBytesMax / 1024} KiB`);
      else output.push(chunk);
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (complaint.length < 64) complaint.push(chunk);
    });
    const end = (why: string | undefined): void => {
      clearTimeout(timer);
      const text = Buffer.concat(output).toString("utf8");
      if (why === undefined) resolve({ kind: "printed", output: text });
      else resolve({ kind: "failed", why, output: text });
    };
    child.on("error", (error: NodeJS.ErrnoException) => {
      end(`cannot be started: ${error.code === "ENOENT" ? "there is none" : error.message}`);
    });
    child.on("exit", () => {
      setTimeout(() => letGo(child), afterwardsMs);
    });
    child.on("close", (code, signal) => {
      if (stopped !== undefined) end(stopped);
      else if (code !== 0) end(endText(code, signal, Buffer.concat(complaint).toString("utf8")));
      else end(undefined);
    });
  });
}

function kill(child: ChildProcess): void {
  child.kill("SIGKILL");
  letGo(child);
}

function letGo(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function endText(code: number | null, signal: NodeJS.Signals | null, complaint: string): string {
  const how = code === null ? `was ended by ${signal ?? "a signal"}` : `ended with code ${code}`;
  const lines = complaint.trim().split(/\s*\n\s*/);
  const said = lines.join(" | ").slice(0, complaintMax);
  return said === "" ? how : `${how}: ${said}`;
}
