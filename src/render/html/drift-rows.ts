/**
 * Objects of a drift report on a page: what differs first, each whole, as far as the page may be
 * long; the others packed, to be unpacked where scripts run; and how many are in neither.
 */

import { gzipSync } from "node:zlib";
import { plural } from "../../lib/text.ts";
import type {
  AttributeDifference,
  DriftReport,
  DriftSuggestion,
  DriftVerdict,
  IgnoredBy,
  ObjectDrift,
} from "../../model/plan/drift-report.ts";
import { toldLines } from "../drift/drift-entries.ts";
import { ignoredText } from "../drift/drift-ignored.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../text/value/value-text.ts";
import { element, type Markup } from "./markup.ts";
import { code, commandLine, cut, paragraph, tableOf } from "./parts.ts";

/** Of the bytes there are for objects, so much for those that are written out. */
const writtenShare = 0.65;

export type DriftRows = {
  readonly written: readonly Markup[];
  /** Base64 of gzipped JSON; undefined where nothing is packed. */
  readonly packed?: string;
  readonly counts: {
    readonly written: number;
    readonly packed: number;
    /** Of those that are packed or left out, how many have something to tell. */
    readonly foldedFindings: number;
    readonly leftOut: number;
  };
};

const verdictOrder: readonly DriftVerdict[] = [
  "missing",
  "drifted",
  "unknown",
  "differs",
  "ignored",
  "not_checked",
  "in_sync",
];

const calm: ReadonlySet<DriftVerdict> = new Set(["in_sync", "not_checked"]);
type Difference = Omit<AttributeDifference, "fingerprint"> & { readonly by?: IgnoredBy };

/** `fresh`: fingerprints of findings that an earlier report did not have. */
export function driftRows(
  report: Pick<DriftReport, "objects">,
  bytesMax: number,
  fresh?: ReadonlySet<string>,
): DriftRows {
  const objects = verdictOrder.flatMap((verdict) =>
    report.objects.filter((object) => object.verdict === verdict),
  );
  const writtenBytesMax = bytesMax * writtenShare;
  const findings = objects.filter(({ verdict }) => !calm.has(verdict));
  // What is in order is written out where all of it is; else it would only be its beginning.
  const whole = writeOut(objects, writtenBytesMax, fresh);
  const isWhole = whole.rows.length === objects.length;
  const { rows: written, bytes } = isWhole ? whole : writeOut(findings, writtenBytesMax, fresh);
  const rest = objects.slice(written.length);
  const { packed, count } = pack(rest, bytesMax - bytes);
  return {
    written,
    ...(packed === undefined ? {} : { packed }),
    counts: {
      written: written.length,
      packed: count,
      foldedFindings: rest.filter(({ verdict }) => !calm.has(verdict)).length,
      leftOut: rest.length - count,
    },
  };
}

/** As many as fit, from the first on. */
function writeOut(
  objects: readonly ObjectDrift[],
  limit: number,
  fresh: ReadonlySet<string> | undefined,
): { readonly rows: readonly Markup[]; readonly bytes: number } {
  const rows: Markup[] = [];
  let bytes = 0;
  for (const object of objects) {
    const row = objectRow(object, fresh);
    const length = Buffer.byteLength(row.html);
    if (bytes + length > limit) break;
    bytes += length;
    rows.push(row);
  }
  return { rows, bytes };
}

/** As many as fit, from the first on. */
function pack(objects: readonly ObjectDrift[], limit: number): { packed?: string; count: number } {
  let count = objects.length;
  while (count > 0) {
    const text = JSON.stringify(columnsOf(objects.slice(0, count).map(packedRow)));
    const packed = gzipSync(text, { level: 9 }).toString("base64");
    if (packed.length <= limit) return { packed, count };
    const share = (limit / packed.length) * 0.95;
    count = Math.floor(count * share);
  }
  return { count: 0 };
}

/** Like beside like is packed a third smaller. */
function columnsOf(rows: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
}

/** As the script of the page reads it, in columns. */
function packedRow(object: ObjectDrift): readonly unknown[] {
  const { identity, type, verdict, suggestions } = object;
  const cells = differencesOf(object).map((item) => cellTexts(item));
  const commands = suggestions.map((item) => [purpose(item), item.command]);
  return [labelOf(object), identity, type, verdict, reasonOf(object), cells, commands];
}

