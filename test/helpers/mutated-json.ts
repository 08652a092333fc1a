/** JSON values changed in one place, as damage, a hand or a foreign program leaves them. */

import fc from "fast-check";
import { type JsonValue, stringifyJson } from "../../src/lib/json.ts";

/** What stands in a place is left out, or something else stands there, made of what stood there. */
type Change =
  | { readonly kind: "remove" }
  | { readonly kind: "set"; readonly value: JsonValue }
  | { readonly kind: "make"; readonly make: (value: JsonValue) => JsonValue }
  /** What stands in another place, as in `at`. */
  | { readonly kind: "copy"; readonly from: number };

/** `at` says which of all places it is, whatever their number: a fraction of it. */
export type Mutation = { readonly at: number; readonly change: Change; readonly about: string };

const odd: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  -9007199254740993n,
  2n ** 100n,
  "",
  " ",
  "x",
  "current",
  "daemon_vm.x",
  "daemon_vm.web[99999999999999999999]",
  "data.daemon_vms.x",
  "../../etc",
  "/api/vApp/../../x",
  "/api/%2f%2e%2e",
  "//other.test/x",
  "http://[::",
  "no_such_type",
  "daemon_vm",
  "cloud_vm",
  "constructor",
  "__proto__",
  "\u0000",
  "a\nb\u001b[31m",
  "\ud800",
  "é".repeat(3000),
  [],
  {},
  [null],
  { constructor: null, toString: 1 },
  nested(5),
  nested(400),
];

function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const made: { readonly [about: string]: (value: JsonValue) => JsonValue } = {
  "in a list": (value) => [value],
  "in a map": (value) => ({ value }),
  "as text": (value) => (typeof value === "string" ? Number(value) || 0 : stringifyJson(value)),
  "twice, where a list": (value) => (isList(value) ? [...value, ...value] : value),
  "backwards, where a list": (value) => (isList(value) ? value.toReversed() : [value]),
  "with a member more": (value) =>
    typeof value === "object" && value !== null && !isList(value)
      ? { ...value, unheard_of: 1 }
      : value,
  negative: (value) => (typeof value === "number" ? -value - 1 : -1),
};

const placesMax = 1_000_000;

/** Each place as likely as any other, deep ones too. */
const anywhere = fc
  .noBias(fc.integer({ min: 0, max: placesMax - 1 }))
  .map((index) => index / placesMax);

const change = fc.oneof(
  anywhere.map((from) => ({ change: { kind: "copy", from } as const, about: "is as another" })),
  fc.constant({ change: { kind: "remove" } as const, about: "left out" }),
  fc.constantFrom(...odd).map((value) => ({
    change: { kind: "set", value } as const,
    about: `is ${stringifyJson(value).slice(0, 60)}`,
  })),
  fc.constantFrom(...Object.entries(made)).map(([about, make]) => ({
    change: { kind: "make", make } as const,
    about,
  })),
);

/** A change anywhere. */
export const mutation: fc.Arbitrary<Mutation> = fc
  .record({ at: anywhere, rest: change })
  .map(({ at, rest }) => ({ at, ...rest }));

/** The value with the change in it, and where that is. */
export function mutate(
  value: JsonValue,
  { at, change: wanted, about }: Mutation,
): { readonly value: JsonValue; readonly where: string } {
  const places = placesIn(value, []);
  const [place, item] = pick(places, at);
  const [from, copied] = wanted.kind === "copy" ? pick(places, wanted.from) : [[], null];
  const done: Done = wanted.kind === "copy" ? { kind: "set", value: copied } : wanted;
  const told = wanted.kind === "copy" ? `${about}: ${from.join(".")}` : about;
  return {
    value: changed(value, place, done) ?? null,
    where: `${place.join(".")} ${told} (was ${stringifyJson(item).slice(0, 60)})`,
  };
}

function pick(places: readonly Found[], at: number): Found {
  return places[Math.floor(at * places.length)] ?? [[], null];
}

type Place = readonly (string | number)[];
type Found = readonly [Place, JsonValue];

function placesIn(value: JsonValue, here: Place): readonly Found[] {
  const own: Found = [here, value];
  if (typeof value !== "object" || value === null) return [own];
  const members: readonly (readonly [string | number, JsonValue])[] = isList(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return [own, ...members.flatMap(([name, item]) => placesIn(item, [...here, name]))];
}

type Done = Exclude<Change, { readonly kind: "copy" }>;

function changed(value: JsonValue, place: Place, done: Done): JsonValue | undefined {
  const [first, ...rest] = place;
  if (first === undefined) {
    if (done.kind === "remove") return undefined;
    return done.kind === "set" ? done.value : done.make(value);
  }
  if (isList(value)) {
    return value.flatMap((item, index) => {
      const put = index === first ? changed(item, rest, done) : item;
      return put === undefined ? [] : [put];
    });
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const put = name === first ? changed(item, rest, done) : item;
      return put === undefined ? [] : [[name, put] as const];
    }),
  );
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
