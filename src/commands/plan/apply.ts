/**
 * `vmform apply` and `vmform destroy`: converge. Holds the lock from reading recorded state to the
 * last entry; sends nothing that was not shown and agreed to.
 */

import { type Applied, type ApplyOptions, apply } from "../../engine/apply.ts";
import { createLedger, type Ledger } from "../../engine/ledger.ts";
import { prepare } from "../../engine/prepare.ts";
import type { WindowChoice } from "../../engine/run/windows.ts";
import type { Consent } from "../../model/operation/disruption.ts";
import { missingConsent } from "../../model/plan/consent.ts";
import type { Durations } from "../../model/plan/durations.ts";
import type { Plan, PlanMode } from "../../model/plan/plan.ts";
import { planHasChanges } from "../../model/plan/plan-counts.ts";
import type { DesiredPolicy } from "../../model/plan/policy.ts";
import { allRules } from "../../model/plan/rules.ts";
import type { RecordedOutput, RecordedState } from "../../model/recorded/recorded.ts";
import { StoreError } from "../../model/recorded/store.ts";
import { unlessDefault } from "../../model/recorded/workspace.ts";
import type { Diagnostic, WithDiagnostics } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { PlannedValue } from "../../model/value/value.ts";
import type { PlanSelection } from "../../plan/input.ts";
import { problem as commandProblem } from "../codes.ts";
import { CommandError, DiagnosticError, type WorkspaceEnvironment } from "../environment.ts";
import { runPlanOf } from "../history/applied.ts";
import { type FromMirror, requireMirrorConsent, withAsOf } from "../mirror.ts";
import {
  type Configured,
  type PlannedFor,
  plannedFor,
  policiesAlone,
  type Reading,
  settingsAlone,
  type WorkspaceOptions,
} from "../reading.ts";
import { type Connection, type LockedWorkspace, withLockedWorkspace } from "../workspace.ts";
import { failuresTold } from "./apply-failures.ts";
import { complete, requireNothingLeftOut, requireReplaced, withLeftOut } from "./complete.ts";
import { earlierDurations, hearDurations, keepDurations } from "./earlier-durations.ts";
import { requireKnownPolicies } from "./known-policies.ts";
import { owedAlone } from "./owed-alone.ts";
import { wantedAsRecorded } from "./owed-power.ts";
import { errorsOf } from "./plan.ts";
import { plannable } from "./plannable.ts";
import { poolLimits } from "./pool-limits.ts";
import { untilQuit } from "./quit.ts";
import { judgedSavedPlan } from "./saved/judged.ts";
import { requireWithinApproved } from "./saved/resume.ts";
import { readSavedPlan, requireItsState, whyStale } from "./saved/saved-plan.ts";

export type ApplyCommandOptions = FromMirror & {
  readonly mode: PlanMode;
  /** The command that was given, where it is another one than the mode says. */
  readonly command?: string;
  readonly select: PlanSelection;
  /** Apply what can be planned although some resources are blocked. */
  readonly allowPartial: boolean;
  readonly allowed: readonly Consent[];
  /** A saved plan to apply instead of a fresh one. */
  readonly planFile: string | undefined;
  /** Where it cannot be applied as it is any more, a plan of no more than that. Absent: no. */
  readonly resume?: boolean;
  readonly parallelism: number;
  readonly lockTimeoutMs: number;
  /** What becomes of operations outside of the times that policies set. */
  readonly window: WindowChoice | undefined;
  readonly show: (plan: Plan, earlier: Durations) => void;
  /**
   * Asks about the plan that was shown. A person who agrees has seen the disruptions and so
   * consents to them; `approved` without a person does not cover them.
   */
  readonly review: (plan: Plan) => Promise<"agreed" | "approved" | "declined">;
};

export type ApplyResult =
  /** `partial`: what is not blocked could be applied, if that was asked for. */
  | { readonly kind: "errors"; readonly plan: Plan; readonly partial: boolean }
  | { readonly kind: "declined"; readonly plan: Plan }
  | {
      readonly kind: "applied";
      readonly plan: Plan;
      readonly applied: Applied;
      /** Policies deny the whole; the plan is of the power that is owed, alone. */
      readonly denied: boolean;
      /** What went wrong, each with its place. */
      readonly failures: readonly Diagnostic[];
      readonly outputs: readonly RecordedOutput[];
    };

export async function applyCommand(
  environment: WorkspaceEnvironment,
  options: ApplyCommandOptions,
): Promise<ApplyResult> {
  // Who meets the lock shall know that it may be held for hours.
  const { command = options.mode } = options;
  const operation = options.window === "wait" ? `${command} --window wait` : command;
  const lock = { operation, timeoutMs: options.lockTimeoutMs };
  const needs = { read: sourceFor(environment, options), access: "mutate", lock } as const;
  const work = (locked: Locked) => applyIn(locked, options);
  return withLockedWorkspace(environment, options, needs, work);
}

/**
 * What is applied: a configuration, or a plan that was made from one earlier. The plan holds every
 * value already; only where its state is, the configuration tells.
 */
