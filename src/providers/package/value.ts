/**
 * Values at the door of a package: what comes in is copied, so that nobody can change it later, and
 * what is no JSON is refused with its place.
 */

import { isUnknown, type PlannedValue } from "../../model/value/value.ts";

/** Why something is no value, with its place, as a clause. */
export class NoValue extends Error {}

const depthMax = 100;

/** A frozen copy. Members that are `undefined` are left out. Throws `NoValue`. */
export function copyOf(value: unknown, at: string, depth = 0): PlannedValue {
  if (depth > depthMax) throw new NoValue(`${at} is nested without an end`);
  if (value === null || isUnknown(value)) return value;
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      if (Number.isFinite(value)) return value;
      throw new NoValue(`${at} is ${value}, which is no JSON`);
    case "object":
      break;
    default:
      throw new NoValue(`${at} is ${typeof value}, which is no JSON`);
  }
  if (Array.isArray(value)) {
    return Object.freeze(
      value.map((item: unknown, index) => copyOf(item, `${at}[${index}]`, depth + 1)),
    );
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new NoValue(`${at} is an object of a class, which is no JSON`);
  }
  const members = Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    member === undefined ? [] : [[name, copyOf(member, `${at}.${name}`, depth + 1)] as const],
  );
  return Object.freeze(Object.fromEntries(members));
}

/** A frozen copy of what is handed to a package: it can change nothing of ours. */
export function lent<T>(value: T): T {
  if (value === undefined) return value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy is of the same kind
  return copyOf(value, "what it is given") as T;
}
