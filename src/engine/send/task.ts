/**
 * Remote tasks: following one until it ended, and finding the one of a request whose reply never
 * came. Only `success` is success; unknown words keep polling.
 */

import type { Clock } from "../../model/clock.ts";
import { RemoteError, type RemoteErrorKind } from "../../model/operation/remote-error.ts";
import type { ProviderSession, TaskStatus } from "../../model/provider/provider.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { Value } from "../../model/value/value.ts";

const pauseFirstMs = 200;
const pauseLastMs = 5_000;
/** Progress is told in steps of this many percent, or this often, milliseconds. */
const progressStep = 10;
const progressEveryMs = 60_000;

export type TaskProgress = Pick<Extract<TaskStatus, { status: "running" }>, "word" | "progress">;
/** How far it is, or why it could not be looked at. */
export type TaskNews = TaskProgress | { readonly trouble: string };

/** How a task was left: ended, gone, still running when the time was over, or lost sight of. */
export type FollowedTask =
  | Exclude<TaskStatus, { status: "running" }>
  | { readonly status: "overdue"; readonly word: string }
  /** Nobody answers any more, or not to us. It goes on there. */
  | { readonly status: "lost"; readonly message: string };

export type Following = {
  readonly untilMs: number;
  /** How long no poll may be answered. */
  readonly absenceMs: number;
  /** Hears of it now and then. */
  readonly onNews?: (news: TaskNews) => void;
};

/** A task that is followed for hours outlives a night without network, milliseconds. */
export const taskAbsenceMs = 600_000;
/** Polls without an answer before it counts as lost, each with the repeats of the client. */
const unansweredMin = 3;
/** Credentials that are refused once stay refused. */
const finalKinds: ReadonlySet<RemoteErrorKind> = new Set(["unauthorized", "invalid"]);

/**
 * Polls until the task ended or `untilMs` has passed. `vanished` means the object decides. A poll
 * that fails is repeated: it says nothing about the task.
 */
export async function followTask(
  session: ProviderSession,
  clock: Clock,
  handle: Value,
  { untilMs, absenceMs, onNews = () => {} }: Following,
): Promise<FollowedTask> {
  const tell = teller(clock, onNews);
  let pauseMs = pauseFirstMs;
  let unanswered = 0;
  let answeredMs = clock.now();
  for (;;) {
    const status = await pollOnce(session, handle);
    if (status instanceof RemoteError) {
      unanswered += 1;
      const isFinal = finalKinds.has(status.kind);
      const isAway = isFinal || clock.now() - answeredMs >= absenceMs;
      if (isAway && unanswered >= unansweredMin) {
        return { status: "lost", message: status.message };
      }
      tell({ trouble: status.message });
    } else if (status.status !== "running") return status;
    else {
      unanswered = 0;
      answeredMs = clock.now();
      const { word, progress } = status;
      tell(progress === undefined ? { word } : { word, progress });
    }
    if (clock.now() >= untilMs) return { status: "overdue", word: wordOf(status) };
    await clock.sleep(Math.max(1, Math.min(pauseMs, untilMs - clock.now())));
    pauseMs = Math.min(pauseMs * 2, pauseLastMs);
  }
}

function wordOf(status: RemoteError | Extract<TaskStatus, { status: "running" }>): string {
  return status instanceof RemoteError ? "out of sight" : status.word;
}

/** A task of hours is told of in tens of lines, not in thousands. */
function teller(clock: Clock, onNews: (news: TaskNews) => void): (news: TaskNews) => void {
  let told: TaskNews | undefined;
  let toldMs = 0;
  return (news) => {
    const isDue = told === undefined || clock.now() - toldMs >= progressEveryMs;
    if (!isDue && told !== undefined && !isNews(told, news)) return;
    told = news;
    toldMs = clock.now();
    onNews(news);
  };
}

function isNews(told: TaskNews, now: TaskNews): boolean {
  if ("trouble" in told || "trouble" in now) {
    return !("trouble" in told && "trouble" in now && told.trouble === now.trouble);
  }
  return told.word !== now.word || (now.progress ?? 0) - (told.progress ?? 0) >= progressStep;
}

/** One look at it; the error when it was not answered. */
async function pollOnce(
  session: ProviderSession,
  handle: Value,
): Promise<TaskStatus | RemoteError> {
  if (session.poll === undefined) return { status: "vanished" };
  try {
    return await session.poll(handle);
  } catch (error) {
    if (error instanceof RemoteError) return error;
    throw error;
  }
}

export type LocatedTask =
  | { readonly status: "found"; readonly handle: Value }
  /** There is none, and none can come any more. */
  | { readonly status: "none" }
  /** Nobody can tell: the interface lists no tasks, or says nothing of when one shows. */
  | { readonly status: "unknown" }
  | { readonly status: "unreadable"; readonly message: string };

/**
 * The task of a request whose reply was not read. A request that arrived shows as a task within
 * `requestLimitMs` of its begin; before that, its absence proves nothing.
 */
export async function locateTask(
  session: ProviderSession,
  clock: Clock,
  begin: BeginEntry,
  absenceMs = Number.POSITIVE_INFINITY,
): Promise<LocatedTask> {
  if (session.findTask === undefined) return { status: "unknown" };
  const { requestLimitMs } = begin.proof;
  const untilMs = shownByMs(begin);
  let pauseMs = pauseFirstMs;
  let unanswered = 0;
  let answeredMs = clock.now();
  for (;;) {
    const last = clock.now() >= untilMs;
    const found = await findOnce(session, begin);
    if (found.status === "found") return found;
    unanswered = found.status === "unreadable" ? unanswered + 1 : 0;
    if (unanswered === 0) answeredMs = clock.now();
    const isAway = clock.now() - answeredMs >= absenceMs;
    if (unanswered >= unansweredMin && isAway) return found;
    if (last && found.status === "none" && requestLimitMs === undefined) {
      return { status: "unknown" };
    }
    if (last) return found;
    await clock.sleep(Math.max(1, Math.min(pauseMs, untilMs - clock.now())));
    pauseMs = Math.min(pauseMs * 2, pauseLastMs);
  }
}

/**
 * After a task has not shown in time: its request may be held up somewhere and still arrive. Once
 * the login is ended under which it was sent, it is refused, so that a last look tells.
 */
export async function locateAtLast(
  { clock }: { readonly clock: Clock },
  session: ProviderSession,
  begin: BeginEntry,
): Promise<LocatedTask> {
  if (session.forsake === undefined) return { status: "none" };
  const isRefused = await session.forsake().catch((error: unknown) => {
    if (error instanceof RemoteError) return false;
    throw error;
  });
  if (!isRefused) return { status: "unknown" };
  return locateTask(session, clock, begin, 0);
}

/** When a request of that begin shows as a task, if it arrived. */
export function shownByMs({ atMs, proof: { requestLimitMs } }: BeginEntry): number {
  return atMs + (requestLimitMs ?? 0);
}

async function findOnce(session: ProviderSession, begin: BeginEntry): Promise<LocatedTask> {
  try {
    const handle = await session.findTask?.(begin);
    return handle === undefined ? { status: "none" } : { status: "found", handle };
  } catch (error) {
    if (error instanceof RemoteError) return { status: "unreadable", message: error.message };
    throw error;
  }
}
