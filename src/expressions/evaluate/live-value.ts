/**
 * Planned values as CEL sees them. Maps and lists are read lazily: a leaf that is unknown throws
 * when it is touched and a sensitive one leaves its mark, so that an operator or macro which does
 * not look at a value is not affected by it.
 *
 * The CEL library looks at the first member of a map or list to choose an overload. That must not
 * count as touching: a map answers `entries()`, and a list `values()`, as if it were empty. The
 * library calls these two for nothing else; tests hold that.
 */

import { Optional } from "@marcbachmann/cel-js";
import { isUnknown, type PlannedAttributes, type PlannedValue } from "../../model/value/value.ts";
import type { Run } from "./run.ts";
import { stepPath } from "./scope.ts";
import { isPlannedList, isPlannedMap, type ValueKind } from "./value-kind.ts";

/** Thrown when an unknown leaf is touched: the expression is not known yet. Not a mistake. */
export class UnknownTouched extends Error {
  constructor() {
    super("an unknown value was touched");
    this.name = "UnknownTouched";
  }
}

/** Thrown for a mistake that only these values can see. */
export class LiveValueError extends Error {}

/** Where the members of a live map come from. */
export type MapReader = {
  /** CEL value of a member; undefined when there is none. Throws when it is unknown. */
  readonly get: (name: string) => unknown;
  readonly names: () => Iterable<string>;
  readonly size: () => number;
  readonly has: (name: string) => boolean;
  /** The map as a value, unknown leaves kept; marks what is sensitive within. */
  readonly plain: () => PlannedValue;
};

/** One for all: making an error is slow, and this one is made for each unknown leaf touched. */
const unknownTouched = new UnknownTouched();
/** How to turn a live list back into a value. */
const plainOfList = new WeakMap<object, () => PlannedValue>();

/** A map for CEL. Takes no part in writing: nothing in CEL writes. */
export class LiveMap extends Map<string, unknown> {
  readonly #reader: MapReader;

  constructor(reader: MapReader) {
    super();
    this.#reader = reader;
  }

  override get(name: unknown): unknown {
    return typeof name === "string" ? this.#reader.get(name) : undefined;
  }

  override has(name: unknown): boolean {
    return typeof name === "string" && this.#reader.has(name);
  }

