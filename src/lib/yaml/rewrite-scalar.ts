/**
 * One value of a YAML text in place of another: every other character stays, so comments and layout
 * do as well. Whoever calls it reads the text again and looks whether it says what was meant.
 */

import type { YamlScalar } from "./yaml.ts";
import { escapeUnseen, hasUnseen } from "./yaml-text.ts";

/** Texts that other readers of YAML take for something else where they are not quoted. */
const otherwise = /^(?:true|false|null|yes|no|~|[-+.\d].*)$/i;
const harmless = /^[A-Za-z0-9_](?:[\w ./@+-]*[\w./@+-])?$/;

/**
 * The text with the value in place of the scalar, quoted as that is; undefined where the scalar is
 * empty, or more than one line.
 */
export function withScalar(
  text: string,
  scalar: YamlScalar,
  value: string | number | bigint | boolean,
): string | undefined {
  const written = text.slice(scalar.start, scalar.end);
  if (written === "" || /^[|>]|[\r\n]/.test(written)) return undefined;
  const [before, after] = [text.slice(0, scalar.start), text.slice(scalar.end)];
  return `${before}${scalarText(written, scalar.plain, value)}${after}`;
}

function scalarText(
  written: string,
  plain: boolean,
  value: string | number | bigint | boolean,
): string {
  if (typeof value !== "string") return String(value);
  if (plain && harmless.test(value) && !otherwise.test(value)) return value;
  // What a server calls something must not turn round how the line is seen, in an editor or review.
  const isSingle = written.startsWith("'") && !hasUnseen(value);
  return isSingle ? `'${value.replaceAll("'", "''")}'` : escapeUnseen(JSON.stringify(value));
}
