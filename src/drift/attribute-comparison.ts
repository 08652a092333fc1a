/**
 * One object's attributes: what was last read against what is observed now, and what the
 * configuration wants beside both. A wish that never took effect is a planned change, not drift.
 */

import type { AttributeDifference, AttributeNotChecked } from "../model/plan/drift-report.ts";
import type { Observation, UnreadableReason } from "../model/provider/observation.ts";
import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { SourcePosition } from "../model/said/diagnostic.ts";
import type { Address } from "../model/value/address.ts";
import { compareWanted, isSame } from "../model/value/comparison.ts";
import type { AttributeSchema, SchemaRegistry } from "../model/value/resource-schema.ts";
import { isKnown, type PlannedAttributes, type Value } from "../model/value/value.ts";
import { driftClass, fingerprintOf, severityOf } from "./difference.ts";

/** What the configuration wants of one object. */
export type DesiredObject = {
  readonly type: string;
  readonly provider: string;
  /** Undefined while a key attribute is unset or unknown. */
  readonly identity: string | undefined;
  /** With the defaults of the schema; unknown where only applying can tell. */
  readonly attributes: PlannedAttributes;
  /** Attributes that the configuration leaves to others (`ignore_changes`). */
  readonly ignore: readonly string[];
  readonly source?: SourcePosition;
};

export type AttributeComparison = {
  readonly drifted: readonly AttributeDifference[];
  readonly unapplied: readonly AttributeDifference[];
  readonly standing: readonly AttributeDifference[];
  readonly learned: readonly string[];
  readonly notChecked: readonly AttributeNotChecked[];
  /** Attributes that are set and that the interface never gives back. */
  readonly neverRead: readonly string[];
  readonly comparedCount: number;
};

export type FoundObservation = Extract<Observation, { status: "found" }>;
type TypeEntry = SchemaRegistry[string];

type Subject = {
  readonly object: RecordedObject;
  readonly observation: FoundObservation;
  readonly type: TypeEntry | undefined;
  readonly desired: DesiredObject | undefined;
};

/**
 * Compares every attribute that was recorded, wanted, observed or reported unreadable, sorted by
 * name. Volatile attributes and those that only steer this tool are left out. An attribute never
 * read before is learned. One recorded but neither observed nor reported was not asked for, and is
 * listed so.
 */
export function compareAttributes(
  object: RecordedObject,
  observation: FoundObservation,
  type: TypeEntry | undefined,
  desired: DesiredObject | undefined,
): AttributeComparison {
  const subject: Subject = { object, observation, type, desired };
  const results = attributeNames(subject).map((name) => compareOne(subject, name));
  const unapplied = results.flatMap((item) => ("unapplied" in item ? (item.unapplied ?? []) : []));
  const stays = standingIn(subject);
  return {
    drifted: results.flatMap((item) => (item.kind === "drifted" ? item.difference : [])),
    unapplied: unapplied.filter(({ attribute }) => !stays.has(attribute)),
    standing: unapplied.filter(({ attribute }) => stays.has(attribute)),
    learned: results.flatMap((item) => (item.kind === "learned" ? item.attribute : [])),
    notChecked: results.flatMap((item) => (item.kind === "not-checked" ? item.entry : [])),
    neverRead: results.flatMap((item) => (item.kind === "never-read" ? item.attribute : [])),
    comparedCount: results.filter(({ kind }) => kind === "drifted" || kind === "same").length,
  };
}

/** Attributes that differ from the configuration and that no plan would change. */
function standingIn({ object, observation, type, desired }: Subject): ReadonlySet<string> {
  if (type === undefined || desired === undefined) return new Set();
  const { standing } = compareWanted({
    type,
    wanted: desired.attributes,
    applied: object.applied,
    attributes: { ...object.attributes, ...observation.attributes },
    ignore: desired.ignore,
    except: type.power === undefined ? [] : [type.power.wanted],
  });
  return new Set(standing);
}

type Unapplied = { readonly unapplied?: AttributeDifference | undefined };
type Compared =
  | { readonly kind: "drifted"; readonly difference: AttributeDifference }
  | ({ readonly kind: "same" } & Unapplied)
  | ({ readonly kind: "silent" } & Unapplied)
  | ({ readonly kind: "never-read"; readonly attribute: string } & Unapplied)
  | ({ readonly kind: "not-checked"; readonly entry: AttributeNotChecked } & Unapplied)
  | { readonly kind: "learned"; readonly attribute: string };

function compareOne(subject: Subject, attribute: string): Compared {
  const { object, observation, type } = subject;
  const schema = type === undefined ? undefined : own(type.schema.attributes, attribute);
  if (schema?.volatile === true || schema?.local === true) return { kind: "silent" };
  const recorded = own(object.attributes, attribute);
  const observed = own(observation.attributes, attribute);
  const unread = unreadRule(subject, attribute, schema);
  if (unread === "never") {
    const unapplied = unappliedOf(subject, attribute, schema);
    return { kind: "never-read", attribute, unapplied };
  }
  if (unread !== undefined) {
    const unapplied = unappliedOf(subject, attribute, schema);
    return { kind: "not-checked", entry: { attribute, ...unread }, unapplied };
  }
  if (observed === undefined) {
    const unapplied = unappliedOf(subject, attribute, schema);
    if ((recorded ?? null) === null) return { kind: "silent", unapplied };
    const reason = "not asked for in this read";
    return { kind: "not-checked", entry: { attribute, rule: "by rule", reason }, unapplied };
  }
  if (recorded === undefined) {
    return observed === null ? { kind: "silent" } : { kind: "learned", attribute };
  }
  const difference = differenceOf(subject, attribute, schema, { recorded, observed });
  if (difference === undefined) return { kind: "same" };
  if (difference.class === "config-change") return { kind: "same", unapplied: difference };
  return { kind: "drifted", difference };
}

