/** Narrowing of values: every reply is read as one before it is anything more. */

import type { Value, ValueMap } from "../../../model/value.ts";

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: unknown): value is ValueMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own member: a partition may be called `constructor`. */
export function memberOf(value: Value | undefined, name: string): Value | undefined {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
