/**
 * The workspace of a command: it says what it needs, is given that, and whatever was opened for it
 * is closed on every way out, the lock last.
 */

import { join } from "node:path";
import type { Settings } from "../config/settings/settings.ts";
import { problem } from "../engine/codes.ts";
import type { EnginePorts, SessionAccess } from "../engine/ports.ts";
import { createSessions, type Sessions } from "../engine/sessions.ts";
import { evaluateDeferred } from "../expressions/evaluate/deferred.ts";
import { allRules } from "../model/plan/rules.ts";
import type { JournalEntry } from "../model/recorded/journal.ts";
import type { RecordedProvider, RecordedState } from "../model/recorded/recorded.ts";
import type { Fence } from "../model/recorded/store.ts";
import { defaultWorkspace } from "../model/recorded/workspace.ts";
import type { Diagnostic } from "../model/said/diagnostic.ts";
import { nowhere } from "../model/said/problem.ts";
import { foldAll } from "../state/fold.ts";
import { initialState } from "../state/initial.ts";
import { verifyState } from "../state/integrity.ts";
import { problem as commandProblem, warning } from "./codes.ts";
import { recordedElsewhere } from "./elsewhere.ts";
import {
  CommandError,
  type CommandStore,
  DiagnosticError,
  InterruptedError,
  type ProviderAccess,
  type WorkspaceEnvironment,
} from "./environment.ts";
import { createRunKeeper, type RunKeeper, type RunNotes } from "./history/keep.ts";
import { knowing } from "./known-settings.ts";
import { type Lock, takeLock, underFence } from "./lock.ts";
import { handoverTold, keptElsewhere } from "./migrate/handover.ts";
import { isOfMirror } from "./mirror.ts";
import type { Configured, Reading, WorkspaceOptions } from "./reading.ts";
import { diagnosticsOf } from "./told.ts";
import { unknownTypes } from "./unknown-types.ts";

export type Needs<C extends Configured> = {
  /** What of the configuration. */
  readonly read: Reading<C>;
  /** What endpoints are asked for; `none` is for recorded state alone, of whatever world. */
  readonly access: "none" | SessionAccess;
};

export type Recorded = {
  readonly state: RecordedState;
  /** Nothing was ever written. */
  readonly fresh: boolean;
  /** Of a mirror: as of when it is. Whatever is made of it has to say so. */
  readonly asOf: readonly Diagnostic[];
  /** Entries of the journal that are not in the snapshot. */
  readonly tail: number;
};

export type Connection = {
  readonly ports: EnginePorts;
  readonly sessions: Sessions;
  /** For settings of providers that are no part of what was read, as those of a saved plan. */
  readonly allowCommands: ProviderAccess["allowCommands"];
};

export type Workspace<C extends Configured> = {
  readonly environment: WorkspaceEnvironment;
  readonly configured: C;
  /** Endpoints are those of the embedded simulator. */
  readonly simulated: boolean;
  readonly store: CommandStore;
  /**
   * Snapshot and journal as one state, as it is now; a state never written is an empty one. Throws
   * `DiagnosticError` when it belongs to another world than the endpoints that are to be asked.
   */
  readonly recorded: () => Promise<Recorded>;
  /** Opens the providers, once; sessions open when they are first used. */
  readonly connect: () => Promise<Connection>;
};

export type LockedWorkspace<C extends Configured> = Workspace<C> & {
  readonly fence: Fence;
  /** Takes what the history of runs tells of this one. */
  readonly run: RunNotes;
};

/** Reads and opens it, tells what was remarked, and gives what the work gives. */
export async function withWorkspace<C extends Configured, T>(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  needs: Needs<C>,
  work: (workspace: Workspace<C>) => Promise<T>,
): Promise<T> {
  const place = await placeOf(environment, options, needs);
  return closing(place.store, () => opened(place, needs.access, work));
}

/** The same under the lock of recorded state. */
export async function withLockedWorkspace<C extends Configured, T>(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  needs: Needs<C> & { readonly lock: Lock },
  work: (workspace: LockedWorkspace<C>) => Promise<T>,
): Promise<T> {
  const place = await placeOf(environment, options, needs);
  return closing(place.store, async () => {
    const fence = await takeLock(environment, place.store, needs.lock);
    const run = { command: needs.lock.operation, keepMs: keepRunsMs(place.configured) };
    const keeper = createRunKeeper(environment, place.store, fence, run);
    const { notes, store } = keeper;
    const heard = hearing(environment, notes);
    return underFence(place.store, fence, () =>
      keeping(keeper, environment.interrupts.asker, () =>
        opened({ ...place, store, environment: heard, keeper, fence }, needs.access, (workspace) =>
          work({ ...workspace, fence, run: notes }),
        ),
      ),
    );
  });
}

