/**
 * Journal replay: how each entry changes recorded state. `fold` is pure; `foldInto` is the same
 * step on the working form, for replaying many entries. fold(snapshot + tail) = fold(all) at every
 * cut.
 */

import type {
  ContainerKey,
  EffectKind,
  ObjectKey,
  OperationEffect,
  OperationSubject,
} from "../model/operation/operation.ts";
import { allRules, type Rules } from "../model/plan/rules.ts";
import type { BeginEntry } from "../model/recorded/begin-entry.ts";
import { endpointIn, type NamedEndpoint } from "../model/recorded/endpoint.ts";
import type {
  EndEntry,
  JournalEntry,
  NoteEntry,
  ObservedEntry,
} from "../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../model/recorded/recorded.ts";
import type { Address, Move } from "../model/value/address.ts";
import { type Attributes, equalValues, type Value } from "../model/value/value.ts";
import { changedNames, trigger, withTriggers } from "./trigger.ts";
import {
  fromWorking,
  objectKeyOf,
  openKeyOf,
  removeContent,
  removeObject,
  setObject,
  toWorking,
  type WorkingState,
} from "./working.ts";

export function fold(state: RecordedState, entry: JournalEntry, rules?: Rules): RecordedState {
  return foldAll(state, [entry], rules);
}

/** Folds entries that all follow the state's position. */
export function foldAll(
  state: RecordedState,
  entries: readonly JournalEntry[],
  rules: Rules = allRules,
): RecordedState {
  const working = toWorking(state);
  for (const entry of entries) foldInto(working, entry, rules);
  return fromWorking(working);
}

export function foldInto(working: WorkingState, entry: JournalEntry, rules: Rules): void {
  const { id, position } = working.head.journal;
  working.head = { ...working.head, journal: { id, position: position + 1 } };
  switch (entry.kind) {
    case "run":
      working.head = {
        ...working.head,
        serial: working.head.serial + 1,
        simulated: entry.simulated,
      };
      for (const provider of entry.providers) working.providers.set(provider.name, provider);
      return;
    case "begin":
      return foldBegin(working, entry, rules);
    case "handle": {
      const begin = working.open.get(openKeyOf(entry.planId, entry.id));
      if (begin === undefined) return;
      working.open.set(openKeyOf(entry.planId, entry.id), { ...begin, handle: entry.handle });
      return;
    }
    case "end":
    case "closed":
      return foldEnd(working, entry, rules);
    case "observed":
      return foldObserved(working, entry, rules);
    case "note":
      return foldNote(working, entry);
  }
}

function foldBegin(working: WorkingState, begin: BeginEntry, rules: Rules): void {
  const { subject, endpoint } = begin;
  const { restore: power } = begin.record;
  const { address, provider } = subject;
  working.open.set(openKeyOf(begin.planId, begin.id), begin);
  if (power === undefined || working.restores.has(address) || !rules.restore) return;
  const at = endpoint === undefined ? {} : { at: { provider, ...endpoint } };
  working.restores.set(address, { address, power, ...at });
}

/** An operation that has ended. */
type Ended<Kind extends EffectKind> = {
  readonly begin: BeginEntry;
  readonly effect: OperationEffect & { readonly kind: Kind };
  readonly entry: EndEntry;
};

function foldEnd(working: WorkingState, entry: EndEntry, rules: Rules): void {
  const key = openKeyOf(entry.planId, entry.id);
  const begin = working.open.get(key);
  if (begin === undefined) return;
  working.open.delete(key);
  const { effect } = begin;
  switch (effect.kind) {
    case "create":
      foldCreated(working, { begin, effect, entry }, rules);
      break;
    case "delete":
      foldDeleted(working, { begin, effect, entry }, rules);
      break;
    case "update":
    case "power":
    case "wait":
      foldUpdated(working, begin, entry);
      break;
  }
  const settles = entry.outcome === "success" && begin.record.settlesRestore === true;
  if (settles) working.restores.delete(begin.subject.address);
}

