/**
 * Drift over time: one line for each report, and what is new, still there or mended since the last
 * one. Pure. What could not be looked at this time is not called mended.
 */

import { parseJson, stringifyJson } from "../lib/json.ts";
import type { DriftFindingSince, DriftReport, DriftSince } from "../model/plan/drift-report.ts";
import { isList, memberOf, type Value } from "../model/value/value.ts";

export type DriftHistoryEntry = {
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly lineage: string;
  readonly serial: number;
  readonly objects: number;
  readonly drifted: number;
  readonly differing: number;
  readonly missing: number;
  readonly unknown: number;
  readonly findings: readonly DriftFindingSince[];
};

/** The entry that a report adds, and how it compares with the last one of the same state. */
export function nextEntry(
  report: DriftReport,
  entries: readonly DriftHistoryEntry[],
): { readonly entry: DriftHistoryEntry; readonly since?: DriftSince } {
  const last = entries.findLast(({ lineage }) => lineage === report.lineage);
  const known = new Map((last?.findings ?? []).map((item) => [item.fingerprint, item]));
  const found = findingsOf(report).map((item) => known.get(item.fingerprint) ?? item);
  const now = new Set(found.map(({ fingerprint }) => fingerprint));
  const unseen = unseenIn(report);
  const ignored = ignoredIn(report);
  const gone = [...known.values()].filter(({ fingerprint }) => !now.has(fingerprint));
  const kept = gone.filter((item) => unseen.has(item.address) || ignored.has(item.fingerprint));
  const { createdMs, lineage, serial, counts } = report;
  const { objects, drifted, differing, missing, unknown } = counts;
  const entry = {
    ...{ createdMs, lineage, serial, objects, drifted, differing, missing, unknown },
    findings: [...found, ...kept],
  };
  if (last === undefined) return { entry };
  const since = {
    createdMs: last.createdMs,
    fresh: found.filter(({ fingerprint }) => !known.has(fingerprint)),
    still: found.filter(({ fingerprint }) => known.has(fingerprint)),
    fixed: gone.filter((item) => !kept.includes(item)),
  };
  return { entry, since };
}

/**
 * Objects of which not all was looked at that could hold a finding; without a configuration, nobody
 * knows what stands otherwise than it wants.
 */
function unseenIn({ objects, configuration }: DriftReport): ReadonlySet<string> {
  const unread = objects.filter(
    ({ verdict, notChecked }) =>
      verdict === "unknown" ||
      verdict === "not_checked" ||
      configuration.status === "unreadable" ||
      notChecked.some(({ rule }) => rule === "failed"),
  );
  return new Set(unread.map(({ address }) => address));
}

/** What is ignored is still there, and no new finding when the rule has expired. */
function ignoredIn({ objects }: DriftReport): ReadonlySet<string> {
  const prints = objects.flatMap(({ verdict, fingerprint, ignored }) => {
    const own = verdict === "ignored" && fingerprint !== undefined ? [fingerprint] : [];
    return [...own, ...ignored.map((item) => item.fingerprint)];
  });
  return new Set(prints);
}

function findingsOf({ objects, createdMs }: DriftReport): readonly DriftFindingSince[] {
  return objects.flatMap(({ address, verdict, fingerprint, drifted, standing }) => {
    const own = verdict === "missing" && fingerprint !== undefined ? [fingerprint] : [];
    const attributes = [...drifted, ...standing].map((item) => item.fingerprint);
    return [...own, ...attributes].map((print) => {
      return { fingerprint: print, address, sinceMs: createdMs };
    });
  });
}

/** One line, with its end. */
export function entryLine(entry: DriftHistoryEntry): string {
  const { createdMs, findings, ...rest } = entry;
  const told = findings.map(({ fingerprint, address, sinceMs }) => {
    return { fingerprint, address, since_ms: sinceMs };
  });
  const line = { format_version: "1.0", created_ms: createdMs, ...rest, findings: told };
  return `${stringifyJson(line)}\n`;
}

/**
 * Undefined where the text is no history: then nothing of it is believed. A line that was cut off,
 * by the death of its writer or a full disk, is passed over.
 */
export function readHistory(text: string): readonly DriftHistoryEntry[] | undefined {
  const entries: DriftHistoryEntry[] = [];
  for (const line of text.split("\n")) {
    if (line === "" || isCutOff(line)) continue;
    const entry = readEntry(line);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return entries;
}

/** As `entryLine` begins. */
const lineStart = '{"format_version":"1.0","created_ms":';

function isCutOff(line: string): boolean {
  if (!line.startsWith(lineStart)) return false;
  try {
    parseJson(line);
    return false;
  } catch {
    return true;
  }
}

function readEntry(line: string): DriftHistoryEntry | undefined {
  let value: Value;
  try {
    value = parseJson(line);
  } catch {
    return undefined;
  }
  const number = (name: string): number => {
    const member = memberOf(value, name);
    return typeof member === "number" ? member : Number.NaN;
  };
  const version = memberOf(value, "format_version");
  const lineage = memberOf(value, "lineage");
  const written = memberOf(value, "findings");
  if (typeof version !== "string" || !version.startsWith("1.")) return undefined;
  if (typeof lineage !== "string" || !isList(written)) return undefined;
  const findings: DriftFindingSince[] = [];
  for (const item of written) {
    const [fingerprint, address, sinceMs] = ["fingerprint", "address", "since_ms"].map((name) =>
      memberOf(item, name),
    );
    if (typeof fingerprint !== "string" || typeof address !== "string") return undefined;
    if (typeof sinceMs !== "number" || !isTime(sinceMs)) return undefined;
    findings.push({ fingerprint, address, sinceMs });
  }
  const numbers = {
    createdMs: number("created_ms"),
    serial: number("serial"),
    objects: number("objects"),
    drifted: number("drifted"),
    differing: number("differing"),
    missing: number("missing"),
    unknown: number("unknown"),
  };
  if (Object.values(numbers).some(Number.isNaN) || !isTime(numbers.createdMs)) return undefined;
  return { lineage, ...numbers, findings };
}

/** What no calendar knows cannot be written as a date. */
function isTime(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}
