/** What came of tests of a configuration. */

import type { PlannedValue } from "../value/value.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** `skipped`: not run, for a run before it ended in an error that was not expected. */
export type TestStatus = "passed" | "failed" | "skipped";

/** A part of a condition, and what it came to. */
export type TestPart = {
  readonly text: string;
  readonly value?: PlannedValue;
  /** Then its value is absent. */
  readonly sensitive?: true;
};

/** What did not come as expected. */
export type TestFailure = {
  readonly diagnostic: Diagnostic;
  /** What the parts of a condition came to; nothing sensitive. */
  readonly parts: readonly TestPart[];
};

export type TestRunReport = {
  readonly name: string;
  readonly command: string;
  readonly line: number;
  readonly status: TestStatus;
  readonly failures: readonly TestFailure[];
  /** Errors and warnings that were told, expected ones too. */
  readonly problems: readonly Diagnostic[];
  readonly assertions: number;
  readonly requests: number;
  readonly elapsedMs: number;
};

export type TestFileReport = {
  readonly file: string;
  readonly status: TestStatus;
  /** Why none of it could be run. */
  readonly failures: readonly TestFailure[];
  readonly runs: readonly TestRunReport[];
  readonly elapsedMs: number;
};

export type TestReport = {
  readonly files: readonly TestFileReport[];
  /** Runs by what came of them. */
  readonly counts: { readonly [status in TestStatus]: number };
};

/** Files that could not be run, and runs that failed. */
export function testsPassed({ files }: TestReport): boolean {
  return files.every(({ status }) => status !== "failed");
}
