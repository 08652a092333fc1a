/** What the steps of a name mean in a folder: a variable, a local, a resource, an attribute, … */

import { memberNode } from "../lib/yaml/yaml.ts";
import type { Chain, ChainStep } from "./chain.ts";
import type { Declared, DeclaredNames } from "./declared-names.ts";
import type { FolderModel } from "./folder-model.ts";

export type Meaning = {
  readonly kind: "variable" | "local" | "module" | "output" | "resource" | "attribute" | "instance";
  /** As people write it: `vars.size`, `daemon_vm.web`. */
  readonly name: string;
  readonly declared: Declared;
  /** Of resources, their instances and attributes: the type as expressions name it. */
  readonly type?: string;
  readonly attribute?: string;
  readonly key?: string;
};

/** The block that declares what stands below a root. */
export const rootBlocks: { readonly [root: string]: string } = {
  vars: "variables",
  locals: "locals",
  module: "modules",
};

/** What the chain means as far as its last step; undefined where that is nothing that is known. */
export function meaningOf(chain: Chain, model: FolderModel): Meaning | undefined {
  const [root, ...rest] = chain.steps;
  if (root === undefined) return undefined;
  const block = Object.hasOwn(rootBlocks, root.text) ? rootBlocks[root.text] : undefined;
  if (block !== undefined) return valueMeaning(root.text, block, rest, model);
  const isData = root.text === "data";
  const [type, name, ...more] = isData ? rest : chain.steps;
  if (type === undefined || name === undefined) return undefined;
  const declared = model.names.get(isData ? "data" : "resources")?.get(`${type.text}.${name.text}`);
  if (declared === undefined) return undefined;
  const qualified = isData ? `data.${type.text}` : type.text;
  return resourceMeaning(qualified, `${qualified}.${name.text}`, declared, more);
}

function valueMeaning(
  root: string,
  block: string,
  [name, ...rest]: readonly ChainStep[],
  { names, outputsOf }: FolderModel,
): Meaning | undefined {
  const declared = name === undefined ? undefined : names.get(block)?.get(name.text);
  if (name === undefined || declared === undefined) return undefined;
  const whole = `${root}.${name.text}`;
  if (root !== "module") {
    return { kind: root === "vars" ? "variable" : "local", name: whole, declared };
  }
  const output = rest.find(({ form }) => form === "field");
  if (output === undefined) return { kind: "module", name: whole, declared };
  const found = outputsOf(name.text)?.get("outputs")?.get(output.text);
  if (found === undefined) return undefined;
  return { kind: "output", name: `${whole}.${output.text}`, declared: found };
}

function resourceMeaning(
  type: string,
  name: string,
  declared: Declared,
  rest: readonly ChainStep[],
): Meaning {
  const [first, second] = rest;
  const key = first?.form === "key" ? first.text : undefined;
  const attribute = key === undefined ? first : second;
  const instance = key === undefined ? {} : { key };
  if (attribute?.form === "field") {
    return { kind: "attribute", name, declared, type, attribute: attribute.text, ...instance };
  }
  if (key !== undefined) return { kind: "instance", name, declared, type, key };
  return { kind: "resource", name, declared, type };
}

/** Keys of `for_each` as they are written; what is computed is not known here. */
export function keysOf({ value }: Declared): readonly string[] {
  const each = memberNode(value, "for_each");
  if (each?.kind === "map") return each.entries.map(({ key }) => key.text);
  if (each?.kind !== "list") return [];
  return each.items.flatMap((item) => (item.kind === "scalar" ? [item.text] : []));
}

/** Names of the resources of each type, by type. */
export function namesByType(
  names: DeclaredNames,
  block: "resources" | "data",
): ReadonlyMap<string, readonly string[]> {
  const types = new Map<string, string[]>();
  for (const key of names.get(block)?.keys() ?? []) {
    const [type = "", name] = key.split(".", 2);
    if (name !== undefined) types.set(type, [...(types.get(type) ?? []), name]);
  }
  return types;
}