const dayMs = 24 * 60 * 60 * 1000;
const keepRunsDaysDefault = 365;

function keepRunsMs({ settings }: Configured): number {
  return (settings.keepRunsDays ?? keepRunsDaysDefault) * dayMs;
}

/** What is told while it works goes into the record of the run. */
function hearing(environment: WorkspaceEnvironment, notes: RunNotes): WorkspaceEnvironment {
  return {
    ...environment,
    remark: (diagnostics) => {
      notes.say(diagnostics);
      environment.remark(diagnostics);
    },
    events: (event) => {
      if (event.kind === "diagnostic") notes.say([event.diagnostic]);
      environment.events(event);
    },
  };
}

/** Records how the work ends, and who elsewhere asked it to. */
async function keeping<T>(
  { notes, end }: RunKeeper,
  asker: WorkspaceEnvironment["interrupts"]["asker"],
  work: () => Promise<T>,
): Promise<T> {
  const sayAsker = (): void => {
    const detail = asker?.();
    if (detail !== undefined) notes.say([commandProblem(nowhere, "CLI008", { detail })]);
  };
  let value: T;
  try {
    value = await work();
    sayAsker();
  } catch (error) {
    sayAsker();
    if (!(error instanceof InterruptedError)) notes.say(diagnosticsOf(error));
    await end(error instanceof InterruptedError ? "interrupted" : "failed");
    throw error;
  }
  await end("done");
  return value;
}

/** What the work gives or throws counts more than what goes wrong in closing. */
export async function closing<T>(
  one: Pick<CommandStore, "close">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } finally {
    await one.close().catch(() => undefined);
  }
}

type Place<C extends Configured> = Pick<Workspace<C>, "environment" | "configured" | "store"> & {
  readonly directory: string;
  /** Of a run that has the lock. */
  readonly keeper?: RunKeeper;
  readonly fence?: Fence;
};

async function placeOf<C extends Configured>(
  environment: WorkspaceEnvironment,
  options: WorkspaceOptions,
  { read }: Needs<C>,
): Promise<Place<C>> {
  const reading = () => read(environment, options);
  const { value: configured, diagnostics } = await knowing(environment, reading);
  environment.remark(diagnostics);
  const store = environment.openStore(configured.settings.state, options.stateFrom);
  return { environment, configured, store, directory: options.directory };
}

async function opened<C extends Configured, T>(
  { environment, configured, store, directory, keeper, fence }: Place<C>,
  access: Needs<C>["access"],
  work: (workspace: Workspace<C>) => Promise<T>,
): Promise<T> {
  const { settings } = configured;
  const simulated = settings.simulator !== undefined;
  const closers: (() => Promise<void>)[] = [];
  const recorded = async (): Promise<Recorded> => {
    const read = await readRecorded(environment, store, simulated);
    keeper?.know(read);
    if (read.fresh && settings.workspace !== defaultWorkspace) throw neverMade(settings);
    const { handover } = read.state;
    if (handover !== undefined) {
      if (keeper !== undefined || access !== "none") throw keptElsewhere(store.location, handover);
      const told = handoverTold(store.location, handover);
      environment.remark([warning(nowhere, "CLI051", told)]);
    }
    if (access === "none") {
      environment.remark(read.asOf);
      return read;
    }
    if (read.fresh) await requireNowhereElse();
    const mixed = mixedWorlds(read.state, simulated);
    if (mixed.length > 0) throw new DiagnosticError(mixed);
    const unknown = unknownTypes(read.state, environment.types);
    if (unknown.length > 0) throw new DiagnosticError(unknown);
    return read;
  };
  const requireNowhereElse = async (): Promise<void> => {
    const where = { directory, state: settings.state, location: store.location, simulated };
    const told = await recordedElsewhere(environment, where, keeper !== undefined);
    if (told?.severity === "error") throw new DiagnosticError([told]);
    if (told !== undefined) environment.remark([told]);
  };
  const connected = async (): Promise<Connection> => {
    if (access === "none") throw new Error("A command without access wants to connect.");
    const providers = await openProviders(environment, settings, {
      directory,
      ...(fence === undefined ? {} : { fence }),
    });
    closers.unshift(() => providers.close());
    const { allowCommands } = providers;
    allowCommands((configured.providers ?? []).map((provider) => provider.settings));
    const ports = enginePorts(environment, store, providers);
    const sessions = createSessions(ports, access);
    closers.unshift(() => sessions.close());
    return { ports, sessions, allowCommands };
  };
  let connection: Promise<Connection> | undefined;
  const connect = (): Promise<Connection> => (connection ??= connected());
  try {
    return await work({ environment, configured, simulated, store, recorded, connect });
  } finally {
    for (const close of closers) await close();
  }
}

