/**
 * Free names of a CEL syntax tree: each with the steps that follow it (`.field`, `[index]`).
 * Variables that a macro binds (`list.map(x, …)`, `cel.bind(x, …)`) are not free.
 */

import { type ASTNode, serialize } from "@marcbachmann/cel-js";

export type NameStep = {
  readonly form: "field" | "index";
  /** Name of a field, or a constant text as index. */
  readonly text?: string;
  /** A constant integer as index. */
  readonly number?: number;
  /** Source of any other index; absent when it uses a variable bound by a macro. */
  readonly source?: string;
  /** Place of the step in the source. */
  readonly offset: number;
};

export type NameUse = {
  readonly root: string;
  readonly steps: readonly NameStep[];
  readonly offset: number;
};

type Access = ASTNode & { readonly op: "." | ".?" | "[]" | "[?]" };
type Walk = { readonly uses: NameUse[]; readonly bound: ReadonlySet<string> };

/** Names that the language itself defines. */
const builtinNames: ReadonlySet<string> = new Set([
  ...["string", "bool", "int", "uint", "double", "map", "list", "bytes", "null_type", "type"],
  ...["cel", "google", "optional"],
]);

/** Macros whose first argument names a variable for the others, by count of arguments. */
const variableMacros: { readonly [name: string]: readonly number[] } = {
  all: [2],
  exists: [2],
  exists_one: [2],
  filter: [2],
  map: [2, 3],
};

/** In the order of the source. */
export function namesUsed(ast: ASTNode): readonly NameUse[] {
  const walk: Walk = { uses: [], bound: new Set() };
  visit(ast, walk);
  return walk.uses.sort((left, right) => left.offset - right.offset);
}

function visit(node: ASTNode, walk: Walk): void {
  switch (node.op) {
    case "value":
      return;
    case "id":
    case ".":
    case ".?":
    case "[]":
    case "[?]":
      visitAccess(node, walk);
      return;
    case "call":
      visitAll(node.args[1], walk);
      return;
    case "rcall":
      visitMethod(node.args, walk);
      return;
    case "list":
      visitAll(node.args, walk);
      return;
    case "map":
      visitAll(node.args.flat(), walk);
      return;
    case "!_":
    case "-_":
      visit(node.args, walk);
      return;
    default:
      visitAll(node.args, walk);
  }
}

function visitAll(nodes: readonly ASTNode[], walk: Walk): void {
  for (const node of nodes) visit(node, walk);
}

function visitMethod(
  [method, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
  walk: Walk,
): void {
  visit(receiver, walk);
  const macro = macroOf(method, receiver, args);
  if (macro === undefined) {
    visitAll(args, walk);
    return;
  }
  if (macro.kind === "bind") visit(macro.value, walk);
  visitAll(macro.body, { ...walk, bound: new Set([...walk.bound, macro.variable]) });
}

/** A call that names a variable for its last arguments, the body. */
export type Macro = { readonly variable: string; readonly body: readonly ASTNode[] } & (
  | { readonly kind: "elements" }
  | { readonly kind: "bind"; readonly value: ASTNode }
);

export function macroOf(
  method: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
): Macro | undefined {
  const [first, ...others] = args;
  if (first?.op !== "id") return undefined;
  const variable = first.args;
  if (method === "bind" && receiver.op === "id" && receiver.args === "cel") {
    const [value, ...body] = others;
    return value === undefined ? undefined : { kind: "bind", variable, value, body };
  }
  const isMacro = variableMacros[method]?.includes(args.length) === true;
  return isMacro ? { kind: "elements", variable, body: others } : undefined;
}

/** A chain of steps from a name, or from any other expression. */
function visitAccess(node: ASTNode, walk: Walk): void {
  const accesses: Access[] = [];
  let base = node;
  while (isAccess(base)) {
    accesses.unshift(base);
    if (base.op === "[]" || base.op === "[?]") visit(base.args[1], walk);
    base = base.args[0];
  }
  if (base.op !== "id") {
    visit(base, walk);
  } else if (!walk.bound.has(base.args) && !builtinNames.has(base.args)) {
    const steps = accesses.map((access) => toStep(access, walk.bound));
    walk.uses.push({ root: base.args, steps, offset: base.start });
  }
}

function isAccess(node: ASTNode): node is Access {
  return node.op === "." || node.op === ".?" || node.op === "[]" || node.op === "[?]";
}

function toStep(access: Access, bound: ReadonlySet<string>): NameStep {
  const offset = access.pos;
  if (access.op === "." || access.op === ".?") {
    return { form: "field", text: access.args[1], offset };
  }
  const index = access.args[1];
  if (index.op === "value" && typeof index.args === "string") {
    return { form: "index", text: index.args, offset };
  }
  if (index.op === "value" && typeof index.args === "bigint") {
    return { form: "index", number: Number(index.args), offset };
  }
  const free = bound.size === 0 || !usesAny(index, bound);
  return free ? { form: "index", source: serialize(index), offset } : { form: "index", offset };
}

/** Whether one of the names stands anywhere in the tree, be it bound again inside. */
function usesAny(node: ASTNode, names: ReadonlySet<string>): boolean {
  if (node.op === "id") return names.has(node.args);
  return childrenOf(node).some((child) => usesAny(child, names));
}

export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}
