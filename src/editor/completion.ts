/** What may be written next: names within expressions, and addresses where an address stands. */

import { memberNode } from "../lib/yaml/yaml.ts";
import type { Chain } from "./chain.ts";
import type { FolderModel } from "./folder-model.ts";
import { keysOf, meaningOf, namesByType, rootBlocks } from "./meaning.ts";

export type Suggestion = {
  readonly label: string;
  readonly kind: "root" | "value" | "type" | "resource" | "attribute" | "key";
  readonly detail?: string;
  /** What is put in for the last step, where that is not the label. */
  readonly insert?: string;
};

/** Values of these, items of lists included, are addresses without `${ }`. */
const addressPlaces: ReadonlySet<string> = new Set([
  ...["depends_on", "replace_triggered_by", "from", "to", "moved", "removed", "imports"],
]);

/** `enclosing` are the keys of the blocks around the place, outermost first. */
export function suggestionsFor(
  chain: Chain,
  enclosing: readonly string[],
  model: FolderModel,
): readonly Suggestion[] {
  if (!chain.isExpression) {
    const [block, ...below] = enclosing;
    // The key of an entry: a schema has a pattern for it, and editors complete none.
    if ((block === "resources" || block === "data") && below.length === 0) {
      return chain.steps.length > 1
        ? []
        : model.types[block].map((label) => ({ label, kind: "type", insert: `${label}.` }));
    }
    return enclosing.some((key) => addressPlaces.has(key)) ? addresses(chain, model) : [];
  }
  const [root, ...rest] = chain.steps;
  if (root === undefined || rest.length === 0) return roots(enclosing, model);
  if (Object.hasOwn(fixed, root.text)) return rest.length === 1 ? (fixed[root.text] ?? []) : [];
  if (root.text === "each" && rest.length === 1)
    return [
      { label: "key", kind: "value" },
      { label: "value", kind: "value" },
    ];
  if (root.text === "each") return eachMembers(enclosing, model);
  const block = Object.hasOwn(rootBlocks, root.text) ? rootBlocks[root.text] : undefined;
  if (block !== undefined) return belowRoot(block, chain, model);
  return belowType(chain, model);
}

const fixed: { readonly [root: string]: readonly Suggestion[] } = {
  count: [{ label: "index", kind: "value" }],
  path: [
    { label: "module", kind: "value" },
    { label: "root", kind: "value" },
  ],
};

function roots(enclosing: readonly string[], { names }: FolderModel): readonly Suggestion[] {
  const found = Object.entries(rootBlocks).flatMap(([label, block]): readonly Suggestion[] =>
    names.has(block) ? [{ label, kind: "root" }] : [],
  );
  const entry = names.get(enclosing[0] ?? "")?.get(enclosing[1] ?? "");
  const own = (["each", "count"] as const).flatMap((label): readonly Suggestion[] => {
    const member = label === "each" ? "for_each" : "count";
    return memberNode(entry?.value, member) === undefined ? [] : [{ label, kind: "root" }];
  });
  const isOfObject = enclosing.includes("postconditions");
  const types = [...namesByType(names, "resources").keys()];
  return [
    ...found,
    ...own,
    ...(isOfObject ? [{ label: "self", kind: "root" } as const] : []),
    ...(names.has("data") ? [{ label: "data", kind: "root" } as const] : []),
    { label: "path", kind: "root" },
    { label: "vmform", kind: "root" },
    ...types.map((label): Suggestion => ({ label, kind: "type" })),
  ];
}

function belowRoot(block: string, chain: Chain, model: FolderModel): readonly Suggestion[] {
  const [, name, ...more] = chain.steps;
  if (more.length === 0) {
    return [...(model.names.get(block)?.keys() ?? [])].map((label) => ({ label, kind: "value" }));
  }
  if (block !== "modules" || name === undefined) return [];
  const declared = model.names.get("modules")?.get(name.text);
  if (more.at(-1)?.form === "key") {
    return declared === undefined ? [] : keysOf(declared).map(keySuggestion);
  }
  const outputs = model.outputsOf(name.text)?.get("outputs")?.keys() ?? [];
  return [...outputs].map((label) => ({ label, kind: "value" }));
}

function belowType(chain: Chain, model: FolderModel): readonly Suggestion[] {
  const isData = chain.steps[0]?.text === "data";
  const block = isData ? "data" : "resources";
  const steps = isData ? chain.steps.slice(1) : chain.steps;
  const types = namesByType(model.names, block);
  if (steps.length === 1) return [...types.keys()].map((label) => ({ label, kind: "type" }));
  if (steps.length === 2) {
    const names = types.get(steps[0]?.text ?? "") ?? [];
    return names.map((label) => ({ label, kind: "resource" }));
  }
  // What is being typed is no part of what it is typed behind.
  const meaning = meaningOf({ ...chain, steps: chain.steps.slice(0, -1) }, model);
  if (meaning?.type === undefined || meaning.kind === "attribute") return [];
  if (steps.at(-1)?.form === "key") return keysOf(meaning.declared).map(keySuggestion);
  const attributes = Object.values(model.schema(meaning.type)?.attributes ?? {});
  return attributes.map(({ name, description }) => ({
    label: name,
    kind: "attribute",
    detail: description,
  }));
}

function keySuggestion(key: string): Suggestion {
  return { label: key, kind: "key", insert: `"${key.replaceAll(/["\\]/g, String.raw`\$&`)}"]` };
}

function addresses({ steps }: Chain, { names }: FolderModel): readonly Suggestion[] {
  const all = [
    ...(names.get("resources")?.keys() ?? []),
    ...[...(names.get("data")?.keys() ?? [])].map((name) => `data.${name}`),
    ...[...(names.get("modules")?.keys() ?? [])].map((name) => `module.${name}`),
  ];
  const before = steps
    .slice(0, -1)
    .map(({ text }) => `${text}.`)
    .join("");
  return all.flatMap((address): readonly Suggestion[] =>
    address.startsWith(before) ? [{ label: address.slice(before.length), kind: "resource" }] : [],
  );
}

/** Members of the first value of `for_each`, which the others are like. */
function eachMembers(enclosing: readonly string[], { names }: FolderModel): readonly Suggestion[] {
  const entry = names.get(enclosing[0] ?? "")?.get(enclosing[1] ?? "");
  const each = memberNode(entry?.value, "for_each");
  const first = each?.kind === "map" ? each.entries[0]?.value : undefined;
  if (first?.kind !== "map") return [];
  return first.entries.map(({ key }) => ({ label: key.text, kind: "value" }));
}
