/**
 * `vmform apply` and `vmform destroy`: converge. Holds the lock from reading recorded state to the
 * last entry; sends nothing that was not shown and agreed to.
 */

import type { Settings } from "../../config/blocks/settings.ts";
import { type Applied, apply } from "../../engine/apply.ts";
import { createLedger, type Ledger } from "../../engine/ledger.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import { prepare } from "../../engine/prepare.ts";
import { createSessions, type Sessions } from "../../engine/sessions.ts";
import { missingConsent } from "../../model/consent.ts";
import { type Diagnostic, hasErrors } from "../../model/diagnostic.ts";
import type { Disruption } from "../../model/disruption.ts";
import type { Plan, PlanMode } from "../../model/plan.ts";
import { planHasChanges } from "../../model/plan-counts.ts";
import type { TypeRegistry } from "../../model/provider.ts";
import type { RecordedOutput, RecordedState } from "../../model/recorded.ts";
import { allRules } from "../../model/rules.ts";
import { type Fence, StoreError } from "../../model/store.ts";
import type { PlanSelection } from "../../plan/input.ts";
import { decodePlan, PlanFileError } from "../../plan/plan-file.ts";
import { emptied } from "../emptied.ts";
import { type CommandEnvironment, CommandError, type CommandStore } from "../environment.ts";
import { takeLock, underFence } from "../lock.ts";
import {
  enginePorts,
  type Loaded,
  loaded,
  openProviders,
  openStore,
  type PlannedFor,
  readFor,
  readRecorded,
  readSettingsOnly,
  type WorkspaceOptions,
} from "../workspace.ts";
import { applyFailures } from "./apply-failures.ts";
import { errorsOf } from "./plan.ts";
import { requirePlannedEndpoints } from "./plan-endpoints.ts";
import { untilQuit } from "./quit.ts";
import { requireSelected } from "./selected.ts";

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
  /** Shows a plan, and before it what was remarked about the configuration. */
  readonly show: (plan: Plan, remarks: readonly Diagnostic[]) => void;
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
      /** What went wrong, each with its place. */
      readonly failures: readonly Diagnostic[];
      readonly outputs: readonly RecordedOutput[];
    };

export async function applyCommand(
  environment: CommandEnvironment,
  options: ApplyCommandOptions,
): Promise<Loaded<ApplyResult>> {
  const source = await readSource(environment, options);
  if (!source.ok) return source;
  const store = openStore(environment, source.value.settings);
  const fence = await takeLock(environment, store, options.mode, options.lockTimeoutMs);
  return underFence(store, fence, () => underLock({ environment, options, store, fence }, source));
}

/** What is applied: a configuration, or a plan that was made from one earlier. */
type Source = { readonly settings: Settings; readonly desired: PlannedFor | undefined };

/** A saved plan holds every value already; only where its state is, the configuration tells. */
async function readSource(
  environment: CommandEnvironment,
  options: ApplyCommandOptions,
): Promise<Loaded<Source>> {
  if (options.planFile !== undefined) {
    const { value: settings, diagnostics } = await readSettingsOnly(environment, options);
    if (hasErrors(diagnostics)) return { ok: false, diagnostics };
    return { ok: true, value: { settings, desired: undefined }, diagnostics };
  }
  const configuration = loaded(await readFor(options.mode, environment, options));
  if (!configuration.ok) return configuration;
  const { value: desired, diagnostics } = configuration;
  return { ok: true, value: { settings: desired.settings, desired }, diagnostics };
}

type Locked = {
  readonly environment: CommandEnvironment;
  readonly options: ApplyCommandOptions;
  readonly store: CommandStore;
  readonly fence: Fence;
};

