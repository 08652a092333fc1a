/** A named value as YAML-like lines: on one line where it fits, else as a block or nested. */

import type { PlannedValue } from "../../../model/value/value.ts";
import { isList, isMap } from "../../../model/value/value.ts";
import type { RenderOptions } from "../render-options.ts";
import { line, renderLines, type StyledLine, textLine } from "../styled-line.ts";
import {
  blockLines,
  blockMark,
  inlineValue,
  isBlockText,
  keyText,
  sensitiveLiteral,
} from "./value-text.ts";

/** Longest collection that is printed on one line. */
const inlineColumnsMax = 60;

export function namedValueLines(
  name: string,
  value: PlannedValue,
  place: { readonly indent: number; readonly sensitive: boolean },
): StyledLine[] {
  const label = `${keyText(name)}:`;
  if (!place.sensitive) return labelledLines(label, value, place.indent);
  return [textLine(`${" ".repeat(place.indent)}${label} ${sensitiveLiteral}`)];
}

/** A value that stands alone: as it would stand in YAML, longer collections on several lines. */
export function valueText(value: PlannedValue, options: RenderOptions): string {
  const lines = isList(value)
    ? value.flatMap((item) => labelledLines("-", item, 0))
    : isMap(value)
      ? Object.entries(value).flatMap(([name, item]) => labelledLines(`${keyText(name)}:`, item, 0))
      : [];
  const inline = inlineValue(value);
  if (lines.length === 0 || inline.length <= inlineColumnsMax) return inline;
  return renderLines(lines, options);
}

function labelledLines(label: string, value: PlannedValue, indent: number): StyledLine[] {
  const blank = " ".repeat(indent);
  const child = indent + 2;
  if (isBlockText(value)) {
    const lines = blockLines(value).map((text) => line([" ".repeat(child), text], child));
    return [textLine(`${blank}${label} ${blockMark(value)}`), ...lines];
  }
  const inline = inlineValue(value);
  if (inline.length > inlineColumnsMax && (isList(value) || isMap(value))) {
    const items = isList(value)
      ? value.flatMap((item) => labelledLines("-", item, child))
      : Object.entries(value).flatMap(([name, item]) =>
          labelledLines(`${keyText(name)}:`, item, child),
        );
    return [textLine(`${blank}${label}`), ...items];
  }
  return [textLine(`${blank}${label} ${inline}`, undefined, indent + 4)];
}
