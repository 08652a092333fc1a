/** A drift report for people: what differs, then what could not be checked, then the counts. */

import type {
  AttributeDifference,
  DriftReport,
  DriftVerdict,
} from "../../model/plan/drift-report.ts";
import type { RenderOptions } from "../text/render-options.ts";
import { escapeControls } from "../text/safe-text.ts";
import {
  joinSections,
  line,
  renderLines,
  type StyledLine,
  span,
  textLine,
} from "../text/styled-line.ts";
import { inlineValue, keyText } from "../text/value/value-text.ts";
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
  valuesText,
} from "./drift-entries.ts";
import { ignoredGroups } from "./drift-ignored.ts";

/** Ends with the summary line, without a newline. Diagnostics are shown elsewhere. */
export function driftText(report: DriftReport, options: RenderOptions): string {
  const sections = [
    ...entriesOf(report, "drifted").map(driftedSection),
    ...entriesOf(report, "missing").map(missingSection),
    restoreSection(report),
    listSection(report, "unknown", "Could not be checked:", "error"),
    listSection(report, "not_checked", "Not checked:"),
    attributeSection(report, "failed", "Attributes that could not be read:"),
    attributeSection(report, "by rule", "Attributes not checked:"),
    neverReadSection(report),
    standingSection(report),
    ignoredSection(report),
    unappliedSection(report),
    unmanagedSection(report),
    limitsSection(report),
    [...sinceLines(report), textLine(driftSummaryText(report), "strong", 2)],
  ];
  return renderLines(joinSections(sections), options);
}

function driftedSection(entry: DriftEntry): StyledLine[] {
  const names = entry.differences.map(({ attribute }) => keyText(attribute).length + 1);
  const columns = Math.max(...names);
  const lines = entry.differences.map((difference) => {
    const name = `${keyText(difference.attribute)}:`.padEnd(columns);
    const values = ` ${name} ${valuesText(difference)}`;
    return line(
      ["      ", span("~", "change"), values, span(` # ${classText(difference)}`, "muted")],
      10,
    );
  });
  const verb = entry.addresses.length === 1 ? "has drifted" : "have drifted the same way";
  const told = entry.told.map((text) => textLine(`        ${escapeControls(text)}`, undefined, 10));
  return [...titleLines(entry, "~", verb), ...lines, ...told, ...suggestionLines(entry)];
}

function classText(difference: Omit<AttributeDifference, "fingerprint">): string {
  const { desired } = difference;
  const wanted = desired === undefined ? "" : `configuration: ${inlineValue(desired)}`;
  switch (difference.class) {
    case "conflict":
      return `conflict with the ${wanted}`;
    case "drift-toward-config":
      return `drift toward the ${wanted}`;
    case "drift":
    case "config-change":
      return desired === undefined ? "drift" : `drift; ${wanted}`;
  }
}

function missingSection(entry: DriftEntry): StyledLine[] {
  const proof = textLine(`      ${entry.reason ?? ""}`, undefined, 6);
  const verb = entry.addresses.length === 1 ? "is missing" : "are missing";
  return [...titleLines(entry, "-", verb), proof, ...suggestionLines(entry)];
}

function titleLines(entry: DriftEntry, symbol: "~" | "-", words: string): StyledLine[] {
  const tone = symbol === "~" ? "change" : "delete";
  return [
    textLine(`  # ${subjectText(entry)} ${words}`, "strong"),
    line(["  ", span(symbol, tone), ` ${entry.label}:`]),
  ];
}

function suggestionLines(entry: DriftEntry): StyledLine[] {
  return entry.suggestions.map((suggestion) => {
    const text = `# to ${purposeText(suggestion)}: ${commandText(entry, suggestion)}`;
    return textLine(`        ${text}`, "muted", 12);
  });
}

function listSection(
  report: DriftReport,
  verdict: DriftVerdict,
  title: string,
  tone?: "error",
): StyledLine[] {
  const entries = entriesOf(report, verdict).filter(({ reason }) => reason !== undefined);
  if (entries.length === 0) return [];
  const lines = entries.flatMap((entry) => [
    textLine(`  ${entry.label}: ${entry.reason ?? ""}`),
    ...suggestionLines(entry),
  ]);
  return [textLine(title, tone, 2), ...lines];
}

