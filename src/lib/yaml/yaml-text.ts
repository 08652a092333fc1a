/** Plain data as YAML text that reads back as the same data. */

import { Document, isCollection, isMap, isScalar, isSeq, visit } from "yaml";

/** Everything but printable ASCII stands quoted, so that nothing is taken for what it is not. */
const unusual = /[^\u0020-\u007e]/;
/** What an eye would not see, or not as it is; only in quoted texts, where it may be escaped. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** `flow`: on one line, as `{ a: 1 }`. `apart`: with an empty line above, but the first. */
export type Layout = "flow" | "apart" | undefined;

export type YamlTextOptions = {
  readonly remarks?: readonly Remark[];
  /** How what stands at a path of map keys and list positions is laid out. */
  readonly layout?: (path: readonly (string | number)[]) => Layout;
};

/** Lines of comment above the entry at a path of map keys. */
export type Remark = { readonly path: readonly string[]; readonly text: string };

/**
 * Block style, lists indented, no line folded. A text that YAML would read as something else
 * (`true`, `0123`) is quoted. Ends with a newline.
 */
export function yamlText(value: unknown, options: YamlTextOptions = {}): string {
  const { remarks = [], layout } = options;
  const document = new Document(value, { version: "1.2", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === "string" && unusual.test(scalar.value)) {
        scalar.type = "QUOTE_DOUBLE";
      }
    },
  });
  for (const remark of remarks) putAbove(document.contents, remark);
  if (layout !== undefined) layOut(document.contents, [], layout);
  return escapeUnseen(document.toString({ lineWidth: 0 }));
}

/** Of text in which such characters stand within double quotes alone; ends of lines stay. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(unseen, escapeCharacter);
}

/** Whether it has something that is written as an escape. */
export function hasUnseen(text: string): boolean {
  return text.search(unseen) !== -1;
}

function layOut(
  node: unknown,
  path: readonly (string | number)[],
  layout: NonNullable<YamlTextOptions["layout"]>,
): void {
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      if (isCollection(item)) item.flow = layout([...path, index]) === "flow";
    }
  }
  if (!isMap(node)) return;
  for (const [index, { key, value }] of node.items.entries()) {
    if (!isScalar(key)) continue;
    const at = [...path, String(key.value)];
    const wanted = layout(at);
    if (wanted === "apart" && index > 0) key.spaceBefore = true;
    if (wanted === "flow" && isCollection(value)) value.flow = true;
    else layOut(value, at, layout);
  }
}

/** A key that is not there has no remark. */
function putAbove(node: unknown, { path, text }: Remark): void {
  const [name, ...rest] = path;
  if (!isMap(node)) return;
  const pair = node.items.find(({ key }) => isScalar(key) && key.value === name);
  if (pair === undefined) return;
  if (rest.length > 0) putAbove(pair.value, { path: rest, text });
  else if (isScalar(pair.key)) pair.key.commentBefore = commentOf(text);
}

/** Each line is one of the comment, whatever else in it would end a line. */
function commentOf(text: string): string {
  return text
    .split("\n")
    .map((line) => ` ${line.replaceAll(/[\r\u0085\u2028\u2029]/g, " ")}`)
    .join("\n");
}

/** Line ends are the document's own; those of a text are escaped already. */
function escapeCharacter(character: string): string {
  if (character === "\n") return character;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}
