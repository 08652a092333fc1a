/** Values as YAML-like literals: strings quoted, integers exact, unknown and secret ones named. */

import {
  isList,
  isUnknown,
  type PlannedAttributes,
  type PlannedValue,
} from "../../../model/value/value.ts";
import { hasControls, quoteText } from "../safe-text.ts";

export const unknownLiteral = "(known after apply)";
export const sensitiveLiteral = "(sensitive value)";

/** A value on one line: `"a"`, `9007199254740993`, `["a", "b"]`, `{ size_gb: 4 }`. */
export function inlineValue(value: PlannedValue): string {
  if (isUnknown(value)) return unknownLiteral;
  if (value === null) return "null";
  if (typeof value === "string") return quoteText(value);
  if (typeof value !== "object") return String(value);
  return isList(value) ? inlineList(value) : inlineMap(value);
}

/** A map key or attribute name as it would stand in YAML. */
export function keyText(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name) ? name : quoteText(name);
}

/** True for text of several lines whose lines can be printed as they are. */
export function isBlockText(value: PlannedValue): value is string {
  if (typeof value !== "string" || !value.includes("\n")) return false;
  return value.split("\n").every((text) => isPlainLine(text));
}

/** A line that looks like what it is: no escapes, no blanks at its end. */
export function isPlainLine(text: string): boolean {
  return !hasControls(text) && !text.endsWith(" ");
}

/** YAML's mark of a literal block: `|` ends with one newline, `|-` with none, `|+` with more. */
export function blockMark(text: string): "|" | "|-" | "|+" {
  if (!text.endsWith("\n")) return "|-";
  return text.endsWith("\n\n") || text === "\n" ? "|+" : "|";
}

/** The lines of a literal block, without the newline that ends the last one. */
export function blockLines(text: string): readonly string[] {
  const lines = text.split("\n");
  return text.endsWith("\n") ? lines.slice(0, -1) : lines;
}

function inlineList(list: readonly PlannedValue[]): string {
  return `[${list.map((item) => inlineValue(item)).join(", ")}]`;
}

function inlineMap(map: PlannedAttributes): string {
  const entries = Object.entries(map).map(
    ([name, item]) => `${keyText(name)}: ${inlineValue(item)}`,
  );
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
