/** The `Retry-After` header (RFC 9110, section 10.2.3), in both of its forms. */

/** A server may name a day; nobody waits a day for a read. */
const retryAfterMaxMs = 120_000;

/**
 * Milliseconds from `nowMs` that the header asks to wait: 0 for a date in the past, never more than
 * `retryAfterMaxMs`, undefined when there is no header or it says neither seconds nor a date.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, retryAfterMaxMs);
  // `Date.parse` takes almost anything; an HTTP date has a weekday and GMT, or is asctime.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d/.test(text)) return undefined;
  const dateMs = Date.parse(/ \d{4}$/.test(text) ? `${text} GMT` : text);
  if (Number.isNaN(dateMs)) return undefined;
  return Math.min(Math.max(dateMs - nowMs, 0), retryAfterMaxMs);
}
