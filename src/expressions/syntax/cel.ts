/**
 * The CEL library behind one door: environments, syntax trees parsed once, and type checks.
 *
 * Three of the library's internals are used, which its declarations leave out: `checkedType` of a
 * node after a check, and `clone` and `meta` of a node, to wrap a branch of a ternary in `dyn(…)`.
 * The library is pinned, and the tests of mixed ternaries fail when these change.
 */

import {
  type ASTNode,
  TypeError as CelTypeError,
  Environment,
  type ParseResult,
} from "@marcbachmann/cel-js";
import { registerFunctions } from "../functions/functions.ts";
import { matchesName } from "../functions/text/patterns.ts";
import { describeError } from "./cel-problem.ts";
import { childrenOf } from "./names.ts";
import type { ExpressionProblem } from "./problem.ts";

/** Offsets of its problems count in the source of the expression. */
export type Compiled =
  | {
      readonly kind: "compiled";
      readonly source: string;
      readonly ast: ASTNode;
      /** Checks once, then evaluates. Throws what `problemOf` explains. */
      readonly run: (roots: ReadonlyMap<string, unknown>) => unknown;
    }
  | { readonly kind: "problem"; readonly problem: ExpressionProblem };

/** Type of one possible result: a ternary at the top has one for each branch. */
export type ResultType = { readonly type: CelType; readonly offset: number };

export type CelType = {
  readonly kind: string;
  readonly type: string;
  readonly name: string;
};

export type CheckedExpression =
  | { readonly kind: "checked"; readonly results: readonly ResultType[] }
  | {
      readonly kind: "problem";
      readonly problem: ExpressionProblem;
      /** A field that a declared type does not have. */
      readonly missing?: { readonly type: string; readonly field: string };
    };

type InnerNode = ASTNode & {
  checkedType?: CelType;
  readonly meta: { readonly check: unknown; readonly evaluate: unknown };
  readonly clone: (op: object, args: unknown) => ASTNode;
};

let madeEnvironment: Environment | undefined;

/** Made for the first expression, with all functions: many a configuration has none. */
function baseEnvironment(): Environment {
  return (madeEnvironment ??= makeEnvironment());
}

function makeEnvironment(): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    // The checker and the evaluator recurse: every accepted tree is far from the end of the stack.
    limits: { maxAstNodes: 4_000, maxDepth: 100 },
  });
  registerFunctions(environment);
  return environment;
}

let madeDyn: InnerNode["meta"] | undefined;

function dynMeta(): InnerNode["meta"] {
  return (madeDyn ??= inner(baseEnvironment().parse("dyn(null)").ast).meta);
}

const wrappers = new WeakSet<object>();
const compiledBySource = new Map<string, Compiled>();

/** Syntax tree and evaluator of a source. Answers from a cache when the source was seen before. */
export function compile(source: string): Compiled {
  const known = compiledBySource.get(source);
  if (known !== undefined) return known;
  const compiled = compileAnew(source);
  compiledBySource.set(source, compiled);
  return compiled;
}

function compileAnew(source: string): Compiled {
  let parsed: ParseResult;
  try {
    parsed = parseIn(baseEnvironment(), source);
  } catch (error) {
    return { kind: "problem", problem: problemOf(error, source) };
  }
  let checked = false;
  const run = (roots: ReadonlyMap<string, unknown>): unknown => {
    if (!checked) checkMixed(parsed);
    checked = true;
    return parsed(roots);
  };
  return { kind: "compiled", source, ast: parsed.ast, run };
}

/** The library's own `matches` repeats without end for some patterns: ours stands in its place. */
function parseIn(environment: Environment, source: string): ParseResult {
  const parsed = environment.parse(source);
  if (!source.includes("matches")) return parsed;
  const nodes: ASTNode[] = [parsed.ast];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.op === "rcall" && node.args[0] === "matches") {
      (node.args as [string, ...unknown[]])[0] = matchesName;
    }
    nodes.push(...childrenOf(node));
  }
  return parsed;
}

/** An environment in which only declared names exist, for checking types. */
export function typedEnvironment(parent?: Environment): Environment {
  return (parent ?? baseEnvironment()).clone({ unlistedVariablesAreDyn: false });
}

export function checkExpression(source: string, environment: Environment): CheckedExpression {
  try {
    const parsed = parseIn(environment, source);
    checkMixed(parsed);
    return { kind: "checked", results: resultTypes(parsed.ast) };
  } catch (error) {
    const problem = problemOf(error, source);
    const missing = missingField(error);
    return missing === undefined
      ? { kind: "problem", problem }
      : { kind: "problem", problem, missing };
  }
}

function missingField(error: unknown): { type: string; field: string } | undefined {
  if (!(error instanceof CelTypeError) || error.code !== "no_such_key") return undefined;
  const { node } = error;
  if (!isFieldAccess(node)) return undefined;
  const type = inner(node.args[0]).checkedType?.name;
  return type === undefined ? undefined : { type, field: node.args[1] };
}

function isFieldAccess(node: unknown): node is Extract<ASTNode, { readonly op: "." }> {
  return typeof node === "object" && node !== null && "op" in node && node.op === ".";
}

/** What a thrown error means. Offset counts in the source. Throws on what is no user's mistake. */
export function problemOf(error: unknown, source: string): ExpressionProblem {
  return describeError(error, source, () => baseEnvironment().getDefinitions().functions);
}

/**
 * Checks an expression. The library refuses a ternary whose branches differ; a null branch and a
 * pair of integer and number are legal here, so such a branch becomes `dyn(branch)`.
 */
function checkMixed(parsed: ParseResult): void {
  for (;;) {
    const result = parsed.check();
    if (result.valid) return;
    if (result.error === undefined || !widenTernary(result.error)) {
      throw result.error ?? new Error("the check failed without an error");
    }
  }
}

function widenTernary(error: { readonly code: string; readonly node?: unknown }): boolean {
  if (error.code !== "incompatible_ternary_branches") return false;
  const { node } = error;
  if (!isTernary(node)) return false;
  const left = inner(node.args[1]).checkedType?.name ?? "";
  const right = inner(node.args[2]);
  if (!isMixable(left, right.checkedType?.name ?? "")) return false;
  const { check, evaluate } = dynMeta();
  const call = { name: "call", check, evaluate };
  const wrapper = right.clone(call, ["dyn", [right]]);
  wrappers.add(wrapper);
  node.args[2] = wrapper;
  return true;
}

/** The node with its undeclared members; a library without them cannot be used. */
function inner(node: ASTNode): InnerNode {
  if (!isInner(node)) throw new Error("the syntax nodes of the CEL library have changed");
  return node;
}

function isInner(node: ASTNode): node is InnerNode {
  return "clone" in node && "meta" in node;
}

function isTernary(node: unknown): node is Extract<ASTNode, { readonly op: "?:" }> {
  return typeof node === "object" && node !== null && "op" in node && node.op === "?:";
}

function isMixable(left: string, right: string): boolean {
  if (left === "null" || right === "null") return true;
  const numeric = ["int", "double"];
  return numeric.includes(left) && numeric.includes(right);
}

function resultTypes(ast: ASTNode): readonly ResultType[] {
  const results: ResultType[] = [];
  const nodes: ASTNode[] = [ast];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.op === "?:") {
      nodes.push(node.args[2], node.args[1]);
    } else if (node.op === "call" && wrappers.has(node)) {
      nodes.push(...node.args[1]);
    } else {
      const type = inner(node).checkedType;
      if (type === undefined) throw new Error("a checked node has no type");
      results.push({ type, offset: node.start });
    }
  }
  return results;
}
