/**
 * Remote tasks, however a server spells them: what one is, following it, cancelling it, and finding
 * that of a request whose reply never came.
 */

import { RemoteError, retold } from "../../model/operation/remote-error.ts";
import type { TaskResult, TaskStatus } from "../../model/provider/provider.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import { textIn } from "./narrow.ts";
import { orElse, refusal } from "./refusal.ts";

export type RemoteTask = {
  /** What the server knows it by, a path or an id; undefined where it does not tell. */
  readonly key: string | undefined;
  /** The server's own word for how far it is; only `success` means success. */
  readonly word: string;
  /** It will not change any more. */
  readonly hasEnded: boolean;
  /** What is done, as the server names it, such as `vappRelocateVm`; may be empty. */
  readonly operation: string;
  /** What is done, for people. */
  readonly label: string;
  /** The object it works on, as objects are recorded. */
  readonly owner: string | undefined;
  /** Who has begun it. */
  readonly user: string | undefined;
  /** It was begun by a schedule, an alarm or the server itself. */
  readonly isForeign: boolean;
  /** When it began, or was queued, by the server's clock; milliseconds. */
  readonly startMs: number | undefined;
  /** 0 to 100, while it runs. */
  readonly progress: number | undefined;
  /** What is told of it where it has ended badly. */
  readonly failure: string;
};

/** How tasks of one interface are read and cancelled. Both throw `RemoteError`. */
export type TaskAccess<T extends RemoteTask> = {
  /** Undefined where the server knows it no more. */
  readonly read: (key: string) => Promise<T | undefined>;
  readonly cancel: (task: T, key: string) => Promise<unknown>;
};

/** What an end adds that only its kind can tell. */
export type TaskEnds<T extends RemoteTask> = {
  readonly onSuccess?: (task: T) => Promise<TaskResult | undefined>;
  readonly onFailure?: (task: T) => TaskResult | undefined;
};

/** The request of a verb on a VM. */
export type VerbCall = {
  readonly verb: string;
  /** Path of the VM, or its id. */
  readonly vm: string;
  readonly inputs: Attributes;
  readonly deadlineMs?: number;
  /** For a message about a mistake of ours. */
  readonly what: string;
};

export function handleOf(key: string, more: { readonly [name: string]: Value } = {}): Value {
  return { task: key, ...more };
}

/** Throws `RemoteError` for a handle that is not of this interface. */
function keyOf(handle: Value): string {
  const key = textIn(handle, "task");
  if (key === undefined) throw refusal("protocol", "the recorded handle names no remote task");
  return key;
}

/** What cannot be read any more has vanished; a word that is not known means that it goes on. */
export async function pollTask<T extends RemoteTask>(
  { read }: TaskAccess<T>,
  handle: Value,
  { onSuccess, onFailure }: TaskEnds<T> = {},
): Promise<TaskStatus> {
  const task = await read(keyOf(handle));
  if (task === undefined) return { status: "vanished" };
  const { word, hasEnded, progress } = task;
  if (word === "success") return { ...(await onSuccess?.(task)), status: "success" };
  if (hasEnded) {
    const { message: more, ...told } = onFailure?.(task) ?? {};
    const message = [task.failure, ...(more === undefined ? [] : [more])].join("; ");
    return { status: "failed", message, ...told };
  }
  return { status: "running", word, ...(progress === undefined ? {} : { progress }) };
}

/** Best effort: servers may only note the wish, and the task goes on. */
export async function cancelTask<T extends RemoteTask>(
  { read, cancel }: TaskAccess<T>,
  handle: Value,
): Promise<void> {
  const key = keyOf(handle);
  const task = await read(key);
  if (task !== undefined && !task.hasEnded) await cancel(task, key);
}

/** Of 0 to 100; servers leave it out, or write what says nothing. */
export function progressOf(text: string | undefined): number | undefined {
  const written = text?.trim() ?? "";
  const number = /^\d{1,3}$/.test(written) ? Number(written) : Number.NaN;
  return number <= 100 ? number : undefined;
}

/** `Relocating Virtual Machine web(…), by alice, 40 %`. */
export function describeTask({
  label,
  user,
  progress,
}: Pick<RemoteTask, "label" | "user" | "progress">): string {
  return [
    label,
    ...(user === undefined ? [] : [`by ${user}`]),
    ...(progress === undefined ? [] : [`${progress} %`]),
  ].join(", ");
}

/**
 * Does work whose refusal of kind busy tells whose task it is that keeps the object busy. The
 * refusal itself is what counts; who is to blame is only good to know.
 */
export async function tellBusy<T>(
  work: () => Promise<T>,
  running: (error: RemoteError) => Promise<readonly RemoteTask[]>,
  lead = "",
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RemoteError) || error.kind !== "busy") throw error;
    const tasks = await orElse(
      () => running(error),
      () => [],
    );
    const told = tasks.map((task) => describeTask(task)).join("; ");
    throw told === "" ? error : retold(error, `${error.message}; ${lead}${told}`);
  }
}

/** Where only our own clock is known. */
const foreignClockMarginMs = 600_000;

/** What tells the task of one of our requests from others. */
export type SoughtTask = {
  readonly begin: Pick<BeginEntry, "serverTimeMs" | "atMs" | "earlierTasks">;
  /** The object that the request was about. */
  readonly owner: string;
  /** Ours, as the server spells it. */
  readonly user: string;
  readonly isNamed: (operation: string) => boolean;
  /** The server's clock at *begin*, less what the time of a task may be off. */
  readonly earliestMs: (serverTimeMs: number, startMs: number) => number;
};

/**
 * The first of the tasks that began since, by the lists in their order: anybody later found the
 * object busy. `seen`: all that was looked at where none is ours.
 */
export async function lookForTask<T extends RemoteTask>(
  lists: readonly (() => Promise<readonly T[]>)[],
  sought: SoughtTask,
): Promise<{ readonly task: T } | { readonly seen: readonly T[] }> {
  const seen: T[] = [];
  const start = ({ startMs = Number.MAX_SAFE_INTEGER }: T): number => startMs;
  for (const list of lists) {
    const tasks = await list();
    const ours = tasks.filter((task) => isSought(task, sought));
    const [task] = ours.toSorted((left, right) => start(left) - start(right));
    if (task !== undefined) return { task };
    seen.push(...tasks);
  }
  return { seen };
}

function isSought(task: RemoteTask, sought: SoughtTask): boolean {
  const { key, owner, user, isForeign } = task;
  const { begin, earliestMs: _, ...wanted } = sought;
  if (key === undefined || owner !== wanted.owner || isForeign) return false;
  // One fails for want of tools, and the next of its kind begins within the same second.
  if (begin.earlierTasks?.some((handle) => textIn(handle, "task") === key)) return false;
  if (!wanted.isNamed(task.operation)) return false;
  if (user !== undefined && user.toLowerCase() !== wanted.user.toLowerCase()) return false;
  return isSince(task, sought);
}

/** Without a time it can only be a new one while it still goes on. */
export function isSince(
  { startMs, hasEnded }: Pick<RemoteTask, "startMs" | "hasEnded">,
  { begin, earliestMs }: Pick<SoughtTask, "begin" | "earliestMs">,
): boolean {
  if (startMs === undefined) return !hasEnded;
  const { serverTimeMs, atMs } = begin;
  if (serverTimeMs === undefined) return startMs >= atMs - foreignClockMarginMs;
  return startMs >= earliestMs(serverTimeMs, startMs);
}
