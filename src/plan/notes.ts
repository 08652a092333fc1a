/** Bookkeeping of a plan: what is recorded without a request, at the start and at the end. */

import type { TypeRegistry } from "../model/provider/provider.ts";
import type { NoteEntry } from "../model/recorded/journal.ts";
import type { RecordedObject } from "../model/recorded/recorded.ts";
import type { Address } from "../model/value/address.ts";
import { sameTriggers } from "../model/value/trigger.ts";
import { type Attributes, equalValues, isKnown, type Value } from "../model/value/value.ts";
import { endpointNotes } from "./before/endpoints.ts";
import { driftOf } from "./before/prior.ts";
import type { Classification } from "./classify/classify.ts";
import type { PlanInput } from "./input.ts";
import { type Unit, unitKey } from "./unit.ts";

/** Moves, imports, objects that are gone, restores nobody owes any more. */
export function openingNotes(
  input: PlanInput,
  classification: Classification,
): readonly NoteEntry[] {
  const units = new Map(classification.units.map((unit) => [unitKey(unit), unit]));
  const forgotten = [
    ...classification.units.filter(
      (unit) => unit.action === "forget" && unit.partsWith === undefined,
    ),
    ...classification.expired.map(({ record }) => record),
  ];
  const forgets = forgotten.map(
    ({ address, objectKey }): NoteEntry => ({
      kind: "note",
      note: { what: "forget", address, objectKey },
    }),
  );
  const kept = new Set(classification.kept.map((prior) => prior.record.address));
  const owed = input.recorded.restores.filter(({ address }) => {
    const unit = units.get(address);
    const wanted = unit !== undefined && (unit.action !== "forget" || unit.partsWith !== undefined);
    return wanted || kept.has(address) || classification.blocked.has(address);
  });
  const stale = input.recorded.restores.filter((restore) => !owed.includes(restore));
  // An import that cannot be planned, or is not selected, is none: nothing checked the object.
  const led = input.moveNotes.flatMap((entry) => {
    const { note } = entry;
    if (note.what === "clear-restore") return units.has(note.address) ? [entry] : [];
    if (note.what !== "adopt") return [entry];
    const unit = units.get(note.object.address);
    return unit === undefined ? [] : [adoptNote(note, unit)];
  });
  const { selection, blocked } = classification;
  const isMeant = (address: Address): boolean => selection.has(address) && !blocked.has(address);
  return [
    ...led,
    ...endpointNotes(input.recorded, input.endpoints, isMeant),
    ...acceptNotes(input, classification),
    ...triggerNotes(classification),
    ...forgets,
    ...stale.map(
      ({ address }): NoteEntry => ({
        kind: "note",
        note: { what: "clear-restore", address },
      }),
    ),
  ];
}

/**
 * What objects are made anew for is recorded before anything is changed: an operation that changes
 * such a thing marks them, and no run that ends in between forgets it.
 */
function triggerNotes({ units }: Classification): readonly NoteEntry[] {
  return units.flatMap(({ address, desired, prior }): readonly NoteEntry[] => {
    if (desired === undefined || prior === undefined) return [];
    const { triggers: recorded = [], timeoutsMs, dependencies: had } = prior.record;
    const { triggers = [] } = desired;
    if (sameTriggers(recorded, triggers)) return [];
    const dependencies = [...new Set([...had, ...triggers.map((one) => one.address)])];
    const what = { what: "record", address, applied: {}, dependencies } as const;
    return [{ kind: "note", note: { ...what, timeoutsMs, triggers } }];
  });
}

/**
 * Who accepts drift wants what is there: inputs that have changed outside count as applied, or a
 * configuration that is changed likewise would make the object anew.
 */
function acceptNotes(
  input: PlanInput,
  { priors, selection }: Classification,
): readonly NoteEntry[] {
  if (input.mode !== "refresh") return [];
  return priors.flatMap((prior): readonly NoteEntry[] => {
    const { record } = prior;
    if (!selection.has(record.address) || record.objectKey !== "current") return [];
    const seen = driftOf(prior, input.types)?.attributes ?? [];
    const observed = seen.flatMap(({ attribute, observed: value }) =>
      isKnown(value) ? [[attribute, value] as const] : [],
    );
    return acceptNote(record, Object.fromEntries(observed), input.types);
  });
}

