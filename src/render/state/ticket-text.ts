/** A screen ticket for people, and how long it is still good for. */

import { clockText } from "../../lib/time/clock-text.ts";
import type { ScreenTicket } from "../../model/provider/provider.ts";
import { durationText } from "../text/duration-text.ts";
import { escapeControls } from "../text/safe-text.ts";

/** Three lines that are never broken, whatever the width: they are there to be copied. */
export function ticketText({ host, ticket, url }: ScreenTicket): string {
  return [`host:   ${host}`, `ticket: ${ticket}`, `url:    ${url}`].map(escapeControls).join("\n");
}

/** One line, for where nothing can count down. */
export function validityText(validMs: number, validUntilMs: number): string {
  const until = clockText(validUntilMs, validUntilMs - validMs);
  return `Valid for ${durationText(validMs)}, until ${until}. It is kept nowhere.`;
}

export const expiredText = "The ticket has expired.";

/** What stands in the line that is rewritten, at most `width` columns; seconds are rounded up. */
export function countdownText(leftMs: number, width: number): string {
  const left = durationText(Math.ceil(leftMs / 1000) * 1000);
  return `Valid for ${left}. Ctrl-C ends this.`.slice(0, Math.max(0, width));
}