function restoreSection(report: DriftReport): StyledLine[] {
  const lines = restoreLines(report).map((text) => textLine(`  ${text}`));
  if (lines.length === 0) return [];
  const title = "Power that an unfinished run still owes (no drift; vmform apply brings it back):";
  return [textLine(title, "warning", 2), ...lines];
}

function attributeSection(
  report: DriftReport,
  rule: "by rule" | "failed",
  title: string,
): StyledLine[] {
  const lines = unreadAttributes(report, rule).map(({ addresses, attributes, reason }) =>
    textLine(`  ${addressList(addresses)}: ${attributes.join(", ")}: ${reason}`),
  );
  if (lines.length === 0) return [];
  return [textLine(title, rule === "failed" ? "error" : undefined, 2), ...lines];
}

function neverReadSection({ neverRead }: DriftReport): StyledLine[] {
  if (neverRead.length === 0) return [];
  const lines = neverRead.map(({ type, attributes }) =>
    textLine(`  ${type}: ${attributes.map(keyText).join(", ")}`),
  );
  return [textLine("Never read back by the interface, so not checked:", undefined, 2), ...lines];
}

function unappliedSection(report: DriftReport): StyledLine[] {
  const lines = unappliedLines(report).map((text) => textLine(`  ${text}`));
  if (lines.length === 0) return [];
  const title = "The configuration differs from what is recorded (no drift; see vmform plan):";
  return [textLine(title, undefined, 2), ...lines];
}

function ignoredSection(report: DriftReport): StyledLine[] {
  const groups = ignoredGroups(report);
  if (groups.length === 0) return [];
  const lines = groups.flatMap(({ title, lines: told, more }) => [
    textLine(`  ${title}:`, undefined, 4),
    ...told.map((text) => textLine(`    ${text}`, undefined, 6)),
    ...(more === undefined ? [] : [textLine(`    ${more}`, "muted")]),
  ]);
  return [textLine("Differs, and is ignored for a while (no drift):", "warning", 2), ...lines];
}

function standingSection(report: DriftReport): StyledLine[] {
  const lines = standingLines(report).map((text) => textLine(`  ${text}`));
  if (lines.length === 0) return [];
  const commands = entriesOf(report, "differs").flatMap(suggestionLines);
  const title = "Differs from the configuration, as recorded, and is not changed in place:";
  return [textLine(title, "warning", 2), ...lines, ...commands];
}

function unmanagedSection(report: DriftReport): StyledLine[] {
  const { unmanaged = [], unlisted } = report;
  const failures = unlisted.map(({ provider, reason }) =>
    textLine(`Objects of ${provider} could not be listed: ${reason}`, "warning", 2),
  );
  if (unmanaged.length === 0) return failures;
  const objects = unmanagedGroups(report).flatMap(({ listed, more }) => [
    ...listed.map(({ provider, type, identity, name }) => {
      const named = name === undefined ? "" : `${inlineValue(name)} `;
      return textLine(`  ${type} ${named}${inlineValue(identity)} (${provider})`);
    }),
    ...(more === undefined ? [] : [textLine(`  ${more}`, "muted")]),
  ]);
  const commands = new Set(unmanaged.flatMap((item) => item.suggestions.map((s) => s.command)));
  const imports = [...commands].map((command) =>
    textLine(`    # to import: ${command}`, "muted", 8),
  );
  const title = textLine("Exist and are recorded nowhere:", undefined, 2);
  return [title, ...objects, ...imports, ...failures];
}

function limitsSection(report: DriftReport): StyledLine[] {
  return limitsText(report).map((text) => textLine(text, "warning", 2));
}

function sinceLines(report: DriftReport): StyledLine[] {
  const text = sinceText(report);
  return text === undefined ? [] : [textLine(text, undefined, 2)];
}
