/** Prepares a plan: settle what is open, follow moves, refresh, plan. In that order. */

import type { Desired } from "../model/desired.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Disruption } from "../model/operation.ts";
import type { Plan } from "../model/plan.ts";
import type { Value } from "../model/value.ts";
import { applyMoves } from "../plan/moves.ts";
import { plan } from "../plan/plan.ts";
import type { Ledger } from "./ledger.ts";
import type { EnginePorts } from "./ports.ts";
import { closeInterrupted } from "./recover.ts";
import { refresh } from "./refresh.ts";
import type { Sessions } from "./sessions.ts";

export type PrepareOptions = {
  readonly mode: "apply" | "destroy";
  readonly allowed: readonly Disruption[];
  readonly simulated: boolean;
  /** Do not wait for open operations: a run that holds the lock will end them. */
  readonly leaveOpen?: boolean;
};

/** `ledger` is the store's while applying, and in memory only while planning. */
export async function prepare(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  desired: Desired,
  options: PrepareOptions,
): Promise<Plan> {
  const interrupted = ledger.open().map((begin) => begin.id);
  const unsettled =
    options.leaveOpen === true ? [] : await closeInterrupted(ports, sessions, ledger);
  const moves = applyMoves(ledger.state(), options.mode === "destroy" ? [] : desired.moved);
  const recorded = moves.recorded;
  const settings = settingsOf(desired, ledger);
  const wanted = options.mode === "destroy" ? undefined : desired;
  const refreshed = await refresh(ports, sessions, recorded, wanted, settings);
  return plan({
    planId: ports.newId(),
    mode: options.mode,
    desired,
    recorded,
    observations: refreshed.observations,
    lookups: refreshed.lookups,
    types: ports.types,
    settings,
    nowMs: ports.clock.now(),
    simulated: options.simulated,
    allowed: options.allowed,
    rules: ports.rules,
    moveNotes: moves.notes,
    diagnostics: [...moves.diagnostics, ...mixedWorlds(ledger, options), ...unsettled],
    interrupted,
  });
}

/** Configured settings over recorded ones: deleting works when the provider block is gone. */
function settingsOf(desired: Desired, ledger: Ledger): ReadonlyMap<string, Value> {
  const settings = new Map<string, Value>();
  for (const provider of ledger.state().providers) settings.set(provider.name, provider.settings);
  for (const provider of desired.providers) settings.set(provider.name, provider.settings);
  return settings;
}

/** State recorded against a simulator says nothing about real endpoints, nor the other way. */
function mixedWorlds(ledger: Ledger, options: PrepareOptions): readonly Diagnostic[] {
  const state = ledger.state();
  if (state.objects.length === 0 || state.simulated === options.simulated) return [];
  const [recorded, now] = state.simulated ? ["a simulator", "real"] : ["real", "a simulator's"];
  return [
    {
      severity: "error",
      code: "RUN003",
      summary: "Recorded state belongs to another world",
      detail: `It was recorded against ${recorded} endpoints, and the endpoints are now ${now}.`,
      fix: "Use another state file (vmform.state.local.path), or restore the simulator setting.",
    },
  ];
}
