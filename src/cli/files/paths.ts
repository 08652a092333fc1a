/**
 * Paths on the command line. A shell leaves `~` alone behind `--out=` and within quotes, so it is
 * read here, once for all commands: what an option or an argument calls a file, a folder or a saved
 * plan is a path.
 */

import { homedir } from "node:os";
import {
  type Argument,
  type CommandUnknownOpts,
  InvalidArgumentError,
  type Option,
} from "commander";
import { foreignHomeFix, isForeignHome, userPath } from "../../lib/files/user-path.ts";

const placeholders = /[<[](?:file|folder|plan)s?(?:\.\.\.)?[\]>]/;
const argumentNames: readonly string[] = ["file", "files", "folder", "plan"];

/** Makes every path of the command and of those below it one without `~`. */
export function readHomePaths(command: CommandUnknownOpts): void {
  for (const option of command.options) if (placeholders.test(option.flags)) readFirst(option);
  for (const argument of command.registeredArguments) {
    if (argumentNames.includes(argument.name())) readFirst(argument);
  }
  for (const below of command.commands) readHomePaths(below);
}

/** Puts the reading of `~` before whatever reads the word already. */
function readFirst(item: Option | Argument): void {
  const read = item.parseArg;
  const { variadic } = item;
  item.argParser((word: string, before: unknown) => {
    const path = withHome(word);
    if (read !== undefined) return read(path, before);
    return variadic ? [...(Array.isArray(before) ? before : []), path] : path;
  });
}

function withHome(word: string): string {
  if (isForeignHome(word)) throw new InvalidArgumentError(foreignHomeFix);
  return word.startsWith("~") ? userPath("", word, homedir()) : word;
}
