/**
 * Which lines of a file are never quoted: those that seem to hold a secret. A mistake is often
 * what keeps a secret from being known as one (a key mistyped, an alias in place of a text), so
 * the words of the line decide, not what was understood of it.
 */

import type { TextIndex } from "../../lib/text.ts";

/** Words in keys that name secrets, in the languages people write; what follows is the value. */
const names =
  "pass|pwd|secret|token|credential|kennwort|geheim|contrase|senha|mot[-_]?de[-_]?passe|" +
  "api[-_]?key|private[-_]?key|authorization";
const secretKey = new RegExp(`(?:${names})[\\w.-]*["']?\\s*[:=]`, "i");
/** A value that is written out, and no reference to a secret. */
const value = /^\s*(?:["']\s*)?[^\s"'{},#\]]/;
const member = /\b(?:value|default)\s*:\s*(?:["']\s*)?[^\s"'{},]/;
/** `https://user:password@host`, whatever the scheme. */
const credentials = /:\/\/[^/\s"'@]+@/;
const keyed = /^\s*(?:- +)*["']?[\w.$-]+["']?\s*:(\s|$)/;

/** `line` counts from 1. */
export function seemsSecret(index: TextIndex, line: number): boolean {
  const text = lineAt(index, line);
  if (holdsValue(text) || credentials.test(text)) return true;
  if (keyed.test(text)) return false;
  // What a value goes on with: the key stands above, less indented.
  const indent = indentOf(text);
  for (let above = line - 1; above >= Math.max(1, line - linesLookedAt); above -= 1) {
    const owner = lineAt(index, above);
    if (owner.trim() === "" || indentOf(owner) >= indent) continue;
    return secretKey.test(owner);
  }
  return false;
}

/** An expression is no value yet. Looked for once: a line may be as long as a file. */
function withoutExpressions(line: string): string {
  let kept = "";
  let from = 0;
  for (let at = line.indexOf("${"); at !== -1; at = line.indexOf("${", from)) {
    const end = line.indexOf("}", at);
    if (end === -1) break;
    kept += line.slice(from, at);
    from = end + 1;
  }
  return kept + line.slice(from);
}

function holdsValue(line: string): boolean {
  const text = withoutExpressions(line);
  const key = secretKey.exec(text);
  if (key === null) return false;
  const rest = text.slice(key.index + key[0].length);
  return /^\s*\{/.test(rest) ? member.test(rest) : value.test(rest) || holdsValue(rest);
}

/** A certificate or key in a block is some dozens of lines long. */
const linesLookedAt = 200;

function lineAt({ text, lineStarts }: TextIndex, line: number): string {
  const start = lineStarts[line - 1] ?? 0;
  return text.slice(start, (lineStarts[line] ?? text.length + 1) - 1);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
