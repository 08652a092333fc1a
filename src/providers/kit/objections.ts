/** What stands against a configuration or a change, said shortly. */

import type { Address } from "../../model/address.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Objection } from "../../model/provider.ts";

type Told = readonly [code: string, summary: string, detail: string, fix: string];

/** Why a change cannot be made. */
export function objection(...[code, summary, detail, fix]: Told): Objection {
  return { severity: "error", code, summary, detail, fix };
}

/** What cannot be used in the configuration of a resource. */
export function unusable(address: Address, ...[code, summary, detail, fix]: Told): Diagnostic {
  return { severity: "error", code, summary, detail, fix, address };
}
