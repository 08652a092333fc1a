/**
 * The pulse of a command: hears of everything that is begun and waited for, and, when nothing has
 * been told for a while, says what is going on. No line is missing for longer than one beat.
 */

import type {
  ApplyOverview,
  EngineEvent,
  EventSink,
  Heartbeat,
  Wait,
} from "../../model/operation/event.ts";
import type { OperationId } from "../../model/operation/operation.ts";
import type { Address } from "../../model/value/address.ts";

export type Pulse = {
  readonly hear: EventSink;
  /** Something was written. */
  readonly written: () => void;
  /** What is to be told now. Called more often than there is something to tell. */
  readonly beat: () => readonly Heartbeat[];
  /** Operations that have begun and not ended. */
  readonly running: () => readonly RunningOperation[];
  /** How far the apply is that runs; undefined where none does. */
  readonly overview: () => ApplyOverview | undefined;
};

export type RunningOperation = { readonly address: Address; readonly what: string };

/** Beyond this many, one line stands for all that run. */
const linesMax = 3;
/** An operation of more than a minute is told of this many times less often. */
const patience = 3;
const patientAfterMs = 60_000;
/** What a person may do is said again after this long. */
const wayOutEveryMs = 60_000;

const interruptHint = "Ctrl-C lets what runs end, and begins nothing more";
const waitHint = "Ctrl-C is safe";

type Item = {
  readonly what: string;
  readonly startedMs: number;
  readonly address: Address | undefined;
  untilMs: number | undefined;
  words: () => string | undefined;
  wayOut: string | undefined;
  toldMs: number;
  wayOutToldMs: number;
};

type Known = {
  readonly now: () => number;
  readonly everyMs: number;
  readonly operations: Map<OperationId, Item & { readonly address: Address }>;
  readonly waits: Map<Wait, Item>;
  overview: (() => ApplyOverview) | undefined;
  writtenMs: number;
  queueToldMs: number;
  hinted: boolean;
};

/** `now` in milliseconds from anywhere, never set back. */
export function createPulse(now: () => number, everyMs: number): Pulse {
  const known: Known = {
    now,
    everyMs,
    operations: new Map(),
    waits: new Map(),
    overview: undefined,
    writtenMs: now(),
    queueToldMs: Number.NEGATIVE_INFINITY,
    hinted: false,
  };
  return {
    hear: (event) => hear(known, event),
    written: () => {
      known.writtenMs = now();
    },
    beat: () => beat(known),
    running: () => [...known.operations.values()],
    overview: () => known.overview?.(),
  };
}

function hear(known: Known, event: EngineEvent): void {
  const { operations, waits, now } = known;
  switch (event.kind) {
    case "apply-started":
      known.overview = event.overview;
      return;
    case "apply-ended":
      known.overview = undefined;
      return;
    case "operation-started": {
      const { id, address, summary: what, untilMs } = event;
      operations.set(id, { ...itemOf(now(), what), address, untilMs });
      return;
    }
    case "operation-waiting":
      return speak(operations.get(event.id), event.message, now());
    case "operation-progress": {
      const percent = event.progress === undefined ? "" : `, ${event.progress} %`;
      const words = `the remote task is ${event.word}${percent}`;
      return speak(operations.get(event.id), words, now());
    }
    case "operation-ended":
      operations.delete(event.id);
      return;
    case "wait-started":
      waits.set(event.wait, waitItem(event.wait, now()));
      return;
    case "wait-ended":
      waits.delete(event.wait);
      return;
    default:
  }
}

function itemOf(nowMs: number, what: string): Item {
  return {
    what,
    startedMs: nowMs,
    address: undefined,
    untilMs: undefined,
    words: () => undefined,
    wayOut: undefined,
    toldMs: nowMs,
    wayOutToldMs: Number.NEGATIVE_INFINITY,
  };
}

function waitItem(wait: Wait, nowMs: number): Item {
  const { what, address, untilMs, words = () => undefined, wayOut = waitHint } = wait;
  const told = wait.announced === true ? { wayOutToldMs: nowMs } : {};
  return { ...itemOf(nowMs, what), address, untilMs, words, wayOut, ...told };
}

function speak(item: Item | undefined, words: string, nowMs: number): void {
  if (item === undefined) return;
  item.words = () => words;
  item.toldMs = nowMs;
}

