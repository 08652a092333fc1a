/** One expression evaluated in a scope. */

import type { InstanceKey } from "../../model/value/address.ts";
import { isUnknown, type PlannedValue } from "../../model/value/value.ts";
import { inContext } from "../functions/function-context.ts";
import { ExpressionTimeout, sizeProblem, timeProblem, withinTime } from "../syntax/bounds.ts";
import { compile, problemOf } from "../syntax/cel.ts";
import { maskProblem } from "../syntax/cel-problem.ts";
import type { ExpressionProblem } from "../syntax/problem.ts";
import { liveRoots } from "./live-resource.ts";
import { fromLive, LiveValueError, UnknownTouched } from "./live-value.ts";
import { renderText } from "./render-text.ts";
import { newRun, type Run } from "./run.ts";
import type { Scope } from "./scope.ts";
import type { ValueKind } from "./value-kind.ts";

export type Evaluated =
  /** Leaves of a map or list may still be unknown. */
  | { readonly kind: "value"; readonly value: PlannedValue; readonly valueKind: ValueKind }
  | { readonly kind: "unknown" }
  /** Offset counts in the source. */
  | { readonly kind: "problem"; readonly problem: ExpressionProblem };

/**
 * A mistake after an unknown value was touched counts as unknown: in `unknown || mistake` the
 * unknown value may decide, and the mistake comes back when it does not.
 */
export function evaluateSource(source: string, scope: Scope, run: Run): Evaluated {
  const compiled = compile(source);
  if (compiled.kind === "problem") return compiled;
  try {
    const context = { marks: run, files: scope.files, time: scope.time, render: renderText };
    const evaluate = () => inContext(context, () => fromLive(compiled.run(liveRoots(scope, run))));
    const { value, kind } = withinTime(source, evaluate);
    const problem = sizeProblem(value);
    if (problem !== undefined) return { kind: "problem", problem };
    return isUnknown(value) ? { kind: "unknown" } : { kind: "value", value, valueKind: kind };
  } catch (error) {
    if (error instanceof ExpressionTimeout) return { kind: "problem", problem: timeProblem };
    if (error instanceof UnknownTouched || run.unknown) return { kind: "unknown" };
    const problem =
      error instanceof LiveValueError
        ? { message: error.message, offset: 0 }
        : problemOf(error, source);
    return { kind: "problem", problem: run.sensitive ? maskProblem(error, problem) : problem };
  }
}

/** An index as instance key, or undefined when it is not known or no key. */
export function evaluateIndex(source: string, scope: Scope): InstanceKey | undefined {
  const result = evaluateSource(source, scope, newRun(scope));
  if (result.kind !== "value") return undefined;
  const { value, valueKind } = result;
  if (typeof value === "string") return value;
  return valueKind === "integer" && typeof value === "number" ? value : undefined;
}
