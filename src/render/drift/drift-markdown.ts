/**
 * A drift report as Markdown, for merge requests and issues: the summary first, then the findings
 * by how much they matter, each folded. Within a limit of bytes, what does not fit is counted.
 */

import type { AttributeDifference, DriftReport } from "../../model/plan/drift-report.ts";
import { severities } from "../../model/value/resource-schema.ts";
import {
  codeBlock,
  codeCell,
  codeSpan,
  diagnosticQuotes,
  fitBlocks,
  folded,
  htmlCode,
  table,
} from "../text/markdown.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../text/value/value-text.ts";
import {
  addressList,
  commandText,
  type DriftEntry,
  driftSummaryText,
  entriesOf,
  limitsText,
  purposeText,
  restoreLines,
  sinceText,
  standingLines,
  subjectText,
  unappliedLines,
  unmanagedGroups,
  unreadAttributes,
} from "./drift-entries.ts";
import { ignoredGroups } from "./drift-ignored.ts";

export type DriftMarkdownOptions = {
  /** UTF-8 bytes; at least `markdownBytesMin`. Unlimited when left out. */
  readonly maxBytes?: number;
};

/** Ends without a newline. */
export function driftMarkdown(report: DriftReport, options: DriftMarkdownOptions = {}): string {
  const since = sinceText(report);
  const head = [
    "## vmform drift",
    `**${driftSummaryText(report)}**`,
    ...(since === undefined ? [] : [codeSpan(since)]),
  ];
  const blocks = [
    ...diagnosticQuotes(report.diagnostics),
    ...entriesOf(report, "missing").map(missingBlock),
    ...driftedEntries(report).map(driftedBlock),
    ...restoreBlock(report),
    ...listBlock(report, "unknown", "Could not be checked"),
    ...unreadBlock(report, "failed", "Attributes that could not be read"),
    ...limitBlocks(report),
    ...standingBlock(report),
    ...ignoredBlock(report),
    ...unappliedBlock(report),
    ...listBlock(report, "not_checked", "Not checked"),
    ...unreadBlock(report, "by rule", "Attributes not checked"),
    ...neverReadBlock(report),
    ...unmanagedBlock(report),
  ];
  return fitBlocks(head, blocks, { ...options, noun: "section", all: "vmform drift" });
}

/** The most pressing first, else in the order of the report. */
function driftedEntries(report: DriftReport): readonly DriftEntry[] {
  return entriesOf(report, "drifted").toSorted((left, right) => rankOf(left) - rankOf(right));
}

function rankOf({ differences }: DriftEntry): number {
  return Math.min(...differences.map(({ severity }) => severities.indexOf(severity)));
}

function driftedBlock(entry: DriftEntry): string {
  const names = entry.differences.map(({ attribute }) => htmlCode(keyText(attribute))).join(", ");
  const rows = entry.differences.map((difference) => [
    codeCell(keyText(difference.attribute)),
    ...valueCells(difference),
    difference.class,
    difference.severity,
  ]);
  const header = ["Attribute", "Configuration", "Recorded", "Observed", "Class", "Severity"];
  return folded(
    `${subjectHtml(entry)} drifted: ${names}`,
    [...objectsPart(entry), table(header, rows), ...toldPart(entry), ...commandsPart(entry)].join(
      "\n\n",
    ),
  );
}

function toldPart({ told }: DriftEntry): readonly string[] {
  return told.length === 0 ? [] : [told.map((text) => `- ${codeSpan(text)}`).join("\n")];
}

function valueCells(difference: Omit<AttributeDifference, "fingerprint">): readonly string[] {
  const { desired, recorded, observed = null, sensitive } = difference;
  if (sensitive) return ["", sensitiveLiteral, sensitiveLiteral];
  const wanted = desired === undefined ? "" : codeCell(inlineValue(desired));
  return [wanted, codeCell(inlineValue(recorded)), codeCell(inlineValue(observed))];
}

