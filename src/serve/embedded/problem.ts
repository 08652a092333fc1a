/** How it is said that an embedded database cannot be. */

/** `message`: why there is none, in a sentence; `fix`: the way out. */
export class EmbeddedProblem extends Error {
  readonly fix: string;

  constructor(message: string, fix: string, cause?: unknown) {
    super(message, { cause });
    this.name = "EmbeddedProblem";
    this.fix = fix;
  }
}
