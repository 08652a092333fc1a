/**
 * What our own changes have moved at other addresses: the same machine through another interface,
 * and the disks of a machine that was moved. It is read before outputs are computed and before
 * anybody judges drift, since nobody else has changed it.
 */

import type { ContainerKey, EntityKey } from "../../model/operation/operation.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import { aliasesOfRecorded } from "../../model/provider/aliases.ts";
import type { ProviderSession, TypeRegistry } from "../../model/provider/provider.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { ObservedEntry } from "../../model/recorded/journal.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import { type Attributes, equalValues, type Value } from "../../model/value/value.ts";
import type { Ledger } from "../ledger.ts";
import type { EnginePorts } from "../ports.ts";

/** What differed already when the run began, by address: that was somebody else. */
type Foreign = ReadonlyMap<string, Attributes>;

function foreignIn({ objects }: RecordedState): Foreign {
  return new Map(objects.map(({ address, unaccepted = {} }) => [address, unaccepted]));
}

/** What a change was about; operations and begin entries are such. */
export type Changing = Pick<BeginEntry, "subject" | "effect" | "proof" | "order">;

export type MovedAlong = {
  /** Reads what these changes have moved at other addresses; entries of what differs. */
  read(changes: readonly Changing[]): Promise<readonly ObservedEntry[]>;
};

type Parts = {
  readonly ports: Pick<EnginePorts, "types" | "events">;
  readonly ledger: Pick<Ledger, "state" | "object">;
  /** Of the provider with this name. Throws `RemoteError`. */
  readonly sessionOf: (provider: string) => Promise<ProviderSession>;
};

/**
 * Only what a type says to move with its machine counts; the rest is drift as ever. What is
 * recorded now is what can be moved, and what is not accepted now was somebody else's.
 */
export function createMovedAlong(parts: Parts): MovedAlong {
  const { types, events } = parts.ports;
  const state = parts.ledger.state();
  const reached = reachedIn(types, state.objects);
  const foreign = foreignIn(state);
  const read = async (changes: readonly Changing[]): Promise<readonly ObservedEntry[]> => {
    const moved = movedIn(parts, reached, changes.flatMap(changeOf));
    const [first] = moved;
    if (first === undefined) return [];
    const { address } = first.object;
    const what = "reading what our change has moved along";
    return whileWaiting(events, { rank: "work", what, address }, () =>
      readAll(parts, moved, foreign),
    );
  };
  return { read };
}

async function readAll(
  { sessionOf }: Parts,
  all: readonly Moved[],
  foreign: Foreign,
): Promise<readonly ObservedEntry[]> {
  const byProvider = new Map<string, Moved[]>();
  for (const moved of all) {
    const { provider } = moved.object;
    byProvider.set(provider, [...(byProvider.get(provider) ?? []), moved]);
  }
  const entries = await Promise.all(
    [...byProvider].map(async ([provider, moved]) => {
      try {
        return await readOf(await sessionOf(provider), moved, foreign);
      } catch (error) {
        // The next refresh reads it; until then it is as it was read last.
        if (error instanceof RemoteError) return [];
        throw error;
      }
    }),
  );
  return entries.flat();
}

async function readOf(
  session: ProviderSession,
  moved: readonly Moved[],
  foreign: Foreign,
): Promise<readonly ObservedEntry[]> {
  const wanted = moved.map(({ object: { address, type, identity }, names: attributes }) => ({
    ...{ address, type, identity, attributes },
  }));
  const read = await session.read(wanted);
  return moved.flatMap((one, index) => {
    const observation = read[index];
    if (observation?.status !== "found") return [];
    const held = foreign.get(one.object.address) ?? {};
    return entryOf(one, observation.attributes, held) ?? [];
  });
}

type Change = {
  readonly address: Address;
  readonly keys: ReadonlySet<EntityKey>;
  readonly attributes: ReadonlySet<string>;
};
type Moved = { readonly object: RecordedObject; readonly names: readonly string[] };

/** What an operation had as its effect, and on which machine. */
function changeOf({ subject, effect, proof, order }: Changing): readonly Change[] {
  if (effect.kind === "wait") return [];
  const { address } = subject;
  const names = proof.expect.flatMap((item) => ("attribute" in item ? [item.attribute] : []));
  const keys = order.locks.flatMap(({ key, passing }) => (passing === true ? [] : [key]));
  return [{ address, keys: new Set(keys), attributes: new Set(names) }];
}

type Reached = ReadonlyMap<EntityKey, readonly Address[]>;

/** What a change elsewhere can move, by each key that it is reached by. */
function reachedIn(types: TypeRegistry, objects: readonly RecordedObject[]): Reached {
  const reached = new Map<EntityKey, Address[]>();
  const movable = objects.filter(
    ({ type, objectKey, status }) =>
      types[type]?.movedBy !== undefined && objectKey === "current" && status === "ready",
  );
  if (movable.length === 0) return reached;
  const containers = new Map(
    objects.map((object) => [`${object.type} ${object.identity}`, object]),
  );
  const holderOf = ({ type, identity }: ContainerKey) => containers.get(`${type} ${identity}`);
  for (const object of movable) {
    for (const key of aliasesOfRecorded(types, object, holderOf)) {
      reached.set(key, [...(reached.get(key) ?? []), object.address]);
    }
  }
  return reached;
}

function movedIn(
  { ports: { types }, ledger }: Parts,
  reached: Reached,
  changes: readonly Change[],
): readonly Moved[] {
  const changed = new Map<Address, Set<string>>();
  for (const { address: by, keys, attributes } of changes) {
    for (const address of new Set([...keys].flatMap((key) => reached.get(key) ?? []))) {
      if (address === by) continue;
      const names = changed.get(address) ?? new Set();
      changed.set(address, new Set([...names, ...attributes]));
    }
  }
  return [...changed].flatMap(([address, attributes]) => {
    const object = ledger.object(address);
    if (object === undefined) return [];
    const names = Object.entries(types[object.type]?.movedBy ?? {}).flatMap(([name, by]) =>
      by.some((attribute) => attributes.has(attribute)) ? [name] : [],
    );
    return names.length === 0 ? [] : [{ object, names }];
  });
}

/** What somebody else had changed before stays as it is: recorded, and not accepted. */
function entryOf(
  { object, names }: Moved,
  read: Attributes,
  foreign: Attributes,
): ObservedEntry | undefined {
  const { address, objectKey, attributes, unaccepted = {} } = object;
  const known: { [name: string]: Value } = {};
  const held: { [name: string]: Value } = { ...unaccepted };
  for (const name of names) {
    const value = read[name];
    if (value === undefined || foreign[name] !== undefined) continue;
    if (held[name] === undefined && equalValues(attributes[name] ?? null, value)) continue;
    known[name] = value;
    delete held[name];
  }
  if (Object.keys(known).length === 0) return undefined;
  const still = Object.keys(held).length === 0 ? {} : { unaccepted: held };
  return { kind: "observed", address, objectKey, existence: "found", attributes: known, ...still };
}
