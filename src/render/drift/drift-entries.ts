/** What text and Markdown have in common: a drift report's findings, those of one cause as one. */

import { isIncomplete } from "../../drift/drift-report.ts";
import { plural } from "../../lib/text.ts";
import type {
  AttributeDifference,
  DriftCause,
  DriftFindingSince,
  DriftReport,
  DriftSuggestion,
  DriftVerdict,
  ObjectDrift,
  UnmanagedObject,
} from "../../model/plan/drift-report.ts";
import type { ToldChange } from "../../model/provider/told-change.ts";
import type { Address } from "../../model/value/address.ts";
import { addressesText } from "../../model/value/address-text.ts";
import { durationText } from "../text/duration-text.ts";
import { inlineValue, keyText, sensitiveLiteral } from "../text/value/value-text.ts";

/** One object, or all objects with one cause. */
export type DriftEntry = {
  readonly type: string;
  readonly addresses: readonly Address[];
  /** Names the object: its address, with the key of one left over from a replacement. */
  readonly label: string;
  readonly reason?: string;
  readonly differences: readonly Omit<AttributeDifference, "fingerprint">[];
  readonly suggestions: readonly DriftSuggestion[];
  /** Who has changed it, as far as a server tells, one line each. */
  readonly told: readonly string[];
};

/** Longest list of what servers tell of one entry. */
const toldMax = 8;

/** Below this a difference of clocks is not told: their times come in whole seconds. */
const clockToldMs = 5_000;
const minuteMs = 60_000;

/** Longest list of addresses that is shown; JSON has them all. */
const addressesMax = 12;

/** In the order of their first address. */
export function entriesOf(report: DriftReport, verdict: DriftVerdict): readonly DriftEntry[] {
  const causes = new Map<Address, DriftCause>();
  for (const cause of report.causes) {
    if (cause.verdict !== verdict) continue;
    for (const address of cause.addresses) causes.set(address, cause);
  }
  const shown = new Set<DriftCause>();
  const entries: DriftEntry[] = [];
  for (const object of report.objects) {
    if (object.verdict !== verdict) continue;
    const cause = object.objectKey === "current" ? causes.get(object.address) : undefined;
    if (cause === undefined) entries.push(objectEntry(object));
    else if (!shown.has(cause)) entries.push(causeEntry(cause, report));
    if (cause !== undefined) shown.add(cause);
  }
  return entries;
}

function objectEntry(object: ObjectDrift): DriftEntry {
  const { type, address, objectKey, reason, drifted, suggestions } = object;
  return {
    type,
    addresses: [address],
    label: objectKey === "current" ? address : `${address} (${objectKey})`,
    ...(reason === undefined ? {} : { reason }),
    differences: drifted,
    suggestions,
    told: toldLines(object),
  };
}

function causeEntry(
  { verdict: _verdict, ...cause }: DriftCause,
  { objects }: DriftReport,
): DriftEntry {
  const among = new Set(cause.addresses);
  const lines = objects
    .filter(({ address, objectKey }) => objectKey === "current" && among.has(address))
    .flatMap((object) => toldLines(object).map((text) => `${object.address}: ${text}`));
  const more = lines.length - toldMax;
  const rest = more > 0 ? [`and ${more} more (in full: vmform drift --json)`] : [];
  const told = [...lines.slice(0, toldMax), ...rest];
  return { ...cause, label: addressList(cause.addresses), told };
}

/** `power_state was changed by bob at 2026-…, by the tasks of the cloud: "Powered off …"`. */
export function toldLines({ told = [], withheld }: ObjectDrift): readonly string[] {
  const work = told.filter(({ kind }) => kind !== "login");
  const logins = told.filter(({ kind }) => kind === "login");
  return [
    ...work.map((change) => workText(change)),
    ...(logins.length === 0 ? [] : [loginText(logins)]),
    ...(withheld === undefined ? [] : [`who has changed it is not told: ${withheld}`]),
  ];
}

/** Of one attribute, as a sentence with a space before it; empty where nothing is told. */
export function toldSentence({ told = [] }: ObjectDrift, attribute: string): string {
  const change = told.find(({ attributes }) => attributes.includes(attribute));
  if (change === undefined) return "";
  return ` ${workText({ ...change, attributes: [attribute] })}.`;
}

function workText(change: ToldChange): string {
  const { attributes, kind, user, atMs, what, source } = change;
  const names = attributes.map((name) => keyText(name)).join(", ");
  const by = `${user ?? "somebody who is not named"} at ${timeText(atMs)}${clockText(change)}`;
  const words = what === "" ? "" : `: ${what}`;
  const likely = kind === "task" ? "most likely " : "";
  return `${names}: ${likely}changed by ${by}, by ${source}${words}`;
}

