/** A drift report for people: what differs, then what could not be checked, then the counts. */

import type { DriftReport, DriftVerdict, ObjectDrift } from "../model/drift-report.ts";
import type { Value, ValueMap } from "../model/value.ts";
import { plural } from "./plan-summary.ts";
import type { RenderOptions } from "./render-options.ts";
import { joinSections, line, renderLines, type StyledLine, span, textLine } from "./styled-line.ts";
import { inlineValue, keyText, sensitiveLiteral } from "./value-text.ts";

/** Ends with the summary line, without a newline. */
export function driftText(report: DriftReport, options: RenderOptions): string {
  const sections = [
    ...withVerdict(report, "drifted").map(driftedSection),
    ...withVerdict(report, "missing").map(missingSection),
    listSection(report, "unknown", "Could not be checked:", "error"),
    listSection(report, "not_checked", "Not checked:"),
    attributeSection(report, "failed", "Attributes that could not be read:"),
    attributeSection(report, "by rule", "Attributes not checked:"),
    unmanagedSection(report),
    [textLine(driftSummaryText(report), "strong", 2)],
  ];
  return renderLines(joinSections(sections), options);
}

/** The report as data, as `schemas/drift-report.schema.json` describes it. */
export function driftJson(report: DriftReport): ValueMap {
  const { unmanaged, ...rest } = report;
  return {
    ...rest,
    objects: report.objects.map((object) => objectJson(object)),
    ...(unmanaged === undefined ? {} : { unmanaged: unmanaged.map((item) => ({ ...item })) }),
    counts: { ...report.counts },
  };
}

function objectJson(object: ObjectDrift): ValueMap {
  const { reason, ...rest } = object;
  return {
    ...rest,
    ...(reason === undefined ? {} : { reason }),
    drifted: object.drifted.map((drift): ValueMap => withoutUndefined(drift)),
    notChecked: object.notChecked.map((attribute) => ({ ...attribute })),
    suggestions: object.suggestions.map((suggestion) => ({ ...suggestion })),
  };
}

function withoutUndefined(map: { readonly [name: string]: Value | undefined }): ValueMap {
  const set = Object.entries(map).flatMap(([name, value]): [string, Value][] =>
    value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(set);
}

/** `Drift: 1 drifted, 1 missing, 3 in sync.` with what was not checked, or `No drift. …`. */
export function driftSummaryText(report: DriftReport): string {
  const { counts } = report;
  const notChecked = [
    counts.unknown === 0 ? [] : [`${counts.unknown} could not be checked`],
    counts.notChecked === 0 ? [] : [`${counts.notChecked} not checked`],
    counts.unmanaged === 0 ? [] : [`${counts.unmanaged} unmanaged`],
  ].flat();
  const incomplete = counts.unknown + counts.attributesFailed > 0;
  const ending = incomplete ? " The report is incomplete." : "";
  if (counts.drifted + counts.missing > 0) {
    const numbers = [
      `${counts.drifted} drifted`,
      `${counts.missing} missing`,
      `${counts.inSync} in sync`,
      ...notChecked,
    ];
    return `Drift: ${numbers.join(", ")}.${ending}`;
  }
  const rest = [`${plural(counts.inSync, "object")} in sync`, ...notChecked].join(", ");
  // "No drift" would be more than is known.
  return incomplete ? `No drift found: ${rest}.${ending}` : `No drift. ${rest}.`;
}

function withVerdict(report: DriftReport, verdict: DriftVerdict): readonly ObjectDrift[] {
  return report.objects.filter((object) => object.verdict === verdict);
}

function driftedSection(object: ObjectDrift): StyledLine[] {
  const columns = Math.max(...object.drifted.map(({ attribute }) => keyText(attribute).length + 1));
  const lines = object.drifted.map((drift) => {
    const name = `${keyText(drift.attribute)}:`.padEnd(columns);
    const desired =
      drift.desired === undefined
        ? ""
        : ` # configuration: ${drift.sensitive ? sensitiveLiteral : inlineValue(drift.desired)}`;
    const values = drift.sensitive
      ? `${sensitiveLiteral}, changed`
      : `recorded ${inlineValue(drift.recorded)}, observed ${inlineValue(drift.observed)}`;
    return line(["      ", span("~", "change"), ` ${name} ${values}`, span(desired, "muted")], 10);
  });
  return [...titleLines(object, "~", "has drifted"), ...lines, ...suggestionLines(object)];
}

function missingSection(object: ObjectDrift): StyledLine[] {
  const proof = textLine(`      ${object.reason ?? ""}`, undefined, 6);
  return [...titleLines(object, "-", "is missing"), proof, ...suggestionLines(object)];
}

function titleLines(object: ObjectDrift, symbol: "~" | "-", words: string): StyledLine[] {
  const tone = symbol === "~" ? "change" : "delete";
  return [
    textLine(`  # ${object.address} ${words}`, "strong"),
    line(["  ", span(symbol, tone), ` ${object.address}:`]),
  ];
}

function suggestionLines(object: ObjectDrift): StyledLine[] {
  return object.suggestions.map(({ purpose, command }) =>
    textLine(`        # to ${purpose.replace("-", " ")}: ${command}`, "muted", 12),
  );
}

function listSection(
  report: DriftReport,
  verdict: DriftVerdict,
  title: string,
  tone?: "error",
): StyledLine[] {
  const objects = withVerdict(report, verdict).filter(({ reason }) => reason !== undefined);
  if (objects.length === 0) return [];
  const lines = objects.flatMap((object) => {
    const key = object.objectKey === "current" ? "" : ` (${object.objectKey})`;
    const text = `  ${object.address}${key}: ${object.reason ?? ""}`;
    return [textLine(text), ...suggestionLines(object)];
  });
  return [textLine(title, tone, 2), ...lines];
}

function attributeSection(
  report: DriftReport,
  rule: "by rule" | "failed",
  title: string,
): StyledLine[] {
  const lines = report.objects.flatMap((object) => {
    const byReason = new Map<string, string[]>();
    for (const attribute of object.notChecked) {
      if (attribute.rule !== rule) continue;
      const names = byReason.get(attribute.reason) ?? [];
      byReason.set(attribute.reason, [...names, keyText(attribute.attribute)]);
    }
    return [...byReason].map(([reason, names]) =>
      textLine(`  ${object.address}: ${names.join(", ")}: ${reason}`),
    );
  });
  if (lines.length === 0) return [];
  return [textLine(title, rule === "failed" ? "error" : undefined, 2), ...lines];
}

function unmanagedSection(report: DriftReport): StyledLine[] {
  const objects = report.unmanaged ?? [];
  if (objects.length === 0) return [];
  const lines = objects.map(({ provider, type, identity }) =>
    textLine(`  ${type} ${inlineValue(identity)} (${provider})`),
  );
  return [textLine("Exist and are recorded nowhere:", undefined, 2), ...lines];
}
