/** `vmform test` on the command line. */

import type { Command } from "commander";
import { checkOutput, junitKind, writeOutput } from "../../commands/output-file.ts";
import { withPackages } from "../../commands/provider-packages.ts";
import type { TestListener } from "../../commands/testing/file.ts";
import { testCommand } from "../../commands/testing/test.ts";
import { userPath } from "../../lib/files/user-path.ts";
import { testsPassed } from "../../model/said/test-report.ts";
import { driftJson } from "../../render/drift/drift-json.ts";
import { planText } from "../../render/plan/plan-text.ts";
import { eventText, isTold } from "../../render/run/event-text.ts";
import { stateJson } from "../../render/state/state-json.ts";
import { junitText } from "../../render/testing/junit.ts";
import { testReportJson } from "../../render/testing/test-json.ts";
import { testFileText, testSummaryText } from "../../render/testing/test-text.ts";
import { action, type Done } from "../action.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import {
  addCommon,
  addVariables,
  collect,
  type FlagsOf,
  positive,
  workspaceOptions,
} from "../options.ts";
import type { Run, Shell } from "../run.ts";
import type { View } from "../terminal/view.ts";

type TestFlags = FlagsOf<typeof declareTest>;

const parallelDefault = 4;

export function addTest(program: Command, shell: Shell, done: Done): void {
  declareTest(program).action(
    action(shell, done, (run, flags, [folder]) => runTests(run, flags, folder)),
  );
}

function declareTest(program: Command) {
  const test = program
    .command("test")
    .argument("[folder]", "folder of the configuration")
    .description("run its tests (*.vmformtest.yaml) against simulated worlds");
  return addVariables(addCommon(test))
    .option("--filter <file>", "only this file of tests (repeatable)", collect<string>)
    .option(
      "--run <name>",
      "only this run and those before it in its file (repeatable)",
      collect<string>,
    )
    .option("--junit <file>", "also write a report that CI servers read")
    .option("--verbose", "show each plan, and what is told meanwhile")
    .option("--parallel <n>", `files at once (${parallelDefault})`, positive);
}

async function runTests(
  { view, environment }: Run,
  flags: TestFlags,
  folder: string | undefined,
): Promise<ExitCode> {
  const { junit } = flags;
  const chdir = flags.chdir ?? ".";
  const directory = folder === undefined ? chdir : userPath(chdir, folder, environment.system.home);
  if (junit !== undefined) await checkOutput(environment, junit, junitKind);
  const asides = createAsides(view, flags.verbose === true);
  // Those of the present folder have joined already.
  const own = folder === undefined ? environment : await withPackages(environment, directory);
  const report = await environment.interrupts.untilInterrupted(() =>
    testCommand(own, {
      directory,
      given: workspaceOptions(flags),
      filters: flags.filter ?? [],
      runs: flags.run ?? [],
      parallel: flags.parallel ?? parallelDefault,
      forms: { recorded: stateJson, drift: driftJson },
      hear: asides.hear,
      ended: (file) => {
        view.text(testFileText(file, view.options, asides.of(file.file)));
      },
    }),
  );
  if (junit !== undefined) await writeOutput(environment, junit, junitKind, junitText(report));
  const last = report.files.at(-1)?.runs.at(-1);
  const spaced = last !== undefined && last.failures.length === 0;
  view.text(`${spaced ? "\n" : ""}${testSummaryText(report)}`);
  view.document(testReportJson(report));
  return testsPassed(report) ? exitCodes.ok : exitCodes.error;
}

type Asides = {
  readonly hear: (file: string, run: string) => TestListener;
  /** Of a file, by run. */
  readonly of: (file: string) => ReadonlyMap<string, readonly string[]>;
};

function createAsides(view: View, verbose: boolean): Asides {
  const all = new Map<string, Map<string, string[]>>();
  return {
    of: (file) => all.get(file) ?? new Map(),
    hear: (file, run) => {
      if (!verbose) return { event: () => {}, plan: () => {} };
      const lines: string[] = [];
      const runs = all.get(file) ?? new Map<string, string[]>();
      all.set(file, runs.set(run, lines));
      return {
        event: (event) => {
          if (isTold(event)) lines.push(eventText(event, 0));
        },
        plan: (plan) => lines.unshift(planText(plan, view.options), ""),
      };
    },
  };
}