function missingBlock(entry: DriftEntry): string {
  const verb = entry.addresses.length === 1 ? "is" : "are";
  const parts = [...objectsPart(entry), codeSpan(entry.reason ?? ""), ...commandsPart(entry)];
  return folded(`${subjectHtml(entry)} ${verb} missing`, parts.join("\n\n"));
}

function subjectHtml(entry: DriftEntry): string {
  return entry.addresses.length === 1 ? htmlCode(entry.label) : subjectText(entry);
}

function objectsPart({ addresses, label }: DriftEntry): readonly string[] {
  return addresses.length === 1 ? [] : [codeSpan(label)];
}

function commandsPart(entry: DriftEntry): readonly string[] {
  if (entry.suggestions.length === 0) return [];
  const lines = entry.suggestions.flatMap((suggestion) => [
    `# to ${purposeText(suggestion)}`,
    commandText(entry, suggestion),
  ]);
  return [codeBlock(lines, "sh")];
}

function listBlock(
  report: DriftReport,
  verdict: "unknown" | "not_checked",
  title: string,
): readonly string[] {
  const entries = entriesOf(report, verdict).filter(({ reason }) => reason !== undefined);
  return bullets(
    title,
    entries.map(({ label, reason = "" }) => `${codeSpan(label)}: ${codeSpan(reason)}`),
  );
}

function unreadBlock(
  report: DriftReport,
  rule: "by rule" | "failed",
  title: string,
): readonly string[] {
  const lines = unreadAttributes(report, rule).map(
    ({ addresses, attributes, reason }) =>
      `${codeSpan(addressList(addresses))}: ${codeSpan(attributes.join(", "))}: ${reason}`,
  );
  return bullets(title, lines);
}

function neverReadBlock({ neverRead }: DriftReport): readonly string[] {
  const lines = neverRead.map(
    ({ type, attributes }) => `${codeSpan(type)}: ${codeSpan(attributes.map(keyText).join(", "))}`,
  );
  return bullets("Never read back by the interface", lines);
}

function unappliedBlock(report: DriftReport): readonly string[] {
  const title = "The configuration differs from what is recorded (no drift)";
  return bullets(title, unappliedLines(report).map(codeSpan));
}

function standingBlock(report: DriftReport): readonly string[] {
  const title = "Differs from the configuration, as recorded, and is not changed in place";
  return bullets(title, standingLines(report).map(codeSpan));
}

function ignoredBlock(report: DriftReport): readonly string[] {
  return ignoredGroups(report).flatMap(({ title, lines, more, count }) => {
    const items = [...lines.map(codeSpan), ...(more === undefined ? [] : [more])];
    const list = items.map((text) => `- ${text}`).join("\n");
    return [folded(`Ignored (${count})`, [codeSpan(title), list].join("\n\n"))];
  });
}

function restoreBlock(report: DriftReport): readonly string[] {
  const title = "Power that an unfinished run still owes (no drift; vmform apply brings it back)";
  return bullets(title, restoreLines(report).map(codeSpan));
}

function limitBlocks(report: DriftReport): readonly string[] {
  return limitsText(report).map((text) => `> ${text}`);
}

function unmanagedBlock(report: DriftReport): readonly string[] {
  const { unlisted } = report;
  const objects = unmanagedGroups(report).flatMap(({ listed, more }) => [
    ...listed.map(({ provider, type, identity, name, suggestions }) => {
      const commands = suggestions.map(({ command }) => `: ${codeSpan(command)}`).join("");
      const named = name === undefined ? "" : `${name} `;
      return `${codeSpan(`${type} ${named}${identity}`)} (${provider})${commands}`;
    }),
    ...(more === undefined ? [] : [more]),
  ]);
  const failures = unlisted.map(
    ({ provider, reason }) => `Objects of ${provider} could not be listed: ${codeSpan(reason)}`,
  );
  return [
    ...bullets("Exist and are recorded nowhere", objects),
    ...failures.map((failure) => `> ${failure}`),
  ];
}

function bullets(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const list = lines.map((text) => `- ${text}`).join("\n");
  return [folded(`${title} (${lines.length})`, list)];
}
