/** `vmform drift`: what changed outside. Reads only, writes nothing. */

import type { ConfigurationCode } from "../../config/codes.ts";
import type { Configuration } from "../../config/load.ts";
import type { DesiredObject } from "../../drift/attribute-comparison.ts";
import { buildDriftReport, type WantedConfiguration } from "../../drift/drift-report.ts";
import { createDryLedger } from "../../engine/ledger.ts";
import { askEndpoints } from "../../engine/look/endpoints.ts";
import { expectedBy, lookWith } from "../../engine/look/look.ts";
import { refresh } from "../../engine/look/refresh.ts";
import { withChanges } from "../../engine/look/told-changes.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import { providersIn } from "../../engine/prepare.ts";
import { closeInterrupted } from "../../engine/recover.ts";
import type { Sessions } from "../../engine/sessions.ts";
import type { Wait } from "../../model/operation/event.ts";
import { whileWaiting } from "../../model/operation/wait.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { DriftReport } from "../../model/plan/drift-report.ts";
import { allRules } from "../../model/plan/rules.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import { type Diagnostic, hasErrors, type WithDiagnostics } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { Address, Selector } from "../../model/value/address.ts";
import type { Value } from "../../model/value/value.ts";
import { endpointChanges, endpointDiagnostic } from "../../plan/before/endpoints.ts";
import { applyMoves } from "../../plan/before/moves.ts";
import { priorOf } from "../../plan/before/prior.ts";
import { recognize } from "../../plan/before/recognize.ts";
import { matches } from "../../plan/before/selection.ts";
import { vanishBrake } from "../../plan/consent.ts";
import { objectKeyOf } from "../../state/working.ts";
import { problem } from "../codes.ts";
import { CommandError, DiagnosticError, type WorkspaceEnvironment } from "../environment.ts";
import { checkOutputs, type Output } from "../output-file.ts";
import { completeToRead } from "../plan/complete.ts";
import {
  type Configured,
  type Reading,
  readConfiguration,
  settingsAlone,
  type WorkspaceOptions,
} from "../reading.ts";
import { type Connection, type Workspace, withWorkspace } from "../workspace.ts";
import { failedChecks } from "./drift-checks.ts";
import { desiredObjects } from "./drift-desired.ts";
import { ignoreRemarks } from "./drift-ignored.ts";
import { type Listing, listUnmanaged } from "./drift-unmanaged.ts";

export type DriftOptions = WorkspaceOptions & {
  /** Only these objects, or all instances of these resources; empty for all. */
  readonly targets: readonly Selector[];
  readonly excludes: readonly Selector[];
  /** Look for objects that are recorded nowhere. */
  readonly unmanaged: boolean;
  /** That nothing is recorded is as it should be. */
  readonly allowEmpty: boolean;
  /** Wait for operations of an interrupted run to end. */
  readonly settle: boolean;
  /** Files that will be written with the report. */
  readonly outputs: readonly Output[];
};

export type Drifting = Configured & { readonly read: WithDiagnostics<Configuration | undefined> };

/**
 * A configuration with errors only takes the wanted values from the report, which says so; but its
 * `vmform` block must be readable, since it says where recorded state is.
 */
export const inSpiteOfErrors: Reading<Drifting> = async (environment, options) => {
  const { value, diagnostics } = await settingsAlone(environment, options);
  const read = await readConfiguration(environment, options);
  const providers = read.value?.providers ?? [];
  return { value: { ...value, read, providers }, diagnostics };
};

/** Needs recorded state and provider settings, configured or recorded. */
export async function driftCommand(
  environment: WorkspaceEnvironment,
  options: DriftOptions,
): Promise<DriftReport> {
  const needs = { read: inSpiteOfErrors, access: "read" } as const;
  return withWorkspace(environment, options, needs, async (workspace) => {
    const { report } = await lookForDrift(workspace, options);
    return report;
  });
}

export type SeenDrift = {
  readonly report: DriftReport;
  /** Of those that are selected. */
  readonly recorded: RecordedState;
  /** Of those that are selected, by the addresses that the configuration gives them. */
  readonly observations: ReadonlyMap<Address, Observation>;
};

