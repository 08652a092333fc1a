/**
 * Masking of secrets in text: every registered secret is replaced wherever it stands, in whatever
 * form a wire or a file gives to each of its characters (`secret-pattern.ts`). Text is masked
 * whole, before anything of it is cut, folded or quoted: half a secret is not found any more.
 */

import { patternsFor, type SecretPattern, secretPatterns } from "./secret-pattern.ts";

export const maskedText = "***";

export interface SecretMask {
  /** Registers a secret for every later `mask`. Text that is empty, or blank, is ignored. */
  add(secret: string): void;
  mask(text: string): string;
}

export function createSecretMask(secrets: readonly string[] = []): SecretMask {
  const patterns = new Map<string, readonly SecretPattern[]>();
  const add = (secret: string): void => {
    if (patterns.has(secret)) return;
    patterns.set(secret, secretPatterns(secret));
  };
  for (const secret of secrets) add(secret);
  return { add, mask: (text) => maskAll(text, [...patterns.values()].flat()) };
}

/** Each secret is looked for in the whole text: what two of them share is masked for both. */
function maskAll(text: string, patterns: readonly SecretPattern[]): string {
  const found: Span[] = [];
  for (const { pattern } of patternsFor(text, patterns)) {
    for (const match of text.matchAll(pattern)) {
      found.push({ start: match.index, end: match.index + match[0].length });
    }
  }
  if (found.length === 0) return text;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let end = 0;
  for (const span of found) {
    if (span.start >= end) parts.push(text.slice(end, span.start), maskedText);
    end = Math.max(end, span.end);
  }
  parts.push(text.slice(end));
  return parts.join("");
}

type Span = { readonly start: number; readonly end: number };
