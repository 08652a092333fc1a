/** `vmform validate`: the configuration and its files of tests, offline. */

import type { Configuration } from "../../config/load.ts";
import { createReport } from "../../config/report.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { CommandEnvironment } from "../environment.ts";
import { validateConfiguration, type WorkspaceOptions } from "../reading.ts";
import { allTests } from "../testing/find.ts";

export type Validation = {
  /** Undefined when too much is wrong with it. */
  readonly value: Configuration | undefined;
  readonly diagnostics: readonly Diagnostic[];
};

/** What its tests come to, `vmform test` says; here they are read. */
export async function validateCommand(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<Validation> {
  const { value, diagnostics } = await validateConfiguration(environment, options);
  return { value, diagnostics: [...diagnostics, ...(await testProblems(environment, options))] };
}

async function testProblems(
  environment: CommandEnvironment,
  { directory }: WorkspaceOptions,
): Promise<readonly Diagnostic[]> {
  const tests = await allTests(environment, directory);
  if (tests.length === 0) return [];
  const { readTestFile } = await import("../../config/testing/test-file.ts");
  const report = createReport();
  for (const { name } of tests) {
    readTestFile({ name, bytes: await environment.readFile(name) }, report);
  }
  return report.diagnostics();
}