/** A slip in the name of a workspace must not be taken for one that is empty. */
function neverMade({ workspace }: Settings): DiagnosticError {
  const detail = `There is no workspace ${workspace}.`;
  const make = `To make it: vmform workspace new ${workspace}`;
  const fix = `See which there are: vmform workspace list. ${make}`;
  return new DiagnosticError([commandProblem(nowhere, "CLI031", { detail, fix })]);
}

/** Writes entries, a run entry before them, so that saved plans become stale. */
export async function record(
  { environment, store, fence }: LockedWorkspace<Configured>,
  { state, fresh }: Recorded,
  run: {
    readonly command: string;
    readonly simulated: boolean;
    readonly providers: readonly RecordedProvider[];
    readonly entries: readonly JournalEntry[];
  },
): Promise<void> {
  const { entries, ...said } = run;
  const planId = environment.newId();
  if (fresh) await store.compact(state, fence);
  await store.append(
    [{ kind: "run", planId, atMs: environment.clock.now(), ...said }, ...entries],
    fence,
  );
}

async function readRecorded(
  environment: WorkspaceEnvironment,
  store: CommandStore,
  simulated: boolean,
): Promise<Recorded> {
  const { snapshot, journal, remarks = [] } = await store.read();
  const asOf = remarks.filter(isOfMirror);
  environment.remark(remarks.filter((remark) => !isOfMirror(remark)));
  if (snapshot === undefined) {
    const state = initialState(environment.newId(), environment.newId(), simulated);
    return { state, fresh: true, tail: 0, asOf };
  }
  const state = foldAll(snapshot, journal);
  const problems = verifyState(state);
  if (problems.length > 0) {
    const list = problems.map(({ message }) => message).join("; ");
    throw new CommandError(
      `Recorded state at ${store.location} contradicts itself: ${list}.`,
      "Nothing was changed. Go back to its backup, and please report how this came about.",
    );
  }
  return { state, fresh: false, tail: journal.length, asOf };
}

/** State recorded against a simulator says nothing about real endpoints, nor the other way. */
function mixedWorlds(state: RecordedState, simulated: boolean): readonly Diagnostic[] {
  if (state.objects.length === 0 || state.simulated === simulated) return [];
  const [recorded, now] = state.simulated ? ["a simulator's", "real"] : ["real", "a simulator's"];
  return [
    problem(nowhere, "RUN003", {
      detail: `It was recorded against ${recorded} endpoints, and the endpoints are now ${now}.`,
      fix: "Use another state file (vmform.state.local.path), or restore the simulator setting.",
    }),
  ];
}

async function openProviders(
  environment: WorkspaceEnvironment,
  { state, simulator }: Settings,
  { directory, fence }: Pick<Place<Configured>, "directory" | "fence">,
): Promise<ProviderAccess> {
  const behind = { state, ...(fence === undefined ? {} : { fence }) };
  if (simulator === undefined) return environment.openProviders(undefined, directory, behind);
  const persist = join(directory, ".vmform", "simulator.json");
  return environment.openProviders({ world: simulator.world, persist }, directory, behind);
}

/** What the engine needs of the world, in an environment. */
export function enginePorts(
  environment: Pick<WorkspaceEnvironment, "clock" | "types" | "events" | "newId">,
  store: CommandStore,
  providers: ProviderAccess,
): EnginePorts {
  return {
    store,
    clock: environment.clock,
    types: environment.types,
    open: providers.open,
    events: environment.events,
    newId: environment.newId,
    evaluate: (deferred, lookup) => {
      const { value, problems } = evaluateDeferred(deferred, lookup);
      return { value, problems: problems.map(({ message }) => message) };
    },
    rules: allRules,
    requestsSent: providers.requestsSent,
  };
}
