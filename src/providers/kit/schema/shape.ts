/**
 * What a provider hands to itself through a plan, a journal or a handle: facts, inputs of steps.
 * They are written with a type; whoever reads them back may be given a file that somebody else has
 * written. So each has one table, of which its type is made, and is decoded where it comes in.
 */

import { isMap, type PlannedAttributes, type PlannedValue } from "../../../model/value/value.ts";

export type Guard<T> = (value: unknown) => value is T;

/** What a guard lets through, such as the type of a record. */
export type Guarded<G> = G extends Guard<infer T> ? T : never;

export const isText: Guard<string> = (value) => typeof value === "string";
export const isNumber: Guard<number> = (value) => typeof value === "number";
export const isFlag: Guard<boolean> = (value) => typeof value === "boolean";

export function isListOf<T>(isItem: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(isItem);
}

/** Whatever the names of its members. */
export function isMapOf<T>(isMember: Guard<T>): Guard<{ readonly [name: string]: T }> {
  return (value): value is { readonly [name: string]: T } =>
    isMap(value) && Object.values(value).every(isMember);
}

export function isNullOr<T>(isSet: Guard<T>): Guard<T | null> {
  return (value): value is T | null => value === null || isSet(value);
}

/** For a member that may be left out. */
export function isAbsentOr<T>(isGiven: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || isGiven(value);
}

type Guards = { readonly [name: string]: Guard<unknown> };

/** Each member is there and fits; others do not matter. */
export function isRecordOf<G extends Guards>(
  members: G,
): Guard<{ readonly [Name in keyof G]: Guarded<G[Name]> }> {
  return (value): value is { readonly [Name in keyof G]: Guarded<G[Name]> } =>
    isMap(value) && Object.entries(members).every(([name, fits]) => fits(ownOf(value, name)));
}

type Members = { readonly [name: string]: readonly [Guard<unknown>, PlannedValue] };
type Bag<M extends Members> = {
  readonly [Name in keyof M]: Guarded<M[Name][0]> | Exclude<M[Name][1], readonly never[]>;
};

/**
 * A reader of a bag whose members stand for themselves: each has a guard, and what it is where
 * nothing fits.
 */
export function bagOf<M extends Members>(members: M): (bag: PlannedAttributes) => Bag<M> {
  return (bag) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the same table
    Object.fromEntries(
      Object.entries(members).map(([name, [fits, absent]]) => {
        const value = ownOf(bag, name);
        return [name, fits(value) ? value : absent];
      }),
    ) as Bag<M>;
}

function ownOf(map: PlannedAttributes, name: string) {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
