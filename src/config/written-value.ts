/**
 * Where the value of an attribute is written, and whether it stands there as a plain value of its
 * own, which may be replaced in the text. Pure.
 */

import { hasExpression } from "../expressions/syntax/template.ts";
import { memberEntry, memberNode, type YamlEntry, type YamlScalar } from "../lib/yaml/yaml.ts";
import { type Address, parseAddress } from "../model/value/address.ts";
import { type FileBytes, parseFile } from "./read/document.ts";
import { createReport, type Place, placeText, type SourceFile } from "./report.ts";

export type WrittenValue =
  | { readonly kind: "value"; readonly file: SourceFile; readonly scalar: YamlScalar }
  | {
      readonly kind: "other";
      /** Why it is not to be replaced, as in "it is an expression". */
      readonly why: string;
      /** `file:line:column`; undefined where it is written nowhere in these files. */
      readonly at?: string;
    };

/** Of a resource of the root module, in the files of its folder. */
export function writtenValue(
  files: readonly FileBytes[],
  address: Address,
  attribute: string,
): WrittenValue {
  const { modules = [], type, name, key } = parseAddress(address) ?? {};
  if (modules.length > 0) return { kind: "other", why: "it is written in a module" };
  for (const file of files) {
    const { source, readable = [] } = parseFile(file, createReport());
    for (const document of readable) {
      const resource = memberEntry(memberNode(document, "resources"), `${type}.${name}`);
      if (resource === undefined) continue;
      const entry = memberEntry(resource.value, attribute);
      const at = placeText(placeOf(source, (entry ?? resource).key));
      const isRepeated = ["for_each", "count"].some((one) => memberEntry(resource.value, one));
      if (key !== undefined || isRepeated) {
        return { kind: "other", why: "it is written once for all instances", at };
      }
      if (entry === undefined) return { kind: "other", why: "it is not written there", at };
      return ownValue(source, entry, at);
    }
  }
  return { kind: "other", why: "its resource is written nowhere" };
}

function ownValue(file: SourceFile, { key, value }: YamlEntry, at: string): WrittenValue {
  if (value.kind !== "scalar") return { kind: "other", why: "it is a list or a map", at };
  if (hasExpression(value.text)) return { kind: "other", why: "it is an expression", at };
  const between = file.index.text.slice(key.end, value.start);
  // Anything else is an anchor, an alias or a tag.
  if (value.start < key.end || !/^\s*:\s+$/.test(between)) {
    return { kind: "other", why: "it is written elsewhere, for others as well", at };
  }
  return { kind: "value", file, scalar: value };
}

function placeOf(file: SourceFile, { start, end }: YamlScalar): Place {
  return { file, start, end };
}
