/**
 * The regular expressions that find one secret. Each of its characters may stand in a form of its
 * own, so mixtures are found as well: plain, as an XML reference (named, decimal, hexadecimal, with
 * leading zeros), percent-encoded, as a JSON escape, each of them escaped once more; and blanks
 * folded. The whole may stand in base64, at any alignment.
 *
 * Repetitions are bounded: a hostile text costs no more than its length.
 */

/** Base64 of a few bytes is a few letters, which would be replaced all over innocent text. */
const base64LengthMin = 4;

/**
 * A secret shorter than this is masked only where it stands alone: within words it would make text
 * unreadable, and tell what it is.
 */
const withinWordsLengthMin = 8;

const blank = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

export type SecretPattern = {
  /** With the flag `g`. */
  readonly pattern: RegExp;
  /**
   * Letters and digits that stand in whatever it finds, all of one of these at least: looking for
   * them is much quicker than the pattern, which is mostly asked in vain.
   */
  readonly needles: readonly (readonly string[])[];
  /** Its letters and digits may be escaped as well. */
  readonly escapable: boolean;
};

/** Of ASCII, which no escape begins or ends with a name of its own. */
const lettersAndDigits = /[A-Za-z0-9]+/g;

/** Every escape that stands for one of them has this in it. */
const escapedLetter =
  /(?:#|%(?:25)*23)[0-9xX]|%(?:25)*(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])|\\[ux]/;

/** What finds a secret; none for a text that is blank. */
export function secretPatterns(secret: string): readonly SecretPattern[] {
  const characters = Array.from(trimBlanks(secret));
  if (characters.length === 0) return [];
  const body = charactersPattern(characters);
  const plain =
    characters.length >= withinWordsLengthMin ? body : `${before}(?:${body})(?![\\p{L}\\p{N}_])`;
  const forms = [...base64Forms(secret)].toSorted((a, b) => b.length - a.length);
  const encoded = forms.map((form) => Array.from(form, base64Pattern).join(""));
  return [
    {
      pattern: new RegExp(plain, "gu"),
      needles: [secret.match(lettersAndDigits) ?? []],
      escapable: true,
    },
    ...(encoded.length === 0
      ? []
      : [
          {
            pattern: new RegExp(encoded.join("|"), "gu"),
            needles: forms.map((form) => form.match(lettersAndDigits) ?? []),
            escapable: false,
          },
        ]),
  ];
}

/** Those that may find something in the text. */
export function patternsFor(
  text: string,
  patterns: readonly SecretPattern[],
): readonly SecretPattern[] {
  const hasEscapes = escapedLetter.test(text);
  return patterns.filter(
    ({ needles, escapable }) =>
      (escapable && hasEscapes) ||
      needles.some((all) => all.every((needle) => text.includes(needle))),
  );
}

/** Not within a word; the last character of an escape is none of a word. */
const before = "(?:(?<![\\p{L}\\p{N}_])|(?<=\\\\[bfnrt]|%[0-9A-Fa-f]{2}|\\\\u[0-9A-Fa-f]{4}))";

function trimBlanks(text: string): string {
  const characters = Array.from(text);
  const isText = (character: string) => !blank.test(character);
  return characters
    .slice(Math.max(characters.findIndex(isText), 0), characters.findLastIndex(isText) + 1)
    .join("");
}

function charactersPattern(characters: readonly string[]): string {
  const parts: string[] = [];
  characters.forEach((character, index) => {
    if (!blank.test(character)) parts.push(characterPattern(character));
    else if (!blank.test(characters[index - 1] ?? "")) parts.push(blanksPattern);
  });
  return parts.join("");
}

const percent = "%(?:25){0,4}";
const escape = "\\\\{1,8}";
const ampersand = `(?:&(?:amp;){0,4}|${escape}u0026|${percent}26)`;
const hash = `(?:#|${percent}23)`;
const semicolon = `(?:;|${percent}3[bB])`;

/** One blank or many, of whatever kind and in whatever form. */
const blanksPattern =
  `(?:[\\s\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}+]|` +
  `${percent}(?:20|0[\\daAdD]|[cC]2${percent}[aA]0|[eE]2${percent}80${percent}[aA][89])|` +
  `${ampersand}(?:${hash}(?:0{0,8}(?:32|9|10|13|160|823[23])|` +
  `[xX]0{0,8}(?:20|9|[aAdD]|[aA]0|202[89]))|nbsp)` +
  `${semicolon}|${escape}(?:[bfnrtv]|u00[02][\\daAdD]|u00[aA]0|u202[89]|x[02][\\daAdD])){1,200}`;

const names = new Map([
  ["&", "amp"],
  ["<", "lt"],
  [">", "gt"],
  ['"', "quot"],
  ["'", "apos"],
]);

function characterPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const decimal = `${hash}0{0,8}${code}`;
  const hexadecimal = `${hash}[xX]0{0,8}${anyCase(code.toString(16))}`;
  const name = names.get(character);
  const reference = [decimal, hexadecimal, ...(name === undefined ? [] : [name])].join("|");
  const isLetter = /[\p{L}\p{N}_]/u.test(character);
  // An escape may begin with the character itself, so the whole of it comes first.
  const forms = [
    `${ampersand}(?:${reference})${semicolon}`,
    ...percentForms(character),
    ...codeUnits(character),
    // Shells and JSON put backslashes before signs.
    isLetter ? escapePattern(character) : `\\\\{0,8}${escapePattern(character)}`,
  ];
  return `(?:${forms.join("|")})`;
}

function percentForms(character: string): string[] {
  const code = character.codePointAt(0) ?? 0;
  const encode = (bytes: Uint8Array) =>
    Array.from(bytes, (byte) => percent + anyCase(byte.toString(16).padStart(2, "0"))).join("");
  const utf8 = encode(Buffer.from(character, "utf8"));
  return code > 0x7f && code <= 0xff ? [utf8, encode(Uint8Array.of(code))] : [utf8];
}

function codeUnits(character: string): string[] {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const long = units
    .map((unit) => `${escape}u${anyCase(unit.toString(16).padStart(4, "0"))}`)
    .join("");
  const [unit = 0] = units;
  if (units.length > 1 || unit > 0xff) return [long];
  return [long, `${escape}x${anyCase(unit.toString(16).padStart(2, "0"))}`];
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/**
 * Base64 of the bytes alone, and the letters that stand for them within a longer text (such as
 * `user:password`), for each of the three places where the bytes may begin.
 */
function base64Forms(secret: string): Set<string> {
  const forms = new Set(base64Of(Buffer.from(secret, "utf8")));
  // HTTP basic credentials were Latin-1 before they were UTF-8, and some servers still say so.
  if (/^[\u0000-\u00ff]*$/.test(secret)) {
    for (const form of base64Of(Buffer.from(secret, "latin1"))) forms.add(form);
  }
  return forms;
}

function base64Of(bytes: Buffer): string[] {
  const forms = [bytes.toString("base64")];
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // Letters that hold bits of what stands before or after are left out.
    const first = Math.ceil((offset * 8) / 6);
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    forms.push(encoded.slice(first, whole));
  }
  return forms
    .map((form) => form.replace(/=+$/, ""))
    .filter(({ length }) => length >= base64LengthMin);
}

/** Both alphabets; signs may be escaped in their turn. */
function base64Pattern(letter: string): string {
  if (letter === "+") return `(?:${characterPattern("+")}|-)`;
  if (letter === "/") return `(?:${characterPattern("/")}|_)`;
  return letter;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
