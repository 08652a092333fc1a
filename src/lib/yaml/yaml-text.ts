/** Plain data as YAML text that reads back as the same data. */

import { Document, visit } from "yaml";

/** Everything but printable ASCII stands quoted, so that nothing is taken for what it is not. */
const unusual = /[^\u0020-\u007e]/;
/** What an eye would not see, or not as it is; only in quoted texts, where it may be escaped. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/**
 * Block style, lists indented, no line folded. A text that YAML would read as something else
 * (`true`, `0123`) is quoted. Ends with a newline.
 */
export function yamlText(value: unknown): string {
  const document = new Document(value, { version: "1.2", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === "string" && unusual.test(scalar.value)) {
        scalar.type = "QUOTE_DOUBLE";
      }
    },
  });
  return document.toString({ lineWidth: 0 }).replaceAll(unseen, escapeCharacter);
}

/** Line ends are the document's own; those of a text are escaped already. */
function escapeCharacter(character: string): string {
  if (character === "\n") return character;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}
