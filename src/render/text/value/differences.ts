/** What differs between two texts, by line, and between two lists, by item. Pure. */

import { diffArrays, diffLines } from "diff";
import {
  equalValues,
  isList,
  isMap,
  memberOf,
  type PlannedValue,
} from "../../../model/value/value.ts";

/** Lines that go, come or stay; `text` ends with a newline. */
export type LineChange = { readonly symbol: "+" | "-" | " "; readonly text: string };

/**
 * Differences that are looked for: the search takes time by their square. Texts and lists that have
 * more of them have little in common, and are told as gone and come.
 */
const editsMax = 1000;

/** Both texts end with a newline. */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const parts = diffLines(before, after, { maxEditLength: editsMax });
  if (parts === undefined) {
    return [
      { symbol: "-", text: before },
      { symbol: "+", text: after },
    ];
  }
  return parts.map(({ added, removed, value }) => {
    return { symbol: added ? "+" : removed ? "-" : " ", text: value };
  });
}

export type ItemEdit =
  | { readonly kind: "gone" | "come"; readonly value: PlannedValue }
  /** The same item elsewhere; places are counted from 0. */
  | {
      readonly kind: "moved";
      readonly value: PlannedValue;
      readonly from: number;
      readonly to: number;
    }
  /** A map or list that differs within. `at` is its place in the new list. */
  | {
      readonly kind: "changed";
      readonly before: PlannedValue;
      readonly after: PlannedValue;
      readonly at: number;
    };

export type ItemEdits = { readonly items: readonly ItemEdit[]; readonly unchanged: number };

/** An item in its place. */
type Placed = { readonly value: PlannedValue; readonly at: number };
type Run = { readonly gone: readonly Placed[]; readonly come: readonly Placed[] };

/** In the order of the new list; what goes stands where it was. */
export function itemEdits(
  before: readonly PlannedValue[],
  after: readonly PlannedValue[],
): ItemEdits {
  const { runs, unchanged } = runsOf(before, after);
  const { from, to } = movesBetween(runs);
  const items = runs.flatMap(({ gone, come }): ItemEdit[] => {
    const left = gone.filter((item) => !from.has(item));
    const pairs = changedPairs(
      left,
      come.filter((item) => !to.has(item)),
    );
    const paired = new Set([...pairs.values()]);
    return [
      ...left.flatMap((item): ItemEdit[] =>
        paired.has(item) ? [] : [{ kind: "gone", value: item.value }],
      ),
      ...come.map((item): ItemEdit => {
        const { value, at } = item;
        const source = to.get(item);
        if (source !== undefined) return { kind: "moved", value, from: source.at, to: at };
        const old = pairs.get(item);
        if (old !== undefined) return { kind: "changed", before: old.value, after: value, at };
        return { kind: "come", value };
      }),
    ];
  });
  return { items, unchanged };
}

/** Stretches of items that go and come in one place. */
function runsOf(
  before: readonly PlannedValue[],
  after: readonly PlannedValue[],
): { readonly runs: readonly Run[]; readonly unchanged: number } {
  const parts = diffArrays([...before], [...after], {
    comparator: equalValues,
    maxEditLength: editsMax,
  });
  if (parts === undefined) {
    return { runs: [{ gone: placed(before, 0), come: placed(after, 0) }], unchanged: 0 };
  }
  const runs: Run[] = [];
  let run: { gone: Placed[]; come: Placed[] } = { gone: [], come: [] };
  let [old, wanted, unchanged] = [0, 0, 0];
  for (const { added, removed, value } of parts) {
    if (removed) run.gone.push(...placed(value, old));
    else if (added) run.come.push(...placed(value, wanted));
    else {
      runs.push(run);
      run = { gone: [], come: [] };
      unchanged += value.length;
    }
    if (!added) old += value.length;
    if (!removed) wanted += value.length;
  }
  return { runs: [...runs, run], unchanged };
}

function placed(values: readonly PlannedValue[], start: number): Placed[] {
  return values.map((value, index) => ({ value, at: start + index }));
}

/** What goes in one place and comes in another; each item once. */
function movesBetween(runs: readonly Run[]): {
  readonly from: ReadonlySet<Placed>;
  readonly to: ReadonlyMap<Placed, Placed>;
} {
  const from = new Set<Placed>();
  const to = new Map<Placed, Placed>();
  const left = new Map<string, Placed[]>();
  for (const item of runs.flatMap(({ gone }) => gone)) {
    const key = keyOf(item.value);
    left.set(key, [...(left.get(key) ?? []), item]);
  }
  for (const item of runs.flatMap(({ come }) => come)) {
    const candidates = left.get(keyOf(item.value)) ?? [];
    const source = candidates.find((one) => !from.has(one) && equalValues(one.value, item.value));
    if (source === undefined) continue;
    from.add(source);
    to.set(item, source);
  }
  return { from, to };
}

/** Equal of equal values, so that not each has to be held against each. */
function keyOf(value: PlannedValue): string {
  if (value === null || typeof value !== "object") return `${typeof value} ${String(value)}`;
  if (isList(value)) return `list ${value.length}`;
  return `map ${Object.keys(value).toSorted().join()}`;
}

/** Members by which people tell one item of a list from another. */
const identifying = ["id", "key", "name", "label", "purpose"] as const;

/** The old item of each new one that is the same in another form. */
function changedPairs(
  gone: readonly Placed[],
  come: readonly Placed[],
): ReadonlyMap<Placed, Placed> {
  const pairs = new Map<Placed, Placed>();
  const free = new Set(gone);
  for (const item of come) {
    const old = [...free].find((one) => isSameItem(one.value, item.value));
    if (old === undefined) continue;
    free.delete(old);
    pairs.set(item, old);
  }
  return pairs;
}

function isSameItem(left: PlannedValue, right: PlannedValue): boolean {
  if (!isMap(left) || !isMap(right)) return false;
  for (const name of identifying) {
    const [one, other] = [memberOf(left, name), memberOf(right, name)];
    if (one !== undefined || other !== undefined) return equalValues(one ?? null, other ?? null);
  }
  const names = Object.keys(right);
  return names.some((name) =>
    equalValues(memberOf(left, name) ?? null, memberOf(right, name) ?? null),
  );
}

/** Names of members that differ, in order, and how many do not. */
export function memberEdits(
  before: { readonly [name: string]: PlannedValue },
  after: { readonly [name: string]: PlannedValue },
): { readonly names: readonly string[]; readonly unchanged: number } {
  const all = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const names = all.filter(
    (name) => !equalValues(memberOf(before, name) ?? null, memberOf(after, name) ?? null),
  );
  return { names, unchanged: all.length - names.length };
}