  override keys(): MapIterator<string> {
    return [...this.#reader.names()][Symbol.iterator]();
  }

  override get size(): number {
    return this.#reader.size();
  }

  override entries(): MapIterator<[string, unknown]> {
    return ([] as [string, unknown][])[Symbol.iterator]();
  }

  override *[Symbol.iterator](): MapIterator<[string, unknown]> {
    for (const name of this.#reader.names()) yield [name, this.#reader.get(name)];
  }

  plain(): PlannedValue {
    return this.#reader.plain();
  }
}

// The library takes an object for a map when its constructor is Map itself.
Object.defineProperty(LiveMap.prototype, "constructor", { value: Map });

/** Throws `UnknownTouched` and remembers that it did. */
export function touchUnknown(run: Run): never {
  run.unknown = true;
  throw unknownTouched;
}

/** The CEL value of a planned value that stands at `path`, which counts as touched. */
export function toLive(value: PlannedValue, path: string, run: Run): unknown {
  if (run.sensitivePaths.has(path)) run.sensitive = true;
  if (isUnknown(value)) return touchUnknown(run);
  if (typeof value === "number") return toCelNumber(value, run.doublePaths.has(path));
  if (isPlannedMap(value)) return new LiveMap(valueReader(value, path, run));
  if (!isPlannedList(value)) return value;
  const element = (index: number): unknown =>
    toLive(value[index] ?? null, stepPath(path, index), run);
  return liveList(value.length, element, () => touchAll(value, path, run));
}

/** An integral JavaScript number is an integer in CEL, unless it was declared `number`. */
export function toCelNumber(value: number, double: boolean): bigint | number {
  return !double && Number.isInteger(value) ? BigInt(value) : value;
}

export function valueReader(value: PlannedAttributes, path: string, run: Run): MapReader {
  return {
    get: (name) =>
      Object.hasOwn(value, name)
        ? toLive(value[name] ?? null, stepPath(path, name), run)
        : undefined,
    names: () => Object.keys(value),
    size: () => Object.keys(value).length,
    has: (name) => Object.hasOwn(value, name),
    plain: () => touchAll(value, path, run),
  };
}

/**
 * A list for CEL whose elements are made on demand. The target stays empty: a proxy may not answer
 * for the elements of a frozen array.
 */
export function liveList(
  length: number,
  element: (index: number) => unknown,
  plain: () => PlannedValue,
): unknown {
  const list = new Proxy<unknown[]>([], {
    get(target, property, receiver): unknown {
      if (property === "length") return length;
      if (property === "values") return () => [][Symbol.iterator]();
      const index = typeof property === "string" ? Number(property) : Number.NaN;
      if (Number.isInteger(index) && index >= 0 && index < length) return element(index);
      return Reflect.get(target, property, receiver);
    },
    // Not `instanceof Array`: else the library would look at the first element to choose overloads.
    getPrototypeOf: () => Object.prototype,
  });
  plainOfList.set(list, plain);
  return list;
}

/** The value itself; marks the run when anything in it is sensitive. */
export function touchAll(value: PlannedValue, path: string, run: Run): PlannedValue {
  if (run.sensitivePaths.size === 0) return value;
  if (run.sensitivePaths.has(path)) run.sensitive = true;
  if (isPlannedList(value)) {
    for (const [index, item] of value.entries()) touchAll(item, stepPath(path, index), run);
  } else if (isPlannedMap(value)) {
    for (const [name, item] of Object.entries(value)) touchAll(item, stepPath(path, name), run);
  }
  return value;
}

/** A CEL result as a planned value. Throws `LiveValueError` for what no attribute can hold. */
export function fromLive(result: unknown): {
  readonly value: PlannedValue;
  readonly kind: ValueKind;
} {
  switch (typeof result) {
    case "string":
      return { value: result, kind: "string" };
    case "boolean":
      return { value: result, kind: "boolean" };
    case "bigint":
      return { value: fromInteger(result), kind: "integer" };
    case "number":
      if (Number.isFinite(result)) return { value: result, kind: "number" };
      throw new LiveValueError("The result is not a finite number.");
    case "object":
      return result === null ? { value: null, kind: "null" } : fromLiveObject(result);
    default:
      throw new LiveValueError("The result is not a value that an attribute can hold.");
  }
}

function fromLiveObject(result: object): { value: PlannedValue; kind: ValueKind } {
  if (result instanceof LiveMap) return { value: result.plain(), kind: "map" };
  if (Array.isArray(result)) {
    const plain = plainOfList.get(result);
    if (plain !== undefined) return { value: plain(), kind: "list" };
    return { value: result.map((item: unknown) => fromLive(item).value), kind: "list" };
  }
  if (result instanceof Map) return { value: fromEntries(result.entries()), kind: "map" };
  if (result instanceof Optional) {
    return result.hasValue() ? fromLive(result.value()) : { value: null, kind: "null" };
  }
  if (result.constructor === Object) {
    return { value: fromEntries(Object.entries(result)), kind: "map" };
  }
  // Unsigned integers of CEL: an object that stands for a bigint.
  const primitive: unknown = result.valueOf();
  if (typeof primitive === "bigint") return { value: fromInteger(primitive), kind: "integer" };
  throw new LiveValueError("The result is not a value that an attribute can hold.");
}

function fromEntries(entries: Iterable<[unknown, unknown]>): PlannedValue {
  return Object.fromEntries<PlannedValue>(
    [...entries].map(([name, item]) => [String(name), fromLive(item).value]),
  );
}

function fromInteger(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}