function foldCreated(
  working: WorkingState,
  { begin, effect, entry }: Ended<"create">,
  rules: Rules,
): void {
  const { address, objectKey, type, provider, identity, container } = begin.subject;
  const { endpoint, record } = begin;
  const { preventDestroy, triggers } = effect;
  const object = {
    ...{ address, objectKey, type, provider },
    identity: entry.identity ?? identity,
    ...(endpoint === undefined ? {} : { endpoint }),
    applied: record.applied,
    attributes: entry.attributes ?? {},
    dependencies: record.dependencies,
    timeoutsMs: record.timeoutsMs,
    ...(preventDestroy === undefined ? {} : { preventDestroy }),
    ...(triggers === undefined ? {} : { triggers }),
    ...(container === undefined ? {} : { container }),
  };
  if (entry.outcome === "success") {
    if (working.objects.has(objectKeyOf(address, "current"))) trigger(working, address);
    depose(working, begin.subject, effect.deposes);
    endContent(working, effect.endsContentOf, rules);
    dropTentativeTwin(working, begin.subject);
    setObject(working, { ...object, status: "ready" });
  } else if (entry.outcome === "unknown" && rules.tentative) {
    depose(working, begin.subject, effect.deposes);
    // A clock that was ahead at begin must not keep it for as long.
    const { begunMs = Math.min(begin.atMs, entry.atMs) } = entry;
    const tentativeUntilMs = begunMs + 3 * begin.proof.limitMs;
    setObject(working, { ...object, status: "tentative", tentativeUntilMs });
  }
}

/** The object that is to be replaced lives on beside the new one until it is deleted. */
function depose(
  working: WorkingState,
  { address, objectKey }: OperationSubject,
  deposed: ObjectKey | undefined,
): void {
  const key = objectKeyOf(address, objectKey);
  const old = working.objects.get(key);
  if (deposed === undefined || old === undefined) return;
  removeObject(working, key);
  setObject(working, { ...old, objectKey: deposed });
}

/** A create never seen elsewhere, whose key now names this object, can no longer appear. */
function dropTentativeTwin(working: WorkingState, made: OperationSubject): void {
  for (const twin of working.tentative) {
    const object = working.objects.get(twin);
    if (object === undefined || object.address === made.address) continue;
    const same = object.type === made.type && object.provider === made.provider;
    if (same && object.identity === made.identity) removeObject(working, twin);
  }
}

function foldDeleted(
  working: WorkingState,
  { begin, effect, entry }: Ended<"delete">,
  rules: Rules,
): void {
  if (entry.outcome !== "success") return foldUpdated(working, begin, entry);
  endContent(working, effect.endsContentOf, rules);
  const { address, objectKey } = begin.subject;
  removeObject(working, objectKeyOf(address, objectKey));
  if (objectKey === "current") trigger(working, address);
}

function endContent(
  working: WorkingState,
  container: ContainerKey | undefined,
  rules: Rules,
): void {
  if (container === undefined || !rules.contentEnds) return;
  for (const address of removeContent(working, container)) trigger(working, address);
}

function foldUpdated(working: WorkingState, begin: BeginEntry, entry: EndEntry): void {
  const { subject, record } = begin;
  const object = working.objects.get(objectKeyOf(subject.address, subject.objectKey));
  if (object === undefined) return;
  const isApplied = entry.outcome === "success" && Object.keys(record.applied).length > 0;
  const applied = isApplied ? { ...object.applied, ...record.applied } : object.applied;
  if (isApplied && record.completes !== true)
    trigger(working, subject.address, changedNames(object, record.applied));
  const { unaccepted: _before, ...rest } = object;
  setObject(working, { ...rest, applied, ...readBack(object, begin, entry.attributes ?? {}) });
}

/** What an operation reads back is recorded, but for what somebody else has changed. */
function readBack(
  object: RecordedObject,
  begin: BeginEntry,
  read: Attributes,
): Pick<RecordedObject, "attributes" | "unaccepted"> {
  const attributes: { [name: string]: Value } = { ...object.attributes };
  const still: { [name: string]: Value } = { ...object.unaccepted };
  for (const [name, value] of Object.entries(read)) {
    const held = still[name];
    if (held !== undefined && equalValues(held, value)) continue;
    if (isForeign(object, begin, name, value)) {
      still[name] = value;
      continue;
    }
    attributes[name] = value;
    delete still[name];
  }
  return { attributes, ...(Object.keys(still).length === 0 ? {} : { unaccepted: still }) };
}

