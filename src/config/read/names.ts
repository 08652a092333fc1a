/** Names a user may choose, and names that are reserved for what this version cannot do. */

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Words of CEL that cannot stand after a dot or at the root of an expression. */
const reservedWords: ReadonlySet<string> = new Set([
  ...["as", "break", "const", "continue", "else", "false", "for", "function", "if", "import"],
  ...["in", "let", "loop", "namespace", "null", "package", "return", "true", "var", "void"],
  "while",
]);

/** Why a name cannot be used, or undefined when it can. */
export function nameProblem(name: string): string | undefined {
  if (!namePattern.test(name)) {
    return "a name is made of letters, digits and underscores and does not start with a digit";
  }
  return reservedWords.has(name) ? "expressions reserve this word" : undefined;
}
