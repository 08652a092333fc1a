/**
 * `vmform test`: runs of the configuration against simulated worlds, each judged by what its file
 * expects. Nothing is sent to an endpoint, and nothing recorded anywhere. `find.ts` finds the
 * files, `file.ts` runs those of one, `execute.ts` one command, `judge.ts` judges it by the values
 * of `scope.ts`.
 */

import { createReport } from "../../config/report.ts";
import { readTestFile } from "../../config/testing/test-file.ts";
import type { TestFile, TestRun } from "../../config/testing/tests.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { TestFileReport, TestReport, TestStatus } from "../../model/said/test-report.ts";
import type { CommandEnvironment } from "../environment.ts";
import { runTestFile, type TestContext } from "./file.ts";
import { type FoundTest, findTests, none } from "./find.ts";

export type TestOptions = Pick<TestContext, "directory" | "given" | "forms" | "hear"> & {
  /** Names of files; none for all. */
  readonly filters: readonly string[];
  /** Names of runs; those before them in their file are run as well. None for all. */
  readonly runs: readonly string[];
  /** Files at once. */
  readonly parallel: number;
  /** Called for each file in their order, as soon as it and those before it have ended. */
  readonly ended: (report: TestFileReport) => void;
};

/** Throws `DiagnosticError` where there is nothing to test. */
export async function testCommand(
  environment: CommandEnvironment,
  options: TestOptions,
): Promise<TestReport> {
  const { directory, filters, parallel } = options;
  const found = await findTests(environment, directory, filters);
  const read = await Promise.all(found.map((test) => readTests(environment, test)));
  requireRuns(read, options.runs);
  const context = { ...options, environment };
  const work = read.map((test) => () => tested(context, test, options.runs));
  const files = await inOrder(work, parallel, options.ended);
  return { files, counts: countsOf(files) };
}

type Read = { readonly found: FoundTest; readonly file: TestFile | undefined } & Pick<
  TestFileReport,
  "failures"
>;

async function readTests(environment: CommandEnvironment, found: FoundTest): Promise<Read> {
  const report = createReport();
  const bytes = await environment.readFile(found.name);
  const file = readTestFile({ name: found.name, bytes }, report);
  const diagnostics = report.diagnostics();
  environment.remark(diagnostics.filter((one) => !hasErrors([one])));
  const errors = diagnostics.filter((one) => hasErrors([one]));
  return { found, file, failures: errors.map((diagnostic) => ({ diagnostic, parts: [] })) };
}

function requireRuns(read: readonly Read[], names: readonly string[]): void {
  const known = new Set(read.flatMap(({ file }) => (file?.runs ?? []).map(({ name }) => name)));
  // In what cannot be read, it may stand.
  if (read.some(({ file }) => file === undefined)) return;
  for (const name of names) {
    if (known.has(name)) continue;
    throw none(`There is no run ${JSON.stringify(name)}.`, `There is ${[...known].join(", ")}.`);
  }
}

async function tested(
  context: TestContext,
  { found, file, failures }: Read,
  names: readonly string[],
): Promise<TestFileReport | undefined> {
  if (file === undefined) {
    return { file: found.name, status: "failed", failures, runs: [], elapsedMs: 0 };
  }
  const runs = runsUpTo(file, names);
  return runs.length === 0 ? undefined : runTestFile(context, found, file, runs);
}

/** A run builds on those before it, so they are run too. */
function runsUpTo({ runs }: TestFile, names: readonly string[]): readonly TestRun[] {
  if (names.length === 0) return runs;
  return runs.slice(0, runs.findLastIndex(({ name }) => names.includes(name)) + 1);
}

/** Some at once; each is told in its turn. */
async function inOrder(
  work: readonly (() => Promise<TestFileReport | undefined>)[],
  parallel: number,
  ended: (report: TestFileReport) => void,
): Promise<readonly TestFileReport[]> {
  const done: (TestFileReport | undefined)[] = [];
  const isDone = new Set<number>();
  let next = 0;
  let told = 0;
  const worker = async (): Promise<void> => {
    for (let index = next; index < work.length; index = next) {
      next += 1;
      done[index] = await work[index]?.();
      isDone.add(index);
      for (; isDone.has(told); told += 1) {
        const report = done[told];
        if (report !== undefined) ended(report);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, work.length) }, worker));
  return done.filter((report) => report !== undefined);
}

function countsOf(files: readonly TestFileReport[]): TestReport["counts"] {
  const runs = files.flatMap((file) => file.runs);
  const of = (status: TestStatus): number => runs.filter((run) => run.status === status).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}
