/** Values that flow between configuration, plan, recorded state and providers. */

/**
 * A JSON-like value. Integers beyond 2^53 are `bigint`, every other number is `number`; readers
 * (`lib/json`) and writers keep that rule, so a value survives unchanged.
 */
export type Value = null | boolean | string | number | bigint | readonly Value[] | ValueMap;
export type ValueMap = { readonly [name: string]: Value };

/** Attributes of one object, by name. An absent name and `null` both mean "not set". */
export type Attributes = { readonly [name: string]: Value };

// Registered: what a provider package has of this file is a copy.
const unknownBrand: unique symbol = Symbol.for("vmform.unknown");

/** A value that only exists after an earlier operation ("known after apply"). */
export type Unknown = { readonly [unknownBrand]: true };

export const unknown: Unknown = Object.freeze({ [unknownBrand]: true as const });

/** A value in which any leaf may still be unknown. */
export type PlannedValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | Unknown
  | readonly PlannedValue[]
  | { readonly [name: string]: PlannedValue };
export type PlannedAttributes = { readonly [name: string]: PlannedValue };

export function isUnknown(value: unknown): value is Unknown {
  return typeof value === "object" && value !== null && unknownBrand in value;
}

/** True when no leaf of the value is unknown. */
export function isKnown(value: PlannedValue): value is Value {
  if (isUnknown(value)) return false;
  if (value === null || typeof value !== "object") return true;
  return Object.values(value).every((item) => isKnown(item));
}

/**
 * Structural equality. Key order and absent-against-null of map members do not count; an unknown
 * leaf equals nothing, not even another unknown.
 */
export function equalValues(left: PlannedValue, right: PlannedValue): boolean {
  if (isUnknown(left) || isUnknown(right)) return false;
  if (left === right) return true;
  if (isNumeric(left) && isNumeric(right)) return left == right;
  if (left === null || right === null) return false;
  if (typeof left !== "object" || typeof right !== "object") return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalValues(item, right[index] ?? null));
  }
  return equalMaps(left as PlannedAttributes, right as PlannedAttributes);
}

export function isList(value: PlannedValue | undefined): value is readonly PlannedValue[];
export function isList(value: Value | undefined): value is readonly Value[];
export function isList(value: PlannedValue | undefined): boolean {
  return Array.isArray(value);
}

export function isMap(value: PlannedValue | undefined): value is PlannedAttributes;
export function isMap(value: unknown): value is ValueMap;
export function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isUnknown(value);
}

/** An own member of a map: names such as `constructor` are names like others. */
export function memberOf(value: Value | undefined, name: string): Value | undefined;
export function memberOf(value: PlannedValue | undefined, name: string): PlannedValue | undefined;
export function memberOf(value: PlannedValue | undefined, name: string): PlannedValue | undefined {
  const map: PlannedAttributes = isMap(value) ? value : {};
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function equalMaps(left: PlannedAttributes, right: PlannedAttributes): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  for (const name of names) {
    if (!equalValues(memberOf(left, name) ?? null, memberOf(right, name) ?? null)) return false;
  }
  return true;
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}
