/** What `vmform doctor` found, for people and as data. */

import { plural } from "../../lib/text.ts";
import type { Check, CheckStatus } from "../../model/provider/check.ts";
import type { ValueMap } from "../../model/value/value.ts";
import type { RenderOptions } from "../text/render-options.ts";
import {
  joinSections,
  line,
  renderLines,
  type StyledLine,
  span,
  type Tone,
} from "../text/styled-line.ts";

const tones: { readonly [status in CheckStatus]: Tone } = {
  ok: "add",
  warning: "warning",
  failed: "error",
};
/** Columns of the longest status and the blanks behind it. */
const statusColumns = 9;

/** One line for each check, the way out below it, then how it ended in one line. */
export function doctorText(checks: readonly Check[], options: RenderOptions): string {
  const lines = checks.flatMap(({ name, status, detail, fix }): StyledLine[] => {
    const head = [span(status.padEnd(statusColumns), tones[status]), span(name, "strong")];
    const way = fix === undefined ? [] : [line([" ".repeat(statusColumns), fix], statusColumns)];
    return [line([...head, `: ${detail}`], statusColumns), ...way];
  });
  const ending = line([span(endingText(checks), "strong")], 2);
  return renderLines(joinSections([lines, [ending]]), options);
}

function endingText(checks: readonly Check[]): string {
  const failed = count(checks, "failed");
  const warnings = count(checks, "warning");
  const rest = warnings === 0 ? "" : `, ${plural(warnings, "warning")}`;
  if (failed === 0) return `Nothing is wrong: ${plural(checks.length, "check")}${rest}.`;
  return `${failed} of ${plural(checks.length, "check")} failed${rest}.`;
}

export function count(checks: readonly Check[], status: CheckStatus): number {
  return checks.filter((check) => check.status === status).length;
}

export function doctorJson(checks: readonly Check[]): ValueMap {
  return {
    checks: checks.map((check) => ({ ...check })),
    failed: count(checks, "failed"),
    warnings: count(checks, "warning"),
  };
}
