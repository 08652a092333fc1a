/** What rules ignore, for people: each rule once, with all that it ignores. */

import type { DriftReport, IgnoredBy, IgnoredDifference } from "../../model/plan/drift-report.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../text/value/value-text.ts";

/** Differences of one rule that are listed; JSON has them all. */
const linesMax = 12;

export type IgnoredGroup = {
  /** Whom to ask, why, until when. */
  readonly title: string;
  readonly lines: readonly string[];
  /** `and 3 more (in full: vmform drift --json)`; undefined where all are listed. */
  readonly more?: string;
  readonly count: number;
};

/** `Ignored until 2026-12-31 (ada: waits for memory).` */
export function ignoredText({ owner, reason, until }: IgnoredBy): string {
  return `Ignored until ${until} (${owner}: ${reason}).`;
}

/** In the order of the first object that a rule ignores something of. */
export function ignoredGroups({ objects }: DriftReport): readonly IgnoredGroup[] {
  const groups = new Map<string, string[]>();
  const add = ({ owner, reason, until }: IgnoredBy, text: string): void => {
    const title = `until ${until}, ${owner}: ${reason}`;
    const lines = groups.get(title);
    if (lines === undefined) groups.set(title, [text]);
    else lines.push(text);
  };
  for (const { address, reason = "", ignored, ignoredBy } of objects) {
    if (ignoredBy !== undefined) add(ignoredBy, `${address} is missing: ${reason}`);
    for (const item of ignored) add(item.by, `${address}: ${differenceText(item)}`);
  }
  return [...groups].map(([title, all]) => {
    const rest = all.length - linesMax;
    const more = rest > 0 ? { more: `and ${rest} more (in full: vmform drift --json)` } : {};
    return { title, lines: all.slice(0, linesMax), ...more, count: all.length };
  });
}

function differenceText(item: IgnoredDifference): string {
  const { attribute, sensitive, desired, recorded, observed } = item;
  if (sensitive) return `${keyText(attribute)}: ${sensitiveLiteral}, changed`;
  const values =
    observed === undefined || item.class === "config-change"
      ? `configuration ${inlineValue(desired ?? null)}, recorded ${inlineValue(recorded)}`
      : `recorded ${inlineValue(recorded)}, observed ${inlineValue(observed)}`;
  return `${keyText(attribute)}: ${values}`;
}