function objectRow(object: ObjectDrift, fresh: ReadonlySet<string> | undefined): Markup {
  const { identity, type, provider, verdict, place, suggestions } = object;
  const differences = differencesOf(object);
  const names = namesOf([...object.drifted, ...object.standing, ...object.ignored]);
  const wanted = namesOf(object.unapplied);
  const prints = [object.fingerprint, ...differences.map((item) => item.fingerprint)];
  const isNew = prints.some((print) => print !== undefined && fresh?.has(print) === true);
  const reason = reasonOf(object);
  const written = place === undefined ? "" : `, ${place.file}:${place.line}`;
  const summary = element(
    "summary",
    {},
    element("span", { class: `tag ${verdict}` }, verdict.replaceAll("_", " ")),
    ...(isNew ? [element("span", { class: "tag new" }, "new")] : []),
    code(labelOf(object)),
    element("span", { class: "identity" }, identity),
    ...(names === "" ? [] : [`: ${names}`]),
    ...(wanted === "" ? [] : [` (not applied yet: ${wanted})`]),
  );
  return element(
    "details",
    { id: labelOf(object), "data-type": type, "data-verdict": verdict },
    summary,
    element("p", { class: "soft" }, `${type} of ${provider}${written}`),
    ...(reason === "" ? [] : [paragraph(reason)]),
    ...(differences.length === 0 ? [] : [differenceTable(differences)]),
    ...toldLines(object).map((text) => paragraph(text)),
    ...suggestions.map((item) => suggestionLine(item)),
  );
}

function namesOf(differences: readonly Pick<AttributeDifference, "attribute">[]): string {
  return differences.map(({ attribute }) => keyText(attribute)).join(", ");
}

/** Of an object left over from a replacement, with its key. */
function labelOf({ address, objectKey }: ObjectDrift): string {
  return objectKey === "current" ? address : `${address} (${objectKey})`;
}

function differencesOf({
  drifted,
  standing,
  ignored,
  unapplied,
}: ObjectDrift): readonly (AttributeDifference & { readonly by?: IgnoredBy })[] {
  return [...drifted, ...standing, ...ignored, ...unapplied];
}

function reasonOf(object: ObjectDrift): string {
  const { reason, notChecked, verdict, comparedCount, ignoredBy } = object;
  const unread = notChecked.map((item) => `${keyText(item.attribute)} (${item.reason})`);
  const told = [
    ...(reason === undefined ? [] : [reason]),
    ...(ignoredBy === undefined ? [] : [ignoredText(ignoredBy)]),
    ...(unread.length === 0 ? [] : [`not checked: ${unread.join(", ")}`]),
  ];
  if (told.length === 0 && verdict === "in_sync")
    return `${plural(comparedCount, "attribute")} compared`;
  return told.join("; ");
}

export function suggestionLine(item: DriftSuggestion): Markup {
  const remark = item.remark === undefined ? "" : ` (${item.remark})`;
  return commandLine(`To ${purpose(item)}${remark}`, item.command);
}

function purpose(item: DriftSuggestion): string {
  return item.purpose.replace("-", " ");
}

export function differenceTable(differences: readonly Difference[]): Markup {
  const header = ["Attribute", "Configuration", "Recorded", "Observed", "Class", "Severity"];
  const rows = differences.map((item) => {
    const [name = "", wanted = "", recorded = "", observed = "", ...rest] = cellTexts(item);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      ...[wanted, recorded].map((text) => element("td", {}, ...(text === "" ? [] : [code(text)]))),
      element("td", { class: "changed" }, code(observed)),
      ...rest.map((text) => element("td", {}, text)),
    );
  });
  return tableOf(header, rows);
}

/** A sensitive value is none of them. */
function cellTexts(item: Difference): readonly string[] {
  const { attribute, desired, recorded, observed = null, sensitive } = item;
  const values = sensitive
    ? ["", sensitiveLiteral, sensitiveLiteral]
    : [desired, recorded, observed].map((value) =>
        value === undefined ? "" : cut(inlineValue(value)),
      );
  const kind = item.by === undefined ? item.class : `${item.class}; ${ignoredText(item.by)}`;
  return [keyText(attribute), ...values, kind, item.severity];
}
