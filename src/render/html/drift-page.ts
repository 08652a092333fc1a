/**
 * A drift report as one page for a browser: the verdict, the counts, what has one cause, every
 * object that differs with its three values and the commands that deal with it. Whole without
 * scripts; what the page is too short for is told with its number.
 */

import { driftExitCode, isIncomplete } from "../../drift/drift-report.ts";
import type { DriftHistoryEntry } from "../../drift/history.ts";
import { plural } from "../../lib/text.ts";
import type { DriftCause, DriftReport } from "../../model/plan/drift-report.ts";
import {
  driftSummaryText,
  limitsText,
  restoreLines,
  sinceText,
  standingLines,
  unappliedLines,
  unreadAttributes,
} from "../drift/drift-entries.ts";
import { ignoredGroups } from "../drift/drift-ignored.ts";
import { keyText } from "../text/value/value-text.ts";
import { type DriftRows, differenceTable, driftRows, suggestionLine } from "./drift-rows.ts";
import { historyChart } from "./history-chart.ts";
import { element, type Markup } from "./markup.ts";
import { pageText } from "./page.ts";
import {
  code,
  countList,
  diagnosticNotes,
  lineList,
  paragraph,
  section,
  tableOf,
} from "./parts.ts";

const inFull = "vmform drift --json";
/** For objects and the lists around them; style and script are the rest of 300,000. */
const objectsBytes = 283_000;
/** Causes that are shown, and addresses of each. */
const causesMax = 40;
const addressesMax = 12;

/** Ends without a newline. `version` is that of vmform. */
export function driftPage(
  report: DriftReport,
  version: string,
  history: readonly DriftHistoryEntry[] = [],
): string {
  const before = [
    ...head(report, version),
    ...diagnosticNotes(report.diagnostics),
    ...limitsText(report).map((text) => element("p", { class: "told" }, text)),
    ...section(
      "Over time",
      ...historyChart(
        history.map(({ createdMs, findings }) => ({ createdMs, found: findings.length })),
      ),
    ),
    ...section("By cause", ...causeBlocks(report.causes)),
  ];
  const after = [...section("By type", ...typeTable(report)), ...besides(report)];
  const bytes = [...before, ...after].reduce((sum, { html }) => sum + Buffer.byteLength(html), 0);
  const rows = driftRows(report, objectsBytes - bytes, freshOf(report));
  return pageText({
    kind: "drift",
    title: `vmform drift: ${driftSummaryText(report)}`,
    body: [...before, ...section("Objects", ...objectBlocks(rows)), ...after],
  });
}

function freshOf({ since }: DriftReport): ReadonlySet<string> {
  return new Set((since?.fresh ?? []).map(({ fingerprint }) => fingerprint));
}

function head(report: DriftReport, version: string): readonly Markup[] {
  const { counts, createdMs, lineage, serial, simulated } = report;
  const since = sinceText(report);
  const tone = driftExitCode(report) === 0 && !isIncomplete(report) ? "good" : "bad";
  const when = new Date(createdMs).toISOString();
  const where = simulated ? "a simulated world" : "what is observed";
  const about =
    `Recorded state ${lineage}, version ${serial}, against ${where} at ${when}; ` +
    `vmform ${version}.`;
  return [
    element("h1", {}, "vmform drift"),
    element("p", { class: "soft" }, about),
    element("p", { class: `verdict ${tone}` }, driftSummaryText(report)),
    ...(since === undefined ? [] : [paragraph(since)]),
    countList([
      ["missing", counts.missing],
      ["drifted", counts.drifted],
      ["not as configured", counts.differing],
      ["ignored", counts.ignored],
      ["could not be checked", counts.unknown],
      ["not checked by rule", counts.notChecked],
      ["in sync", counts.inSync],
      ["unmanaged", counts.unmanaged],
      ["attributes compared", counts.attributesCompared],
    ]),
  ];
}

function causeBlocks(causes: readonly DriftCause[]): readonly Markup[] {
  const blocks = causes.slice(0, causesMax).map((cause) => {
    const { type, verdict, reason, differences, addresses, suggestions } = cause;
    const names = differences.map(({ attribute }) => keyText(attribute)).join(", ");
    const shown = addresses.slice(0, addressesMax);
    const links = shown.map((address) =>
      element("li", {}, element("a", { href: `#${encodeURIComponent(address)}` }, code(address))),
    );
    const more = addresses.length - shown.length;
    const title = `${plural(addresses.length, "object")} of ${type}`;
    return element(
      "details",
      {},
      element(
        "summary",
        {},
        element("span", { class: `tag ${verdict}` }, verdict.replaceAll("_", " ")),
        names === "" ? title : `${title}: ${names}`,
      ),
      ...(reason === undefined ? [] : [paragraph(reason)]),
      ...(differences.length === 0 ? [] : [differenceTable(differences)]),
      // A command for hundreds of objects is no help to an eye.
      ...(more > 0 ? [] : suggestions.map((item) => suggestionLine(item))),
      element("ul", {}, ...links),
      ...(more > 0 ? [paragraph(`and ${more} more; the command for all: ${inFull}`)] : []),
    );
  });
  const rest = causes.length - blocks.length;
  return rest > 0 ? [...blocks, paragraph(`and ${rest} more causes (${inFull})`)] : blocks;
}

