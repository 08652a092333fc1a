/** Problems the user can mend: values that are collected, never thrown one by one. */

import type { Address } from "../value/address.ts";

/** A place in a file. `line` and `column` count from 1, columns in Unicode code points. */
export type SourcePosition = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The text of that line, without its line end. */
  readonly text: string;
  /** Columns that are wrong; one when absent. */
  readonly length?: number;
};

export type Diagnostic = {
  readonly severity: "error" | "warning";
  /** Stable code such as `CFG004`, unique per cause. */
  readonly code: string;
  /** Terse, free of names the user chose. */
  readonly summary: string;
  /** Full sentences: what is wrong and why. */
  readonly detail: string;
  /** What to do about it, one sentence; printed after the detail. */
  readonly fix?: string;
  readonly source?: SourcePosition;
  readonly address?: Address;
};

export type WithDiagnostics<T> = {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
};

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}
