/** Planning errors as diagnostics. */

import type { Address } from "../model/address.ts";
import type { Diagnostic, SourcePosition } from "../model/diagnostic.ts";

/** `at` is a desired instance, or anything with an address. */
export function problem(
  at: { readonly address: Address; readonly source?: SourcePosition },
  code: string,
  summary: string,
  text: { readonly detail: string; readonly fix?: string },
): Diagnostic {
  return {
    severity: "error",
    code,
    summary,
    detail: text.detail,
    ...(text.fix === undefined ? {} : { fix: text.fix }),
    address: at.address,
    ...(at.source === undefined ? {} : { source: at.source }),
  };
}
