/** Functions of maps. */

import { boundList, type FunctionEntry, failure } from "./function-entry.ts";
import { type CelMap, viewOf } from "./live.ts";

export const mapFunctions: readonly FunctionEntry[] = [
  {
    name: "keys",
    group: "Maps",
    form: "map.keys()",
    sentence: "The keys, in the order of the map.",
    examples: [{ expression: '{"a": 1, "b": 2}.keys()', value: '["a","b"]' }],
    overloads: { "map.keys(): list<string>": (map: CelMap) => viewOf(map).keys },
  },
  {
    name: "values",
    group: "Maps",
    form: "map.values()",
    sentence: "The values, in the order of the map.",
    examples: [{ expression: '{"a": 1, "b": 2}.values()', value: "[1,2]" }],
    overloads: {
      "map.values(): list<dyn>": (map: CelMap) => {
        const { keys, get } = viewOf(map);
        return keys.map(get);
      },
    },
  },
  {
    name: "entries",
    group: "Maps",
    form: "map.entries()",
    sentence: "A map with `key` and `value` for each entry; `toMap()` makes a map of them again.",
    examples: [
      {
        expression: '{"a": 1, "b": 2}.entries().filter(e, e.value > 1).toMap()',
        value: '{"b":2}',
      },
    ],
    overloads: {
      "map.entries(): list<dyn>": (map: CelMap) => {
        const { keys, get } = viewOf(map);
        return keys.map(
          (key) =>
            new Map([
              ["key", key],
              ["value", get(key)],
            ]),
        );
      },
    },
  },
  {
    name: "get",
    group: "Maps",
    form: "map.get(key, fallback)",
    sentence: "The value of a key, or the fallback where the map has no such key.",
    examples: [
      { expression: '{"a": 1}.get("a", 0)', value: "1" },
      { expression: '{"a": 1}.get("b", 0)', value: "0" },
    ],
    overloads: {
      "map.get(string, dyn): dyn": (map: CelMap, key: string, fallback: unknown) => {
        const { has, get } = viewOf(map);
        return has(key) ? get(key) : fallback;
      },
    },
  },
  {
    name: "merge",
    group: "Maps",
    form: "merge(first, second), up to four maps",
    sentence: "The entries of all maps; of equal keys, the last wins.",
    examples: [
      { expression: 'merge({"a": 1, "b": 1}, {"b": 2})', value: '{"a":1,"b":2}' },
      { expression: 'merge({"a": 1}, {}, {"a": 3})', value: '{"a":3}' },
    ],
    overloads: {
      "merge(map, map): map": merge,
      "merge(map, map, map): map": merge,
      "merge(map, map, map, map): map": merge,
    },
  },
  {
    name: "pick",
    group: "Maps",
    form: "map.pick(keys)",
    sentence: "The entries of these keys; what the map does not have is left out.",
    examples: [{ expression: '{"a": 1, "b": 2}.pick(["a", "c"])', value: '{"a":1}' }],
    overloads: {
      "map.pick(list): map": (map: CelMap, keys: Iterable<unknown>) => chosen(map, keys, true),
    },
  },
  {
    name: "omit",
    group: "Maps",
    form: "map.omit(keys)",
    sentence: "The entries of all other keys.",
    examples: [{ expression: '{"a": 1, "b": 2}.omit(["a"])', value: '{"b":2}' }],
    overloads: {
      "map.omit(list): map": (map: CelMap, keys: Iterable<unknown>) => chosen(map, keys, false),
    },
  },
  {
    name: "zipmap",
    group: "Maps",
    form: "zipmap(keys, values)",
    sentence: "A map of a list of keys and a list of as many values.",
    examples: [{ expression: 'zipmap(["a", "b"], [1, 2])', value: '{"a":1,"b":2}' }],
    overloads: {
      "zipmap(list, list): map": (keys: Iterable<unknown>, values: Iterable<unknown>) => {
        const [names, items] = [textsOf("zipmap()", keys), [...values]];
        if (names.length !== items.length) {
          throw failure(`zipmap() has ${names.length} keys and ${items.length} values`);
        }
        if (new Set(names).size < names.length) throw failure("zipmap() has one key twice");
        return new Map(names.map((name, at) => [name, items[at]]));
      },
    },
  },
];

function merge(...maps: readonly CelMap[]): ReadonlyMap<string, unknown> {
  const merged = new Map<string, unknown>();
  for (const { keys, get } of maps.map(viewOf)) {
    for (const key of keys) merged.set(key, get(key));
    boundList("merge()", merged.size);
  }
  return merged;
}

function chosen(map: CelMap, keys: Iterable<unknown>, isWanted: boolean): CelMap {
  const named = new Set(textsOf(isWanted ? "pick()" : "omit()", keys));
  const { keys: own, get } = viewOf(map);
  return new Map(own.filter((key) => named.has(key) === isWanted).map((key) => [key, get(key)]));
}

function textsOf(name: string, list: Iterable<unknown>): readonly string[] {
  return Array.from(list, (item) => {
    if (typeof item === "string") return item;
    throw failure(`the keys of ${name} must be texts`);
  });
}