function attributeNames({ object, observation, type, desired }: Subject): string[] {
  const names = new Set([
    ...Object.keys(object.attributes),
    ...Object.keys(observation.attributes),
    ...Object.keys(observation.unreadable),
    ...Object.keys(object.applied ?? {}),
    ...Object.keys(desired?.attributes ?? {}),
  ]);
  // Wanted power is compared where power is observed.
  if (type?.power !== undefined) names.delete(type.power.wanted);
  return [...names].sort();
}

/** Why this attribute cannot be compared, or undefined when it can be or nobody ever set it. */
function unreadRule(
  { object, observation, type, desired }: Subject,
  attribute: string,
  schema: AttributeSchema | undefined,
): "never" | { readonly rule: UnreadableReason; readonly reason: string } | undefined {
  const rule = own(observation.unreadable, attribute);
  if (rule === "failed") {
    return { rule, reason: own(observation.reasons ?? {}, attribute) ?? "could not be read" };
  }
  if (desired?.ignore.includes(inputOf(type, attribute)) === true) {
    return { rule: "by rule", reason: "left to others by ignore_changes" };
  }
  const isSet =
    (own(object.attributes, attribute) ?? own(object.applied ?? {}, attribute) ?? null) !== null;
  if (!isSet) return undefined;
  if (rule === "by rule") {
    const told = own(observation.reasons ?? {}, attribute);
    return { rule, reason: told ?? `not readable while ${presentText(type, observation)}` };
  }
  const absent = own(observation.attributes, attribute) === undefined;
  return schema?.unreadable === true && absent ? "never" : undefined;
}

/** What only a running VM tells is not told by one that is off. */
function presentText(type: Subject["type"], { attributes }: Subject["observation"]): string {
  const power = own(attributes, type?.power?.observed ?? "");
  return typeof power === "string" ? `the VM is ${power}` : "the object is as it is now";
}

/**
 * What the configuration changes of an attribute that is not observed. Like planning, it compares
 * with what was sent where nothing is ever read, and knows no difference to an imported object's
 * attributes that only a replacement could change.
 */
function unappliedOf(
  subject: Subject,
  attribute: string,
  schema: AttributeSchema | undefined,
): AttributeDifference | undefined {
  const { applied, attributes } = subject.object;
  const sent = own(applied ?? {}, attribute);
  const read = own(attributes, attribute);
  const base = schema?.unreadable === true ? sent : (read ?? sent);
  if (base === undefined && schema?.forceNew === true) return undefined;
  return differenceOf(subject, attribute, schema, { recorded: base ?? null, observed: undefined });
}

function differenceOf(
  { object, type, desired }: Subject,
  attribute: string,
  schema: AttributeSchema | undefined,
  values: { readonly recorded: Value; readonly observed: Value | undefined },
): AttributeDifference | undefined {
  const isPower = type?.power?.observed === attribute;
  // Without a schema nobody can say that the value is harmless.
  const sensitive = schema === undefined || schema.sensitive;
  const wanted = sensitive ? undefined : wantedValue(desired, inputOf(type, attribute));
  const kind = driftClass(wanted, values.recorded, values.observed, (value, actual) =>
    isSame(type, inputOf(type, attribute), value, actual),
  );
  if (kind === undefined) return undefined;
  const { recorded, observed } = sensitive ? { recorded: null, observed: null } : values;
  return {
    attribute,
    class: kind,
    severity: severityOf(schema, isPower),
    ...(wanted === undefined ? {} : { desired: wanted }),
    recorded,
    ...(observed === undefined ? {} : { observed }),
    sensitive,
    fingerprint: attributeFingerprint(object, attribute, kind),
  };
}

function attributeFingerprint(
  { address, objectKey }: { readonly address: Address; readonly objectKey: string },
  attribute: string,
  kind: string,
): string {
  return fingerprintOf(address, objectKey, attribute, kind);
}

/** Unset means "leave it as it is", so it is never a difference; nor is what nobody knows yet. */
function wantedValue(desired: DesiredObject | undefined, input: string): Value | undefined {
  if (desired === undefined || desired.ignore.includes(input)) return undefined;
  const value = own(desired.attributes, input) ?? null;
  return value === null || !isKnown(value) ? undefined : value;
}

/** The attribute a configuration sets to change this one. */
export function inputOf(type: TypeEntry | undefined, attribute: string): string {
  const power = type?.power;
  return power?.observed === attribute ? power.wanted : attribute;
}

/** An own member only: an attribute may be called `constructor`. */
export function own<T>(map: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
