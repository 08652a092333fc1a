/**
 * Values as text and back, for calls that travel: what a `ProviderSession` is given and gives. All
 * that is data arrives as it was, also what JSON has no word for; what is none (a function, an
 * instance of a class) is refused, since it could not be the same there. The text is one of JSON
 * without U+0000 and without half characters, which a database could not keep.
 */

import { type JsonValue, parseJson, stringifyJson } from "../lib/json.ts";
import { isUnknown, unknown } from "../model/value/value.ts";

/** Member that makes a map stand for something else. A map that has it itself is wrapped. */
const mark = "$";

/** Throws `TypeError` for what is no data, and names where that stands. */
export function encode(value: unknown): string {
  return stringifyJson(toJson(value, "$"));
}

/** Throws `JsonError` or `TypeError` for what `encode` has not written. */
export function decode(text: string): unknown {
  return fromJson(parseJson(text, { duplicateKeys: "error" }));
}

function toJson(value: unknown, path: string): JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "undefined":
      return { [mark]: "undefined" };
    case "number":
      return Number.isFinite(value) ? value : { [mark]: "number", of: String(value) };
    case "bigint":
      // Among the numbers, JSON keeps only those apart that a double cannot hold.
      return isSafe(value) ? { [mark]: "bigint", of: String(value) } : value;
    case "object":
      return value === null ? null : objectToJson(value, path);
    default:
      throw new TypeError(`${path} is a ${typeof value}, which cannot travel`);
  }
}

function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}

function objectToJson(value: object, path: string): JsonValue {
  if (isUnknown(value)) return { [mark]: "unknown" };
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => toJson(item, `${path}[${index}]`));
  }
  if (value instanceof Uint8Array) {
    return { [mark]: "bytes", of: Buffer.from(value).toString("base64") };
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    throw new TypeError(`${path} is an instance of a class, which cannot travel`);
  }
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [[name, toJson(member, `${path}.${name}`)] as const],
  );
  const map = Object.fromEntries(members);
  return Object.hasOwn(map, mark) ? { [mark]: "map", of: map } : map;
}

function fromJson(json: JsonValue): unknown {
  if (json === null || typeof json !== "object") return json;
  if (isList(json)) return json.map(fromJson);
  if (!Object.hasOwn(json, mark)) return mapFrom(json);
  const { [mark]: kind, of } = json;
  switch (kind) {
    case "undefined":
      return undefined;
    case "unknown":
      return unknown;
    case "number":
      return Number(textIn(of));
    case "bigint":
      return BigInt(textIn(of));
    case "bytes":
      return new Uint8Array(Buffer.from(textIn(of), "base64"));
    case "map":
      return mapFrom(of);
    default:
      throw new TypeError("a value is of a kind that is not known");
  }
}

function mapFrom(json: JsonValue | undefined): { readonly [name: string]: unknown } {
  if (json === null || typeof json !== "object" || isList(json)) {
    throw new TypeError("a map is none");
  }
  // Not by assignment: `__proto__` is a name like others.
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [name, fromJson(item)]));
}

function textIn(json: JsonValue | undefined): string {
  if (typeof json !== "string") throw new TypeError("a text is none");
  return json;
}

function isList(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json);
}