/** Of one object of which these observed values are accepted; none where nothing was applied. */
export function acceptNote(
  record: RecordedObject,
  accepted: Attributes,
  types: TypeRegistry,
): readonly NoteEntry[] {
  const schema = types[record.type]?.schema.attributes ?? {};
  const applied: { [name: string]: Value } = {};
  for (const [attribute, value] of Object.entries(accepted)) {
    const isInput = schema[attribute]?.computed === false && !schema[attribute].lookup;
    const wasApplied = (record.applied?.[attribute] ?? null) !== null;
    if (isInput && wasApplied) applied[attribute] = value;
  }
  if (Object.keys(applied).length === 0) return [];
  const { address, dependencies, timeoutsMs } = record;
  return [{ kind: "note", note: { what: "record", address, applied, dependencies, timeoutsMs } }];
}

type AdoptNote = Extract<NoteEntry["note"], { readonly what: "adopt" }>;

/** What an object was looked up by is applied with that: another lookup means another object. */
function adoptNote(note: AdoptNote, { type, wanted }: Unit): NoteEntry {
  if (note.found !== true) return { kind: "note", note };
  const applied: { [name: string]: Value } = {};
  for (const { name, lookup } of Object.values(type.schema.attributes)) {
    const value = wanted[name] ?? null;
    if (lookup && value !== null && isKnown(value)) applied[name] = value;
  }
  return { kind: "note", note: { ...note, object: { ...note.object, applied } } };
}

/**
 * New dependencies and inputs of objects that live on, restores the wanted power has overtaken,
 * objects that were powered before they are forgotten.
 */
export function closingNotes(classification: Classification): readonly NoteEntry[] {
  return classification.units.flatMap((unit) => [
    ...recordNote(unit),
    ...restoreNote(unit),
    ...partingNote(unit),
  ]);
}

/** What is powered before it is forgotten stays recorded, and owed that, until it is done. */
function partingNote({ partsWith, address, objectKey }: Unit): readonly NoteEntry[] {
  if (partsWith === undefined) return [];
  return [
    { kind: "note", note: { what: "forget", address, objectKey } },
    { kind: "note", note: { what: "clear-restore", address } },
  ];
}

/** Of what late values may turn out to keep, and of its content. */
export function keptNotes({ units }: Classification): readonly NoteEntry[] {
  return units.flatMap((unit) => (unit.branch === undefined ? [] : recordNote(unit, true)));
}

function recordNote(unit: Unit, isKept = false): readonly NoteEntry[] {
  const record = unit.prior?.record;
  const lives = isKept || unit.action === "no-op" || unit.action === "update";
  if (!lives || record === undefined || unit.desired === undefined) return [];
  const applied: { [name: string]: Value } = {};
  for (const [name, value] of Object.entries(unit.wanted)) {
    const news = value !== null && !isLeft(unit, name) && isKnown(value);
    if (news && !equalValues(record.applied?.[name] ?? null, value)) applied[name] = value;
  }
  const { address, dependencies } = unit;
  const { timeoutsMs, lifecycle } = unit.desired;
  const { preventDestroy } = lifecycle;
  const same =
    record.applied !== null &&
    Object.keys(applied).length === 0 &&
    equalValues([...record.dependencies].toSorted(), [...dependencies].toSorted()) &&
    equalValues(record.timeoutsMs, timeoutsMs) &&
    record.preventDestroy === preventDestroy;
  if (same) return [];
  const what = { what: "record", address, applied, dependencies } as const;
  return [{ kind: "note", note: { ...what, timeoutsMs, preventDestroy } }];
}

/** What is left to others is not ours; what differs and stays so was never sent. */
function isLeft({ desired, standing, type }: Unit, name: string): boolean {
  if (desired?.lifecycle.ignoreChanges.includes(name) === true) return true;
  return standing.includes(name) && type.schema.attributes[name]?.lookup !== true;
}

function restoreNote(unit: Unit): readonly NoteEntry[] {
  const { address, power, desired } = unit;
  if (desired === undefined || power?.openRestore === undefined) return [];
  if (power.from !== power.to) return [];
  return [{ kind: "note", note: { what: "clear-restore", address } }];
}
