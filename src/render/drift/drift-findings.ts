/**
 * What a drift report found, one by one, as programs take it that know rules, places and
 * fingerprints: SARIF and GitLab's code quality. Pure.
 */

import { plural } from "../../lib/text.ts";
import type {
  AttributeDifference,
  DriftPlace,
  DriftReport,
  DriftSuggestion,
  IgnoredBy,
  ObjectDrift,
} from "../../model/plan/drift-report.ts";
import type { Severity } from "../../model/value/resource-schema.ts";
import { escapeControls } from "../text/safe-text.ts";
import { inlineValue, keyText } from "../text/value/value-text.ts";
import { toldSentence, valuesText } from "./drift-entries.ts";
import { ignoredText } from "./drift-ignored.ts";

export type DriftRuleName = "drifted" | "missing" | "differs" | "unknown" | "unmanaged";

export type DriftRule = {
  /** Stable; consumers keep what they know of a finding by it. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
};

export const driftRules: { readonly [name in DriftRuleName]: DriftRule } = {
  drifted: {
    id: "VMDRIFT001",
    title: "AttributeDrifted",
    description: "An attribute was changed outside of vmform.",
  },
  missing: {
    id: "VMDRIFT002",
    title: "ObjectMissing",
    description: "An object that is recorded does not exist any more.",
  },
  differs: {
    id: "VMDRIFT003",
    title: "AttributeStandsOtherwise",
    description: "An attribute is not as the configuration wants it, and no plan would change it.",
  },
  unknown: {
    id: "VMDRIFT004",
    title: "NotChecked",
    description: "An object or attribute should have been readable and was not.",
  },
  unmanaged: {
    id: "VMDRIFT005",
    title: "ObjectUnmanaged",
    description: "An object exists and is recorded nowhere. This is no drift.",
  },
};

export type DriftFinding = {
  readonly rule: DriftRuleName;
  readonly fingerprint: string;
  readonly severity: Severity;
  /** The address; of what is recorded nowhere, its type and identity. */
  readonly subject: string;
  readonly identity: string;
  /** One line, with the object. */
  readonly message: string;
  readonly place?: DriftPlace;
  /** Present where a rule ignores it. */
  readonly ignored?: IgnoredBy;
  readonly suggestions: readonly DriftSuggestion[];
};

/** In the order of the report, of an object what is ignored last; then what is recorded nowhere. */
export function driftFindings(report: DriftReport): readonly DriftFinding[] {
  const unmanaged = (report.unmanaged ?? []).map((item): DriftFinding => {
    const { type, identity, name, fingerprint, suggestions } = item;
    const named = name === undefined ? "" : ` (${inlineValue(name)})`;
    const subject = escapeControls(`${type} ${identity}`);
    const message = `${subject}${named} exists and is recorded nowhere.`;
    return finding({ rule: "unmanaged", fingerprint, subject, identity, message, suggestions });
  });
  return [...report.objects.flatMap(objectFindings), ...unmanaged];
}

function objectFindings(object: ObjectDrift): readonly DriftFinding[] {
  const { address, verdict, reason = "", fingerprint = "", ignoredBy } = object;
  const ignored = object.ignored.map((item) => {
    const rule = item.class === "config-change" ? "differs" : "drifted";
    return ignoredFinding(difference(object, rule, item), item.by);
  });
  const missing = (): DriftFinding =>
    about(object, "missing", fingerprint, `${address} is missing: ${reason}`);
  switch (verdict) {
    case "missing":
      return [missing()];
    case "unknown":
      return [about(object, "unknown", fingerprint, unknownText(object)), ...ignored];
    case "drifted":
    case "differs":
      return [
        ...object.drifted.map((item) => difference(object, "drifted", item)),
        ...object.standing.map((item) => difference(object, "differs", item)),
        ...ignored,
      ];
    case "ignored":
      return [
        ...(ignoredBy === undefined ? [] : [ignoredFinding(missing(), ignoredBy)]),
        ...ignored,
      ];
    case "in_sync":
    case "not_checked":
      return [];
  }
}

function ignoredFinding(found: DriftFinding, by: IgnoredBy): DriftFinding {
  const sentence = found.message.endsWith(".") ? found.message : `${found.message}.`;
  const message = escapeControls(`${sentence} ${ignoredText(by)}`);
  return { ...found, message, ignored: by };
}

/** Also of one whose attributes could not all be read, which has no reason of its own. */
function unknownText({ address, reason, notChecked }: ObjectDrift): string {
  const failed = notChecked.filter(({ rule }) => rule === "failed");
  const unread = failed.map((item) => `${keyText(item.attribute)} (${item.reason})`).join(", ");
  const count = plural(failed.length, "attribute");
  return `${address} could not be checked: ${reason ?? `${count} unreadable: ${unread}`}`;
}

function difference(
  object: ObjectDrift,
  rule: "drifted" | "differs",
  item: AttributeDifference,
): DriftFinding {
  const { desired, sensitive, severity, fingerprint } = item;
  const wanted =
    desired === undefined || sensitive ? "" : `; the configuration wants ${inlineValue(desired)}`;
  const what = rule === "drifted" ? "has drifted" : "is not as configured";
  const values = rule === "drifted" ? valuesText(item) : standingText(item);
  const told = rule === "drifted" ? toldSentence(object, item.attribute) : "";
  const found = `${object.address}: ${keyText(item.attribute)} ${what}: ${values}${wanted}.`;
  const message = `${found}${told}`;
  return { ...about(object, rule, fingerprint, message), severity };
}

function standingText({ recorded, sensitive }: AttributeDifference): string {
  return sensitive ? "a sensitive value" : `it is ${inlineValue(recorded)}`;
}

function about(
  object: ObjectDrift,
  rule: DriftRuleName,
  fingerprint: string,
  message: string,
): DriftFinding {
  const { address: subject, identity, place, suggestions } = object;
  const line = escapeControls(message);
  const base = finding({ rule, fingerprint, subject, identity, message: line, suggestions });
  return place === undefined ? base : { ...base, place };
}

function finding(parts: Omit<DriftFinding, "severity">): DriftFinding {
  return { severity: parts.rule === "missing" ? "power" : "other", ...parts };
}
