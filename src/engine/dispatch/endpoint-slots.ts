/**
 * Slots of endpoints as operations need them. An operation needs one of its endpoint while it is
 * under way. What belongs to a power window needs one of each endpoint that it works at before the
 * first of it begins, and keeps them until the last has ended: what is done in it, one after the
 * other at each endpoint, and the word that closes it never wait for a slot that somebody else has.
 * A pure state machine; whoever drives it (`engine/run/slot-keeping.ts`) takes the slots and gives
 * them back.
 */

import type { Operation, OperationId, OperationJoin } from "../../model/operation/operation.ts";
import { type WindowUnit, windowUnits } from "./window-units.ts";

/** Slots that operations wait for, all at once. */
export type SlotWant = {
  readonly key: string;
  /** In the order in which they are to be taken: it is the same for everybody. */
  readonly endpoints: readonly string[];
  /** Who waits, in no particular order. */
  readonly ids: ReadonlySet<OperationId>;
};

export type Reclaimed = {
  /** Once for each slot. */
  readonly endpoints: readonly string[];
  /** Wants that were granted, and of which nothing began. */
  readonly unused: readonly string[];
};

export type SlotBook = {
  /** What keeps an operation from beginning; undefined when no slot does. */
  readonly obstacle: (operation: Operation) => string | undefined;
  /** Of an obstacle that is a want; undefined of others. */
  readonly endpointsOf: (obstacle: string) => readonly string[] | undefined;
  readonly take: (operation: Operation) => void;
  /** The operation is under way no more. Gives the obstacles that are less of one now. */
  readonly give: (operation: Operation) => readonly string[];
  /** It has ended, or will never begin. Gives the obstacles that are less of one now. */
  readonly end: (id: OperationId) => readonly string[];
  /** The operation waits for slots, as long as `forget` and `end` are not told of it. */
  readonly want: (id: OperationId, obstacle: string) => void;
  readonly forget: (id: OperationId) => void;
  readonly wants: () => readonly SlotWant[];
  /** One slot of each endpoint of a want has been taken. */
  readonly grant: (key: string) => void;
  /** What nobody needs any more; it counts as given back. */
  readonly reclaim: () => Reclaimed;
};

/** A unit as the run goes on. */
type Unit = WindowUnit & {
  /** It has its slots. */
  isOpen: boolean;
  /** Endpoints at which one of it is under way. */
  readonly busy: Set<string>;
};

type Book = {
  readonly limited: ReadonlyMap<string, string>;
  readonly units: ReadonlyMap<OperationId, Unit>;
  /** Units that are behind an operation. */
  readonly behind: ReadonlyMap<OperationId, readonly Unit[]>;
  readonly endpointsOf: Map<string, readonly string[]>;
  readonly granted: Map<string, number>;
  readonly underWay: Map<OperationId, string>;
  readonly wants: Map<string, Set<OperationId>>;
  unneeded: string[];
};

/** `limited`: the endpoints that have slots, by the names of providers. */
export function createSlotBook(
  operations: readonly Operation[],
  joins: readonly OperationJoin[],
  limited: ReadonlyMap<string, string>,
): SlotBook {
  const book = bookOf(operations, joins, limited);
  const { endpointsOf, granted, wants } = book;
  return {
    obstacle: (operation) => obstacle(book, operation),
    endpointsOf: (key) => endpointsOf.get(key),
    take: (operation) => take(book, operation),
    give: (operation) => give(book, operation),
    end: (id) => end(book, id),
    want: (id, key) => {
      if (endpointsOf.has(key)) wants.set(key, (wants.get(key) ?? new Set()).add(id));
    },
    forget: (id) => forget(book, id),
    wants: () =>
      [...wants].map(([key, ids]) => ({ key, ids, endpoints: endpointsOf.get(key) ?? [] })),
    grant: (key) => void granted.set(key, (granted.get(key) ?? 0) + 1),
    reclaim: () => reclaim(book),
  };
}

