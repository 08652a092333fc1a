/** What there is to say about a diagnostic code beyond the one occurrence: for `vmform explain`. */

export type Explanation = {
  /** As a diagnostic shows it; terse, free of names the user chose. */
  readonly summary: string;
  /** What it means, and why vmform says it. Full sentences. */
  readonly explanation: string;
  /** The way out, where the explanation does not hold it. Full sentences. */
  readonly fix?: string;
};

/** By code; see `commands/codes.ts` for all of them. */
export type Explanations = { readonly [code: string]: Explanation };
