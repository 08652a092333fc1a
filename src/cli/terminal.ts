/** The terminal port: what views write to, and what they may do there. */

export type Terminal = {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Columns when standard output is a terminal; undefined when piped, and then nothing is wrapped. */
  readonly width: number | undefined;
  /** Both standard input and output are terminals, and this is no CI job. */
  readonly interactive: boolean;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly isTerminal: boolean;
  /** One line from standard input; undefined at its end. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Calls back at each request to stop (SIGINT, SIGTERM). */
  readonly onInterrupt: (listener: () => void) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
};

/** Colour: never when piped, unless forced; `NO_COLOR` in any form, `--no-color` and `TERM=dumb` win. */
export function usesColor(terminal: Terminal, noColor: boolean): boolean {
  const { environment } = terminal;
  if (noColor || environment.NO_COLOR !== undefined || environment.TERM === "dumb") return false;
  const forced = environment.FORCE_COLOR ?? environment.CLICOLOR_FORCE;
  if (forced !== undefined && forced !== "" && forced !== "0") return true;
  return terminal.isTerminal && !isSet(environment.CI);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "false" && value !== "0";
}
