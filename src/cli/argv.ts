/** Command-line arguments as people know them: one or two dashes, some options in front. */

/**
 * `-auto-approve` and `-var=x` become `--auto-approve` and `--var=x`; short options stay. Options
 * that all commands share may stand before the command: `-chdir=lab plan`.
 */
export function normalizeArguments(words: readonly string[]): readonly string[] {
  let literal = false;
  const dashed = words.map((word) => {
    if (word === "--") literal = true;
    return !literal && /^-[A-Za-z][A-Za-z-]/.test(word) ? `-${word}` : word;
  });
  return sharedBehind(dashed);
}

/** Whether `--json` is asked for, also where the rest of the line cannot be understood. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? words.length : end).includes("--json");
}

function sharedBehind(words: readonly string[]): readonly string[] {
  let count = 0;
  for (let width = sharedWidth(words[0]); width > 0; width = sharedWidth(words[count])) {
    count += width;
  }
  const rest = words.slice(count);
  if (count === 0 || rest.length === 0) return words;
  const literal = rest.indexOf("--");
  const end = literal === -1 ? rest.length : literal;
  return [...rest.slice(0, end), ...words.slice(0, count), ...rest.slice(end)];
}

/** Asked for in front of a command, help is about that command. */
const sharedFlags = new Set(["--json", "--no-color", "--help", "-h"]);

/** Words that a shared option takes; 0 for anything else. */
function sharedWidth(word: string | undefined): number {
  if (word === "--chdir") return 2;
  const alone = sharedFlags.has(word ?? "") || word?.startsWith("--chdir=");
  return alone === true ? 1 : 0;
}

export type NamedText = { readonly name: string; readonly text: string };

/** `NAME=VALUE` of `--var`; undefined when there is no `=`. */
export function parseVariable(word: string): NamedText | undefined {
  const at = word.indexOf("=");
  return at <= 0 ? undefined : { name: word.slice(0, at), text: word.slice(at + 1) };
}
