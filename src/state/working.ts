/**
 * Recorded state in a form that takes one journal entry in O(1): maps by key instead of sorted
 * lists. It is mutable and stays inside the fold and the engine; everything else sees
 * `RecordedState`.
 */

import type { ContainerKey, ObjectKey } from "../model/operation/operation.ts";
import type { BeginEntry } from "../model/recorded/begin-entry.ts";
import type {
  OpenRestore,
  RecordedObject,
  RecordedOutput,
  RecordedProvider,
  RecordedState,
} from "../model/recorded/recorded.ts";
import { type Address, compareAddresses } from "../model/value/address.ts";

export type WorkingState = {
  head: Pick<
    RecordedState,
    "formatVersion" | "lineage" | "serial" | "journal" | "simulated" | "handover"
  >;
  readonly objects: Map<string, RecordedObject>;
  /** Keys of content objects by the container that holds them. */
  readonly content: Map<string, Set<string>>;
  /** Keys of objects that stand at an address or depend on it. */
  readonly naming: Map<Address, Set<string>>;
  /** Keys of tentative objects. */
  readonly tentative: Set<string>;
  readonly restores: Map<Address, OpenRestore>;
  readonly open: Map<string, BeginEntry>;
  readonly providers: Map<string, RecordedProvider>;
  outputs: readonly RecordedOutput[];
};

export function objectKeyOf(address: Address, objectKey: ObjectKey): string {
  return `${address}\u0000${objectKey}`;
}

export function openKeyOf(planId: string, id: string): string {
  return `${planId}\u0000${id}`;
}

function containerKeyOf(container: ContainerKey): string {
  return `${container.type}\u0000${container.identity}`;
}

export function toWorking(state: RecordedState): WorkingState {
  const working: WorkingState = {
    head: {
      formatVersion: state.formatVersion,
      lineage: state.lineage,
      serial: state.serial,
      journal: state.journal,
      simulated: state.simulated,
      ...(state.handover === undefined ? {} : { handover: state.handover }),
    },
    objects: new Map(),
    content: new Map(),
    naming: new Map(),
    tentative: new Set(),
    restores: new Map(state.restores.map((restore) => [restore.address, restore])),
    open: new Map(state.open.map((begin) => [openKeyOf(begin.planId, begin.id), begin])),
    providers: new Map(state.providers.map((provider) => [provider.name, provider])),
    outputs: state.outputs,
  };
  for (const object of state.objects) setObject(working, object);
  return working;
}

/** The immutable form, lists sorted. */
export function fromWorking(working: WorkingState): RecordedState {
  return {
    ...working.head,
    objects: [...working.objects.values()].toSorted(compareObjects),
    restores: [...working.restores.values()].toSorted((a, b) =>
      compareAddresses(a.address, b.address),
    ),
    open: [...working.open.values()],
    providers: [...working.providers.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    outputs: working.outputs,
  };
}

/** The order of objects in recorded state. */
export function compareObjects(left: RecordedObject, right: RecordedObject): number {
  return (
    compareAddresses(left.address, right.address) || (left.objectKey < right.objectKey ? -1 : 1)
  );
}

export function setObject(working: WorkingState, object: RecordedObject): void {
  const key = objectKeyOf(object.address, object.objectKey);
  dropFromIndexes(working, key);
  working.objects.set(key, object);
  if (object.status === "tentative") working.tentative.add(key);
  for (const address of [object.address, ...object.dependencies]) {
    const keys = working.naming.get(address);
    if (keys === undefined) working.naming.set(address, new Set([key]));
    else keys.add(key);
  }
  if (object.container === undefined) return;
  const container = containerKeyOf(object.container);
  const keys = working.content.get(container) ?? new Set();
  keys.add(key);
  working.content.set(container, keys);
}

export function removeObject(working: WorkingState, key: string): void {
  dropFromIndexes(working, key);
  working.objects.delete(key);
}

/** Content ends with its container, without requests. Returns where it stood. */
export function removeContent(working: WorkingState, container: ContainerKey): readonly Address[] {
  const key = containerKeyOf(container);
  const ended: Address[] = [];
  for (const content of [...(working.content.get(key) ?? [])]) {
    const object = working.objects.get(content);
    if (object?.objectKey === "current") ended.push(object.address);
    removeObject(working, content);
  }
  working.content.delete(key);
  return ended;
}

function dropFromIndexes(working: WorkingState, key: string): void {
  const object = working.objects.get(key);
  if (object === undefined) return;
  const { container } = object;
  working.tentative.delete(key);
  for (const address of [object.address, ...object.dependencies]) {
    working.naming.get(address)?.delete(key);
  }
  if (container !== undefined) working.content.get(containerKeyOf(container))?.delete(key);
}
