/** Diagnostics of one folder: what a code is about stands in the codes of the folder alone. */

import type { Address } from "../value/address.ts";
import type { Diagnostic, SourcePosition } from "./diagnostic.ts";
import type { Explanation } from "./explanation.ts";

/** What a diagnostic is about: a desired instance, or anything with an address. */
export type At = {
  readonly address?: Address | undefined;
  readonly source?: SourcePosition | undefined;
};

/** Said of this occurrence; the code says the rest. */
export type Told = { readonly detail: string; readonly fix?: string | undefined };

/** About no resource, or about one that the planner names. */
export const nowhere: At = {};

export type Problems<Code extends string> = {
  readonly problem: (at: At, code: Code, told: Told) => Diagnostic;
  readonly warning: (at: At, code: Code, told: Told) => Diagnostic;
};

/** Takes the summary of a code from `codes`; another code does not compile. */
export function problemsOf<Code extends string>(
  codes: {
    readonly [code in Code]: Explanation;
  },
): Problems<Code> {
  const tell =
    (severity: Diagnostic["severity"]) =>
    (at: At, code: Code, told: Told): Diagnostic =>
      diagnosticOf({ severity, code, summary: codes[code].summary, detail: told.detail }, at, told);
  return { problem: tell("error"), warning: tell("warning") };
}

/** What is absent is no member. */
function diagnosticOf(said: Diagnostic, { address, source }: At, { fix }: Told): Diagnostic {
  return {
    ...said,
    ...(fix === undefined ? {} : { fix }),
    ...(address === undefined ? {} : { address }),
    ...(source === undefined ? {} : { source }),
  };
}
