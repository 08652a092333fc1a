/**
 * Where a `${…}` ends: the first closing brace that is not inside a CEL string, a comment or the
 * braces of a map. Only the lexical rules of CEL matter here; the parser judges the rest.
 */

import type { ExpressionProblem } from "./problem.ts";

export type ExpressionEnd =
  /** `offset` is the place of the closing brace. */
  | { readonly kind: "end"; readonly offset: number }
  | { readonly kind: "problem"; readonly problem: ExpressionProblem };

/** `start` is the place after `${`. */
export function findExpressionEnd(text: string, start: number): ExpressionEnd {
  let depth = 0;
  let comment: number | undefined;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"' || char === "'") {
      const close = findStringEnd(text, at, char);
      if (close === undefined) return unclosedString(at);
      at = close;
    } else if (char === "/" && text[at + 1] === "/") {
      comment ??= at;
      const lineEnd = text.indexOf("\n", at);
      if (lineEnd === -1) break;
      at = lineEnd;
    } else if (char === "{") {
      depth += 1;
    } else if (char === "}") {
      if (depth === 0) return { kind: "end", offset: at };
      depth -= 1;
    }
  }
  return unclosedExpression(start, comment);
}

/**
 * Place of the last quote of the string that begins at `at`. A backslash hides the next character
 * in raw strings too: so reads the CEL library. A line end closes no string in single quotes.
 */
function findStringEnd(text: string, at: number, quote: string): number | undefined {
  const triple = quote.repeat(3);
  const isTriple = text.startsWith(triple, at);
  for (let next = at + (isTriple ? 3 : 1); next < text.length; next += 1) {
    const char = text[next];
    if (char === "\\") next += 1;
    else if (isTriple && text.startsWith(triple, next)) return next + 2;
    else if (!isTriple && char === quote) return next;
    else if (!isTriple && (char === "\n" || char === "\r")) return undefined;
  }
  return undefined;
}

function unclosedString(offset: number): ExpressionEnd {
  return {
    kind: "problem",
    problem: {
      message: "A quoted text inside the expression is not closed on its line.",
      fix: "Close the quotation mark, or use three of them for a text of several lines.",
      offset,
    },
  };
}

function unclosedExpression(start: number, comment: number | undefined): ExpressionEnd {
  const fix =
    comment === undefined
      ? "Add the closing brace, or write $${ for a literal ${."
      : "Inside an expression // begins a comment; put the text in quotation marks.";
  const message = "The expression that begins here is not closed by a brace.";
  return { kind: "problem", problem: { message, fix, offset: comment ?? start - 2 } };
}
