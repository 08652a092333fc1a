/**
 * Checks expressions that may use a few declared names and nothing of a module: their names, their
 * types, and the words that are compared with members of which all words are known.
 */

import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { closestName } from "../../lib/text.ts";
import { checkExpression, compile, typedEnvironment } from "../syntax/cel.ts";
import { childrenOf, namesUsed } from "../syntax/names.ts";
import { type ExpressionProblem, movedBy } from "../syntax/problem.ts";
import type { Template } from "../syntax/template.ts";
import { typeMisfit } from "./check.ts";

export type DeclaredMember = {
  readonly type: "string" | "int" | "list" | "map" | "dyn";
  /** Every word it, or each of its elements, can be. */
  readonly words?: readonly string[];
};
/** A member `*` stands for any other: those of what the user has named. */
export type DeclaredRoots = {
  readonly [root: string]: { readonly [member: string]: DeclaredMember };
};

/** Of a template that is to give true or false. Offsets count in the template text. */
export function checkDeclared(
  template: Template,
  roots: DeclaredRoots,
): readonly ExpressionProblem[] {
  if (!template.whole) {
    const message = "Expected true or false, but this is a text.";
    return [{ message, fix: "Write the whole value as one ${…}.", offset: 0 }];
  }
  return template.parts.flatMap((part) => {
    if (part.kind === "text") return [];
    return problemsIn(part.source, roots).map((problem) => movedBy(problem, part.offset));
  });
}

/** Names of roots that a template uses. */
export function rootsUsed(template: Template): ReadonlySet<string> {
  const used = new Set<string>();
  for (const part of template.parts) {
    const compiled = part.kind === "text" ? undefined : compile(part.source);
    if (compiled?.kind !== "compiled") continue;
    for (const { root } of namesUsed(compiled.ast)) used.add(root);
  }
  return used;
}

function problemsIn(source: string, roots: DeclaredRoots): readonly ExpressionProblem[] {
  const compiled = compile(source);
  if (compiled.kind === "problem") return [compiled.problem];
  const names = nameProblems(compiled.ast, roots);
  if (names.length > 0) return names;
  const checked = checkExpression(source, environmentOf(roots));
  if (checked.kind === "problem") return [checked.problem];
  const misfits = checked.results.flatMap(({ type, offset }) => {
    const misfit = typeMisfit(type, "boolean", source);
    return misfit === undefined ? [] : [{ ...misfit, offset }];
  });
  return misfits.length > 0 ? misfits : wordProblems(compiled.ast, roots);
}

function nameProblems(ast: ASTNode, roots: DeclaredRoots): readonly ExpressionProblem[] {
  return namesUsed(ast).flatMap(({ root, steps, offset }) => {
    const members = Object.hasOwn(roots, root) ? roots[root] : undefined;
    if (members === undefined) {
      const message = `There is no name "${root}" here.`;
      return [{ message, fix: wayOut("", root, Object.keys(roots)), offset }];
    }
    const name = steps[0]?.text;
    if (name === undefined || hasMember(members, name)) return [];
    const message = `There is no ${root}.${name}.`;
    return [{ message, fix: wayOut(`${root}.`, name, Object.keys(members)), offset }];
  });
}

function hasMember(members: DeclaredRoots[string], name: string): boolean {
  return Object.hasOwn(members, name) || Object.hasOwn(members, "*");
}

function wayOut(before: string, name: string, known: readonly string[]): string {
  const meant = closestName(name, known);
  if (meant !== undefined) return `Did you mean ${before}${meant}?`;
  return `There is ${known.map((one) => `${before}${one}`).join(", ")}.`;
}

/** A word that can never be there makes a comparison that never decides anything. */
function wordProblems(ast: ASTNode, roots: DeclaredRoots): readonly ExpressionProblem[] {
  const problems: ExpressionProblem[] = [];
  const nodes: ASTNode[] = [ast];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    nodes.push(...childrenOf(node));
    if (node.op !== "==" && node.op !== "!=" && node.op !== "in") continue;
    const [left, right] = node.args;
    problems.push(...strangeWords(left, right, roots), ...strangeWords(right, left, roots));
  }
  return problems.toSorted((a, b) => a.offset - b.offset);
}

function strangeWords(
  member: ASTNode,
  compared: ASTNode,
  roots: DeclaredRoots,
): readonly ExpressionProblem[] {
  if (member.op !== "." || member.args[0].op !== "id") return [];
  const [{ args: root }, name] = member.args;
  const words = roots[root]?.[name]?.words;
  if (words === undefined) return [];
  const literals = compared.op === "list" ? compared.args : [compared];
  return literals.flatMap((literal) => {
    if (literal.op !== "value" || typeof literal.args !== "string") return [];
    const word = literal.args;
    if (words.includes(word)) return [];
    const message = `${root}.${name} is never ${JSON.stringify(word)}.`;
    const meant = closestName(word, words);
    const some = words.length > 12 ? undefined : `It is one of ${words.join(", ")}.`;
    const fix = meant === undefined ? some : `Did you mean ${JSON.stringify(meant)}?`;
    const end = literal.start + JSON.stringify(word).length;
    const problem = { message, offset: literal.start, end };
    return [fix === undefined ? problem : { ...problem, fix }];
  });
}

const environments = new WeakMap<DeclaredRoots, Environment>();

/** Made once for a set of roots: pass the same one each time. */
function environmentOf(roots: DeclaredRoots): Environment {
  const known = environments.get(roots);
  if (known !== undefined) return known;
  const environment = typedEnvironment();
  for (const [root, members] of Object.entries(roots)) {
    if (Object.hasOwn(members, "*")) {
      environment.registerVariable(root, "dyn");
      continue;
    }
    const name = `root ${root}`;
    const fields = Object.fromEntries(
      Object.entries(members).map(([member, { type }]) => [member, type]),
    );
    environment.registerType(name, { fields });
    environment.registerVariable(root, name);
  }
  environments.set(roots, environment);
  return environment;
}
