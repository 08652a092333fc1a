/**
 * What our own changes have moved at other addresses: the same machine through another interface,
 * and the disks of a machine that was moved. It is read before outputs are computed and before
 * anybody judges drift, since nobody else has changed it.
 */

import type { Address } from "../../model/address.ts";
import { type AliasSubject, aliasesOf } from "../../model/aliases.ts";
import type { ObservedEntry } from "../../model/journal.ts";
import type { EntityKey } from "../../model/operation.ts";
import type { TypeRegistry } from "../../model/provider.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded.ts";
import { RemoteError } from "../../model/remote-error.ts";
import { type Attributes, equalValues, type Value } from "../../model/value.ts";
import type { Ledger } from "../ledger.ts";
import type { EnginePorts } from "../ports.ts";
import type { Sessions } from "../sessions.ts";
import type { OperationResult } from "./execution.ts";

/** What differed already when the run began, by address: that was somebody else. */
export type Foreign = ReadonlyMap<string, Attributes>;

export function foreignIn({ objects }: RecordedState): Foreign {
  return new Map(objects.map(({ address, unaccepted = {} }) => [address, unaccepted]));
}

/** Only what a type says to move with its machine counts; the rest is drift as ever. */
export async function readMovedAlong(
  ports: Pick<EnginePorts, "types">,
  sessions: Sessions,
  ledger: Ledger,
  results: readonly OperationResult[],
  foreign: Foreign,
): Promise<readonly ObservedEntry[]> {
  const changes = changesIn(results);
  if (changes.length === 0) return [];
  const { objects, providers } = ledger.state();
  const settings = new Map(providers.map((item) => [item.name, item.settings]));
  const byProvider = new Map<string, Moved[]>();
  for (const moved of movedIn(ports.types, objects, changes)) {
    const { provider } = moved.object;
    byProvider.set(provider, [...(byProvider.get(provider) ?? []), moved]);
  }
  const entries = await Promise.all(
    [...byProvider].map(async ([provider, all]) => {
      try {
        const session = await sessions.get(provider, settings.get(provider) ?? null);
        const wanted = all.map(({ object: { address, type, identity }, names: attributes }) => ({
          ...{ address, type, identity, attributes },
        }));
        const read = await session.read(wanted);
        return all.flatMap((moved, index) => {
          const observation = read[index];
          if (observation?.status !== "found") return [];
          const held = foreign.get(moved.object.address) ?? {};
          return entryOf(moved, observation.attributes, held) ?? [];
        });
      } catch (error) {
        // The next refresh reads it; until then it is as it was read last.
        if (error instanceof RemoteError) return [];
        throw error;
      }
    }),
  );
  return entries.flat();
}

type Change = {
  readonly address: Address;
  readonly keys: ReadonlySet<EntityKey>;
  readonly attributes: ReadonlySet<string>;
};
type Moved = { readonly object: RecordedObject; readonly names: readonly string[] };

/** What operations had as their effect, and on which machine. */
function changesIn(results: readonly OperationResult[]): readonly Change[] {
  return results.flatMap(({ operation, status }) => {
    const { address, effect, expect, locks } = operation;
    if (status !== "success" || effect === "wait") return [];
    const names = expect.flatMap((item) => ("attribute" in item ? [item.attribute] : []));
    const keys = locks.flatMap(({ key, passing }) => (passing === true ? [] : [key]));
    return [{ address, keys: new Set(keys), attributes: new Set(names) }];
  });
}

function movedIn(
  types: TypeRegistry,
  objects: readonly RecordedObject[],
  changes: readonly Change[],
): readonly Moved[] {
  const byKey = new Map<EntityKey, Change[]>();
  for (const change of changes) {
    for (const key of change.keys) byKey.set(key, [...(byKey.get(key) ?? []), change]);
  }
  const containers = new Map(
    objects.map((object) => [`${object.type} ${object.identity}`, object]),
  );
  return objects.flatMap((object) => {
    const movedBy = types[object.type]?.movedBy;
    if (movedBy === undefined || object.objectKey !== "current" || object.status !== "ready")
      return [];
    const own = aliasesOf(types, subjectOf(object, containers))
      .flatMap((key) => byKey.get(key) ?? [])
      .filter(({ address }) => address !== object.address);
    const names = Object.entries(movedBy).flatMap(([name, by]) =>
      by.some((changed) => own.some(({ attributes }) => attributes.has(changed))) ? [name] : [],
    );
    return names.length === 0 ? [] : [{ object, names }];
  });
}

function subjectOf(
  { type, identity, attributes, container }: RecordedObject,
  containers: ReadonlyMap<string, RecordedObject>,
): AliasSubject {
  if (container === undefined) return { type, identity, attributes };
  const holder = containers.get(`${container.type} ${container.identity}`);
  const known = { ...container, attributes: holder?.attributes ?? {} };
  return { type, identity, attributes, container: known };
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
