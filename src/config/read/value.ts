/** What the configuration says at a place: constants and templates, evaluated often. */

import type { RootReference } from "../../expressions/evaluate/references.ts";
import type { Template } from "../../expressions/syntax/template.ts";
import { isList, isMap, type Value } from "../../model/value/value.ts";
import type { Place } from "../report.ts";
import type { Shape } from "./form/shape.ts";

export type ConfigConstant = {
  readonly kind: "constant";
  readonly value: Value;
  readonly place: Place;
};
export type ConfigTemplate = {
  readonly kind: "template";
  readonly template: Template;
  readonly references: readonly RootReference[];
  readonly shape: Shape;
  readonly place: Place;
};
/** A list or map with a template somewhere inside; without one it is a constant. */
export type ConfigList = {
  readonly kind: "list";
  readonly items: readonly ConfigValue[];
  readonly place: Place;
};
export type ConfigMap = {
  readonly kind: "map";
  readonly entries: readonly { readonly name: string; readonly value: ConfigValue }[];
  readonly place: Place;
};
export type ConfigValue = ConfigConstant | ConfigTemplate | ConfigList | ConfigMap;

/** Members of a map, of which none, or some, may hold templates; of anything else, none. */
export function membersOf(value: ConfigValue | undefined): ReadonlyMap<string, ConfigValue> {
  if (value?.kind === "map") {
    return new Map(value.entries.map(({ name, value: member }) => [name, member]));
  }
  if (value?.kind !== "constant" || !isMap(value.value)) return new Map();
  const { place } = value;
  return new Map(
    Object.entries(value.value).map(([name, member]) => [
      name,
      { kind: "constant", value: member, place },
    ]),
  );
}

/** The same of a list. */
export function itemsOf(value: ConfigValue | undefined): readonly ConfigValue[] {
  if (value?.kind === "list") return value.items;
  if (value?.kind !== "constant" || !isList(value.value)) return [];
  const { place } = value;
  return value.value.map((item) => ({ kind: "constant", value: item, place }));
}

/** Every template inside a value, in the order they are written. */
export function templatesOf(value: ConfigValue): readonly ConfigTemplate[] {
  switch (value.kind) {
    case "constant":
      return [];
    case "template":
      return [value];
    case "list":
      return value.items.flatMap(templatesOf);
    case "map":
      return value.entries.flatMap((entry) => templatesOf(entry.value));
  }
}

/**
 * Place of an offset of a text that stands at `place`. Exact where the text stands in the file as
 * it is; the start of the scalar where YAML folds lines or holds escapes.
 */
export function placeInText(place: Place, text: string, offset: number, offsetEnd?: number): Place {
  const { file, start, end } = place;
  const at = file.index.text.slice(start, end).indexOf(text);
  const exact = at === -1 ? start : start + at + offset;
  const isExact = at !== -1 && offsetEnd !== undefined;
  const marked = isExact ? { markedEnd: exact + offsetEnd - offset } : {};
  return { ...place, start: exact, end: Math.max(exact + 1, end), ...marked };
}

/** A map from any entries, without a prototype's traps: `__proto__` is a name like any other. */
export function mapOf<T>(entries: Iterable<readonly [string, T]>): { readonly [name: string]: T } {
  return Object.fromEntries(entries);
}
