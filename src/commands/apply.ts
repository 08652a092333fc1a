/**
 * `vmform apply` and `vmform destroy`: converge. Holds the lock from reading recorded state to the
 * last entry; sends nothing that was not shown and agreed to.
 */

import type { Configuration } from "../config/load.ts";
import { type Applied, apply } from "../engine/apply.ts";
import { createLedger, type Ledger } from "../engine/ledger.ts";
import type { EnginePorts, Interrupts } from "../engine/ports.ts";
import { prepare } from "../engine/prepare.ts";
import { createSessions, type Sessions } from "../engine/sessions.ts";
import { missingConsent } from "../model/consent.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Disruption } from "../model/operation.ts";
import type { Plan, PlanMode } from "../model/plan.ts";
import { planHasChanges } from "../model/plan-counts.ts";
import type { RecordedOutput } from "../model/recorded.ts";
import { allRules } from "../model/rules.ts";
import { type Fence, StoreError } from "../model/store.ts";
import type { PlanSelection } from "../plan/input.ts";
import { decodePlan, PlanFileError } from "../plan/plan-file.ts";
import { type CommandEnvironment, CommandError, type CommandStore } from "./environment.ts";
import { errorsOf } from "./plan.ts";
import {
  enginePorts,
  type Loaded,
  loaded,
  openProviders,
  openStore,
  readConfiguration,
  readRecorded,
  type WorkspaceOptions,
} from "./workspace.ts";

export type ApplyCommandOptions = WorkspaceOptions & {
  readonly mode: PlanMode;
  readonly select: PlanSelection;
  /** Apply what can be planned although some resources are blocked. */
  readonly allowPartial: boolean;
  readonly allowed: readonly Disruption[];
  /** A saved plan to apply instead of a fresh one. */
  readonly planFile: string | undefined;
  readonly parallelism: number;
  readonly lockTimeoutMs: number;
  readonly show: (plan: Plan) => void;
  /**
   * Asks about the plan that was shown. A person who agrees has seen the disruptions and so consents to them;
   * `approved` without a person does not cover them.
   */
  readonly review: (plan: Plan) => Promise<"agreed" | "approved" | "declined">;
  readonly interrupts: Interrupts;
};

export type ApplyResult =
  | { readonly kind: "errors"; readonly plan: Plan }
  | { readonly kind: "declined"; readonly plan: Plan }
  | {
      readonly kind: "applied";
      readonly plan: Plan;
      readonly applied: Applied;
      readonly outputs: readonly RecordedOutput[];
    };

export async function applyCommand(
  environment: CommandEnvironment,
  options: ApplyCommandOptions,
): Promise<Loaded<ApplyResult>> {
  const configuration = loaded(await readConfiguration(environment, options));
  if (!configuration.ok) return configuration;
  const desired = configuration.value;
  const store = openStore(environment, desired.settings);
  const fence = await store.lock(options.mode, options.lockTimeoutMs);
  try {
    const value = await underLock(environment, options, desired, store, fence);
    return { ok: true, value, diagnostics: configuration.diagnostics };
  } finally {
    await store.unlock(fence);
  }
}

async function underLock(
  environment: CommandEnvironment,
  options: ApplyCommandOptions,
  desired: Configuration,
  store: CommandStore,
  fence: Fence,
): Promise<ApplyResult> {
  const simulated = desired.settings.simulator !== undefined;
  const { state, fresh } = await readRecorded(environment, store, simulated);
  const saved =
    options.planFile === undefined
      ? undefined
      : await readPlan(environment, options.planFile, state, simulated);
  const providers = await openProviders(environment, desired.settings, options.directory);
  const ports = enginePorts(environment, store, providers);
  const sessions = createSessions(ports, "mutate");
  try {
    if (fresh) await store.compact(state, fence);
    const ledger = createLedger(store, fence, state, allRules);
    const plan =
      saved ?? (await prepare(ports, sessions, ledger, desired, { ...options, simulated }));
    return await reviewAndApply(options, ports, sessions, ledger, store, plan);
  } finally {
    await sessions.close();
    await providers.close();
  }
}

async function reviewAndApply(
  options: ApplyCommandOptions,
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  store: CommandStore,
  plan: Plan,
): Promise<ApplyResult> {
  options.show(plan);
  const errors = errorsOf(plan);
  const partial = errors.length > 0 && options.allowPartial && errors.every(isOfBlocked(plan));
  if (errors.length > 0 && !partial) {
    return { kind: "errors", plan };
  }
  const review = await options.review(plan);
  if (review === "declined") return { kind: "declined", plan };
  if (review === "approved") requireConsent(plan);
  const { parallelism, interrupts } = options;
  try {
    const applied = await apply(ports, sessions, ledger, plan, {
      parallelism,
      poolLimits: {},
      interrupts,
    });
    return { kind: "applied", plan, applied, outputs: ledger.state().outputs };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw await store.writeEmergencyCopy(ledger.state(), error);
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
  const list = missing.map((need) => `${need.disruption} of ${need.address}`).join(", ");
  throw new CommandError(
    `The plan needs consent that was not given: ${list}.`,
    `Add --allow ${kinds.join(",")} when that is what you want.`,
  );
}

/** Refuses a plan made against another state than the present one. */
async function readPlan(
  environment: CommandEnvironment,
  path: string,
  state: Parameters<typeof createLedger>[2],
  simulated: boolean,
): Promise<Plan> {
  const text = new TextDecoder().decode(await environment.readFile(path));
  let plan: Plan;
  try {
    plan = decodePlan(text);
  } catch (error) {
    if (!(error instanceof PlanFileError) && !(error instanceof SyntaxError)) throw error;
    throw new CommandError(`${path} cannot be applied: ${error.message}.`, again);
  }
  const reason = whyStale(plan, state, simulated);
  if (reason !== undefined) throw new CommandError(`${path} cannot be applied: ${reason}.`, again);
  return plan;
}

const again = "Make a new plan with: vmform plan --out FILE";

function whyStale(
  plan: Plan,
  state: Parameters<typeof createLedger>[2],
  simulated: boolean,
): string | undefined {
  const { base } = plan;
  if (plan.simulated !== simulated) return "it was made for another world (simulated or real)";
  if (state.open.length > 0) {
    return "an interrupted run has left operations open; run vmform apply without a plan first";
  }
  const made = base.serial === 0 && base.position === 0;
  if (base.lineage !== state.lineage && !(made && state.serial === 0)) {
    return "it was made against another state";
  }
  if (base.serial !== state.serial) {
    const words = `serial ${base.serial}, now ${state.serial}`;
    return `it was applied already, or something else was since it was made (${words})`;
  }
  if (base.position !== state.journal.position) {
    return "recorded state has moved on since it was made";
  }
  return undefined;
}

export function isNothingToDo(plan: Plan): boolean {
  return !planHasChanges(plan);
}
