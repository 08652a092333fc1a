/**
 * What the files of a folder declare, as far as it can be told of text that is being typed: broken
 * YAML gives what was read before the mistake.
 */

import { decodeText } from "../lib/text.ts";
import { parseYaml, type YamlNode } from "../lib/yaml/yaml.ts";

export type Declared = {
  readonly path: string;
  /** Offsets of its name in the text of the file, UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly value: YamlNode;
};

/** By block (`resources`, `vars` as `variables`, …) and name. */
export type DeclaredNames = ReadonlyMap<string, ReadonlyMap<string, Declared>>;

export type FolderText = { readonly path: string; readonly text: string };

const textLengthMax = 2_000_000;
const lineLengthMax = 50_000;

/** Such a text would keep the editor waiting at each key. */
export function isTooLong(text: string): boolean {
  if (text.length > textLengthMax) return true;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    if (end - start > lineLengthMax) return true;
    start = end + 1;
  }
  return text.length - start > lineLengthMax;
}

export function declaredNames(files: readonly FolderText[]): DeclaredNames {
  const blocks = new Map<string, Map<string, Declared>>();
  for (const { path, text } of files) {
    if (isTooLong(text)) continue;
    for (const document of parseYaml(text).documents) {
      if (document.kind !== "map") continue;
      for (const { key: block, value } of document.entries) {
        if (value.kind !== "map") continue;
        const names = blocks.get(block.text) ?? new Map<string, Declared>();
        blocks.set(block.text, names);
        for (const { key, value: own } of value.entries) {
          const { start, end } = key;
          if (!names.has(key.text)) names.set(key.text, { path, start, end, value: own });
        }
      }
    }
  }
  return blocks;
}

/** What is not text has none. */
export function textOf(bytes: Uint8Array): string {
  return decodeText(bytes).text ?? "";
}
