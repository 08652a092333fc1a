/** Command-line arguments: one or two dashes before long options, as people know it. */

/** `-auto-approve` and `-var=x` become `--auto-approve` and `--var=x`; short options stay. */
export function normalizeArguments(words: readonly string[]): readonly string[] {
  let literal = false;
  return words.map((word) => {
    if (word === "--") literal = true;
    return !literal && /^-[A-Za-z][A-Za-z-]/.test(word) ? `-${word}` : word;
  });
}

export type NamedText = { readonly name: string; readonly text: string };

/** `NAME=VALUE` of `--var`; undefined when there is no `=`. */
export function parseVariable(word: string): NamedText | undefined {
  const at = word.indexOf("=");
  return at <= 0 ? undefined : { name: word.slice(0, at), text: word.slice(at + 1) };
}
