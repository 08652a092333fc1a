/** Where what a name means is declared. */

import { memberEntry, memberNode } from "../lib/yaml/yaml.ts";
import type { Chain } from "./chain.ts";
import type { Declared } from "./declared-names.ts";
import type { FolderModel } from "./folder-model.ts";
import { meaningOf } from "./meaning.ts";

export type DefinitionPlace = {
  readonly path: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

/** The most precise place that is written: an attribute, an entry of `for_each`, the resource. */
export function definitionOf(
  chain: Chain,
  enclosing: readonly string[],
  model: FolderModel,
): DefinitionPlace | undefined {
  const own = ownPlace(chain, enclosing, model);
  if (own !== undefined) return own;
  const meaning = meaningOf(chain, model);
  if (meaning === undefined) return undefined;
  const { declared, attribute, key } = meaning;
  const inner =
    (attribute === undefined ? undefined : memberEntry(declared.value, attribute)?.key) ??
    (key === undefined ? undefined : memberEntry(memberNode(declared.value, "for_each"), key)?.key);
  return placed(declared, inner ?? declared, model);
}

/** `each` and `count` are declared by the resource that they stand in. */
function ownPlace(
  { steps }: Chain,
  enclosing: readonly string[],
  model: FolderModel,
): DefinitionPlace | undefined {
  const member = { each: "for_each", count: "count" }[steps[0]?.text ?? ""];
  const declared = model.names.get(enclosing[0] ?? "")?.get(enclosing[1] ?? "");
  if (member === undefined || declared === undefined) return undefined;
  const place = memberEntry(declared.value, member)?.key;
  return place === undefined ? undefined : placed(declared, place, model);
}

function placed(
  { path }: Declared,
  { start, end }: { readonly start: number; readonly end: number },
  model: FolderModel,
): DefinitionPlace | undefined {
  const text = model.files.find((file) => file.path === path)?.text ?? model.otherText(path);
  return text === undefined ? undefined : { path, text, start, end };
}
