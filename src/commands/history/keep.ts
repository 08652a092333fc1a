/**
 * Keeps the record of a run that writes to recorded state. It is begun with the first thing that is
 * written and saved once more at the end, so it costs no operation anything; what a run has done
 * that was killed, the next one takes from the journal before anything is compacted.
 */

import type { JournalEntry } from "../../model/recorded/journal.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { RunOutcome, RunPlan, RunRecord } from "../../model/recorded/run-record.ts";
import type { Fence, StoredState } from "../../model/recorded/store.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import { nowhere } from "../../model/said/problem.ts";
import type { Address } from "../../model/value/address.ts";
import { foldAll } from "../../state/fold.ts";
import { initialState } from "../../state/initial.ts";
import { warning } from "../codes.ts";
import type { CommandStore, WorkspaceEnvironment } from "../environment.ts";
import { createCollector } from "./collect.ts";

/** What a command tells of its run. */
export type RunNotes = {
  /** Records a run that may change something elsewhere, also where nothing is written here. */
  readonly begin: (subject: Address) => Promise<void>;
  readonly plan: (plan: RunPlan) => void;
  readonly say: (diagnostics: readonly Diagnostic[]) => void;
  /** The last one counts; absent: it is done, or what was thrown says how it failed. */
  readonly outcome: (outcome: RunOutcome) => void;
};

export type RunKeeper = {
  /** What the run writes through. */
  readonly store: CommandStore;
  readonly notes: RunNotes;
  /** What is recorded, once it was read. */
  readonly know: (recorded: { readonly state: RecordedState }) => void;
  /** Saves the end, where it was begun. Does not reject. */
  readonly end: (outcome: RunOutcome) => Promise<void>;
};

type Keeping = {
  readonly environment: KeeperEnvironment;
  readonly store: CommandStore;
  readonly fence: Fence;
  readonly keepMs: number;
  /** As it was begun. */
  readonly first: Pick<
    RunRecord,
    "id" | "command" | "who" | "host" | "submission" | "version" | "lockId" | "beganMs"
  >;
  /** As it was last read. */
  stored: StoredState | undefined;
  state: RecordedState | undefined;
  position: number;
  /** Of the snapshot. */
  compacted: number;
  serial: number;
  subject: Address | undefined;
  plan: RunPlan | undefined;
  said: string[];
  outcome: RunOutcome | undefined;
  begun: Promise<void> | undefined;
  isBegun: boolean;
  isTold: boolean;
};

export type KeeperEnvironment = Pick<
  WorkspaceEnvironment,
  "clock" | "newId" | "operator" | "version" | "remark" | "maskText"
>;

const saidMax = 100;
const saidLengthMax = 2_000;

export function createRunKeeper(
  environment: KeeperEnvironment,
  store: CommandStore,
  fence: Fence,
  run: { readonly command: string; readonly keepMs: number },
): RunKeeper {
  const { clock, newId, operator, version } = environment;
  const { command, keepMs } = run;
  const keeping: Keeping = {
    ...{ environment, store, fence, keepMs },
    first: {
      ...{ id: newId(), command, ...operator, version },
      ...{ lockId: fence.lockId, beganMs: clock.now() },
    },
    ...{ stored: undefined, state: undefined, position: 0, compacted: 0, serial: 0 },
    ...{ subject: undefined, plan: undefined, said: [], outcome: undefined },
    ...{ begun: undefined, isBegun: false, isTold: false },
  };
  const collector = createCollector(() => keeping.state ?? nothing);
  const record = (): RunRecord => {
    const { operations, changes } = collector.collected();
    const { subject, plan, position, said, first } = keeping;
    return {
      ...{ ...first, position },
      ...(subject === undefined ? {} : { subject }),
      ...(plan === undefined ? {} : { plan }),
      ...{ operations, changes, said },
    };
  };
  const begin = (): Promise<void> => (keeping.begun ??= saveBegin(keeping, record()));
  const save = (one: RunRecord, late: boolean) => saveQuietly(keeping, [one], { drop: [], late });
  return {
    store: recording(keeping, collector.add, begin, () => save(record(), true)),
    notes: {
      begin: (subject) => {
        keeping.subject = subject;
        return begin();
      },
      plan: (plan) => {
        keeping.plan = plan;
      },
      say: (diagnostics) => say(keeping, diagnostics),
      outcome: (outcome) => {
        keeping.outcome = outcome;
      },
    },
    know: ({ state }) => {
      if (keeping.state !== undefined) return;
      keeping.state = state;
      keeping.serial = state.serial;
      keeping.position = state.journal.position;
    },
    end: async (outcome) => {
      if (keeping.begun === undefined) return;
      const { serial } = keeping;
      const end = { atMs: clock.now(), outcome: keeping.outcome ?? outcome, serial };
      await save({ ...record(), end }, false);
    },
  };
}

const nothing: RecordedState = initialState("none", "none", false);

