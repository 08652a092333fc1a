/**
 * Reports of tests for people: a line for each run, and below it what did not come as expected.
 *
 *     tests/web.vmformtest.yaml
 *       pass  three VMs are planned
 *       FAIL  they are made
 *
 *         tests/web.vmformtest.yaml:9:22: error: Assertion does not hold (CLI040)
 *           9 |       - condition: ${plan.counts.add == 4}
 *             |                    ^^^^^^^^^^^^^^^^^^^^^^^
 *         The condition is false.
 *           plan.counts.add is 3
 */

import { plural } from "../../lib/text.ts";
import type {
  TestFailure,
  TestFileReport,
  TestPart,
  TestReport,
  TestRunReport,
  TestStatus,
} from "../../model/said/test-report.ts";
import { diagnosticText } from "../text/diagnostic-text.ts";
import type { RenderOptions } from "../text/render-options.ts";
import { escapeControls } from "../text/safe-text.ts";
import { line, renderLines, span, textLine } from "../text/styled-line.ts";
import { inlineValue, sensitiveLiteral } from "../text/value/value-text.ts";

const words: { readonly [status in TestStatus]: string } = {
  passed: "pass",
  failed: "FAIL",
  skipped: "skip",
};

/** Characters of a value that is shown. */
const valueMax = 300;

/** `asides` are further lines of a run, by its name. */
export function testFileText(
  report: TestFileReport,
  options: RenderOptions,
  asides: ReadonlyMap<string, readonly string[]> = new Map(),
): string {
  const parts = [
    renderLines([line([span(report.file, "strong")])], options),
    ...report.failures.map((failure) => failureText(failure, options)),
    ...(report.failures.length === 0 ? [] : [""]),
    ...report.runs.map((run) => runText(run, options, asides.get(run.name) ?? [])),
  ];
  return parts.join("\n");
}

function runText(
  { name, status, failures }: TestRunReport,
  options: RenderOptions,
  aside: readonly string[],
): string {
  const tone = status === "passed" ? "add" : status === "failed" ? "error" : "muted";
  const head = renderLines([line(["  ", span(words[status], tone), `  ${name}`], 8)], options);
  const rest = aside.map((text) => indented(text, 8));
  const told = failures.map((failure) => failureText(failure, options));
  return [head, ...rest, ...told, ...(told.length === 0 ? [] : [""])].join("\n");
}

function failureText({ diagnostic, parts }: TestFailure, options: RenderOptions): string {
  const { width } = options;
  const inner = width === undefined ? options : { ...options, width: Math.max(20, width - 8) };
  const values = parts.map((part) => textLine(`  ${partText(part)}`, undefined, 6));
  const shown = values.length === 0 ? [] : [renderLines(values, inner)];
  return indented(["", diagnosticText(diagnostic, inner), ...shown].join("\n"), 8);
}

/** `plan.counts.add is 3`, on one line. */
export function partText({ text, value, sensitive }: TestPart): string {
  const source = escapeControls(text.replaceAll(/\s+/g, " "));
  if (sensitive === true || value === undefined) return `${source} is ${sensitiveLiteral}`;
  const shown = inlineValue(value);
  return `${source} is ${shown.length > valueMax ? `${shown.slice(0, valueMax)}…` : shown}`;
}

function indented(text: string, columns: number): string {
  const blank = " ".repeat(columns);
  return text
    .split("\n")
    .map((one) => (one === "" ? one : `${blank}${one}`))
    .join("\n");
}

/** `Success! 3 runs passed.` */
export function testSummaryText({ files, counts }: TestReport): string {
  const { passed, failed, skipped } = counts;
  const unread = files.filter(({ status, runs }) => status === "failed" && runs.length === 0);
  if (failed + unread.length === 0) return `Success! ${plural(passed, "run")} passed.`;
  const told = [
    `${failed} failed`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(unread.length === 0 ? [] : [`${plural(unread.length, "file")} could not be run`]),
  ];
  return `Failure! ${plural(passed, "run")} passed, ${told.join(", ")}.`;
}
