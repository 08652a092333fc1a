/** The terminal port: what views write to, and what they may do there. */

import type { Screen } from "../../ui/screen.ts";

/** SIGINT is what Ctrl-C sends. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export type LinePrompt = {
  readonly text: string;
  /** What the end of a line may become, and the part of it that does. */
  readonly complete: (line: string) => readonly [readonly string[], string];
};

/** Where a part can be drawn again and again, below what is printed. */
export type LiveTerminal = {
  /** Columns and rows of now. */
  readonly size: () => { readonly width: number; readonly height: number };
  /** Calls back at each change of the size, until the function it returns is called. */
  readonly onResize: (listener: () => void) => () => void;
  /**
   * `stop` is called before the process is stopped (Ctrl-Z), `go` when it goes on, until the
   * function it returns is called.
   */
  readonly onSuspend: (on: { readonly stop: () => void; readonly go: () => void }) => () => void;
  /** Loads what opens a screen. */
  readonly load: () => Promise<() => Screen>;
};

export type Terminal = {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Columns when standard output is a terminal; when piped, undefined: nothing is wrapped. */
  readonly width: number | undefined;
  /** Both standard input and output are terminals, and this is no CI job. */
  readonly interactive: boolean;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly isTerminal: boolean;
  /** Absent where standard output is no terminal. */
  readonly live?: LiveTerminal | undefined;
  /** Columns when standard error is a terminal. */
  readonly errorWidth: number | undefined;
  readonly errorIsTerminal: boolean;
  /** One line from standard input; undefined at its end. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** The same; what is typed is not shown. */
  readonly askHidden: (question: string) => Promise<string | undefined>;
  /**
   * Lines of standard input until it ends. With a prompt, a person writes them: with editing, what
   * was written before and completion by Tab, and Ctrl-C ends them.
   */
  readonly lines: (prompt: LinePrompt | undefined) => AsyncIterable<string>;
  /** Calls back at each request to stop. */
  readonly onInterrupt: (listener: (signal: StopSignal) => void) => void;
  /**
   * Takes single keys, without echo, until the function it returns is called. Ctrl-C stays a
   * request to stop.
   */
  readonly takeKeys: (listener: (key: string) => void) => () => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
};

/**
 * Colour: never when piped, unless forced; a `NO_COLOR` that is not empty, `--no-color` and
 * `TERM=dumb` win. `isTerminal` is about the stream that is written to.
 */
export function usesColor(
  environment: Terminal["environment"],
  isTerminal: boolean,
  noColor: boolean,
): boolean {
  if (noColor || isGiven(environment.NO_COLOR) || environment.TERM === "dumb") return false;
  const forced = environment.FORCE_COLOR ?? environment.CLICOLOR_FORCE;
  if (forced === "0" || forced === "false") return false;
  if (isGiven(forced)) return true;
  return isTerminal && !isSet(environment.CI);
}

function isGiven(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

/** Set, and not to a word that means no. */
export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}
