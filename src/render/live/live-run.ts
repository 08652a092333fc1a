/**
 * What a running apply looks like at one moment: what runs, what waits and why, how far it is. It
 * is folded from engine events; times are milliseconds of a clock that is never set back.
 */

import type { ApplyOverview, EngineEvent, QueueGroup, Wait } from "../../model/operation/event.ts";
import type { OperationId } from "../../model/operation/operation.ts";
import type { Address } from "../../model/value/address.ts";
import type { Remaining } from "./remaining.ts";

export type LiveOperation = {
  readonly address: Address;
  readonly what: string;
  readonly startedMs: number;
  /** How long it may take at most. */
  readonly limitMs: number | undefined;
  /** The last words of the other side, or what is waited for. */
  readonly words: string | undefined;
  /** 0 to 100; undefined where the server tells none. */
  readonly progress: number | undefined;
};

/** A wait that belongs to no operation. */
export type LiveWait = { readonly text: string; readonly startedMs: number };

export type LivePicture = {
  readonly startedMs: number;
  readonly done: number;
  readonly total: number;
  /** Operations that ended without success. */
  readonly failed: number;
  /** In the order in which they began. */
  readonly running: readonly LiveOperation[];
  readonly waits: readonly LiveWait[];
  readonly queue: readonly QueueGroup[];
  /** The run was asked to stop: nothing new is begun. */
  readonly draining: boolean;
  /** How long the rest takes, by what such work took before; undefined where nobody knows. */
  readonly remainingMs: number | undefined;
};

/** Both clocks, milliseconds: `steadyMs` is never set back, `wallMs` is since the epoch. */
export type Moment = { readonly steadyMs: number; readonly wallMs: number };

export type LiveRun = {
  readonly hear: (event: EngineEvent, at: Moment) => void;
  /** Undefined while nothing is applied. */
  readonly picture: (at: Moment) => LivePicture | undefined;
};

/** Counting takes time in proportion to the operations: it is not done more often than this. */
const overviewEveryMs = 500;

export function createLiveRun(remaining: Remaining = () => undefined): LiveRun {
  const operations = new Map<OperationId, LiveOperation>();
  const waits = new Map<Wait, number>();
  const ended = new Map<OperationId, number>();
  let overview: (() => ApplyOverview) | undefined;
  let counted: { readonly overview: ApplyOverview; readonly remainingMs: number | undefined };
  let countedMs = Number.NEGATIVE_INFINITY;
  let startedMs = 0;
  let failed = 0;
  let draining = false;

  const change = (id: OperationId, news: Partial<LiveOperation>): void => {
    const known = operations.get(id);
    if (known !== undefined) operations.set(id, { ...known, ...news });
  };
  const count = (atMs: number, asked: () => ApplyOverview): void => {
    if (atMs - countedMs < overviewEveryMs) return;
    countedMs = atMs;
    const running = new Map([...operations].map(([id, one]) => [id, atMs - one.startedMs]));
    const remainingMs = remaining({ elapsedMs: atMs - startedMs, ended, running });
    counted = { overview: asked(), remainingMs };
  };
  return {
    hear: (event, at) => {
      switch (event.kind) {
        case "apply-started":
          overview = event.overview;
          startedMs = at.steadyMs;
          return;
        case "apply-ended":
          overview = undefined;
          return;
        case "operation-started":
          operations.set(event.id, begunOperation(event, at));
          return;
        case "operation-waiting":
        case "operation-progress":
          return change(event.id, newsOf(event));
        case "operation-ended":
          operations.delete(event.id);
          ended.set(event.id, event.elapsedMs);
          if (event.outcome === "failed" || event.outcome === "unknown") failed += 1;
          countedMs = Number.NEGATIVE_INFINITY;
          return;
        case "wait-started":
          waits.set(event.wait, at.steadyMs);
          return;
        case "wait-ended":
          waits.delete(event.wait);
          return;
        case "draining":
          draining = true;
          return;
        default:
      }
    },
    picture: ({ steadyMs }) => {
      if (overview === undefined) return undefined;
      count(steadyMs, overview);
      const { done, total, queue } = counted.overview;
      const running = spokenOf(operations, waits);
      const others = otherWaits(waits, running.length === 0);
      const { remainingMs } = counted;
      const counts = { startedMs, done, total, failed, remainingMs };
      return { ...counts, running, waits: others, queue, draining };
    },
  };
}

type News = Extract<EngineEvent, { kind: "operation-waiting" | "operation-progress" }>;

function newsOf(event: News): Partial<LiveOperation> {
  return event.kind === "operation-waiting"
    ? { words: event.message }
    : { words: event.word, progress: event.progress };
}

function begunOperation(
  { address, summary, untilMs }: Extract<EngineEvent, { kind: "operation-started" }>,
  { steadyMs, wallMs }: Moment,
): LiveOperation {
  const limitMs = untilMs === undefined ? undefined : Math.max(0, untilMs - wallMs);
  const nothing = { words: undefined, progress: undefined };
  return { address, what: summary, startedMs: steadyMs, limitMs, ...nothing };
}

/** What operations wait for says more than that they run. */
function spokenOf(
  operations: ReadonlyMap<OperationId, LiveOperation>,
  waits: ReadonlyMap<Wait, number>,
): readonly LiveOperation[] {
  const spoken = new Map<OperationId, string>();
  for (const { id, rank, words: heard, what } of waits.keys()) {
    if (id !== undefined && rank !== "request") spoken.set(id, heard?.() ?? what);
  }
  return [...operations].map(([id, one]) => {
    const words = spoken.get(id);
    return words === undefined ? one : { ...one, words };
  });
}

/** What the apply as a whole waits for is told while nothing runs: what runs says more. */
function otherWaits(waits: ReadonlyMap<Wait, number>, isIdle: boolean): readonly LiveWait[] {
  return [...waits].flatMap(([{ id, rank, what, address, words }, startedMs]) => {
    const isTold = rank === "work" || (rank === "phase" && isIdle);
    if (id !== undefined || !isTold) return [];
    const heard = words?.();
    const who = address === undefined ? "" : `${address}: `;
    return [{ text: `${who}${what}${heard === undefined ? "" : `: ${heard}`}`, startedMs }];
  });
}
