/** Outputs for people and machines. A sensitive value is in neither. */

import type { RecordedOutput } from "../../model/recorded/recorded.ts";
import type { ValueMap } from "../../model/value/value.ts";
import type { RenderOptions } from "../text/render-options.ts";
import { renderLines } from "../text/styled-line.ts";
import { namedValueLines } from "../text/value/value-lines.ts";

/** `name: value` lines; an empty text when there is no output. */
export function outputsText(outputs: readonly RecordedOutput[], options: RenderOptions): string {
  const lines = outputs.flatMap(({ name, value, sensitive }) =>
    namedValueLines(name, value, { indent: 0, sensitive }),
  );
  return renderLines(lines, options);
}

/** `{ name: { sensitive, value } }`, after Terraform; `value` is absent when sensitive. */
export function outputsJson(outputs: readonly RecordedOutput[]): ValueMap {
  return Object.fromEntries(
    outputs.map(({ name, value, sensitive }) => [
      name,
      sensitive ? { sensitive } : { sensitive, value },
    ]),
  );
}
