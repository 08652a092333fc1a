/**
 * What an expression reads of a name beyond the steps that follow it: through the variable of a
 * macro (`vms.map(v, v.id)`), through `values()`, a list, or a branch of `?:`.
 */

import type { ASTNode } from "@marcbachmann/cel-js";
import { childrenOf, macroOf } from "./names.ts";

/** One step into a value, as far as the syntax tells: a name, any index, or each element. */
export type ReadStep =
  | { readonly kind: "named"; readonly name: string }
  /** `element`: what a macro goes through, which of a map are its keys. */
  | { readonly kind: "index" | "element" | "value" };

/** A value that an expression needs: the steps from the name that starts at `offset`. */
export type ReadPath = { readonly offset: number; readonly steps: readonly ReadStep[] };

/** A part of what a name stands for; `wraps` counts the lists and maps that were made around it. */
type Alias = ReadPath & { readonly wraps: number };
type Bindings = ReadonlyMap<string, readonly Alias[]>;
type Trace = { readonly read: ReadPath[]; readonly bound: Bindings };

/** No reference is longer: `data`, type, name, key and attribute. */
const stepsMax = 4;
const aliasesMax = 100;

/** Every part that is read as a value; a name of which only the size is asked has none. */
export function pathsRead(ast: ASTNode): readonly ReadPath[] {
  const trace: Trace = { read: [], bound: new Map() };
  consume(ast, trace);
  return trace.read;
}

function consume(node: ASTNode, trace: Trace): void {
  for (const { offset, steps } of follow(node, trace)) trace.read.push({ offset, steps });
}

function consumeAll(nodes: readonly ASTNode[], trace: Trace): void {
  for (const node of nodes) consume(node, trace);
}

/** What the value of a node may be a part of; whatever it is computed from is read. */
function follow(node: ASTNode, trace: Trace): readonly Alias[] {
  return bounded(followNode(node, trace));
}

function followNode(node: ASTNode, trace: Trace): readonly Alias[] {
  switch (node.op) {
    case "value":
      return [];
    case "id":
      return trace.bound.get(node.args) ?? [{ offset: node.start, steps: [], wraps: 0 }];
    case ".":
    case ".?":
      return follow(node.args[0], trace).map((alias) =>
        into(alias, { kind: "named", name: node.args[1] }),
      );
    case "[]":
    case "[?]":
      return followIndex(node.args, trace);
    case "call":
      return followCall(node.args, trace);
    case "rcall":
      return followMethod(node.args, trace);
    case "?:": {
      const [condition, yes, no] = node.args;
      consume(condition, trace);
      return [...follow(yes, trace), ...follow(no, trace)];
    }
    case "list":
      return node.args.flatMap((item) => follow(item, trace).map(wrap));
    case "map":
      return node.args.flatMap(([key, value]) => {
        consume(key, trace);
        return follow(value, trace).map(wrap);
      });
    case "in":
      // Only the keys of a map are looked at, or every element of a list, which is a value.
      consume(node.args[0], trace);
      for (const alias of follow(node.args[1], trace))
        read(into(alias, { kind: "element" }), trace);
      return [];
    default:
      consumeAll(childrenOf(node), trace);
      return [];
  }
}

function followIndex([base, index]: readonly [ASTNode, ASTNode], trace: Trace): readonly Alias[] {
  consume(index, trace);
  const name = index.op === "value" && typeof index.args === "string" ? index.args : undefined;
  const step: ReadStep = name === undefined ? { kind: "index" } : { kind: "named", name };
  return follow(base, trace).map((alias) => into(alias, step));
}

function followCall(
  [name, args]: readonly [string, readonly ASTNode[]],
  trace: Trace,
): readonly Alias[] {
  const [only] = args;
  if (name === "size" && only !== undefined) follow(only, trace);
  else consumeAll(args, trace);
  return [];
}

function followMethod(
  [method, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
  trace: Trace,
): readonly Alias[] {
  const macro = macroOf(method, receiver, args);
  if (macro?.kind === "bind") {
    const bound = follow(macro.value, trace);
    return followAll(macro.body, within(trace, macro.variable, bound));
  }
  const from = follow(receiver, trace);
  if (macro !== undefined) {
    const elements = from.map((alias) => into(alias, { kind: "element" }));
    const inner = within(trace, macro.variable, elements);
    const results = macro.body.map((body) => ({ body, aliases: follow(body, inner) }));
    const last = results.at(-1)?.aliases ?? [];
    // A test is read whole: it is true or false, or an object by mistake.
    for (const { aliases } of method === "map" ? results.slice(0, -1) : results) {
      for (const alias of aliases) read(alias, trace);
    }
    if (method === "map") return last.map(wrap);
    return method === "filter" ? elements.map(wrap) : [];
  }
  consumeAll(args, trace);
  if (method === "size" || method === "keys") return [];
  if (method === "values") return from.map((alias) => wrap(into(alias, { kind: "value" })));
  for (const alias of from) read(alias, trace);
  return [];
}

function followAll(nodes: readonly ASTNode[], trace: Trace): readonly Alias[] {
  return nodes.flatMap((node) => follow(node, trace));
}

function within(trace: Trace, variable: string, aliases: readonly Alias[]): Trace {
  return { ...trace, bound: new Map([...trace.bound, [variable, aliases]]) };
}

function read({ offset, steps }: Alias, trace: Trace): void {
  trace.read.push({ offset, steps });
}

/** Without duplicates. Of very many parts the beginnings stay, which is: all that they hold. */
function bounded(aliases: readonly Alias[]): readonly Alias[] {
  if (aliases.length < 2) return aliases;
  const unique = new Map(aliases.map((alias) => [JSON.stringify(alias), alias]));
  if (unique.size <= aliasesMax) return [...unique.values()];
  const begun = aliases.map((alias) => ({ ...alias, steps: alias.steps.slice(0, 1) }));
  return [...new Map(begun.map((alias) => [JSON.stringify(alias), alias])).values()];
}

/** A step into a list that the expression made itself leads to what was put into it. */
function into(alias: Alias, step: ReadStep): Alias {
  if (alias.wraps > 0) return { ...alias, wraps: alias.wraps - 1 };
  if (alias.steps.length === stepsMax) return alias;
  return { ...alias, steps: [...alias.steps, step] };
}

function wrap(alias: Alias): Alias {
  return { ...alias, wraps: alias.wraps + 1 };
}