/** The store, through which the run is begun, and told what it writes. */
function recording(
  keeping: Keeping,
  collect: (entries: readonly JournalEntry[]) => void,
  begin: () => Promise<void>,
  save: () => Promise<void>,
): CommandStore {
  const { store } = keeping;
  let unsaved = 0;
  const append = async (written: Promise<number>, entries: readonly JournalEntry[]) => {
    const position = await written;
    collect(entries);
    unsaved += entries.length;
    keeping.position = position;
    keeping.serial += entries.filter(({ kind }) => kind === "run").length;
    return position;
  };
  return {
    ...store,
    read: async () => {
      const stored = await store.read();
      keeping.stored = stored;
      // A command that folds it by itself never calls `know`.
      if (!keeping.isBegun && keeping.state === undefined) {
        Object.assign(keeping, reachedBy(stored));
      }
      return stored;
    },
    // Not `async`, to keep the order of calls.
    append: (entries, fence) =>
      keeping.isBegun
        ? append(store.append(entries, fence), entries)
        : begin().then(() => append(store.append(entries, fence), entries)),
    compact: async (state, fence) => {
      await begin();
      // What is compacted cannot be taken from the journal any more.
      if (unsaved > 0) await save();
      unsaved = 0;
      await store.compact(state, fence);
      keeping.compacted = state.journal.position;
      keeping.serial = state.serial;
    },
  };
}

/** How far what was read goes, its journal included. */
function reachedBy({ snapshot, journal }: StoredState): Pick<Keeping, "position" | "serial"> {
  const position = (snapshot?.journal.position ?? 0) + journal.length;
  const serial = (snapshot?.serial ?? 0) + journal.filter(({ kind }) => kind === "run").length;
  return { position, serial };
}

/** Together with the end of runs that were killed, and without those that are too old. */
async function saveBegin(keeping: Keeping, record: RunRecord): Promise<void> {
  const { store, environment, keepMs } = keeping;
  try {
    const stored = keeping.stored ?? (await store.read());
    keeping.compacted = stored.snapshot?.journal.position ?? 0;
    const before = await store.runHeads();
    const open = before.some(({ end }) => end === undefined) ? await store.runs() : [];
    const lost = open.filter(({ end }) => end === undefined).map((one) => closed(one, stored));
    // By the clock of the run before as well: one that is years ahead must not end the history.
    const knownMs = before.reduce(
      (latest, { beganMs, end }) => Math.max(latest, end?.atMs ?? beganMs),
      Number.NEGATIVE_INFINITY,
    );
    const sinceMs = Math.min(environment.clock.now(), knownMs) - keepMs;
    const drop = before.filter(
      ({ end, position }) =>
        end !== undefined && end.atMs < sinceMs && position <= keeping.compacted,
    );
    await store.saveRuns(
      [...lost, record],
      { drop: drop.map(({ id }) => id), late: true },
      keeping.fence,
    );
  } catch (error) {
    tellUnsaved(keeping, error);
  } finally {
    keeping.isBegun = true;
  }
}

/** A run that nobody saw the end of, with what the journal says of it. */
export function closed(record: RunRecord, { snapshot, journal }: StoredState): RunRecord {
  const contained = snapshot?.journal.position ?? 0;
  const known = Math.max(0, record.position - contained);
  const collector = createCollector(() => foldAll(snapshot ?? nothing, journal.slice(0, known)));
  const entries = journal.slice(known);
  collector.add(entries);
  const { operations, changes, lastMs } = collector.collected();
  const { serial } = reachedBy({ snapshot, journal });
  return {
    ...record,
    position: record.position + entries.length,
    operations: merged(record.operations, operations),
    changes: [...record.changes, ...changes],
    end: { atMs: lastMs ?? record.beganMs, outcome: "lost", serial },
  };
}

/** What was saved without its end may have one by now. */
function merged(
  before: RunRecord["operations"],
  after: RunRecord["operations"],
): RunRecord["operations"] {
  const keyOf = ({ planId, id }: RunRecord["operations"][number]) => `${planId} ${id}`;
  const all = new Map(before.map((one) => [keyOf(one), one]));
  for (const { settled: _, ...one } of after)
    all.set(keyOf(one), { ...all.get(keyOf(one)), ...one });
  return [...all.values()];
}

async function saveQuietly(
  keeping: Keeping,
  records: readonly RunRecord[],
  saving: Parameters<CommandStore["saveRuns"]>[1],
): Promise<void> {
  try {
    await keeping.store.saveRuns(records, saving, keeping.fence);
  } catch (error) {
    tellUnsaved(keeping, error);
  }
}

/** Nothing that is done fails for want of its history. */
function tellUnsaved(keeping: Keeping, error: unknown): void {
  if (keeping.isTold) return;
  keeping.isTold = true;
  const why = error instanceof Error ? error.message : String(error);
  const detail = `The history of runs lacks this one, or a part of it: ${why}`;
  keeping.environment.remark([warning(nowhere, "CLI053", { detail })]);
}

function say(keeping: Keeping, diagnostics: readonly Diagnostic[]): void {
  const { maskText = (text: string) => text } = keeping.environment;
  for (const { severity, code, detail, address } of diagnostics) {
    if (keeping.said.length === saidMax) return;
    const about = address === undefined ? "" : `${address}: `;
    const words = `${severity} ${code}: ${about}${detail}`;
    const text = maskText(words).slice(0, saidLengthMax);
    if (!keeping.said.includes(text)) keeping.said.push(text);
  }
}
