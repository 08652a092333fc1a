/**
 * Text: decoding of files, places in a text, and nearest names. A place counts lines from 1 and
 * columns from 1 in Unicode code points; offsets are UTF-16 code units, as JavaScript counts.
 */

import { isUtf8 } from "node:buffer";

export type TextIndex = {
  readonly text: string;
  /** Some character takes two code units, so columns must be counted. */
  readonly wide: boolean;
  /** Offset at which each line begins. */
  readonly lineStarts: readonly number[];
};

export type TextPlace = {
  readonly line: number;
  readonly column: number;
  /** The line without its end. */
  readonly lineText: string;
};

export type DecodedText =
  | { readonly text: string }
  | { readonly encoding: "utf-16"; readonly text?: undefined }
  /** `before` is the text in front of the first byte that is not UTF-8. */
  | {
      readonly encoding: "invalid";
      readonly before: string;
      readonly byte: number;
      readonly text?: undefined;
    };

/** Decodes UTF-8 strictly; a byte order mark in front is dropped. Nothing becomes U+FFFD. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (looksLikeUtf16(bytes)) return { encoding: "utf-16" };
  if (isUtf8(bytes)) return { text: new TextDecoder("utf-8").decode(bytes) };
  const length = validPrefix(bytes);
  const before = new TextDecoder("utf-8").decode(bytes.subarray(0, length));
  return { encoding: "invalid", before, byte: bytes[length] ?? 0 };
}

export function indexText(text: string): TextIndex {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lineStarts.push(at + 1);
  }
  return { text, wide: /[\ud800-\udbff]/.test(text), lineStarts };
}

/** O(log lines) plus the length of the line. */
export function placeAt(index: TextIndex, offset: number): TextPlace {
  const { text, wide, lineStarts } = index;
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const start = lineStarts[low] ?? 0;
  const next = lineStarts[low + 1] ?? text.length + 1;
  const end = text[next - 2] === "\r" && next - 2 >= start ? next - 2 : next - 1;
  const units = offset - start;
  const before = wide ? codePointCount(text.slice(start, offset)) : units;
  return { line: low + 1, column: before + 1, lineText: text.slice(start, end) };
}

function codePointCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** With more candidates than these, only so many with the same first letter are compared. */
const candidatesMax = 1000;

/**
 * The candidate a user most likely meant: equal but for case and punctuation, else the nearest by
 * edit distance, at most a third of the word away, so never for one or two letters. Ties go to the
 * earlier candidate.
 */
export function closestName(word: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  const many = all.length > candidatesMax;
  const first = word.slice(0, 1).toLowerCase();
  const plain = plainName(word);
  let compared = 0;
  let best: string | undefined;
  let bestDistance = Math.floor(word.length / 3) + 1;
  for (const candidate of all) {
    const difference = Math.abs(candidate.length - word.length);
    if (many && (difference > 3 || candidate.slice(0, 1).toLowerCase() !== first)) continue;
    if (plainName(candidate) === plain) return candidate;
    if (difference >= bestDistance || compared >= candidatesMax) continue;
    compared += 1;
    const distance = editDistance(word, candidate, bestDistance - 1);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
      if (many && distance <= 1) return best;
    }
  }
  return best;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.\s]/g, "");
}

/** Edits (insert, delete, change, swap of neighbours) between two words; stops above `limit`. */
function editDistance(from: string, to: string, limit: number): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    if (Math.min(...current) > limit) return limit + 1;
    before = previous;
    previous = current;
  }
  return previous[to.length] ?? limit + 1;
}

/** By its byte order mark, or by the zeros of plain letters. */
export function looksLikeUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length >= 2 && (first === 0) !== (second === 0);
}

/** Length of the longest prefix that is UTF-8, at a character boundary. */
function validPrefix(bytes: Uint8Array): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isUtf8Prefix(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  // A cut character in front of the bad byte is part of what is bad.
  while (low > 0 && !isUtf8(bytes.subarray(0, low))) low -= 1;
  return low;
}

function isUtf8Prefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
