/**
 * Stretches of a line that are meant to be pasted: commands, options with their value, entries for
 * a configuration. They are never wrapped: half a command may be one as well, with another effect.
 */

export type Stretch = { readonly start: number; readonly end: number };

/** Words as a shell splits them: what is quoted holds its blanks. */
const shellWords = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g;
/** An entry of `moved`, `imports` or `removed`, or a fingerprint for the settings. */
const entries = /\w+: \[\{.*?\}\]|\{ (?:from|to): .*? \}|\bthumbprint: "[^"\n]*"/g;
const sentenceEnd = /[.,;:)]$/;

/** In order, without overlaps; `end` is behind the last character. */
export function unbrokenStretches(text: string): readonly Stretch[] {
  const found = [...text.matchAll(entries)].map(({ index, 0: entry }) => ({
    start: index,
    end: index + entry.length,
  }));
  return merged([...found, ...commands(text)]);
}

function commands(text: string): readonly Stretch[] {
  const words = [...text.matchAll(shellWords)].map(({ index, 0: word }) => ({ index, word }));
  const stretches: Stretch[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const first = words[at];
    if (first === undefined || !(first.word === "vmform" || isOption(first.word))) continue;
    let last = at;
    while (!ends(words[last]?.word) && belongs(words, at, last + 1)) last += 1;
    const { index, word } = words[last] ?? first;
    stretches.push({ start: first.index, end: index + word.length });
    at = last;
  }
  return stretches;
}

/** Whether the word at `at` is part of the command, or of the option, that begins at `start`. */
function belongs(words: readonly { readonly word: string }[], start: number, at: number): boolean {
  const word = words[at]?.word;
  const before = words[at - 1]?.word ?? "";
  if (word === undefined || word === "#") return false;
  if (isOption(before)) return true;
  if (words[start]?.word !== "vmform") return false;
  // `vmform plan`, `vmform state rm`, and then whatever is no word of a sentence.
  return (
    at === start + 1 || before === "state" || isOption(word) || !/^[A-Za-z][a-z]*\W?$/.test(word)
  );
}

function ends(word: string | undefined): boolean {
  return word === undefined || sentenceEnd.test(word);
}

function isOption(word: string): boolean {
  return /^--?[a-z]/.test(word);
}

function merged(stretches: readonly Stretch[]): readonly Stretch[] {
  const result: Stretch[] = [];
  for (const next of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || next.start >= last.end) result.push(next);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, next.end) };
  }
  return result;
}
