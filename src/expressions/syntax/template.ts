/**
 * Templates: text with `${…}` expressions in CEL. `$${` is a literal `${`. A template that is one
 * single `${…}` is *whole* and keeps the type of its value; any other is text.
 *
 * Absent: expressions within expressions; a `$` right before an expression is written `${"$"}`.
 */

import { compile } from "./cel.ts";
import { findExpressionEnd } from "./expression-end.ts";
import { type ExpressionProblem, movedBy } from "./problem.ts";

export type Template = {
  readonly text: string;
  /** The text is one single `${…}` and nothing else. */
  readonly whole: boolean;
  readonly parts: readonly TemplatePart[];
};

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  /** `offset` is the place of the CEL source in the template text, UTF-16 code units. */
  | { readonly kind: "expression"; readonly source: string; readonly offset: number };

export type ParsedTemplate = {
  /** Undefined when there are problems. */
  readonly template: Template | undefined;
  readonly problems: readonly ExpressionProblem[];
};

const open = "${";
const escapedOpen = "$${";

/** True when the text must go through `parseTemplate`: it holds a `${`, be it an escaped one. */
export function hasExpression(text: string): boolean {
  return text.includes(open);
}

/**
 * Reads a template and the syntax of its expressions. Every expression is parsed once, however
 * often the same source is seen. All problems are given, not the first alone.
 */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  const problems: ExpressionProblem[] = [];
  let literal = "";
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf(open, at);
    if (next === -1) break;
    if (next > at && text[next - 1] === "$") {
      literal += text.slice(at, next - 1) + open;
      at = next + open.length;
      continue;
    }
    literal += text.slice(at, next);
    const start = next + open.length;
    const end = findExpressionEnd(text, start);
    if (end.kind === "problem")
      return { template: undefined, problems: [...problems, end.problem] };
    if (literal !== "") parts.push({ kind: "text", text: literal });
    literal = "";
    const source = text.slice(start, end.offset);
    parts.push({ kind: "expression", source, offset: start });
    problems.push(...syntaxProblems(source, start));
    at = end.offset + 1;
  }
  literal += text.slice(at);
  if (literal !== "") parts.push({ kind: "text", text: literal });
  if (problems.length > 0) return { template: undefined, problems };
  const whole = parts.length === 1 && parts[0]?.kind === "expression";
  return { template: { text, whole, parts }, problems };
}

/** A template of one expression, written without `${` and `}` around it. */
export function parseExpression(source: string): ParsedTemplate {
  const problems = syntaxProblems(source, 0);
  if (problems.length > 0) return { template: undefined, problems };
  const parts = [{ kind: "expression", source, offset: 0 }] as const;
  return { template: { text: source, whole: true, parts }, problems };
}

/** The text that parses to these parts: the inverse of `parseTemplate`. */
export function printTemplate(parts: readonly TemplatePart[]): string {
  return parts
    .map((part) =>
      part.kind === "text"
        ? part.text.replaceAll(open, () => escapedOpen)
        : `${open}${part.source}}`,
    )
    .join("");
}

function syntaxProblems(source: string, offset: number): readonly ExpressionProblem[] {
  if (source.trim() === "") {
    return [
      {
        message: "The expression is empty.",
        fix: "Write a value between the braces, or $${ for a literal ${.",
        offset,
      },
    ];
  }
  const compiled = compile(source);
  if (compiled.kind === "compiled") return [];
  return [movedBy(compiled.problem, offset)];
}
