/** Functions of lists. A set is a list without the same element twice. */

import { boundList, type FunctionEntry, failure, within } from "./function-entry.ts";
import { listLengthMax } from "./limits.ts";
import { identityOf, isList, isMap, isNumber, viewOf } from "./live.ts";

type List = Iterable<unknown>;

export const listFunctions: readonly FunctionEntry[] = [
  {
    name: "sort",
    group: "Lists",
    form: "list.sort()",
    sentence: "Texts in the order of their characters, or numbers by size.",
    examples: [{ expression: "[3, 1, 2].sort()", value: "[1,2,3]" }],
    overloads: { "list.sort(): list<dyn>": (list: List) => sorted("sort()", list) },
  },
  {
    name: "distinct",
    group: "Lists",
    form: "list.distinct()",
    sentence: "Each element once, in the order of their first places.",
    examples: [{ expression: '["a", "b", "a"].distinct()', value: '["a","b"]' }],
    overloads: { "list.distinct(): list<dyn>": (list: List) => distinct([...list]) },
  },
  {
    name: "flatten",
    group: "Lists",
    form: "list.flatten()",
    sentence: "The elements of the lists in it, one level deep.",
    examples: [{ expression: "[[1, 2], [3]].flatten()", value: "[1,2,3]" }],
    overloads: { "list.flatten(): list<dyn>": flatten },
  },
  {
    name: "reverse",
    group: "Lists",
    form: "list.reverse()",
    sentence: "The elements from last to first.",
    examples: [{ expression: "[1, 2, 3].reverse()", value: "[3,2,1]" }],
    overloads: { "list.reverse(): list<dyn>": (list: List) => [...list].toReversed() },
  },
  {
    name: "slice",
    group: "Lists",
    form: "list.slice(from, to)",
    sentence: "The elements from the place `from`, counted from 0, to the one before `to`.",
    examples: [{ expression: '["a", "b", "c"].slice(1, 3)', value: '["b","c"]' }],
    overloads: {
      "list.slice(int, int): list<dyn>": (list: List, from: bigint, to: bigint) => {
        const items = [...list];
        const end = within("the end of slice()", to, 0, items.length);
        return items.slice(within("the begin of slice()", from, 0, end), end);
      },
    },
  },
  {
    name: "indexOf",
    group: "Lists",
    form: "list.indexOf(element)",
    sentence: "The first place of an element, counted from 0; -1 when it is not there.",
    examples: [{ expression: '["a", "b"].indexOf("b")', value: "1" }],
    overloads: {
      "list.indexOf(dyn): int": (list: List, wanted: unknown) => {
        const identity = identityOf(wanted);
        return BigInt([...list].findIndex((item) => identityOf(item) === identity));
      },
    },
  },
  {
    name: "compact",
    group: "Lists",
    form: "list.compact()",
    sentence: "The elements that are neither null nor an empty text.",
    examples: [{ expression: '["a", "", null].compact()', value: '["a"]' }],
    overloads: {
      "list.compact(): list<dyn>": (list: List) =>
        [...list].filter((item) => item !== null && item !== ""),
    },
  },
  {
    name: "chunks",
    group: "Lists",
    form: "list.chunks(size)",
    sentence: "Lists of so many elements each; the last has what is left.",
    examples: [{ expression: "[1, 2, 3].chunks(2)", value: "[[1,2],[3]]" }],
    overloads: {
      "list.chunks(int): list<dyn>": (list: List, size: bigint) => {
        const items = [...list];
        const step = within("the size of chunks()", size, 1, listLengthMax);
        const count = Math.ceil(items.length / step);
        return Array.from({ length: count }, (_, at) => items.slice(at * step, (at + 1) * step));
      },
    },
  },
  {
    name: "union",
    group: "Lists",
    form: "list.union(other)",
    sentence: "What is in either list, each once.",
    examples: [{ expression: "[1, 2].union([2, 3])", value: "[1,2,3]" }],
    overloads: {
      "list.union(list): list<dyn>": (list: List, other: List) => distinct([...list, ...other]),
    },
  },
  {
    name: "intersect",
    group: "Lists",
    form: "list.intersect(other)",
    sentence: "What is in both lists, each once.",
    examples: [{ expression: "[1, 2].intersect([2, 3])", value: "[2]" }],
    overloads: {
      "list.intersect(list): list<dyn>": (list: List, other: List) => {
        const wanted = identities(other);
        return distinct([...list]).filter((item) => wanted.has(identityOf(item)));
      },
    },
  },
  {
    name: "subtract",
    group: "Lists",
    form: "list.subtract(other)",
    sentence: "What is in the list and not in the other, each once.",
    examples: [{ expression: "[1, 2].subtract([2, 3])", value: "[1]" }],
    overloads: {
      "list.subtract(list): list<dyn>": (list: List, other: List) => {
        const unwanted = identities(other);
        return distinct([...list]).filter((item) => !unwanted.has(identityOf(item)));
      },
    },
  },
  {
    name: "product",
    group: "Lists",
    form: "list.product(other)",
    sentence: "A list for each pair of an element with one of the other list.",
    examples: [
      {
        expression: '["a", "b"].product([1, 2])',
        value: '[["a",1],["a",2],["b",1],["b",2]]',
      },
    ],
    overloads: {
      "list.product(list): list<dyn>": (list: List, other: List) => {
        const [left, right] = [[...list], [...other]];
        boundList("product()", left.length * right.length);
        return left.flatMap((first) => right.map((second) => [first, second]));
      },
    },
  },
  {
    name: "toMap",
    group: "Lists",
    form: "list.toMap()",
    sentence:
      "A map of entries, as `entries()` gives them: maps with `key` and `value`. Each key stands " +
      "once.",
    examples: [
      {
        expression: '["a", "b"].map(n, {"key": n, "value": "vm-" + n}).toMap()',
        value: '{"a":"vm-a","b":"vm-b"}',
      },
    ],
    overloads: { "list.toMap(): map": toMap },
  },
  {
    name: "one",
    group: "Lists",
    form: "list.one()",
    sentence: "The only element of a list; null when it is empty, an error when it has several.",
    examples: [
      { expression: '["a"].one()', value: '"a"' },
      { expression: "[].one()", value: "null" },
    ],
    overloads: {
      "list.one(): dyn": (list: List) => {
        const items = [...list];
        if (items.length > 1) throw failure(`one() takes up to one element, not ${items.length}`);
        return items.length === 0 ? null : items[0];
      },
    },
  },
  {
    name: "range",
    group: "Lists",
    form: "range(count), range(from, to), range(from, to, step)",
    sentence: "Integers from 0 or `from` to the one before the end.",
    examples: [
      { expression: "range(3)", value: "[0,1,2]" },
      { expression: "range(2, 5)", value: "[2,3,4]" },
      { expression: "range(10, 4, -3)", value: "[10,7]" },
    ],
    overloads: {
      "range(int): list<int>": (count: bigint) => range(0n, count, 1n),
      "range(int, int): list<int>": (from: bigint, to: bigint) => range(from, to, 1n),
      "range(int, int, int): list<int>": range,
    },
  },
  {
    name: "min",
    group: "Numbers",
    form: "min(list), min(a, b)",
    sentence: "The smallest of numbers, or the first of texts.",
    examples: [
      { expression: "min([3, 1, 2])", value: "1" },
      { expression: "min(2, 5)", value: "2" },
    ],
    overloads: {
      "min(list): dyn": (list: List) => extreme("min()", list, 0),
      "min(dyn, dyn): dyn": (left: unknown, right: unknown) => extreme("min()", [left, right], 0),
    },
  },
  {
    name: "max",
    group: "Numbers",
    form: "max(list), max(a, b)",
    sentence: "The largest of numbers, or the last of texts.",
    examples: [
      { expression: "max([3, 1, 2])", value: "3" },
      { expression: "max(2, 5)", value: "5" },
    ],
    overloads: {
      "max(list): dyn": (list: List) => extreme("max()", list, -1),
      "max(dyn, dyn): dyn": (left: unknown, right: unknown) => extreme("max()", [left, right], -1),
    },
  },
];

