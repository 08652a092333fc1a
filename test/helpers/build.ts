/** The command as users run it, built once for the whole test run. */

import { inject } from "vitest";

export type Build = {
  /** The file to give to Node.js. */
  readonly main: string;
};

export function buildProgram(): Build {
  return { main: inject("program") };
}
