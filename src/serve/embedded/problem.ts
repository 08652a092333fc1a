/** Why there is no embedded database, in a sentence; `fix` is the way out. */
export class EmbeddedProblem extends Error {
  readonly fix: string;

  constructor(message: string, fix: string, cause?: unknown) {
    super(message, { cause });
    this.name = "EmbeddedProblem";
    this.fix = fix;
  }
}
