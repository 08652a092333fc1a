/** What one evaluation of an expression may not touch unnoticed, and what it did touch. */

import type { Scope } from "./scope.ts";

export type Run = {
  readonly sensitivePaths: ReadonlySet<string>;
  readonly doublePaths: ReadonlySet<string>;
  /** Set when a sensitive value was touched. */
  sensitive: boolean;
  /** Set when an unknown value was touched, be it that an operator did not need it in the end. */
  unknown: boolean;
};

export function newRun(scope: Scope): Run {
  return {
    sensitivePaths: scope.sensitive,
    doublePaths: scope.doubles,
    sensitive: false,
    unknown: false,
  };
}
