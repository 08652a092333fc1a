/** Conditions of the configuration: what has to hold before, or after, something is done. */

import type { SourcePosition } from "../said/diagnostic.ts";
import type { DeferredValue, ReferenceLookup } from "../value/expression.ts";

/** `precondition`: before anything is done. `postcondition`: of what has become of the object. */
export type ConditionKind = "precondition" | "postcondition";

/** What is said where a condition does not hold. */
export type ConditionMessage = {
  /** As written, where it holds an expression that is known only after apply. */
  readonly message: string;
  readonly deferredMessage?: DeferredValue;
};

/**
 * `faulty`: it cannot be evaluated. `unknown`: not before what is planned is done. `values` is a
 * sentence about what the condition names.
 */
export type ConditionResult =
  | { readonly status: "passed" }
  | { readonly status: "failed"; readonly message: string; readonly values: string }
  | { readonly status: "faulty"; readonly why: string }
  | ({ readonly status: "unknown"; readonly deferred?: DeferredValue } & ConditionMessage);

export type DesiredCondition = {
  readonly kind: ConditionKind;
  readonly source: SourcePosition;
  /** It names attributes of its own object. */
  readonly usesSelf: boolean;
  /** Pure. With `lateSelf`, of what is read of its object once everything is done for it. */
  resolve(lookup: ReferenceLookup, lateSelf?: "lateSelf"): ConditionResult;
};

/** A condition that is judged while applying. */
export type LateCondition = ConditionMessage & {
  readonly kind: ConditionKind;
  readonly deferred: DeferredValue;
  readonly source: SourcePosition;
};

/** Everything that a late condition waits for. */
export function deferredIn({
  deferred,
  deferredMessage,
}: Pick<LateCondition, "deferred" | "deferredMessage">): readonly DeferredValue[] {
  return deferredMessage === undefined ? [deferred] : [deferred, deferredMessage];
}
