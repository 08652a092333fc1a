/** `vmform drift`: what changed outside. Reads only, writes nothing. */

import { buildDriftReport } from "../drift/drift-report.ts";
import { createDryLedger } from "../engine/ledger.ts";
import { closeInterrupted } from "../engine/recover.ts";
import { refresh } from "../engine/refresh.ts";
import { createSessions, type Sessions } from "../engine/sessions.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { DriftReport, UnmanagedObject } from "../model/drift-report.ts";
import type { Observation } from "../model/observation.ts";
import type { RecordedState } from "../model/recorded.ts";
import { RemoteError } from "../model/remote-error.ts";
import { allRules } from "../model/rules.ts";
import type { Value } from "../model/value.ts";
import { vanishBrake } from "../plan/consent.ts";
import { priorOf } from "../plan/prior.ts";
import { objectKeyOf } from "../state/working.ts";
import type { CommandEnvironment } from "./environment.ts";
import {
  enginePorts,
  type Loaded,
  openProviders,
  openStore,
  readRecorded,
  readSettingsOnly,
  type WorkspaceOptions,
} from "./workspace.ts";

export type Drifted = {
  readonly report: DriftReport;
  /** Reasons not to believe the report, such as most objects missing at once. */
  readonly diagnostics: readonly Diagnostic[];
};

/** Needs recorded state and recorded provider settings only; the configuration may be broken. */
export async function driftCommand(
  environment: CommandEnvironment,
  options: WorkspaceOptions,
): Promise<Loaded<Drifted>> {
  const { value: settings, diagnostics } = await readSettingsOnly(environment, options);
  if (diagnostics.some((item) => item.severity === "error")) return { ok: false, diagnostics };
  const store = openStore(environment, settings);
  const simulated = settings.simulator !== undefined;
  const { state } = await readRecorded(environment, store, simulated);
  const running = await store.holder();
  const providers = await openProviders(environment, settings, options.directory);
  const ports = enginePorts(environment, store, providers);
  const sessions = createSessions(ports, "read");
  try {
    const ledger = createDryLedger(state, allRules);
    const unsettled = running === undefined ? await closeInterrupted(ports, sessions, ledger) : [];
    const recorded = ledger.state();
    const known = new Map(recorded.providers.map((item) => [item.name, item.settings]));
    const { observations } = await refresh(ports, sessions, recorded, undefined, known);
    const priors = recorded.objects.map((record) => priorOf(record, observations));
    const brake = vanishBrake({ allowed: [] }, priors);
    const discovered = await listUnmanaged(environment, sessions, recorded, known);
    const report = buildDriftReport({
      recorded,
      observations: byAddress(recorded, observations),
      types: environment.types,
      nowMs: environment.clock.now(),
      ...(discovered === undefined ? {} : { discovered }),
    });
    const value = { report, diagnostics: [...unsettled, ...brake] };
    return { ok: true, value, diagnostics };
  } finally {
    await sessions.close();
    await providers.close();
  }
}

function byAddress(
  recorded: RecordedState,
  observations: ReadonlyMap<string, Observation>,
): ReadonlyMap<Address, Observation> {
  const result = new Map<Address, Observation>();
  for (const { address, objectKey } of recorded.objects) {
    const observation = observations.get(objectKeyOf(address, objectKey));
    if (observation !== undefined && objectKey === "current") result.set(address, observation);
  }
  return result;
}

/** Objects that exist and no record holds; undefined when an endpoint cannot list them. */
async function listUnmanaged(
  environment: CommandEnvironment,
  sessions: Sessions,
  recorded: RecordedState,
  settings: ReadonlyMap<string, Value>,
): Promise<readonly UnmanagedObject[] | undefined> {
  const held = new Set(
    recorded.objects.map(({ provider, type, identity }) => `${provider} ${type} ${identity}`),
  );
  const unmanaged: UnmanagedObject[] = [];
  for (const [provider, value] of settings) {
    const prefix = `${provider.split(".")[0]}_`;
    const types = Object.values(environment.types).filter(
      (type) => type.name.startsWith(prefix) && type.container === undefined,
    );
    try {
      const session = await sessions.get(provider, value);
      if (session.list === undefined) continue;
      for (const type of types) {
        for (const { identity } of await session.list(type.name)) {
          if (held.has(`${provider} ${type.name} ${identity}`)) continue;
          unmanaged.push({ provider, type: type.name, identity });
        }
      }
    } catch (error) {
      // The refresh has reported why the endpoint cannot be read.
      if (error instanceof RemoteError) return undefined;
      throw error;
    }
  }
  return unmanaged;
}
