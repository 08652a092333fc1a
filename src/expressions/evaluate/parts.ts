/** The parts of a condition that did not hold, with what each came to. */

import type { ASTNode } from "@marcbachmann/cel-js";
import { type PlannedValue, unknown } from "../../model/value/value.ts";
import { compile } from "../syntax/cel.ts";
import type { Template } from "../syntax/template.ts";
import { evaluateSource } from "./evaluation.ts";
import { newRun } from "./run.ts";
import type { Scope } from "./scope.ts";

export type PartValue = {
  /** As it is written. */
  readonly text: string;
  readonly value: PlannedValue;
  readonly sensitive: boolean;
};

/** In the order in which they are written, each text once; literals say themselves. */
export function partsOf(template: Template, scope: Scope): readonly PartValue[] {
  const parts = new Map<string, PartValue>();
  for (const part of template.parts) {
    if (part.kind === "text") continue;
    const compiled = compile(part.source);
    if (compiled.kind === "problem") continue;
    for (const node of operandsOf(compiled.ast)) {
      const text = part.source.slice(node.start, node.end).trim();
      const value = text === "" || parts.has(text) ? undefined : valueOf(text, scope);
      if (value !== undefined) parts.set(text, value);
    }
  }
  return [...parts.values()];
}

/** Undefined for what comes to nothing: the problem of the whole is told already. */
function valueOf(text: string, scope: Scope): PartValue | undefined {
  const run = newRun(scope);
  const result = evaluateSource(text, scope, run);
  if (result.kind === "problem") return undefined;
  const value = result.kind === "value" ? result.value : unknown;
  return { text, value, sensitive: run.sensitive };
}

/** What comparisons and connectives are about. A macro is one part: its variables are its own. */
function operandsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
      return [];
    case "!_":
    case "-_":
      return operandsOf(node.args);
    case "&&":
    case "||":
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "in":
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "?:":
      return node.args.flatMap(operandsOf);
    case "rcall": {
      // What a macro or a method is asked of says more than that it gave false.
      const [, receiver] = node.args;
      return receiver.op === "id" ? [node] : [node, ...operandsOf(receiver)];
    }
    case "list":
    case "map":
      return isConstant(node) ? [] : [node];
    default:
      return [node];
  }
}

function isConstant(node: ASTNode): boolean {
  if (node.op === "value") return true;
  if (node.op === "list") return node.args.every(isConstant);
  return node.op === "map" && node.args.flat().every(isConstant);
}