/** A login is no proof, and is not told as one. */
function loginText(logins: readonly ToldChange[]): string {
  const who = logins.map(({ user = "?", atMs }) => `${user} at ${timeText(atMs)}`).join(", ");
  const [first] = logins;
  const clock = first === undefined ? "" : clockText(first);
  const source = `${first?.source ?? ""}${clock}`;
  return `nothing tells who has changed the rest; logged in since, by ${source}: ${who}`;
}

/** Whose time it is, where that makes a difference or is not known. */
function clockText({ clockAheadMs }: ToldChange): string {
  if (clockAheadMs === undefined) return " (by its own clock)";
  const offMs = Math.abs(clockAheadMs);
  if (offMs < clockToldMs) return "";
  const about = offMs < 10 * minuteMs ? offMs : Math.round(offMs / minuteMs) * minuteMs;
  return ` (a clock ${durationText(about)} ${clockAheadMs > 0 ? "ahead of" : "behind"} ours)`;
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `a, b and 3 more`. */
export function addressList(addresses: readonly Address[]): string {
  return addressesText(addresses, addressesMax);
}

/** `daemon_vm.web` or `12 objects of daemon_vm`. */
export function subjectText({ addresses, label, type }: DriftEntry): string {
  return addresses.length === 1 ? label : `${plural(addresses.length, "object")} of ${type}`;
}

/** The command, or its beginning when it names more objects than a list shows. */
export function commandText(entry: DriftEntry, { command, remark }: DriftSuggestion): string {
  const { addresses } = entry;
  const long = addresses.length > addressesMax;
  const words = long ? `${beginning(command, addresses[0] ?? "")} ...` : command;
  const note = long ? ["in full: vmform drift --json"] : [];
  const remarks = [...(remark === undefined ? [] : [remark]), ...note];
  // A comment, so that the whole can be pasted.
  return remarks.length === 0 ? words : `${words} # ${remarks.join("; ")}`;
}

/** The command up to the end of the word that holds the address. */
function beginning(command: string, address: string): string {
  const end = command.indexOf(" ", command.indexOf(address) + address.length);
  return end === -1 ? command : command.slice(0, end);
}

export function purposeText({ purpose }: DriftSuggestion): string {
  return purpose.replace("-", " ");
}

export function valuesText(difference: Omit<AttributeDifference, "fingerprint">): string {
  if (difference.sensitive) return `${sensitiveLiteral}, changed`;
  const { recorded, observed = null } = difference;
  return `recorded ${inlineValue(recorded)}, observed ${inlineValue(observed)}`;
}

export type UnreadAttributes = {
  readonly reason: string;
  readonly attributes: readonly string[];
  readonly addresses: readonly Address[];
};

/** Attributes that were not compared, objects with the same ones together. */
export function unreadAttributes(
  report: DriftReport,
  rule: "by rule" | "failed",
): readonly UnreadAttributes[] {
  const groups = new Map<string, { reason: string; attributes: string[]; addresses: Address[] }>();
  for (const object of report.objects) {
    const byReason = new Map<string, string[]>();
    for (const { attribute, reason, rule: why } of object.notChecked) {
      if (why !== rule) continue;
      byReason.set(reason, [...(byReason.get(reason) ?? []), keyText(attribute)]);
    }
    for (const [reason, attributes] of byReason) {
      const key = JSON.stringify([reason, attributes]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { reason, attributes, addresses: [object.address] });
      else group.addresses.push(object.address);
    }
  }
  return [...groups.values()];
}

/** What the configuration changes and nobody applied yet, one line each; no drift. */
export function unappliedLines(report: DriftReport): readonly string[] {
  const attributes = report.objects.flatMap(({ address, unapplied }) =>
    unapplied.map((difference) => wishText(address, difference)),
  );
  const gone = report.objects
    .filter(({ configured }) => configured === false)
    .map(({ address }) => address);
  const { configuration } = report;
  const fresh = configuration.status === "read" ? configuration.notRecorded : [];
  return [
    ...attributes,
    ...(gone.length === 0 ? [] : [`${addressList(gone)}: not in the configuration`]),
    ...(fresh.length === 0 ? [] : [`${addressList(fresh)}: not recorded yet`]),
  ];
}

/** What differs from the configuration and no plan would change, one line each. */
export function standingLines(report: DriftReport): readonly string[] {
  return report.objects.flatMap(({ address, standing }) =>
    standing.map((difference) => wishText(address, difference)),
  );
}

function wishText(
  address: Address,
  { attribute, desired = null, recorded }: AttributeDifference,
): string {
  const values = `configuration ${inlineValue(desired)}, recorded ${inlineValue(recorded)}`;
  return `${address}: ${keyText(attribute)}: ${values}`;
}

/** Unmanaged objects of one type that are listed; JSON has them all. */
const unmanagedMax = 20;

export type UnmanagedGroup = {
  readonly listed: readonly UnmanagedObject[];
  /** `and 45 more of cloud_vm (in full: vmform drift --json)`; undefined where all are listed. */
  readonly more?: string;
};

/** By type, so that many of one do not bury the few of another. */
export function unmanagedGroups({ unmanaged = [] }: DriftReport): readonly UnmanagedGroup[] {
  const groups = new Map<string, UnmanagedObject[]>();
  for (const object of unmanaged) {
    const key = `${object.provider} ${object.type}`;
    groups.set(key, [...(groups.get(key) ?? []), object]);
  }
  return [...groups.values()].map((all) => {
    const listed = all.slice(0, unmanagedMax);
    const count = all.length - listed.length;
    if (count === 0) return { listed };
    const more = `and ${count} more of ${all[0]?.type ?? ""} (in full: vmform drift --json)`;
    return { listed, more };
  });
}

/** Power that is still owed to a VM, one line each. */
export function restoreLines({ restores }: DriftReport): readonly string[] {
  return restores.map(({ address, power }) => `${address}: ${power}`);
}

/** Sentences about what the report leaves out, none for a whole one. */
export function limitsText({ configuration, counts, partial }: DriftReport): readonly string[] {
  const limits: string[] = [];
  if (configuration.status === "unreadable") {
    limits.push(
      `The configuration has ${plural(configuration.errors, "error")} (vmform validate ` +
        "or plan shows them): what it wants and what it leaves to others (ignore_changes) is not " +
        "known here.",
    );
  }
  if (partial)
    limits.push(`Only what was selected was looked at: ${plural(counts.objects, "object")}.`);
  return limits;
}

/** `2 ignored`; with a count of attributes where the objects differ otherwise as well. */
function ignoredCount({ ignored, attributesIgnored }: DriftReport["counts"]): string | undefined {
  if (ignored > 0) return `${ignored} ignored`;
  return attributesIgnored > 0 ? `${plural(attributesIgnored, "attribute")} ignored` : undefined;
}

/** `Drift: 1 drifted, 1 missing, 3 in sync.` with what was not checked, or `No drift. …`. */
export function driftSummaryText(report: DriftReport): string {
  const { counts } = report;
  const ignored = ignoredCount(counts);
  const notChecked = [
    ignored === undefined ? [] : [ignored],
    counts.unknown === 0 ? [] : [`${counts.unknown} could not be checked`],
    counts.notChecked === 0 ? [] : [`${counts.notChecked} not checked`],
    counts.unmanaged === 0 ? [] : [`${counts.unmanaged} unmanaged`],
    counts.open === 0 ? [] : [`${plural(counts.open, "operation")} open`],
    report.restores.length === 0 ? [] : [`${report.restores.length} with power to restore`],
  ].flat();
  const verb = counts.differing === 1 ? "differs" : "differ";
  const differing =
    counts.differing === 0 ? [] : [`${counts.differing} ${verb} from the configuration`];
  const incomplete = isIncomplete(report);
  const ending = incomplete ? " The report is incomplete." : "";
  if (counts.drifted + counts.missing > 0) {
    const numbers = [
      `${counts.drifted} drifted`,
      `${counts.missing} missing`,
      `${counts.inSync} in sync`,
      ...differing,
      ...notChecked,
    ];
    return `Drift: ${numbers.join(", ")}.${ending}`;
  }
  if (counts.objects === 0 && !report.partial) {
    const nothing = ["Nothing is recorded, so nothing was compared", ...notChecked].join("; ");
    return `${nothing}.${ending}`;
  }
  const rest = [`${plural(counts.inSync, "object")} in sync`, ...differing, ...notChecked].join(
    ", ",
  );
  // "No drift" alone would be more than is known.
  return incomplete ? `No drift found: ${rest}.${ending}` : `No drift. ${rest}.`;
}

/** `Since 2026-01-02 03:04 UTC: 1 new, 2 still, 1 fixed (daemon_vm.web).`; none without history. */
export function sinceText({ since }: DriftReport): string | undefined {
  if (since === undefined) return undefined;
  const when = new Date(since.createdMs).toISOString().slice(0, 16).replace("T", " ");
  const counts = `${since.fresh.length} new, ${since.still.length} still`;
  const names = (items: readonly DriftFindingSince[]): string => {
    const addresses = [...new Set(items.map(({ address }) => address))];
    const rest = addresses.length - addressesMax;
    const more = rest > 0 ? ` and ${rest} more` : "";
    return addresses.length === 0 ? "" : ` (${addresses.slice(0, addressesMax).join(", ")}${more})`;
  };
  return `Since ${when} UTC: ${counts}, ${since.fixed.length} fixed${names(since.fixed)}.`;
}
