/**
 * Text from outside made safe to print: names and messages come from servers and files, and must
 * neither move the cursor nor hide a difference.
 */

/**
 * Control, format (bidirectional marks, zero-width characters) and lone surrogate code points, line
 * and paragraph separators, and every space that is not U+0020.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

const shortEscapes: { readonly [character: string]: string } = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Escapes everything a terminal or an eye would not show as it is. Idempotent; one line. */
export function escapeControls(text: string): string {
  return text.replace(unsafe, (character) => {
    const short = shortEscapes[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16).padStart(4, "0");
    return code > 0xffff ? `\\u{${hex}}` : `\\u${hex}`;
  });
}

/** True when the text would be printed with an escape. */
export function hasControls(text: string): boolean {
  return escapeControls(text) !== text;
}

/** A string literal: JSON quotes and backslashes, and every unsafe character escaped. */
export function quoteText(text: string): string {
  return escapeControls(JSON.stringify(text));
}
