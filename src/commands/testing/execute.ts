/** Runs one command for a test, in its simulated world, and gathers what came of it. */

import type { TestRun } from "../../config/testing/tests.ts";
import { driftExitCode } from "../../drift/drift-report.ts";
import type { EventSink } from "../../model/operation/event.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import type { Plan, PlannedOutput } from "../../model/plan/plan.ts";
import type { RecordedOutput } from "../../model/recorded/recorded.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import { type CommandEnvironment, InterruptedError, type TestWorld } from "../environment.ts";
import { appliedAsAsked } from "../plan/applied-as-asked.ts";
import { applyCommand } from "../plan/apply.ts";
import { planCommand } from "../plan/plan.ts";
import type { WorkspaceOptions } from "../reading.ts";
import { driftCommand } from "../state/drift.ts";
import { diagnosticsOf } from "../told.ts";
import type { GivenVariables, TestVariables } from "./variables.ts";

export type Outcome = {
  readonly exit: number;
  /** Everything that was told. */
  readonly problems: readonly Diagnostic[];
  readonly plan?: Plan;
  readonly outputs?: readonly (PlannedOutput | RecordedOutput)[];
  readonly drift?: DriftReport;
  /** A fault of ours that ended it. */
  readonly fault?: unknown;
};

export type TestPlace = {
  readonly environment: CommandEnvironment;
  readonly world: TestWorld;
  readonly directory: string;
  readonly events: EventSink;
};

/** Throws nothing but that somebody wants to stop. */
export async function execute(
  place: TestPlace,
  run: TestRun,
  variables: TestVariables & { readonly given: GivenVariables },
): Promise<Outcome> {
  const remarks: Diagnostic[] = [];
  const environment = testEnvironment(place, variables, (told) => remarks.push(...told));
  const { directory } = place;
  const workspace = { directory, ...variables.given } satisfies WorkspaceOptions;
  let planned: Plan | undefined;
  const show = (plan: Plan): void => {
    planned = plan;
  };
  try {
    const outcome = await started(environment, workspace, run, show);
    return { ...outcome, problems: [...remarks, ...outcome.problems] };
  } catch (error) {
    if (error instanceof InterruptedError) throw error;
    const told = diagnosticsOf(error);
    return {
      exit: told.length === 0 ? 3 : 1,
      problems: [...remarks, ...told],
      ...(planned === undefined ? {} : { plan: planned, outputs: planned.outputs }),
      ...(told.length === 0 ? { fault: error } : {}),
    };
  }
}

/** Of the machine, a command sees the files of the configuration, and nothing else. */
function testEnvironment(
  { environment, world, events }: TestPlace,
  { readFile }: TestVariables,
  remark: CommandEnvironment["remark"],
): CommandEnvironment {
  const { askVariable: _asked, durationFiles: _kept, ...others } = environment;
  const { workspace: _chosen, recordedPlaces: _known, ...rest } = others;
  return {
    ...rest,
    readFile,
    remark,
    events,
    clock: world.clock,
    variables: {},
    openStore: () => world.store,
    openProviders: (_simulator, directory) => world.openProviders(directory, events),
    interrupts: {
      untilInterrupted: (work) => work(),
      begin: () => {},
      onDrain: () => {},
    },
  };
}

async function started(
  environment: CommandEnvironment,
  workspace: WorkspaceOptions,
  run: TestRun,
  show: (plan: Plan) => void,
): Promise<Outcome> {
  const { targets, excludes, replace, allowed } = run;
  const select = { targets, excludes, replace };
  switch (run.command) {
    case "plan": {
      const options = {
        ...workspace,
        mode: "apply",
        select,
        allowed,
        outputs: [],
        settle: false,
      } as const;
      const { plan } = await planCommand(environment, options);
      const exit = hasErrors(plan.diagnostics) ? 1 : 0;
      return { exit, problems: plan.diagnostics, plan, outputs: plan.outputs };
    }
    case "drift": {
      const options = {
        targets,
        excludes,
        unmanaged: true,
        allowEmpty: false,
        settle: false,
        outputs: [],
      };
      const drift = await driftCommand(environment, { ...workspace, ...options });
      const exit = hasErrors(drift.diagnostics) ? 1 : driftExitCode(drift);
      return { exit, problems: drift.diagnostics, drift };
    }
    case "apply":
    case "destroy":
      return applied(environment, workspace, run, show);
  }
}

async function applied(
  environment: CommandEnvironment,
  workspace: WorkspaceOptions,
  run: TestRun,
  show: (plan: Plan) => void,
): Promise<Outcome> {
  const { targets, excludes, replace, allowed, window } = run;
  const result = await applyCommand(environment, {
    ...workspace,
    mode: run.command === "destroy" ? "destroy" : "apply",
    select: { targets, excludes, replace },
    allowPartial: false,
    allowed,
    planFile: undefined,
    parallelism: 10,
    lockTimeoutMs: 0,
    window,
    show,
    review: async () => "approved",
  });
  const { plan } = result;
  const exit = appliedAsAsked(result, window) ? 0 : 1;
  if (result.kind !== "applied") {
    return { exit, problems: plan.diagnostics, plan, outputs: plan.outputs };
  }
  const problems = [...plan.diagnostics, ...result.failures];
  return { exit, problems, plan, outputs: result.outputs };
}