function bookOf(
  operations: readonly Operation[],
  joins: readonly OperationJoin[],
  limited: ReadonlyMap<string, string>,
): Book {
  const units = new Map<OperationId, Unit>();
  const behind = new Map<OperationId, Unit[]>();
  for (const one of limited.size === 0 ? [] : windowUnits(operations, joins, limited)) {
    if (one.endpoints.length === 0) continue;
    const unit: Unit = { ...one, isOpen: false, busy: new Set() };
    for (const id of unit.left) units.set(id, unit);
    for (const id of unit.outside) behind.set(id, [...(behind.get(id) ?? []), unit]);
  }
  return {
    ...{ limited, units, behind, endpointsOf: new Map(), granted: new Map() },
    ...{ underWay: new Map(), wants: new Map(), unneeded: [] },
  };
}

/** Undefined of what sends nothing, or is of an endpoint without a limit. */
function endpointOf({ limited }: Book, { subject, request }: Operation): string | undefined {
  return request.preview === undefined ? undefined : limited.get(subject.provider);
}

function wantOf({ endpointsOf }: Book, endpoints: readonly string[]): string {
  const key = `slots ${endpoints.join(" ")}`;
  endpointsOf.set(key, endpoints);
  return key;
}

function obstacle(book: Book, operation: Operation): string | undefined {
  const endpoint = endpointOf(book, operation);
  if (endpoint === undefined) return undefined;
  const unit = book.units.get(operation.id);
  if (unit?.isOpen === true) return unit.busy.has(endpoint) ? turnOf(unit, endpoint) : undefined;
  // What it waits for may need the very slots that it would keep.
  if (unit !== undefined && unit.outside.size > 0) return outsideOf(unit);
  const key = wantOf(book, unit?.endpoints ?? [endpoint]);
  return (book.granted.get(key) ?? 0) > 0 ? undefined : key;
}

function turnOf({ name }: Unit, endpoint: string): string {
  return `turn in ${name} at ${endpoint}`;
}

function outsideOf({ name }: Unit): string {
  return `before ${name}`;
}

function take(book: Book, operation: Operation): void {
  const endpoint = endpointOf(book, operation);
  if (endpoint === undefined) return;
  const { granted, underWay, units } = book;
  const unit = units.get(operation.id);
  underWay.set(operation.id, endpoint);
  if (unit?.isOpen !== true) {
    const key = wantOf(book, unit?.endpoints ?? [endpoint]);
    granted.set(key, (granted.get(key) ?? 0) - 1);
  }
  if (unit === undefined) return;
  unit.isOpen = true;
  unit.busy.add(endpoint);
}

function give(book: Book, { id }: Operation): readonly string[] {
  const endpoint = book.underWay.get(id);
  if (endpoint === undefined) return [];
  book.underWay.delete(id);
  const unit = book.units.get(id);
  if (unit === undefined) {
    book.unneeded.push(endpoint);
    return [];
  }
  unit.busy.delete(endpoint);
  return [turnOf(unit, endpoint)];
}

function end(book: Book, id: OperationId): readonly string[] {
  forget(book, id);
  const unit = book.units.get(id);
  if (unit?.left.delete(id) === true && unit.left.size === 0 && unit.isOpen) {
    unit.isOpen = false;
    book.unneeded.push(...unit.endpoints);
  }
  const ready: string[] = [];
  for (const next of book.behind.get(id) ?? []) {
    if (next.outside.delete(id) && next.outside.size === 0) ready.push(outsideOf(next));
  }
  return ready;
}

function forget({ wants }: Book, id: OperationId): void {
  for (const [key, ids] of wants) if (ids.delete(id) && ids.size === 0) wants.delete(key);
}

function reclaim(book: Book): Reclaimed {
  const { granted, endpointsOf } = book;
  const unused = [...granted].filter(([, count]) => count > 0);
  for (const [key, count] of unused) {
    for (let each = 0; each < count; each += 1) {
      book.unneeded.push(...(endpointsOf.get(key) ?? []));
    }
  }
  granted.clear();
  const endpoints = book.unneeded;
  book.unneeded = [];
  return { endpoints, unused: unused.map(([key]) => key) };
}
