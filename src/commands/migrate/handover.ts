/**
 * Bringing recorded state from one store to another, under the locks of both, so that at every
 * moment at most one of the two copies is one that runs go on with:
 *
 *  1. the copy is written, marked as arriving, and read back;
 *  2. the one it was made of is marked as moved: from here on it counts no more;
 *  3. the mark of the copy is taken away.
 *
 * Killed between any two steps, the same call goes on: the marks tell how far it came.
 */

import { clockText } from "../../lib/time/clock-text.ts";
import type { Handover, RecordedState } from "../../model/recorded/recorded.ts";
import type { RunRecord } from "../../model/recorded/run-record.ts";
import type { Fence, Store } from "../../model/recorded/store.ts";
import { nowhere } from "../../model/said/problem.ts";
import { foldAll } from "../../state/fold.ts";
import { encodeState } from "../../state/form/encode.ts";
import { problem } from "../codes.ts";
import { DiagnosticError, type Operator } from "../environment.ts";

/** A store whose lock is held. */
export type Side = {
  readonly store: Store;
  readonly fence: Fence;
  /** Where it is, the same wherever it is named from. */
  readonly name: string;
  /** Reads in another connection what is there by now, without what the holder remembers. */
  readonly readAnew: () => Promise<RecordedState | undefined>;
  /** The same of records of runs. */
  readonly runsAnew: () => Promise<readonly RunRecord[]>;
};

export type HandoverOptions = {
  readonly operator: Operator;
  readonly nowMs: number;
  /** By which the history of runs tells of it. */
  readonly runId: string;
  /** Of vmform. */
  readonly version: string;
  /** Also over an older copy that somebody may still use. */
  readonly force: boolean;
};

export type HandedOver = {
  /** `already`: an earlier call has done it, and nothing was written. */
  readonly kind: "moved" | "already";
  readonly state: RecordedState;
};

/** Snapshot and journal as one. Undefined where nothing was ever recorded. */
export async function contentsIn(store: Pick<Store, "read">): Promise<RecordedState | undefined> {
  const { snapshot, journal } = await store.read();
  return snapshot && foldAll(snapshot, journal);
}

/** Throws `DiagnosticError` before anything is changed, or where what is read back differs. */
export async function handOver(
  from: Side,
  to: Side,
  options: HandoverOptions,
): Promise<HandedOver> {
  const places = { from: from.name, to: to.name };
  const source = await contentsIn(from.store);
  if (source === undefined) throw nothingToMove(places.from);
  const target = await contentsIn(to.store);
  const step = nextStep(places, source, target, options.force);
  const state = unmarked(source);
  if (step === "none") return { kind: "already", state };
  if (step === "copy") {
    const arriving = { ...state, handover: mark("arriving", places.from, options) };
    await markTarget(to, target, arriving.handover);
    const runs = [...(await from.store.runs()), runOf(places, state, options, to.fence)];
    await to.store.saveRuns(runs, { drop: [], late: true }, to.fence);
    await to.store.compact(arriving, to.fence);
    requireRuns(places.to, runs, await to.runsAnew());
    requireSame(places.to, state, await to.readAnew());
    const moved = { ...state, handover: mark("moved", places.to, options) };
    await from.store.compact(moved, from.fence);
    if ((await from.readAnew())?.handover?.kind !== "moved") throw notReadBack(places.from);
  } else {
    requireSame(places.to, state, await to.readAnew());
  }
  await to.store.compact(state, to.fence);
  const arrived = await to.readAnew();
  requireSame(places.to, state, arrived);
  if (arrived?.handover !== undefined) throw notReadBack(places.to);
  return { kind: "moved", state };
}

/** What is left to be done; `lift`: only the mark of the copy. Throws what `handOver` refuses. */
export function nextStep(
  places: { readonly from: string; readonly to: string },
  source: RecordedState,
  target: RecordedState | undefined,
  force: boolean,
): "copy" | "lift" | "none" {
  const { handover } = source;
  if (handover?.kind === "arriving") throw keptElsewhere(places.from, handover);
  if (handover?.kind === "moved") {
    const isThere = target !== undefined && isSameHistory(source, target);
    const { other } = handover;
    if (other !== places.to || !isThere) throw keptElsewhere(places.from, handover);
    if (target.handover?.kind === "arriving" && isSame(source, target)) return "lift";
    if (target.handover === undefined) return "none";
    throw keptElsewhere(places.to, target.handover);
  }
  if (target !== undefined) requireReplaceable(places, source, target, force);
  return "copy";
}

