/** What is wrong with an expression, as the configuration loader turns it into a diagnostic. */

export type ExpressionProblem = {
  /** Full sentence: what is wrong. */
  readonly message: string;
  /** What to write instead, one sentence. */
  readonly fix?: string;
  /** UTF-16 offset in the template text. */
  readonly offset: number;
  /** End of what is wrong, when more than one character is. */
  readonly end?: number;
};

/** The problem of a part, as one of the whole in which the part begins at `offset`. */
export function movedBy(problem: ExpressionProblem, offset: number): ExpressionProblem {
  const end = problem.end === undefined ? {} : { end: offset + problem.end };
  return { ...problem, offset: offset + problem.offset, ...end };
}
