/** Narrowing of values: a reply, a handle or facts of a saved plan may be anything. */

import type { Attributes, Value, ValueMap } from "../../model/value.ts";

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

function listOf(value: Value | undefined): readonly Value[] {
  return isList(value) ? value : [];
}

/** Members of a list that are maps. */
export function mapsIn(value: Value | undefined): readonly Attributes[] {
  return listOf(value).filter((item) => isMap(item));
}

/** A member that is a text. */
export function textIn(value: Value | undefined, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === "string" ? text : undefined;
}

/** Texts of a member that is a list. */
export function textsIn(value: Value | undefined, name: string): readonly string[] {
  return listOf(memberOf(value, name)).filter((item) => typeof item === "string");
}

/** A member that is a number. */
export function numberIn(value: Value | undefined, name: string): number | undefined {
  const number = memberOf(value, name);
  return typeof number === "number" ? number : undefined;
}
