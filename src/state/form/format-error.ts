/** Why a text is not a recorded state or journal of ours. */

import type { SchemaProblem } from "../../lib/schema/schema.ts";

/** `newer`: written by a later version. `damaged`: everything else. */
export type FormatProblem = "damaged" | "newer";

/**
 * Thrown while decoding, caught by the stores, which know the file and the way out. The message
 * completes "the file …", as in "is empty"; it quotes nothing of the text, which may hold secrets.
 */
export class StateFormatError extends Error {
  readonly problem: FormatProblem;

  constructor(problem: FormatProblem, message: string) {
    super(message);
    this.name = "StateFormatError";
    this.problem = problem;
  }
}

const problemsShownMax = 3;

/** The first problems in one line, and how many more there are. */
export function describeSchemaProblems(problems: readonly SchemaProblem[]): string {
  const shown = problems
    .slice(0, problemsShownMax)
    .map(({ path, message }) => `${path === "" ? "the whole" : path.slice(1)} ${message}`);
  const more = problems.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
