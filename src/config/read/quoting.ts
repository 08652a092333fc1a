/** Quoting for people: the line a user should have written. Never used to read a configuration. */

/**
 * The line with its unquoted expression quoted, or undefined when there is none. In block style the
 * whole value is quoted; in flow style only the expression, up to its closing brace.
 */
export function quoteExpressionLine(line: string): string | undefined {
  const at = findUnquotedExpression(line);
  if (at === undefined) return undefined;
  const head = line.slice(0, at);
  const block =
    /^(\s*(?:- +)*(?:(?:[^\s:#'"{}[\],&*]+|"[^"]*"|'[^']*'):\s+)?)[^'"{}[\],&*|>]*$/.exec(head);
  if (block !== null) {
    const start = (block[1] ?? "").length;
    return `${line.slice(0, start)}${quoteText(line.slice(start).trimEnd())}`;
  }
  const end = closingBrace(line, at);
  return `${head}${quoteText(line.slice(at, end))}${line.slice(end)}`;
}

/** A YAML scalar that means exactly this text: single quotes if it holds none, else double. */
export function quoteText(text: string): string {
  if (!text.includes("'") && !/[\u0000-\u001f]/.test(text)) {
    return text.includes('"') || text.includes("\\") ? `'${text}'` : `"${text}"`;
  }
  return JSON.stringify(text);
}

/** Offset of the first `${` outside quotes that is not escaped as `$${`. */
function findUnquotedExpression(line: string): number | undefined {
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (quote !== "") {
      if (character === "\\" && quote === '"') at += 1;
      else if (character === quote) quote = "";
    } else if (line.startsWith("${", at)) {
      if (line[at - 1] !== "$") return at;
    } else if (at === 0 || " \t[{,".includes(line[at - 1] ?? "")) {
      if (character === "#") return undefined;
      if (character === '"' || character === "'") quote = character;
    }
  }
  return undefined;
}

/** End of the expression that begins at `start`; the end of the line when it is not closed. */
function closingBrace(line: string, start: number): number {
  let depth = 0;
  let quote = "";
  for (let at = start + 1; at < line.length; at += 1) {
    const character = line[at] ?? "";
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return line.length;
}
