/** Texts of lists that are read beside their values, each at its own place. */

import type { YamlNode } from "../../lib/yaml/yaml.ts";
import type { Place, SourceFile } from "../report.ts";

/** A text of a list, at its own place. */
export type WrittenText = { readonly text: string; readonly place: Place };

/** From the node, whose items have their own places; what is not a text was reported already. */
export function textsOf(list: YamlNode | undefined, file: SourceFile): readonly WrittenText[] {
  if (list?.kind !== "list") return [];
  return list.items.flatMap((item) => {
    if (item.kind !== "scalar") return [];
    const { text, start, end } = item;
    return [{ text, place: { file, start, end } }];
  });
}
