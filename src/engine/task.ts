/**
 * Remote tasks: following one until it ended, and finding the one of a request whose reply never
 * came. Only `success` is success; unknown words keep polling.
 */

import type { Clock } from "../model/clock.ts";
import type { BeginEntry } from "../model/journal.ts";
import type { ProviderSession, TaskStatus } from "../model/provider.ts";
import { RemoteError } from "../model/remote-error.ts";
import type { Value } from "../model/value.ts";

const pauseFirstMs = 200;
const pauseLastMs = 5_000;
/** Progress is told in steps of this many percent, or this often, milliseconds. */
const progressStep = 10;
const progressEveryMs = 60_000;

export type TaskProgress = Pick<Extract<TaskStatus, { status: "running" }>, "word" | "progress">;

/** How a task was left: ended, gone, or still running when the time was over. */
export type FollowedTask =
  | Exclude<TaskStatus, { status: "running" }>
  | { readonly status: "overdue"; readonly word: string };

/**
 * Polls until the task ended or `untilMs` has passed. `vanished` means the object decides. A poll
 * that fails is repeated: it says nothing about the task. `onProgress` hears of it now and then.
 */
export async function followTask(
  session: ProviderSession,
  clock: Clock,
  handle: Value,
  untilMs: number,
  onProgress: (progress: TaskProgress) => void = () => {},
): Promise<FollowedTask> {
  let pauseMs = pauseFirstMs;
  let told: TaskProgress | undefined;
  let toldMs = 0;
  for (;;) {
    const status = await pollOnce(session, handle);
    if (status.status !== "running") return status;
    const { word, progress } = status;
    const now = progress === undefined ? { word } : { word, progress };
    if (told === undefined || isNews(told, now) || clock.now() - toldMs >= progressEveryMs) {
      told = now;
      toldMs = clock.now();
      onProgress(told);
    }
    if (clock.now() >= untilMs) return { status: "overdue", word };
    await clock.sleep(Math.max(1, Math.min(pauseMs, untilMs - clock.now())));
    pauseMs = Math.min(pauseMs * 2, pauseLastMs);
  }
}

/** A task of hours is told of in tens of lines, not in thousands. */
function isNews(told: TaskProgress, now: TaskProgress): boolean {
  return told.word !== now.word || (now.progress ?? 0) - (told.progress ?? 0) >= progressStep;
}

async function pollOnce(session: ProviderSession, handle: Value): Promise<TaskStatus> {
  if (session.poll === undefined) return { status: "vanished" };
  try {
    return await session.poll(handle);
  } catch (error) {
    if (error instanceof RemoteError) return { status: "running", word: error.message };
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
): Promise<LocatedTask> {
  if (session.findTask === undefined) return { status: "unknown" };
  const { requestLimitMs } = begin;
  const untilMs = begin.atMs + (requestLimitMs ?? 0);
  let pauseMs = pauseFirstMs;
  for (;;) {
    const last = clock.now() >= untilMs;
    const found = await findOnce(session, begin);
    if (found.status === "found") return found;
    if (last && found.status === "none" && requestLimitMs === undefined) {
      return { status: "unknown" };
    }
    if (last) return found;
    await clock.sleep(Math.max(1, Math.min(pauseMs, untilMs - clock.now())));
    pauseMs = Math.min(pauseMs * 2, pauseLastMs);
  }
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