/** A wait of an operation says more than the operation. */
function beat(known: Known): readonly Heartbeat[] {
  const { operations, everyMs, now } = known;
  const nowMs = now();
  const silent = nowMs - known.writtenMs >= everyMs;
  const due = [...operations].filter(([, item]) => nowMs - item.toldMs >= pauseOf(item, known));
  const beats = due.length > 0 ? runningBeats(known, due) : [];
  if (beats.length > 0) return [...beats, ...queueBeat(known)];
  if (!silent) return [];
  const [longest] = [...operations].sort(([, a], [, b]) => a.toldMs - b.toldMs);
  if (longest !== undefined) return [...runningBeats(known, [longest]), ...queueBeat(known)];
  const wait = waitBeat(known);
  return wait === undefined ? [] : [wait];
}

function pauseOf(item: Item, { now, everyMs }: Known): number {
  const isOld = now() - item.startedMs >= patientAfterMs;
  return isOld ? everyMs * patience : everyMs;
}

function runningBeats(
  known: Known,
  due: readonly (readonly [OperationId, Item & { readonly address: Address }])[],
): readonly Heartbeat[] {
  const { operations, overview, now } = known;
  const counts = overview?.() ?? { done: 0, total: operations.size };
  const { done, total } = counts;
  for (const [, item] of due) item.toldMs = now();
  if (due.length <= linesMax) {
    return due.map(([id, item]) => {
      const wait = [...known.waits].find(([each]) => each.id === id && each.rank !== "request");
      const told = tell(known, wait?.[1] ?? item, item.startedMs, interruptHint);
      const words = told.words ?? item.words();
      const spoken = words === undefined ? {} : { words };
      return { kind: "still-running", id, address: item.address, done, total, ...told, ...spoken };
    });
  }
  const [longest] = [...operations.values()].sort((a, b) => a.startedMs - b.startedMs);
  if (longest === undefined) return [];
  return [
    {
      kind: "still-running-many",
      running: operations.size,
      done,
      total,
      elapsedMs: now() - longest.startedMs,
      longest: { address: longest.address, what: longest.what },
    },
  ];
}

function queueBeat(known: Known): readonly Heartbeat[] {
  const { now, everyMs, overview } = known;
  if (now() - known.queueToldMs < everyMs * patience) return [];
  const queue = overview?.().queue ?? [];
  if (queue.length === 0) return [];
  known.queueToldMs = now();
  return [{ kind: "still-queued", queue }];
}

/** Of all that is waited for, what has not been told for longest; requests stand beside it. */
function waitBeat(known: Known): Heartbeat | undefined {
  const of = (rank: Wait["rank"]): readonly Item[] =>
    [...known.waits].flatMap(([wait, item]) => (wait.rank === rank ? [item] : []));
  const byTold = (items: readonly Item[]): Item | undefined =>
    [...items].sort((a, b) => a.toldMs - b.toldMs)[0];
  const [request] = of("request");
  const item = byTold(of("work")) ?? byTold(of("phase")) ?? request;
  if (item === undefined) return undefined;
  item.toldMs = known.now();
  const { address } = item;
  const { words, ...told } = tell(known, item, item.startedMs, waitHint);
  const beside = request === undefined || request === item ? [] : [requestWords(known, request)];
  const all = [...(words === undefined ? [] : [words]), ...beside].join("; ");
  return {
    kind: "still-waiting",
    ...told,
    ...(address === undefined ? {} : { address }),
    ...(all === "" ? {} : { words: all }),
  };
}

function requestWords({ now }: Known, request: Item): string {
  const seconds = Math.round((now() - request.startedMs) / 1000);
  const words = request.words();
  return `${request.what} for ${seconds} s${words === undefined ? "" : `: ${words}`}`;
}

type Told = {
  readonly what: string;
  readonly elapsedMs: number;
  readonly untilMs?: number;
  readonly words?: string;
  readonly wayOut?: string;
};

/** The way out is said once in a while, the general one once. */
function tell(known: Known, item: Item, startedMs: number, hint: string): Told {
  const nowMs = known.now();
  const { what, untilMs } = item;
  const words = item.words();
  const isOwn = item.wayOut !== undefined && item.wayOut !== waitHint;
  const isDue = isOwn ? nowMs - item.wayOutToldMs >= wayOutEveryMs : !known.hinted;
  if (isDue && isOwn) item.wayOutToldMs = nowMs;
  if (isDue && !isOwn) known.hinted = true;
  return {
    what,
    elapsedMs: nowMs - startedMs,
    ...(untilMs === undefined ? {} : { untilMs }),
    ...(words === undefined ? {} : { words }),
    ...(isDue ? { wayOut: isOwn ? (item.wayOut ?? hint) : hint } : {}),
  };
}
