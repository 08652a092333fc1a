/** The terminal of this process: standard streams, signals and the question of an approval. */

import type * as readline from "node:readline";
import { Writable } from "node:stream";
import { loadScreen } from "../../ui/load-screen.ts";
import type { ScreenStreams } from "../../ui/screen.ts";
import { exitCodes } from "../exit-codes.ts";
import { takeKeys } from "./node-keys.ts";
import { onSuspend } from "./node-suspend.ts";
import {
  isSet,
  type LinePrompt,
  type LiveTerminal,
  type StopSignal,
  type Terminal,
} from "./terminal.ts";

const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

export type NodeTerminal = Terminal & {
  /**
   * Waits until the output is written, reports on standard error what was lost of it, and gives the
   * exit code to end with, which is not 0 then. A reader that went away, as `head` does, needs no
   * words.
   */
  readonly end: (code: number) => Promise<number>;
};

/**
 * What cannot be written is dropped, and the work goes on: an apply must not end half way because
 * nobody reads its output any more.
 */
export function createNodeTerminal(): NodeTerminal {
  const { stdout, stderr, env } = process;
  let lost: unknown;
  const lose = (error: unknown): void => {
    lost ??= error;
  };
  stdout.on("error", lose);
  stderr.on("error", () => {});
  return {
    write: (text) => {
      if (lost !== undefined) return;
      try {
        stdout.write(text);
      } catch (error) {
        // Files are written synchronously.
        lose(error);
      }
    },
    writeError: (text) => void stderr.write(text),
    width: columnsOf(stdout),
    errorWidth: columnsOf(stderr),
    isTerminal: stdout.isTTY,
    live: liveTerminal(process),
    errorIsTerminal: stderr.isTTY,
    // Standard input is opened by who looks at it.
    interactive: stdout.isTTY && process.stdin.isTTY && !isSet(env.CI),
    environment: env,
    ask: (question) => ask(question, process.stdout),
    askHidden,
    lines: readLines,
    onInterrupt: (listener) => {
      for (const signal of stopSignals) process.on(signal, () => listener(signal));
    },
    takeKeys,
    exit: (code) => process.exit(code),
    end: async (code) => {
      await flushed(stdout, lose);
      if (lost === undefined) return code;
      if (codeOf(lost) !== "EPIPE") {
        stderr.write(`vmform: part of the output was lost: ${messageOf(lost)}\n`);
      }
      return code === exitCodes.ok ? exitCodes.error : code;
    },
  };
}

/**
 * What draws is loaded when it is needed: it is larger than all that draws nothing. Undefined where
 * it is not known how much fits.
 */
function liveTerminal({ stdout, stderr }: ScreenStreams): LiveTerminal | undefined {
  if (!stdout.isTTY || !(stdout.columns > 0) || !(stdout.rows > 0)) return undefined;
  return {
    size: () => ({
      width: Math.min(stdout.columns, columnsOf(stdout) ?? stdout.columns),
      height: stdout.rows,
    }),
    onResize: (listener) => {
      stdout.on("resize", listener);
      return () => void stdout.off("resize", listener);
    },
    onSuspend,
    load: async () => {
      const { openScreen } = await loadScreen();
      return () => openScreen({ stdout, stderr });
    },
  };
}

/** Files report their errors, and pipes take their bytes, only after the write has returned. */
function flushed(stream: NodeJS.WriteStream, lose: (error: unknown) => void): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else {
      stream.once("close", resolve);
      stream.write("", (error) => {
        if (error) lose(error);
        resolve();
      });
    }
  });
}

/** `COLUMNS` wins on a terminal, as people know it; a pipe has no width. */
function columnsOf(stream: NodeJS.WriteStream): number | undefined {
  if (!stream.isTTY) return undefined;
  const wanted = Number(process.env.COLUMNS ?? "");
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted;
  return stream.columns > 0 ? stream.columns : undefined;
}

/** The echo of a key is written by the line editor, whose output goes nowhere here. */
async function askHidden(question: string): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asked = ask("", nowhere);
  // Not sooner: until the editor has taken the terminal, that one shows what is typed.
  process.stdout.write(question);
  const answer = await asked;
  if (answer !== undefined) process.stdout.write("\n");
  return answer;
}

/** Loaded by who asks. */
function lineEditor(): typeof readline {
  return process.getBuiltinModule("node:readline");
}

/** Undefined at the end of input, and when the question is given up by Ctrl-C. */
function ask(question: string, output: NodeJS.WritableStream): Promise<string | undefined> {
  const lines = lineEditor().createInterface({
    input: process.stdin,
    output,
    // What is not shown is read key by key all the same, or the terminal itself would show it.
    terminal: true,
  });
  let answered = false;
  return new Promise((resolve) => {
    lines.on("close", () => {
      if (!answered) process.stdout.write("\n");
      resolve(undefined);
    });
    // The terminal gives the key, not the signal, while a line is read.
    lines.on("SIGINT", () => {
      process.stdout.write("\n");
      answered = true;
      process.kill(process.pid, "SIGINT");
    });
    lines.question(question, (answer) => {
      answered = true;
      resolve(answer);
      lines.close();
    });
  });
}

async function* readLines(prompt: LinePrompt | undefined): AsyncIterable<string> {
  const { stdin: input, stdout: output } = process;
  const reader = lineEditor().createInterface(
    prompt === undefined ? { input } : edited(prompt, input, output),
  );
  let ended = true;
  // The terminal gives the key, not the signal, while a line is read.
  reader.on("SIGINT", () => reader.close());
  if (prompt !== undefined) reader.prompt();
  try {
    for await (const line of reader) {
      ended = false;
      yield line;
      ended = true;
      if (prompt !== undefined) reader.prompt();
    }
  } finally {
    reader.close();
    // Behind a prompt that nobody has answered.
    if (ended && prompt !== undefined) output.write("\n");
  }
}

function edited(
  { text, complete }: LinePrompt,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): readline.ReadLineOptions {
  const completer = (line: string): [string[], string] => {
    const [found, word] = complete(line);
    return [[...found], word];
  };
  return { input, output, prompt: text, completer };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