/** One look at what is recorded; nothing is written. */
export async function lookForDrift(
  workspace: Workspace<Drifting>,
  options: DriftOptions,
): Promise<SeenDrift> {
  const { environment, store } = workspace;
  await checkOutputs(environment, options.outputs, store.location);
  const { state, asOf } = await workspace.recorded();
  const declared = workspace.configured.read;
  const nothing = nothingToCompare(state, declared, store.location, options);
  if (nothing.length > 0) throw new DiagnosticError(nothing);
  const leaveOpen = (await store.holder()) !== undefined;
  const connection = await workspace.connect();
  const { ports, sessions } = connection;
  const ledger = createDryLedger(state, allRules);
  const patience = options.settle ? "settle" : "look";
  const looked = async () => {
    const configuration = await completed(workspace, connection, declared, state);
    const open = leaveOpen
      ? []
      : await closeInterrupted(ports, sessions, ledger, configuredIn(configuration), patience);
    const seen = await observe(ports, sessions, ledger.state(), configuration, options);
    return { ...seen, diagnostics: [...open, ...seen.diagnostics] };
  };
  const { interrupts } = environment;
  const observed = await interrupts.untilInterrupted(looked);
  const nowMs = environment.clock.now();
  const rules = workspace.configured.settings.driftIgnore ?? [];
  const compared = buildDriftReport({
    ...observed,
    types: environment.types,
    nowMs,
    partial: isPartial(options),
    directory: options.directory,
    ignore: rules.filter(({ endMs }) => nowMs < endMs),
  });
  const report = await interrupts.untilInterrupted(() =>
    withChanges(compared, { ...observed, sessions, store, clock: environment.clock }),
  );
  const told = ignoreRemarks(rules, report);
  const { observations, recorded } = observed;
  return {
    report: { ...report, diagnostics: [...asOf, ...report.diagnostics, ...told] },
    observations,
    recorded,
  };
}

/** With all instances, where reading tells which there are; else it is one with errors. */
async function completed(
  workspace: Workspace<Drifting>,
  connection: Connection,
  declared: Drifting["read"],
  state: RecordedState,
): Promise<Drifting["read"]> {
  const { value, diagnostics } = declared;
  if (value === undefined) return declared;
  try {
    return { diagnostics, value: await completeToRead(workspace, connection, state, value) };
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return { value: undefined, diagnostics: [...diagnostics, ...error.diagnostics] };
  }
}

/**
 * Why there is nothing to compare: a wrong folder looks like one that is in order. What nobody
 * recorded was not looked at, so that is told like any other check that was not made.
 */
function nothingToCompare(
  { objects, open }: RecordedState,
  { diagnostics, value }: WithDiagnostics<Configuration | undefined>,
  location: string,
  { allowEmpty }: DriftOptions,
): readonly Diagnostic[] {
  if (objects.length + open.length > 0) return [];
  const errors = diagnostics.filter((item) => hasErrors([item]));
  if (diagnostics.some(({ code }) => code === noFilesCode)) return errors;
  if (allowEmpty && errors.length === 0) return [];
  const wanted = value === undefined ? 0 : value.instances.length;
  const configured = wanted === 0 ? "" : ` ${wanted} configured, and not applied yet.`;
  return [
    ...errors,
    problem(nowhere, "CLI013", {
      detail: `${location} holds no object, so nothing was compared.${configured}`,
      fix:
        "Apply the configuration first, or look whether this is the right folder and state. " +
        "Where it is as it should be: --allow-empty",
    }),
  ];
}

/** What the configuration says of its providers now, where it can be read. */
function configuredIn({
  value,
}: WithDiagnostics<Configuration | undefined>): ReadonlyMap<string, Value> {
  return new Map((value?.providers ?? []).map(({ name, settings }) => [name, settings]));
}

/** Of a folder without configuration. */
const noFilesCode: ConfigurationCode = "CFG041";

const listingWait: Wait = { rank: "phase", what: "listing what nobody recorded" };

