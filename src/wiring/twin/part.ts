/** What the translation of each interface shares: what it is given, and what it makes. */

import type { Plan } from "../../model/plan/plan.ts";
import type { Survey } from "../../model/provider/survey.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { ValueMap } from "../../model/value/value.ts";
import type { WorldDocument } from "../../simulators/world.ts";

export type Given = {
  /** Of whoever logs in at the twin. */
  readonly password: string;
  /** How long its work takes, by the names that world files have for it; milliseconds. */
  readonly durations: { readonly [work: string]: number };
  /** Of this provider, the current objects. */
  readonly recorded: readonly RecordedObject[];
  /** What is to be run, of this provider. */
  readonly operations: Plan["operations"];
};

export type TwinPart = {
  readonly world: WorldDocument;
  /** Settings of the provider that name who logs in; they take the place of what is written. */
  readonly login: ValueMap;
  /** Ids of datastores whose space was told. */
  readonly measured: ReadonlySet<string>;
  /** What was taken for granted, one sentence each, without a full stop. */
  readonly assumed: readonly string[];
};

export type Translation = (survey: Survey, given: Given) => TwinPart;

/** Ids of datastores of which both size and use were told. */
export function measuredIn({ datastores }: Survey): ReadonlySet<string> {
  const told = datastores.filter(
    ({ capacityMb, usedMb }) => capacityMb !== undefined && usedMb !== undefined,
  );
  return new Set(told.map(({ id }) => id));
}

/** Space by datastore that machines take which the twin has. */
export function takenIn({ machines }: Survey): ReadonlyMap<string, number> {
  const taken = new Map<string, number>();
  for (const { datastore, storageMb = 0 } of machines) {
    if (datastore !== undefined) taken.set(datastore, (taken.get(datastore) ?? 0) + storageMb);
  }
  return taken;
}

/** A record by the key that each item gets. */
export function keyed<T, U>(
  items: readonly T[],
  keyOf: (item: T) => string,
  make: (item: T) => U,
): { readonly [key: string]: U } {
  return Object.fromEntries(items.map((item) => [keyOf(item), make(item)]));
}
