/**
 * Characters, names and references of XML 1.0 (fifth edition): what may stand in a document, and
 * how text is written and read. Internal to the XML layer.
 */

/** A character that no XML 1.0 document may hold, not even as a reference (production Char). */
export const forbiddenCharacter = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const nameStart = [
  String.raw`A-Z_a-z\u{c0}-\u{d6}\u{d8}-\u{f6}\u{f8}-\u{2ff}\u{370}-\u{37d}\u{37f}-\u{1fff}`,
  String.raw`\u{200c}\u{200d}\u{2070}-\u{218f}\u{2c00}-\u{2fef}\u{3001}-\u{d7ff}`,
  String.raw`\u{f900}-\u{fdcf}\u{fdf0}-\u{fffd}\u{10000}-\u{effff}`,
].join("");
const nameRest = String.raw`${nameStart}\-.0-9\u{b7}\u{300}-\u{36f}\u{203f}\u{2040}`;
/** Source of a regular expression for a name without colon. */
export const ncNameSource = `[${nameStart}][${nameRest}]*`;

const ncName = new RegExp(`^${ncNameSource}$`, "u");

/** A name without colon (production NCName). */
export function isNcName(text: string): boolean {
  return ncName.test(text);
}

const predefined: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

const reference = /&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|([a-z]+));/y;

/**
 * Offset of the first `&` that begins no numeric or predefined reference to a permitted character;
 * undefined when there is none.
 */
export function badReferenceAt(text: string): number | undefined {
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    reference.lastIndex = at;
    const match = reference.exec(text);
    if (match === null || characterOf(match) === undefined) return at;
  }
  return undefined;
}

/** Replaces each reference once; what a reference yields is never looked at again. */
export function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|([a-z]+));/g, (...match) => {
    const [whole = "", hex, decimal, name] = match.map((part: unknown) =>
      typeof part === "string" ? part : undefined,
    );
    return characterOf([whole, hex, decimal, name]) ?? whole;
  });
}

function characterOf(match: readonly (string | undefined)[]): string | undefined {
  const [, hex, decimal, name] = match;
  if (name !== undefined) return predefined.get(name);
  const code = hex === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hex, 16);
  if (!(code <= 0x10ffff)) return undefined;
  const character = String.fromCodePoint(code);
  return forbiddenCharacter.test(character) ? undefined : character;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  // As characters these would be read as a space (attributes) or a line feed (text).
  ["\t", "&#9;"],
  ["\n", "&#10;"],
  ["\r", "&#13;"],
]);

const escape = (character: string): string => escapes.get(character) ?? character;

/** Text between tags. Throws `RangeError` for a character that XML cannot carry. */
export function escapeText(text: string): string {
  return permitted(text).replaceAll(/[&<>\r]/g, escape);
}

/** A value between double quotes. Throws `RangeError` for a character that XML cannot carry. */
export function escapeAttribute(value: string): string {
  return permitted(value).replaceAll(/[&<>"\t\n\r]/g, escape);
}

/** A text was to be written that holds such a character. */
export class UncarriedCharacter extends RangeError {
  override name = "UncarriedCharacter";
}

function permitted(text: string): string {
  const found = uncarriedIn(text);
  if (found === undefined) return text;
  throw new UncarriedCharacter(`XML cannot carry the character ${found}`);
}

/** The first character that XML cannot carry, as `U+0001`. */
export function uncarriedIn(text: string): string | undefined {
  const found = forbiddenCharacter.exec(text)?.[0];
  return found === undefined ? undefined : characterName(found);
}

/** `U+0001` and the like. */
export function characterName(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
