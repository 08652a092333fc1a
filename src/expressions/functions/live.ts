/** Values of CEL as functions see them: lists and maps of several makes, read alike. */

import type { JsonValue } from "../../lib/json.ts";
import { failure } from "./function-entry.ts";

export type CelMap = ReadonlyMap<string, unknown> | { readonly [name: string]: unknown };

export type MapView = {
  readonly keys: readonly string[];
  readonly get: (key: string) => unknown;
  readonly has: (key: string) => boolean;
};

/** Values are looked at when they are asked for, since touching an unknown one ends it all. */
export function viewOf(map: CelMap): MapView {
  if (map instanceof Map) {
    const own: ReadonlyMap<unknown, unknown> = map;
    const keys = [...own.keys()];
    for (const key of keys) {
      if (typeof key !== "string") throw failure("the keys of the map must be texts");
    }
    return { keys: keys.map(String), get: (key) => own.get(key), has: (key) => own.has(key) };
  }
  const own = new Map(Object.entries(map));
  return {
    keys: [...own.keys()],
    get: (key) => own.get(key),
    has: (key) => own.has(key),
  };
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isMap(value: unknown): value is CelMap {
  if (typeof value !== "object" || value === null || isList(value)) return false;
  return value instanceof Map || Object.getPrototypeOf(value) === Object.prototype;
}

export function isNumber(value: unknown): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

/** The same value with everything in it touched, as maps and lists of its own. */
export function touched(value: unknown): unknown {
  if (isList(value)) return Array.from(value, (item) => touched(item));
  if (!isMap(value)) return value;
  const { keys, get } = viewOf(value);
  return new Map(keys.map((key) => [key, touched(get(key))]));
}

/** As JSON has it: an integer stays exact. Throws for what has no form there. */
export function toJson(name: string, value: unknown): JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw failure(`${name} takes finite numbers only`);
    default:
      break;
  }
  if (value === null) return null;
  if (isList(value)) return Array.from(value, (item) => toJson(name, item));
  if (!isMap(value)) throw failure(`${name} takes texts, numbers, booleans, lists and maps`);
  const { keys, get } = viewOf(value);
  return Object.fromEntries(keys.map((key) => [key, toJson(name, get(key))]));
}

/** The value of CEL that stands for what was decoded: integral numbers are integers. */
export function fromJson(value: JsonValue): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => fromJson(item));
  return new Map(Object.entries(value).map(([name, item]) => [name, fromJson(item)]));
}

/** Equal for equal values, be they lists and maps: an integer and a number of one size share it. */
export function identityOf(value: unknown): string {
  if (isNumber(value)) return `number ${value}`;
  if (isList(value)) return `[${Array.from(value, (item) => identityOf(item)).join(",")}]`;
  if (!isMap(value)) return `${typeof value} ${JSON.stringify(String(value))}`;
  const { keys, get } = viewOf(value);
  const members = keys.toSorted().map((key) => `${JSON.stringify(key)}:${identityOf(get(key))}`);
  return `{${members.join(",")}}`;
}
