/** Times as the cloud writes them: with an offset that changes within one document (A.7). */

import { clockText } from "../../../lib/time/clock-text.ts";

/** For people, the time of a document that was read, or of an identity made of one. */
export function instantText(instant: string): string {
  return clockText(Date.parse(instant));
}

/** Milliseconds of a time with an offset; without one it would be some place's local time. */
export function instantOf(text: string | undefined): number | undefined {
  const written = text?.trim() ?? "";
  if (!/^\d{4}-\d{2}-\d{2}T.+(Z|[+-]\d{2}:?\d{2})$/i.test(written)) return undefined;
  const ms = Date.parse(written);
  return Number.isNaN(ms) ? undefined : ms;
}
