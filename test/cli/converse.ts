/** A command in a real terminal, as a person uses it: keys are typed when the screen asks. */

import { spawn } from "node:child_process";
import type { Command } from "./command.ts";

export type Conversation = { readonly code: number | null; readonly screen: string };

type Call = {
  readonly command: string;
  readonly term?: string;
  /** Besides what every command is given. */
  readonly environment?: { readonly [name: string]: string };
};

/**
 * `keysFor` is asked whenever the screen has changed: what is typed then, or nothing yet. It needs
 * script(1).
 */
export function converse(
  installed: Command,
  folder: string,
  { command, term = "xterm", environment = {} }: Call,
  keysFor: (screen: string) => string | undefined,
): Promise<Conversation> {
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd: folder,
    env: {
      PATH: `${installed.bin}:${process.env.PATH ?? ""}`,
      HOME: folder,
      TERM: term,
      ...environment,
    },
  });
  let screen = "";
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text;
      const keys = keysFor(screen);
      if (keys !== undefined) child.stdin.write(keys);
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, screen }));
  });
}