function range(from: bigint, to: bigint, step: bigint): readonly bigint[] {
  if (step === 0n) throw failure("the step of range() cannot be 0");
  const span = step > 0n ? to - from : from - to;
  const size = step > 0n ? step : -step;
  if (span < 0n) throw failure("range() would never reach its end: it takes 0 or more steps");
  const count = (span + size - 1n) / size;
  if (count > BigInt(listLengthMax)) {
    throw failure(`range() makes up to ${listLengthMax} integers`);
  }
  return Array.from({ length: Number(count) }, (_, index) => from + BigInt(index) * step);
}

function flatten(list: List): readonly unknown[] {
  const flat: unknown[] = [];
  for (const item of list) {
    if (isList(item)) for (const inner of item) flat.push(inner);
    else flat.push(item);
    boundList("flatten()", flat.length);
  }
  return flat;
}

function toMap(list: List): ReadonlyMap<string, unknown> {
  const map = new Map<string, unknown>();
  for (const item of list) {
    const entry = isMap(item) ? viewOf(item) : undefined;
    const key = entry?.has("key") === true ? entry.get("key") : undefined;
    if (entry === undefined || typeof key !== "string" || !entry.has("value")) {
      throw failure("toMap() takes a list of maps with key, a text, and value");
    }
    if (map.has(key)) throw failure(`toMap() has the key ${JSON.stringify(key)} twice`);
    map.set(key, entry.get("value"));
  }
  return map;
}

function distinct(items: readonly unknown[]): readonly unknown[] {
  const found = new Map<string, unknown>();
  for (const item of items) {
    const identity = identityOf(item);
    if (!found.has(identity)) found.set(identity, item);
  }
  return [...found.values()];
}

function identities(list: List): ReadonlySet<string> {
  return new Set(Array.from(list, (item) => identityOf(item)));
}

function extreme(name: string, list: List, at: 0 | -1): unknown {
  const items = sorted(name, list);
  if (items.length === 0) throw failure(`the function ${name} needs at least one element`);
  return items.at(at);
}

function sorted(name: string, list: List): unknown[] {
  const items = [...list];
  if (items.every((item) => typeof item === "string")) return items.sort(compare);
  if (items.every((item) => isNumber(item))) return items.sort(compare);
  throw failure(`the function ${name} takes a list of texts or a list of numbers`);
}

function compare<Item extends string | bigint | number>(left: Item, right: Item): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}
