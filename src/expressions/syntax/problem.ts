/** What is wrong with an expression, as the configuration loader turns it into a diagnostic. */

export type ExpressionProblem = {
  /** Full sentence: what is wrong. */
  readonly message: string;
  /** What to write instead, one sentence. */
  readonly fix?: string;
  /** UTF-16 offset in the template text. */
  readonly offset: number;
};
