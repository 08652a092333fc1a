/** Which functions an expression calls, with the source of what they are given first. */

import { type ASTNode, serialize } from "@marcbachmann/cel-js";
import { compile } from "./cel.ts";
import { childrenOf } from "./names.ts";

export type FunctionCall = {
  readonly name: string;
  readonly argumentCount: number;
  /** Source of the first value in the brackets. */
  readonly first?: string;
  /** The stretch of the call in the source. */
  readonly start: number;
  readonly end: number;
};

const callsBySource = new Map<string, readonly FunctionCall[]>();

/** Calls of functions, not of methods. A source that does not parse has none. */
export function functionCalls(source: string): readonly FunctionCall[] {
  const known = callsBySource.get(source);
  if (known !== undefined) return known;
  const compiled = compile(source);
  const calls: FunctionCall[] = [];
  const nodes: ASTNode[] = compiled.kind === "compiled" ? [compiled.ast] : [];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.op === "call") {
      const [name, args] = node.args;
      const [first] = args;
      calls.push({
        name,
        argumentCount: args.length,
        ...(first === undefined ? {} : { first: serialize(first) }),
        start: node.start,
        end: node.end,
      });
    }
    nodes.push(...childrenOf(node));
  }
  callsBySource.set(source, calls);
  return calls;
}

/** Whether the time of the plan is asked for. */
export function asksTime(source: string): boolean {
  return functionCalls(source).some(
    ({ name, argumentCount }) => name === "timestamp" && argumentCount === 0,
  );
}
