/** Words of a command line, quoted for a POSIX shell. */

/** As it is where that is safe, else in single quotes: `'daemon_vm.web["a"]'`. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return quotedWord(text);
}

/** The same always in quotes. Nothing that a server has named ends them. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