function objectBlocks({ written, packed, counts }: DriftRows): readonly Markup[] {
  if (written.length === 0 && packed === undefined) return [paragraph("None is recorded.")];
  const list = element("div", { "data-list": "verdict" }, ...written);
  const folded =
    counts.packed === 0
      ? []
      : [
          element(
            "p",
            { class: "told", "data-unscripted": true },
            `Packed in this page, and shown where its script runs: ` +
              `${plural(counts.packed, "more object")}; ${findingsText(counts.foldedFindings)}. ` +
              `The whole list: ${inFull}`,
          ),
        ];
  const cut =
    counts.leftOut === 0
      ? []
      : [
          element(
            "p",
            { class: "told" },
            `Not in this page, which would be too long: ${plural(counts.leftOut, "object")}. ` +
              `The whole list: ${inFull}`,
          ),
        ];
  const data = packed === undefined ? [] : [element("div", { id: "packed", hidden: true }, packed)];
  return [...cut, ...folded, list, ...data];
}

function findingsText(count: number): string {
  if (count === 0) return "none of them differs";
  return `${count} of those not written here differ or could not be checked`;
}

function typeTable({ objects }: DriftReport): readonly Markup[] {
  if (objects.length === 0) return [];
  const verdicts = [
    ...(["in_sync", "drifted", "differs", "missing", "ignored", "unknown", "not_checked"] as const),
  ];
  const types = new Map<string, Map<string, number>>();
  for (const { type, verdict } of objects) {
    const counts = types.get(type) ?? new Map<string, number>();
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    types.set(type, counts);
  }
  const header = ["Type", "Objects", ...verdicts.map((verdict) => verdict.replaceAll("_", " "))];
  const rows = [...types].map(([type, counts]) => {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const cells = [all, ...verdicts.map((verdict) => counts.get(verdict) ?? 0)];
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, type),
      ...cells.map((count) => element("td", {}, String(count))),
    );
  });
  return [tableOf(header, rows)];
}

/** What is no drift, and what was not looked at. */
function besides(report: DriftReport): readonly Markup[] {
  const { unmanaged = [], unlisted, neverRead } = report;
  const strays = unmanaged.map(({ type, identity, name, provider }) => {
    const named = name === undefined ? "" : `${name} `;
    return `${type} ${named}${identity} (${provider})`;
  });
  const imports = [
    ...new Set(unmanaged.flatMap((item) => item.suggestions.map((one) => one.command))),
  ].slice(0, causesMax);
  const unread = (rule: "failed" | "by rule"): readonly string[] =>
    unreadAttributes(report, rule).map(
      ({ addresses, attributes, reason }) =>
        `${plural(addresses.length, "object")}, ${addresses[0] ?? ""} first: ` +
        `${attributes.join(", ")}: ${reason}`,
    );
  const never = neverRead.map(({ type, attributes }) => `${type}: ${attributes.join(", ")}`);
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["Attributes that could not be read", unread("failed")],
    ["Power that an unfinished run still owes (vmform apply brings it back)", restoreLines(report)],
    ["As recorded, not as configured, and not changed in place", standingLines(report)],
    ...ignoredGroups(report).map(({ title, lines }): readonly [string, readonly string[]] => [
      `Ignored: ${title}`,
      lines,
    ]),
    ["The configuration differs from what is recorded (no drift)", unappliedLines(report)],
    ["Exist and are recorded nowhere", strays],
    ["Attributes not checked", unread("by rule")],
    ["Never read back by the interface", never],
    [
      "Providers whose objects could not be listed",
      unlisted.map(({ provider, reason }) => `${provider}: ${reason}`),
    ],
  ];
  return lists.flatMap(([title, lines]) =>
    section(
      title,
      ...lineList(lines, inFull),
      ...(lines === strays ? imports.map((command) => suggestionLine(importing(command))) : []),
    ),
  );
}

function importing(command: string): { purpose: "import"; command: string } {
  return { purpose: "import", command };
}
