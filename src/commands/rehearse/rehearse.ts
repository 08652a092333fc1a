/**
 * `vmform rehearse`, and `vmform plan --rehearse`: runs a plan in a simulated twin of the observed
 * world, in virtual time. The endpoints themselves are read and nothing else; what is recorded is
 * only copied.
 */

import { apply } from "../../engine/apply.ts";
import { createLedger } from "../../engine/ledger.ts";
import type { WindowChoice } from "../../engine/run/windows.ts";
import { createSessions } from "../../engine/sessions.ts";
import type { EngineEvent } from "../../model/operation/event.ts";
import type { Durations } from "../../model/plan/durations.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { DesiredPolicy } from "../../model/plan/policy.ts";
import type { Rehearsal } from "../../model/plan/rehearsal.ts";
import { allRules } from "../../model/plan/rules.ts";
import type { CommandEnvironment } from "../environment.ts";
import { liftedPolicies } from "../plan/apply.ts";
import { earlierDurations } from "../plan/earlier-durations.ts";
import { type Planned, type PlanOptions, planIn } from "../plan/plan.ts";
import { poolLimits } from "../plan/pool-limits.ts";
import { type Configured, plannedFor } from "../reading.ts";
import { enginePorts, type Workspace, withWorkspace } from "../workspace.ts";
import { type Heard, hearRun } from "./hear.ts";
import { reportOf, stoppedReport } from "./report.ts";
import { savedIn, sourceOfSaved } from "./saved.ts";
import { surveyed } from "./survey.ts";
import type { Twin } from "./twin.ts";

export type RehearsalOptions = {
  readonly parallelism: number;
  /** What becomes of operations outside of the times that policies set. */
  readonly window: WindowChoice;
};

export type RehearsedPlan = Planned & { readonly rehearsal: Rehearsal };

export async function rehearseCommand(
  environment: CommandEnvironment,
  options: PlanOptions & RehearsalOptions,
): Promise<RehearsedPlan> {
  const needs = { read: plannedFor(options.mode), access: "read" } as const;
  return withWorkspace(environment, options, needs, async (workspace) => {
    const planned = await planIn(workspace, options);
    const { policies = [] } = workspace.configured;
    const given = { ...options, policies, durations: planned.durations };
    const rehearsal = await rehearse(environment, workspace, planned.plan, given);
    return { ...planned, rehearsal };
  });
}

/** The same of a saved plan, where it could be applied now. */
export async function rehearseSaved(
  environment: CommandEnvironment,
  options: PlanOptions & RehearsalOptions,
  planFile: string,
): Promise<Pick<RehearsedPlan, "plan" | "rehearsal" | "durations">> {
  const needs = { read: sourceOfSaved, access: "read" } as const;
  return withWorkspace(environment, options, needs, async (workspace) => {
    const { policies, settings } = workspace.configured;
    const plan = await savedIn(workspace, planFile, options.allowed);
    const durations = await earlierDurations(environment, settings.state);
    const given = { ...options, policies, durations };
    const rehearsal = await rehearse(environment, workspace, plan, given);
    return { plan, rehearsal, durations };
  });
}

type Given = RehearsalOptions & {
  readonly directory: string;
  readonly policies: readonly DesiredPolicy[];
  readonly durations: Durations;
};

async function rehearse(
  environment: CommandEnvironment,
  workspace: Workspace<Configured>,
  plan: Plan,
  given: Given,
): Promise<Rehearsal> {
  const startMs = environment.clock.now();
  const stopped = stoppedReport(plan, startMs);
  if (stopped !== undefined) return stopped;
  const { interrupts } = environment;
  const { state } = await workspace.recorded();
  const { sessions } = await workspace.connect();
  return interrupts.untilInterrupted(async () => {
    const providers = await surveyed(sessions, plan);
    const { durations } = given;
    const twin = await environment.openTwin({
      ...{ startMs, state, providers, durations },
      operations: plan.operations,
    });
    try {
      const heard = await runIn(twin, environment, plan, given);
      return reportOf({ plan, twin, providers, heard, durations, startMs });
    } finally {
      await twin.close();
    }
  });
}

/** The apply as it is, with other ports. */
async function runIn(
  twin: Twin,
  environment: CommandEnvironment,
  plan: Plan,
  { directory, parallelism, policies, window }: Given,
): Promise<Heard> {
  const hearing = hearRun(twin);
  const events = (event: EngineEvent): void => hearing.hear(event);
  const access = twin.openProviders(directory, events);
  const around = { ...environment, clock: twin.clock, events };
  const ports = enginePorts(around, twin.store, access);
  const sessions = createSessions(ports, "mutate");
  const { snapshot } = await twin.store.read();
  if (snapshot === undefined) throw new Error("the twin has lost its recorded state");
  const fence = await twin.store.lock("rehearse", 0);
  const ledger = createLedger(twin.store, fence, snapshot, allRules);
  try {
    const applied = await apply(ports, sessions, ledger, plan, {
      parallelism,
      poolLimits: poolLimits(plan, environment.types),
      policies: { policies, window, lifted: liftedPolicies(plan.allowed) },
    });
    return hearing.heard(applied);
  } finally {
    await sessions.close();
  }
}
