/** What a run of a worker has for a terminal: its lines are heard, and nobody sits before it. */

import type { StopSignal, Terminal } from "../terminal/terminal.ts";

export type RunTerminal = {
  readonly terminal: Terminal;
  /** Asks the run to stop, as Ctrl-C does: the first drains. Later ones change nothing. */
  readonly stop: (signal: StopSignal) => void;
};

/** `hear` is told each line of standard output, `note` each of standard error. */
export function createRunTerminal(
  environment: Terminal["environment"],
  { hear, note }: { readonly hear: (line: string) => void; readonly note: (line: string) => void },
): RunTerminal {
  const listeners: ((signal: StopSignal) => void)[] = [];
  let asked: StopSignal | undefined;
  const terminal: Terminal = {
    write: linesTo(hear),
    writeError: linesTo(note),
    width: undefined,
    errorWidth: undefined,
    interactive: false,
    isTerminal: false,
    errorIsTerminal: false,
    environment,
    ask: () => Promise.resolve(undefined),
    askHidden: () => Promise.resolve(undefined),
    lines: async function* none() {},
    onInterrupt: (listener) => {
      listeners.push(listener);
      if (asked !== undefined) listener(asked);
    },
    takeKeys: () => () => undefined,
    // The process goes on with other runs.
    exit: () => undefined,
  };
  const stop = (signal: StopSignal): void => {
    if (asked !== undefined) return;
    asked = signal;
    for (const listener of listeners) listener(signal);
  };
  return { terminal, stop };
}

function linesTo(hear: (line: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") hear(line);
  };
}