/** An input that was sent once, was read otherwise since, and that this operation is not about. */
function isForeign(
  { applied, attributes }: RecordedObject,
  { record, proof }: BeginEntry,
  name: string,
  value: Value,
): boolean {
  const [sent, recorded] = [applied?.[name], attributes[name]];
  if (sent === undefined || recorded === undefined) return false;
  if (record.applied[name] !== undefined) return false;
  if (proof.expect.some((item) => "attribute" in item && item.attribute === name)) return false;
  return !equalValues(recorded, value) && !equalValues(sent, value);
}

/** A tentative object that is found is ours; one that is missing keeps its record. */
function foldObserved(working: WorkingState, entry: ObservedEntry, rules: Rules): void {
  const key = objectKeyOf(entry.address, entry.objectKey);
  const object = working.objects.get(key);
  if (object === undefined || entry.existence === "missing") return;
  const { tentativeUntilMs: _deadline, unaccepted: _before, ...rest } = object;
  const { unaccepted } = entry;
  const attributes = { ...object.attributes, ...entry.attributes };
  const applied = rules.appliedSeparate
    ? object.applied
    : { ...object.applied, ...entry.attributes, ...unaccepted };
  const identity = entry.identity ?? object.identity;
  const held = unaccepted === undefined ? {} : { unaccepted };
  setObject(working, { ...rest, identity, status: "ready", attributes, applied, ...held });
}

function foldNote(working: WorkingState, entry: NoteEntry): void {
  const { note } = entry;
  switch (note.what) {
    case "clear-restore":
      working.restores.delete(note.address);
      return;
    case "forget":
      return removeObject(working, objectKeyOf(note.address, note.objectKey));
    case "adopt":
      return setObject(working, note.object);
    case "endpoint":
      return foldEndpoint(working, note.address, note.endpoint);
    case "move":
      return foldMoves(working, note.moves);
    case "record": {
      const object = working.objects.get(objectKeyOf(note.address, "current"));
      if (object === undefined) return;
      const applied = { ...object.applied, ...note.applied };
      const { dependencies, timeoutsMs, preventDestroy = object.preventDestroy } = note;
      const protection = preventDestroy === undefined ? {} : { preventDestroy };
      const noted = { ...object, applied, dependencies, timeoutsMs, ...protection };
      return setObject(working, withTriggers(noted, note.triggers));
    }
    case "outputs":
      working.outputs = note.outputs;
      return;
  }
}

/** Of every object recorded there: one that a replace has left over is at the same server. */
function foldEndpoint(working: WorkingState, address: Address, named: NamedEndpoint): void {
  for (const key of [...(working.naming.get(address) ?? [])]) {
    const object = working.objects.get(key);
    if (object?.address !== address || object.provider !== named.provider) continue;
    setObject(working, { ...object, endpoint: endpointIn(named) });
  }
  const restore = working.restores.get(address);
  if (restore?.at === undefined) return;
  working.restores.set(address, { ...restore, at: named });
}

/** All moves at once, so that two addresses can swap what they hold. */
function foldMoves(working: WorkingState, moves: readonly Move[]): void {
  const target = new Map(moves.map(({ from, to }) => [from, to]));
  const rename = (address: Address): Address => target.get(address) ?? address;
  const renamed = new Map<string, RecordedObject>();
  for (const { from } of moves) {
    for (const key of working.naming.get(from) ?? []) {
      const object = working.objects.get(key);
      if (object !== undefined) renamed.set(key, object);
    }
  }
  for (const key of renamed.keys()) removeObject(working, key);
  for (const object of renamed.values()) {
    const dependencies = object.dependencies.map(rename);
    const { triggers, triggeredBy } = object;
    setObject(working, {
      ...object,
      address: rename(object.address),
      dependencies,
      ...(triggers === undefined
        ? {}
        : { triggers: triggers.map((one) => ({ ...one, address: rename(one.address) })) }),
      ...(triggeredBy === undefined ? {} : { triggeredBy: rename(triggeredBy) }),
    });
  }
  const owed = moves.flatMap(({ from }) => {
    const restore = working.restores.get(from);
    return restore === undefined ? [] : [{ ...restore, address: rename(from) }];
  });
  for (const { from } of moves) working.restores.delete(from);
  for (const restore of owed) working.restores.set(restore.address, restore);
}