type Source = Configured & {
  readonly desired: PlannedFor | undefined;
  /** What was approved, where that is gone on with. */
  readonly approved?: Plan;
  /** Those of now, also where the plan was made with others. */
  readonly policies: readonly DesiredPolicy[];
};

function sourceFor(
  whole: WorkspaceEnvironment,
  { planFile, mode, resume }: ApplyCommandOptions,
): Reading<Source> {
  return async (environment, options) => {
    if (planFile !== undefined && resume === true) return sourceToResume(whole, options, planFile);
    if (planFile !== undefined) {
      const { value, diagnostics } = await settingsAlone(environment, options);
      const policies = await policiesAlone(environment, options);
      return { value: { ...value, desired: undefined, policies }, diagnostics };
    }
    const { value: desired, diagnostics } = await plannedFor(mode)(environment, options);
    const { settings, providers, policies = [] } = desired;
    return { value: { settings, providers, desired, policies }, diagnostics };
  };
}

async function sourceToResume(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  planFile: string,
): Promise<WithDiagnostics<Source>> {
  const { value } = await settingsAlone(environment, options);
  const approved = await readSavedPlan(environment, planFile, value.settings);
  const { value: desired, diagnostics } = await plannedFor(approved.mode)(environment, options);
  const { settings, providers, policies = [] } = desired;
  return { value: { settings, providers, desired, policies, approved }, diagnostics };
}

type Locked = LockedWorkspace<Source>;

/** What was approved says what it is done for. */
function asApproved(given: ApplyCommandOptions, approved: Plan | undefined): ApplyCommandOptions {
  if (approved === undefined) return given;
  const allowed = [...new Set([...approved.allowed, ...given.allowed])];
  return { ...given, mode: approved.mode, allowed };
}

async function applyIn(locked: Locked, given: ApplyCommandOptions): Promise<ApplyResult> {
  const { environment, configured, store, fence } = locked;
  const { interrupts } = environment;
  const { approved } = configured;
  const options = asApproved(given, approved);
  const { state, fresh, tail, asOf } = await locked.recorded();
  await requireMirrorConsent(environment, locked.run, options, asOf);
  const asItIs = approved !== undefined && isFresh(locked, approved, state, options);
  const source = asItIs ? undefined : configured.desired;
  const declared = source && plannable(environment, options, source, state);
  requireKnownPolicies(options.allowed, configured.policies);
  const connection = await locked.connect();
  const { ports, sessions } = connection;
  const recording = untilQuit(store, sessions, interrupts);
  const ledger = createLedger(recording, fence, state, allRules, tail);
  let desired = declared;
  const common = commonOf(locked, options);
  const planned = async (select: PlanSelection): Promise<Plan> => {
    if (declared !== undefined) {
      const chosen = { ...options, ...common, select } as const;
      const accept = (read: PlannedFor) => plannable(environment, chosen, read, state);
      const completing = { environment, connection, ledger, options: chosen, accept };
      desired = await complete(completing, declared);
      const without = { ...chosen, select: withLeftOut(select, desired) };
      const made = await prepare(ports, sessions, ledger, desired, without);
      requireNothingLeftOut(desired, made);
      requireReplaced(select, desired, made);
      return made;
    }
    return savedPlan(locked, options, state, connection);
  };
  const whole = withAsOf(await interrupts.untilInterrupted(() => planned(options.select)), asOf);
  const earlier = await earlierDurations(environment, configured.settings.state);
  options.show(whole, earlier);
  const alone = await owedAlone(environment, options, {
    whole,
    restores: ledger.state().restores,
    work: declared !== undefined && options.mode === "apply" ? planned : undefined,
    power: (select) => {
      const { policies, desired: { providers } = whole } = configured;
      const wanted = wantedAsRecorded(ledger.state(), environment.types, { providers, policies });
      return prepare(ports, sessions, ledger, wanted, { ...common, mode: "apply", select });
    },
  });
  const plan = alone ?? whole;
  if (approved !== undefined) requireWithinApproved(approved, plan, { ports, ledger });
  const reviewing = await reviewed(environment, options, plan);
  if ("kind" in reviewing) return leftTold(locked, reviewing);
  interrupts.begin();
  locked.run.plan(runPlanOf(plan, declared === undefined));
  // Nothing of a new state is written before there is something to record in it.
  if (fresh) await store.compact(state, fence);
  const { parallelism, window = "skip" } = options;
  connection.allowCommands(inputsOf(plan));
  const lifted = liftedPolicies(reviewing.allowed);
  const policies = { policies: configured.policies, window, lifted };
  const result = await applied(locked, connection, ledger, plan, { parallelism, policies });
  const { outputs } = ledger.state();
  const failures = failuresTold(locked.run, options, { plan, result, desired });
  return {
    kind: "applied",
    plan,
    applied: result,
    denied: alone !== undefined,
    failures,
    outputs,
  };
}

