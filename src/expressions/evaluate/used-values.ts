/** What the values are that an expression names, for people who are told that it is false. */

import { stringifyJson } from "../../lib/json.ts";
import { type Address, parseAddress, qualifiedType } from "../../model/value/address.ts";
import { isKnown, type Value } from "../../model/value/value.ts";
import type { Template } from "../syntax/template.ts";
import { isWithin } from "./evaluate.ts";
import { concreteReferences, referencesOf } from "./references.ts";
import { type Scope, stepPath } from "./scope.ts";

const valuesMax = 6;
const textMax = 60;

/** A sentence such as `vars.size is 3, daemon_vm.web.power is "on".`, or an empty text. */
export function usedValues(templates: readonly Template[], scope: Scope): string {
  const named = new Map<string, string>();
  for (const template of templates) {
    for (const [name, text] of [...rootValues(template, scope), ...attributes(template, scope)]) {
      named.set(name, text);
    }
  }
  const all = [...named].map(([name, text]) => `${name} is ${text}`);
  if (all.length === 0) return "";
  const more = all.length > valuesMax ? ", and so on" : "";
  return `${all.slice(0, valuesMax).join(", ")}${more}.`;
}

type Named = readonly [name: string, text: string];

function rootValues(template: Template, scope: Scope): readonly Named[] {
  return referencesOf(template).flatMap((reference): Named[] => {
    if (reference.root === "resource" || reference.name === undefined) return [];
    const { root, name } = reference;
    const path = stepPath(root, name);
    const value = scope.values[root]?.[name];
    if (value === undefined || !isKnown(value)) return [];
    const isSecret = [...scope.sensitive].some((one) => isWithin(one, path));
    return [[path, isSecret ? "a sensitive value" : shortText(value)]];
  });
}

function attributes(template: Template, scope: Scope): readonly Named[] {
  return concreteReferences(template, scope).flatMap(({ address, attribute, reads }): Named[] => {
    const names = attribute === undefined ? (reads ?? []) : [attribute];
    return names.flatMap((name): Named[] => {
      const text = attributeText(scope, address, name);
      return text === undefined ? [] : [[`${address}.${name}`, text]];
    });
  });
}

function attributeText(scope: Scope, address: Address, name: string): string | undefined {
  const parts = parseAddress(address);
  if (parts === undefined) return undefined;
  const type = qualifiedType(parts);
  const value = scope.resources.attributes(type, parts.name, parts.key)?.[name];
  if (value === undefined || !isKnown(value)) return undefined;
  const isSecret =
    scope.resources.schema(type)?.attributes[name]?.sensitive === true ||
    scope.sensitive.has(stepPath(`${type}.${parts.name}`, name));
  return isSecret ? "a sensitive value" : shortText(value);
}

function shortText(value: Value): string {
  const text = stringifyJson(value);
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}