function requireReplaceable(
  places: { readonly from: string; readonly to: string },
  source: RecordedState,
  target: RecordedState,
  force: boolean,
): void {
  if (isUnused(target)) return;
  if (!isSameHistory(source, target)) {
    const [ours, theirs] = [source.lineage, target.lineage];
    const objects = target.objects.length;
    throw cannot(
      `At ${places.to} another history is recorded (lineage ${theirs}, ${objects} objects; ` +
        `here ${ours}).`,
      "Name a place where nothing is recorded, or a workspace that is new.",
    );
  }
  const [here, there] = [source.journal.position, target.journal.position];
  if (there > here) {
    throw cannot(
      `At ${places.to} the same history is recorded up to position ${there}, and at ` +
        `${places.from} up to ${here}: it would lose what later runs have recorded.`,
      "Go on with the one that is ahead: name it in vmform.state.",
    );
  }
  if (target.handover !== undefined) return;
  if (there === here) {
    if (isSame(source, target)) return;
    throw cannot(
      `At ${places.to} the same history is recorded up to the same position, with other ` +
        "contents: two copies of it were used.",
      "Compare them: vmform state pull prints each. Remove the one that is wrong.",
    );
  }
  if (force) return;
  throw cannot(
    `At ${places.to} is an older copy of the same history (position ${there}, at ` +
      `${places.from} ${here}), which somebody may use.`,
    "If nobody does, replace it: --force",
  );
}

/** In the history of the copy that counts from now on. */
function runOf(
  places: { readonly from: string; readonly to: string },
  { journal, serial }: RecordedState,
  { operator, nowMs, runId, version }: HandoverOptions,
  { lockId }: Fence,
): RunRecord {
  return {
    ...{ id: runId, command: "state migrate", ...operator, version, lockId, beganMs: nowMs },
    ...{ position: journal.position, operations: [], changes: [] },
    said: [`moved from ${places.from} to ${places.to}`],
    end: { atMs: nowMs, outcome: "done", serial },
  };
}

/** A copy that is not marked may be used until it is. */
async function markTarget(
  { store, fence }: Side,
  target: RecordedState | undefined,
  handover: Handover,
): Promise<void> {
  if (target !== undefined) await store.compact({ ...target, handover }, fence);
}

/** A store that has less room leaves out old ones. */
function requireRuns(place: string, runs: readonly RunRecord[], read: readonly RunRecord[]): void {
  const ids = new Set(read.map(({ id }) => id));
  const last = runs.at(-1);
  if (last !== undefined && !ids.has(last.id)) throw notReadBack(place);
}

/** The copy in this store counts again, whatever became of the other. */
export async function reclaim(store: Store, fence: Fence): Promise<Handover | undefined> {
  const state = await contentsIn(store);
  if (state?.handover === undefined) return undefined;
  await store.compact(unmarked(state), fence);
  return state.handover;
}

function mark(kind: Handover["kind"], other: string, options: HandoverOptions): Handover {
  return { kind, other, atMs: options.nowMs, ...options.operator };
}

function unmarked(state: RecordedState): RecordedState {
  const { handover: _, ...rest } = state;
  return rest;
}

function isSameHistory(left: RecordedState, right: RecordedState): boolean {
  return left.lineage === right.lineage && left.journal.id === right.journal.id;
}

function isSame(left: RecordedState, right: RecordedState): boolean {
  return encodeState(unmarked(left)) === encodeState(unmarked(right));
}

/** No run has recorded anything in it. */
function isUnused({ journal, objects, open }: RecordedState): boolean {
  return journal.position === 0 && objects.length === 0 && open.length === 0;
}

function requireSame(place: string, state: RecordedState, read: RecordedState | undefined): void {
  if (read === undefined || !isSame(state, read)) throw notReadBack(place);
}

function notReadBack(place: string): DiagnosticError {
  return cannot(
    `What was read back from ${place} is not what was written.`,
    "See whether something else writes there, then run the command again.",
  );
}

function nothingToMove(place: string): DiagnosticError {
  return cannot(`Nothing is recorded at ${place}.`, "Name the place where it is: --from");
}

function cannot(detail: string, fix: string): DiagnosticError {
  return new DiagnosticError([problem(nowhere, "CLI052", { detail, fix })]);
}

/** Of a copy that nobody may go on with. */
export function keptElsewhere(location: string, handover: Handover): DiagnosticError {
  return new DiagnosticError([problem(nowhere, "CLI051", handoverTold(location, handover))]);
}

export function handoverTold(
  location: string,
  { kind, other, atMs, who, host }: Handover,
): { readonly detail: string; readonly fix: string } {
  const by = `by ${who} on ${host} (${clockText(atMs)})`;
  const again = "Where nobody uses the other copy: vmform state migrate --reclaim";
  return kind === "moved"
    ? {
        detail: `What is recorded at ${location} was moved to ${other} ${by}.`,
        fix: `Name that place in vmform.state. ${again}`,
      }
    : {
        detail: `What is recorded at ${location} is arriving from ${other}, begun ${by}.`,
        fix: `To go on with that: vmform state migrate. ${again}`,
      };
}