/** What is the same however often is planned. */
function commonOf({ configured, simulated }: Locked, { allowed, window }: ApplyCommandOptions) {
  const kept = { keepsWindows: window !== undefined, journaled: true, answers: new Map() } as const;
  return { ...unlessDefault(configured.settings.workspace), allowed, simulated, ...kept };
}

/** Whether what was approved can be applied as it is. Throws where it is of another state. */
function isFresh(
  { simulated }: Locked,
  approved: Plan,
  state: RecordedState,
  { planFile: path = "" }: ApplyCommandOptions,
): boolean {
  requireItsState(approved, state, { path, simulated });
  return whyStale(approved, state) === undefined;
}

/** What is not applied, for the history of runs. */
function leftTold({ run }: Locked, result: ApplyResult): ApplyResult {
  run.outcome(result.kind === "declined" ? "declined" : "failed");
  return result;
}

/** The saved plan, as policies of now judge it. */
function savedPlan(
  locked: Locked,
  { planFile: path = "", allowed, window }: ApplyCommandOptions,
  state: RecordedState,
  connection: Connection,
): Promise<Plan> {
  return judgedSavedPlan(locked, {
    ...{ path, read: locked.configured.approved, state, allowed },
    connect: async () => connection,
    keepsWindows: window !== undefined,
  });
}

/** Why nothing is done; what was consented to when the plan was agreed to. */
async function reviewed(
  { interrupts }: Pick<WorkspaceEnvironment, "interrupts">,
  options: ApplyCommandOptions,
  plan: Plan,
): Promise<ApplyResult | Pick<Plan, "allowed">> {
  const errors = errorsOf(plan);
  const partial = errors.every(isOfBlocked(plan)) && planHasChanges(plan);
  if (errors.length > 0 && !(partial && options.allowPartial)) {
    return { kind: "errors", plan, partial };
  }
  requireWindowChoice(plan, options);
  const review = await interrupts.untilInterrupted(() => options.review(plan));
  if (review === "declined") return { kind: "declined", plan };
  if (review === "approved") requireConsent(plan);
  const agreed = review === "agreed" ? plan.consent.map(({ disruption }) => disruption) : [];
  return { allowed: [...plan.allowed, ...agreed] };
}

/** What is made or changed, as the plan that was agreed to says: its secrets may be of commands. */
function inputsOf({ operations }: Plan): PlannedValue {
  const given = operations.filter(({ effect: { kind } }) => kind === "create" || kind === "update");
  return given.map(({ request }) => request.inputs);
}

export function liftedPolicies(allowed: readonly Consent[]): ReadonlySet<string> {
  return new Set(
    allowed.flatMap((kind) => (kind.startsWith("policy:") ? [kind.slice("policy:".length)] : [])),
  );
}

/** Whether to wait for hours or to leave something undone is never decided for anybody. */
function requireWindowChoice(plan: Plan, { window }: ApplyCommandOptions): void {
  const kept = (plan.policies?.findings ?? []).filter(
    ({ verdict, level }) => verdict === "outside" && level === "deny",
  );
  if (kept.length === 0 || window !== undefined) return;
  const names = [...new Set(kept.map(({ policy }) => policy))];
  throw new DiagnosticError([
    commandProblem(nowhere, "CLI025", {
      detail: `By the policies above, not all of the plan may begin now: ${names.join(", ")}.`,
      fix:
        "Choose what becomes of it: --window wait begins it at its time, --window skip leaves " +
        "it for a later apply.",
    }),
  ]);
}

async function applied(
  { environment, store, configured }: Locked,
  { ports, sessions }: Connection,
  ledger: Ledger,
  plan: Plan,
  options: Pick<ApplyOptions, "parallelism" | "policies">,
): Promise<Applied> {
  const { events, samples } = hearDurations(plan, ports.events);
  try {
    return await apply({ ...ports, events }, sessions, ledger, plan, {
      ...options,
      poolLimits: poolLimits(plan, environment.types),
      interrupts: environment.interrupts,
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw await store.writeEmergencyCopy(ledger.state(), error);
  } finally {
    await keepDurations(environment, configured.settings.state, samples());
  }
}

/** Errors that block their own resource only; anything else stops the whole. */
function isOfBlocked(plan: Plan): (diagnostic: Diagnostic) => boolean {
  const blocked = new Set(plan.blocked);
  return ({ address }) => address !== undefined && blocked.has(address);
}

function requireConsent(plan: Plan): void {
  const missing = missingConsent(plan);
  if (missing.length === 0) return;
  const kinds = [...new Set(missing.map((need) => need.disruption))];
  const list = kinds.map((kind) => {
    const addresses = missing.filter((need) => need.disruption === kind);
    const [first] = addresses;
    return addresses.length === 1
      ? `${kind} of ${first?.address ?? ""}`
      : `${kind} of ${addresses.length} objects`;
  });
  throw new CommandError(
    `The plan needs consent that was not given: ${list.join(", ")}.`,
    `If that is what you want, add: --allow ${kinds.join(",")}`,
    "consent",
  );
}
