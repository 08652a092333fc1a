/** Words of a command line, quoted for a POSIX shell. */

/** As it is where that is safe, else in single quotes: `'daemon_vm.web["a"]'`. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
