/**
 * What the language has beyond the CEL library. All of it is pure: no clock, no randomness, no
 * files.
 *
 * - Operators: `+ - * /` and `== !=` between an integer and a number; `== null` and `!= null` for
 *   every type, since any attribute may be unset.
 * - Texts: `lower()`, `upper()`, `replace(from, to)` (every place), `padStart(width, fill)`.
 * - Lists: `sort()` (texts by code unit, or numbers), `distinct()`, `flatten()` (one level).
 * - Maps: `keys()`, `values()`, `merge(first, second)` (the second wins).
 * - Numbers: `range(n)` (0 to n-1), `min(list)`, `max(list)`.
 *
 * The library itself has `size`, `contains`, `startsWith`, `endsWith`, `matches`, `indexOf`,
 * `substring`, `trim`, `split`, `join`, `string`, `int`, `double`, `bool`, `type`, `duration`,
 * `timestamp`, the macros `has`, `all`, `exists`, `exists_one`, `map`, `filter`, `cel.bind`, and
 * optional access (`m.?key.orValue(x)`).
 */

import { type Environment, EvaluationError } from "@marcbachmann/cel-js";

/** Bounds what one short expression can make. */
const rangeMax = 100_000n;
const padWidthMax = 10_000n;

type CelMap = ReadonlyMap<string, unknown> | { readonly [name: string]: unknown };

export function registerFunctions(environment: Environment): void {
  registerMixedNumbers(environment);
  registerNullEquality(environment, ["string", "int", "double", "bool", "list", "map"]);
  registerTextFunctions(environment);
  registerListFunctions(environment);
  registerMapFunctions(environment);
}

/** Makes `x == null` legal for a type: without it the type checker refuses the comparison. */
export function registerNullEquality(environment: Environment, types: readonly string[]): void {
  for (const type of types) environment.registerOperator(`${type} == null`, () => false);
}

function registerMixedNumbers(environment: Environment): void {
  const operators: { readonly [op: string]: (left: number, right: number) => number } = {
    "+": (left, right) => left + right,
    "-": (left, right) => left - right,
    "*": (left, right) => left * right,
    "/": (left, right) => left / right,
  };
  for (const [op, compute] of Object.entries(operators)) {
    environment.registerOperator(`int ${op} double: double`, (left: bigint, right: number) =>
      compute(Number(left), right),
    );
    environment.registerOperator(`double ${op} int: double`, (left: number, right: bigint) =>
      compute(left, Number(right)),
    );
  }
  // `==` between bigint and number compares exactly, without rounding either of them.
  environment.registerOperator(
    "int == double",
    (left: bigint | number, right: number) => left == right,
  );
}

function registerTextFunctions(environment: Environment): void {
  define(environment, "string.lower(): string", (text: string) => text.toLowerCase());
  define(environment, "string.upper(): string", (text: string) => text.toUpperCase());
  define(
    environment,
    "string.replace(string, string): string",
    (text: string, from: string, to: string) => text.replaceAll(from, () => to),
  );
  define(
    environment,
    "string.padStart(int, string): string",
    (text: string, width: bigint, fill: string) => {
      if (width > padWidthMax)
        throw failure(`the function padStart() takes a width up to ${padWidthMax}`);
      return text.padStart(Number(width), fill);
    },
  );
}

function registerListFunctions(environment: Environment): void {
  define(environment, "list.sort(): list<dyn>", (list: Iterable<unknown>) =>
    sorted("sort()", list),
  );
  define(environment, "list.distinct(): list<dyn>", (list: Iterable<unknown>) => {
    const items = [...list];
    if (items.some((item) => typeof item === "object" && item !== null)) {
      throw failure("the function distinct() takes a list of texts, numbers and booleans");
    }
    return [...new Map(items.map((item) => [scalarKey(item), item])).values()];
  });
  define(environment, "list.flatten(): list<dyn>", (list: Iterable<unknown>) =>
    [...list].flatMap((item) => (isList(item) ? [...item] : [item])),
  );
  define(environment, "range(int): list<int>", (count: bigint) => {
    if (count < 0n || count > rangeMax)
      throw failure(`the function range() takes 0 to ${rangeMax}`);
    return Array.from({ length: Number(count) }, (_, index) => BigInt(index));
  });
  define(environment, "min(list): dyn", (list: Iterable<unknown>) => extreme("min()", list, 0));
  define(environment, "max(list): dyn", (list: Iterable<unknown>) => extreme("max()", list, -1));
}

function registerMapFunctions(environment: Environment): void {
  define(environment, "map.keys(): list<string>", (map: CelMap) => entriesOf(map).keys);
  define(environment, "map.values(): list<dyn>", (map: CelMap) => {
    const { keys, get } = entriesOf(map);
    return keys.map(get);
  });
  define(environment, "merge(map, map): map", (first: CelMap, second: CelMap) => {
    const merged = new Map<string, unknown>();
    for (const { keys, get } of [entriesOf(first), entriesOf(second)]) {
      for (const key of keys) merged.set(key, get(key));
    }
    return merged;
  });
}

/** The signature is what makes the library call the handler with values of its parameter types. */
function define(
  environment: Environment,
  signature: string,
  handler: (...values: never[]) => unknown,
): void {
  environment.registerFunction(signature, handler, { async: false });
}

function entriesOf(map: CelMap): { keys: string[]; get: (key: string) => unknown } {
  if (isMap(map)) return { keys: [...map.keys()], get: (key) => map.get(key) };
  return { keys: Object.keys(map), get: (key) => map[key] };
}

/** Equal for equal scalars: an integer and a number of the same size share a key. */
function scalarKey(item: unknown): string {
  const kind = isNumber(item) ? "number" : typeof item;
  return `${kind} ${String(item)}`;
}

function isMap(map: CelMap): map is ReadonlyMap<string, unknown> {
  return map instanceof Map;
}

function extreme(name: string, list: Iterable<unknown>, at: 0 | -1): unknown {
  const items = sorted(name, list);
  if (items.length === 0) throw failure(`the function ${name} needs at least one element`);
  return items.at(at);
}

function sorted(name: string, list: Iterable<unknown>): unknown[] {
  const items = [...list];
  if (items.every((item) => typeof item === "string")) return items.sort(compare);
  if (items.every((item) => isNumber(item))) return items.sort(compare);
  throw failure(`the function ${name} takes a list of texts or a list of numbers`);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isNumber(value: unknown): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

function compare<Item extends string | bigint | number>(left: Item, right: Item): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

function failure(message: string): EvaluationError {
  return new EvaluationError({ code: "invalid_argument", message });
}