async function underLock(
  locked: Locked,
  { value: { settings, desired }, diagnostics: remarks }: Loaded<Source> & { readonly ok: true },
): Promise<Loaded<ApplyResult>> {
  const { environment, options, store, fence } = locked;
  const simulated = settings.simulator !== undefined;
  const { state, fresh } = await readRecorded(environment, store, simulated);
  const lost =
    desired !== undefined && options.mode === "apply"
      ? emptied(desired, state, environment.types)
      : [];
  if (lost.length > 0) return { ok: false, diagnostics: [...remarks, ...lost] };
  if (desired !== undefined) requireSelected(options.select, desired, state);
  const providers = await openProviders(environment, settings, options.directory);
  const ports = enginePorts(environment, store, providers);
  const sessions = createSessions(ports, "mutate");
  try {
    const recording = untilQuit(store, sessions, environment.interrupts);
    const ledger = createLedger(recording, fence, state, allRules);
    const planned = async (): Promise<Plan> => {
      if (desired !== undefined) {
        return prepare(ports, sessions, ledger, desired, {
          ...options,
          simulated,
          journaled: true,
        });
      }
      const saved = await readPlan(environment, options, state, simulated);
      await requirePlannedEndpoints(sessions, saved, options.planFile ?? "");
      return saved;
    };
    const plan = await environment.interrupts.untilInterrupted(planned);
    options.show(plan, remarks);
    const refused = await reviewed(locked, plan);
    if (refused !== undefined) return { ok: true, value: refused, diagnostics: [] };
    environment.interrupts.begin();
    // Nothing of a new state is written before there is something to record in it.
    if (fresh) await store.compact(state, fence);
    const result = await applied(locked, ports, sessions, ledger, plan);
    const { outputs } = ledger.state();
    const failures = applyFailures(result, desired);
    const value = { kind: "applied", plan, applied: result, failures, outputs } as const;
    return { ok: true, value, diagnostics: [] };
  } finally {
    await sessions.close();
    await providers.close();
  }
}

/** Why nothing is done; undefined when the plan was agreed to. */
async function reviewed(
  { environment, options }: Locked,
  plan: Plan,
): Promise<ApplyResult | undefined> {
  const errors = errorsOf(plan);
  const partial = errors.every(isOfBlocked(plan)) && planHasChanges(plan);
  if (errors.length > 0 && !(partial && options.allowPartial)) {
    return { kind: "errors", plan, partial };
  }
  const review = await environment.interrupts.untilInterrupted(() => options.review(plan));
  if (review === "declined") return { kind: "declined", plan };
  if (review === "approved") requireConsent(plan);
  return undefined;
}

async function applied(
  { environment, options, store }: Locked,
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  plan: Plan,
): Promise<Applied> {
  try {
    return await apply(ports, sessions, ledger, plan, {
      parallelism: options.parallelism,
      poolLimits: poolLimits(plan, environment.types),
      interrupts: environment.interrupts,
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw await store.writeEmergencyCopy(ledger.state(), error);
  }
}

/** How much may go on at once, by the settings of each provider. */
function poolLimits(plan: Plan, types: TypeRegistry): { readonly [pool: string]: number } {
  const settings = new Map(plan.providers.map((item) => [item.name, item.settings]));
  const limits: { [pool: string]: number } = {};
  for (const { type, provider, pools } of plan.operations) {
    for (const pool of pools) {
      const name = pool.slice(provider.length + 1);
      const limit = types[type]?.poolLimit?.(name, settings.get(provider) ?? null);
      if (limit !== undefined) limits[pool] = limit;
    }
  }
  return limits;
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

/** Refuses a plan made against another state than the present one. */
async function readPlan(
  environment: CommandEnvironment,
  { planFile = "", allowed }: ApplyCommandOptions,
  state: RecordedState,
  simulated: boolean,
): Promise<Plan> {
  const plan = await readPlanFile(environment, planFile);
  const reason = whyStale(plan, state, simulated);
  if (reason !== undefined) {
    throw new CommandError(`${planFile} cannot be applied: ${reason}.`, again, "plan");
  }
  return { ...plan, allowed: [...new Set([...plan.allowed, ...allowed])] };
}

/** A saved plan. Throws `CommandError` for anything else. */
export async function readPlanFile(environment: CommandEnvironment, path: string): Promise<Plan> {
  const bytes = await environment.readFile(path);
  try {
    return decodePlan(bytes);
  } catch (error) {
    if (!(error instanceof PlanFileError)) throw error;
    throw new CommandError(`${path} cannot be used: it ${error.message}.`, again, "plan");
  }
}

const again = "Make a new plan with: vmform plan --out FILE";

function whyStale(plan: Plan, state: RecordedState, simulated: boolean): string | undefined {
  const { base } = plan;
  if (plan.simulated !== simulated) return "it was made for another world (simulated or real)";
  if (state.open.length > 0) {
    return "an interrupted run has left operations open; run vmform apply without a plan first";
  }
  // Nothing was recorded when it was made, so its lineage names no state either.
  const onNothing = base.serial === 0 && base.position === 0;
  if (base.lineage !== state.lineage && !onNothing) return "it was made against another state";
  if (base.serial !== state.serial) {
    const words = `serial ${base.serial}, now ${state.serial}`;
    return `it was applied already, or something else was since it was made (${words})`;
  }
  if (base.position !== state.journal.position) {
    return "recorded state has moved on since it was made";
  }
  return undefined;
}
