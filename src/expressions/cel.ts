/** The CEL library behind one door. */

import type { ASTNode } from "@marcbachmann/cel-js";
import type { ExpressionProblem } from "./problem.ts";

export type Compiled =
  | { readonly kind: "compiled"; readonly ast: ASTNode; readonly run: (roots: unknown) => unknown }
  /** Offset counts in the source of the expression. */
  | { readonly kind: "problem"; readonly problem: ExpressionProblem };

export function compile(source: string): Compiled {
  throw new Error(`not written yet: ${source}`);
}