type Observed = Listing & {
  readonly settings: ReadonlyMap<string, Value>;
  readonly recorded: RecordedState;
  readonly observations: ReadonlyMap<Address, Observation>;
  readonly configuration: WantedConfiguration;
  readonly diagnostics: readonly Diagnostic[];
};

/** Reads the selected objects and, of all of them, what no record holds. */
async function observe(
  ports: EnginePorts,
  sessions: Sessions,
  state: RecordedState,
  { value, diagnostics }: WithDiagnostics<Configuration | undefined>,
  options: DriftOptions,
): Promise<Observed> {
  const desired = hasErrors(diagnostics) ? undefined : value;
  const context = desired === undefined ? undefined : { desired, types: ports.types };
  const moves = applyMoves(state, desired?.moved ?? [], context);
  const all = moves.recorded;
  const recorded = isPartial(options) ? selectObjects(all, options) : all;
  const settings = settingsOf(all, desired);
  const whole = isPartial(options)
    ? expectedBy(recorded, undefined)
    : () => Number.POSITIVE_INFINITY;
  const look = lookWith(sessions, whole);
  const endpoints = await askEndpoints(sessions, settings, providersIn(recorded));
  const refreshed = await refresh(ports, look, recorded, undefined, settings);
  const seen = recognize(ports.types, recorded.objects, refreshed.observations, endpoints);
  const observations = byAddress(recorded, seen);
  const priors = recorded.objects.map((record) => priorOf(record, seen));
  const moved = endpointChanges(recorded, endpoints, (address) => isSelected(address, options));
  const listing: Listing =
    isPartial(options) || !options.unmanaged
      ? { unlisted: [] }
      : await whileWaiting(ports.events, listingWait, () =>
          listUnmanaged(ports.types, look, all, settings),
        );
  return {
    ...listing,
    settings,
    recorded,
    observations,
    configuration:
      desired === undefined
        ? { status: "unreadable", errors: errorCount(diagnostics) }
        : { status: "read", objects: selectedDesired(ports, all, desired, observations, options) },
    diagnostics: [
      ...(isPartial(options) ? [] : failedChecks(desired, recorded, observations)),
      ...moves.diagnostics,
      ...moved.map((change) => endpointDiagnostic(change, "error")),
      ...vanishBrake({ allowed: [] }, priors),
    ],
  };
}

function selectedDesired(
  ports: EnginePorts,
  recorded: RecordedState,
  desired: Desired,
  observations: ReadonlyMap<Address, Observation>,
  options: DriftOptions,
): ReadonlyMap<Address, DesiredObject> {
  const objects = desiredObjects(desired, recorded, observations, ports.types);
  return new Map([...objects].filter(([address]) => isSelected(address, options)));
}

function errorCount(diagnostics: readonly Diagnostic[]): number {
  return diagnostics.filter(({ severity }) => severity === "error").length;
}

/** Configured settings over recorded ones, as in a plan: the endpoint may have moved. */
function settingsOf(
  recorded: RecordedState,
  desired: Desired | undefined,
): ReadonlyMap<string, Value> {
  const all = [...recorded.providers, ...(desired?.providers ?? [])];
  return new Map(all.map(({ name, settings }) => [name, settings]));
}

function isPartial({ targets, excludes }: DriftOptions): boolean {
  return targets.length + excludes.length > 0;
}

function isSelected(address: Address, { targets, excludes }: DriftOptions): boolean {
  return (targets.length === 0 || matches(address, targets)) && !matches(address, excludes);
}

/** A name that fits nothing is more likely a slip than a question about nothing. */
function selectObjects(recorded: RecordedState, options: DriftOptions): RecordedState {
  const { objects } = recorded;
  for (const name of [...options.targets, ...options.excludes]) {
    if (objects.some(({ address }) => matches(address, [name]))) continue;
    throw new CommandError(
      `No object is recorded at ${name}.`,
      "List what is recorded with: vmform state list",
      "usage",
    );
  }
  return {
    ...recorded,
    objects: objects.filter(({ address }) => isSelected(address, options)),
    restores: recorded.restores.filter(({ address }) => isSelected(address, options)),
  };
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
