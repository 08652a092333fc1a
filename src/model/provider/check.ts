/** What `vmform doctor` found out: one check each, in the order in which they build up. */

import type { ValueMap } from "../value/value.ts";

export type CheckStatus = "ok" | "warning" | "failed";

export type Check = {
  /** What was looked at, such as `node`, or `cloud.east: session`. */
  readonly name: string;
  readonly status: CheckStatus;
  /** What was seen, a phrase or sentences. */
  readonly detail: string;
  /** The way out, a sentence. */
  readonly fix?: string;
  /** The same for machines, where there is more to it. */
  readonly data?: ValueMap;
};
