/** `vmform plan`: what applying would do. Takes no lock, sends session and read calls only. */

import { createDryLedger } from "../../engine/ledger.ts";
import { type PrepareOptions, prepare } from "../../engine/prepare.ts";
import type { LockInfo } from "../../lib/lock/lock-info.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Durations } from "../../model/plan/durations.ts";
import type { Plan, PlanMode } from "../../model/plan/plan.ts";
import { allRules } from "../../model/plan/rules.ts";
import type { StoreSettings } from "../../model/recorded/store-settings.ts";
import { unlessDefault } from "../../model/recorded/workspace.ts";
import { type Diagnostic, hasErrors } from "../../model/said/diagnostic.ts";
import type { PlanSelection } from "../../plan/input.ts";
import { encodePlan } from "../../plan/plan-file.ts";
import { CommandError, type CommandFiles, type WorkspaceEnvironment } from "../environment.ts";
import { withAsOf } from "../mirror.ts";
import { checkOutputs, type Output, savedPlanKind, writeOutput } from "../output-file.ts";
import { type PlannedFor, plannedFor, type WorkspaceOptions } from "../reading.ts";
import { type Workspace, withWorkspace } from "../workspace.ts";
import { complete, requireNothingLeftOut, requireReplaced, withLeftOut } from "./complete.ts";
import { earlierDurations } from "./earlier-durations.ts";
import { requireKnownPolicies } from "./known-policies.ts";
import { plannable } from "./plannable.ts";

export type PlanOptions = WorkspaceOptions & {
  readonly mode: PlanMode;
  readonly select: PlanSelection;
  readonly allowed: readonly Consent[];
  /** Wait for operations of an interrupted run to end. */
  readonly settle: boolean;
  /** Files that will be written with the plan. */
  readonly outputs: readonly Output[];
};

export type Planned = {
  readonly plan: Plan;
  /** What it was made for, as far as it was found out. */
  readonly desired: Desired;
  /** How long such work took in earlier runs. */
  readonly durations: Durations;
  /** A run that is changing the state at this moment. */
  readonly running: LockInfo | undefined;
  /** Whose recorded state it was made against. */
  readonly settings: StoreSettings;
  /** Why it can be shown but not saved. */
  readonly unsaved: string | undefined;
};

export async function planCommand(
  environment: WorkspaceEnvironment,
  options: PlanOptions,
): Promise<Planned> {
  const needs = { read: plannedFor(options.mode), access: "read" } as const;
  return withWorkspace(environment, options, needs, (workspace) => planIn(workspace, options));
}

/** Sends session and read calls only. */
export async function planIn(
  workspace: Workspace<PlannedFor>,
  options: PlanOptions,
): Promise<Planned> {
  const { environment, store, simulated } = workspace;
  await checkOutputs(environment, options.outputs, store.location);
  const { state, asOf } = await workspace.recorded();
  const declared = plannable(environment, options, workspace.configured, state);
  requireKnownPolicies(options.allowed, declared.policies);
  const running = await store.holder();
  const connection = await workspace.connect();
  const { ports, sessions } = connection;
  const ledger = createDryLedger(state, allRules);
  const preparing: PrepareOptions = {
    mode: options.mode,
    select: options.select,
    allowed: options.allowed,
    simulated,
    ...unlessDefault(workspace.configured.settings.workspace),
    leaveOpen: running !== undefined,
    patience: options.settle ? "settle" : "look",
    answers: new Map(),
  };
  const prepared = async (): Promise<Pick<Planned, "plan" | "desired">> => {
    // What was begun and not ended is told by the plan itself.
    const scouting = createDryLedger(state, allRules);
    const desired = await complete(
      {
        ...{ environment, connection, options: preparing, ledger: scouting },
        accept: (read) => plannable(environment, options, read, state),
      },
      declared,
    );
    const select = withLeftOut(options.select, desired);
    const made = await prepare(ports, sessions, ledger, desired, { ...preparing, select });
    requireNothingLeftOut(desired, made);
    requireReplaced(options.select, desired, made);
    return { plan: withAsOf(made, asOf), desired };
  };
  const { plan, desired } = await environment.interrupts.untilInterrupted(prepared);
  const { state: settings } = workspace.configured.settings;
  const durations = await earlierDurations(environment, settings);
  return { plan, desired, durations, running, settings, unsaved: whyNotSaved(plan, running) };
}

/** Saves a plan that was made, after it was shown. Throws `CommandError` and `StoreError`. */
export async function savePlan(
  environment: CommandFiles & Pick<WorkspaceEnvironment, "openSeal">,
  path: string,
  { plan, settings, unsaved }: Planned,
): Promise<void> {
  if (unsaved !== undefined) {
    throw new CommandError(`The plan is not saved: ${unsaved}.`, undefined, "save");
  }
  const seal = await environment.openSeal(settings, path);
  await writeOutput(environment, path, savedPlanKind, encodePlan(plan, seal));
}

function whyNotSaved(plan: Plan, running: LockInfo | undefined): string | undefined {
  if (errorsOf(plan).length > 0) return "it has errors";
  if (running !== undefined) return "another run is changing the state at this moment";
  if (plan.interrupted.length > 0) {
    return "an interrupted run has left operations open, which the next apply settles";
  }
  const secret = holdsSecret(plan);
  return secret ? "a value known only after apply depends on a sensitive one" : undefined;
}

/**
 * Whether something that waits, at any depth, keeps a sensitive value to be computed with. What
 * comes of it may be shown (`nonsensitive(sha256(…))`), what it is computed of may not.
 */
function holdsSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsSecret);
  if ("pending" in value && "sensitive" in value && Array.isArray(value.sensitive)) {
    if (value.sensitive.length > 0) return true;
  }
  return Object.values(value).some(holdsSecret);
}

export function errorsOf(plan: Plan): readonly Diagnostic[] {
  return plan.diagnostics.filter((diagnostic) => hasErrors([diagnostic]));
}
