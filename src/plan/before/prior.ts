/** Prior objects: recorded state overlaid by what a refresh just read, with what differs. */

import { clockText } from "../../lib/time/clock-text.ts";
import type { ChangeReason } from "../../model/plan/change.ts";
import type { DriftedAttribute, DriftNotice, NotChecked } from "../../model/plan/plan.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import type { ObservedEntry } from "../../model/recorded/journal.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import { isSame } from "../../model/value/comparison.ts";
import {
  type Attributes,
  equalValues,
  type PlannedAttributes,
  type Value,
} from "../../model/value/value.ts";
import { objectKeyOf } from "../../state/working.ts";

export type Prior = {
  readonly record: RecordedObject;
  readonly existence: "found" | "missing" | "unreadable";
  /** Missing, since what stands under its identity is another object. */
  readonly another?: true;
  /** How the absence was proved, or why it, or some of its attributes, could not be read. */
  readonly why: string;
  /** Unreadable though it should have been readable. */
  readonly failed: boolean;
  /** Hidden, since what it belongs to is not set to hold it. */
  readonly unset?: true;
  /** What the server calls the object, where the recorded identity only finds it. */
  readonly completed?: string;
  /** Recorded attributes overlaid by observed ones. */
  readonly attributes: Attributes;
  /** Attributes whose reading failed, by name. */
  readonly failedAttributes: readonly string[];
  /** Why attributes are never told here, by name, where the interface gives a reason. */
  readonly untold?: { readonly [attribute: string]: string };
};

export type Observations = ReadonlyMap<string, Observation>;

/** Observations are keyed by `objectKeyOf(address, objectKey)`. */
export function priorOf(record: RecordedObject, observations: Observations): Prior {
  const observation = observations.get(objectKeyOf(record.address, record.objectKey));
  const base = { record, attributes: record.attributes, failedAttributes: [], failed: false };
  if (observation === undefined) {
    return { ...base, existence: "unreadable", why: "not read" };
  }
  switch (observation.status) {
    case "missing":
      return {
        ...base,
        existence: "missing",
        why: observation.proof,
        ...(observation.another === undefined ? {} : { another: true }),
      };
    case "unreadable": {
      const failed = observation.rule === "failed";
      const { reason: why, unset } = observation;
      const hidden = { ...base, existence: "unreadable", why, failed } as const;
      return unset === undefined ? hidden : { ...hidden, unset };
    }
    case "found": {
      const { attributes: read } = observation;
      // What is not read just now is as it was read last, accepted or not.
      const attributes = { ...record.attributes, ...record.unaccepted, ...read };
      const failedAttributes = Object.entries(observation.unreadable)
        .filter(([, reason]) => reason === "failed")
        .map(([name]) => name);
      const reasons = Object.entries(observation.reasons ?? {}).flatMap(([name, reason]) =>
        observation.unreadable[name] === undefined ? [] : [reason],
      );
      const why = [...new Set(reasons)].join("; ");
      const { identity } = observation;
      const completed = identity === record.identity ? {} : { completed: identity };
      const untold = Object.fromEntries(
        Object.entries(observation.reasons ?? {}).filter(
          ([name]) => observation.unreadable[name] === "by rule",
        ),
      );
      const found = { existence: "found", why, attributes, failedAttributes, untold } as const;
      return { ...base, ...completed, ...found };
    }
  }
}

/** Wanted attributes whose reading failed, and why: that they are as wanted is not known. */
export function hiddenAttributes(
  { failedAttributes, why }: Prior,
  wanted: PlannedAttributes,
  ignored: readonly string[],
): string | undefined {
  const names = failedAttributes.filter(
    (name) => (wanted[name] ?? null) !== null && !ignored.includes(name),
  );
  if (names.length === 0) return undefined;
  return `${names.join(", ")} could not be read${why === "" ? "" : `: ${why}`}`;
}

/**
 * What the observation teaches recorded state; undefined for nothing new. `unaccepted` are values
 * that are not to be recorded, since nobody has agreed to them.
 */
export function observedEntryOf(prior: Prior, unaccepted: Attributes): ObservedEntry | undefined {
  if (prior.existence !== "found") return undefined;
  const { existence, completed, record } = prior;
  const { address, objectKey } = record;
  const attributes: { [name: string]: Value } = { ...prior.attributes };
  for (const name of Object.keys(unaccepted)) {
    const recorded = record.attributes[name];
    if (recorded !== undefined) attributes[name] = recorded;
  }
  const isNews =
    record.status === "tentative" ||
    completed !== undefined ||
    !equalValues(attributes, record.attributes) ||
    !equalValues(unaccepted, record.unaccepted ?? {});
  if (!isNews) return undefined;
  const held = Object.keys(unaccepted).length === 0 ? {} : { unaccepted };
  const identity = completed === undefined ? {} : { identity: completed };
  return { kind: "observed", address, objectKey, existence, attributes, ...held, ...identity };
}

export function driftOf(prior: Prior, types: TypeRegistry): DriftNotice | undefined {
  const { record } = prior;
  if (record.status === "tentative") return undefined;
  if (prior.existence === "missing") {
    const another = prior.another === undefined ? {} : { another: prior.another };
    return { address: record.address, status: "missing", attributes: [], ...another };
  }
  const type = types[record.type];
  const schema = type?.schema.attributes ?? {};
  const attributes: DriftedAttribute[] = [];
  for (const [attribute, observed] of Object.entries(prior.attributes)) {
    const recorded = record.attributes[attribute];
    if (recorded === undefined || schema[attribute]?.volatile === true) continue;
    if (!isSame(type, attribute, recorded, observed))
      attributes.push({ attribute, recorded, observed });
  }
  if (attributes.length === 0) return undefined;
  return { address: record.address, status: "changed", attributes };
}

export function notCheckedOf(prior: Prior): NotChecked | undefined {
  if (prior.existence !== "unreadable") return undefined;
  return { address: prior.record.address, reason: prior.why };
}

/** Why an object that is missing is made again, or forgotten. */
export function missingReason({ why, another }: Prior): ChangeReason {
  return { kind: "missing", proof: why, ...(another === undefined ? {} : { another }) };
}

/** True while the object of a create never seen may still appear. */
export function isAwaited(prior: Prior, nowMs: number): boolean {
  return (prior.record.tentativeUntilMs ?? 0) > nowMs;
}

export function awaitedUntil(prior: Prior, nowMs: number): string {
  return clockText(prior.record.tentativeUntilMs ?? 0, nowMs);
}
