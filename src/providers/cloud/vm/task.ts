/** Remote tasks: how one is read, what its words mean, polling and cancelling (wire facts A.5). */

import { attributeOf, childrenOf, textOf, type XmlElement } from "../../../lib/xml/xml.ts";
import type { TaskStatus } from "../../../model/provider.ts";
import { RemoteError } from "../../../model/remote-error.ts";
import type { Value } from "../../../model/value.ts";
import { textIn } from "../../kit/narrow.ts";
import { refusal } from "../../kit/refusal.ts";
import type { CloudClient } from "../client/client.ts";
import { type CloudFault, readFault } from "../client/fault.ts";
import { apiPathOf } from "../client/href.ts";
import { instantOf } from "../client/instant.ts";
import type { TaskFact } from "./vm-facts.ts";

export type RemoteTask = {
  readonly path: string | undefined;
  /** The server's own word for how far it is. */
  readonly word: string;
  /** Such as `vappRelocateVm`. */
  readonly operationName: string;
  /** For people. */
  readonly operation: string;
  readonly user: string | undefined;
  /** Path of the object it works on. */
  readonly owner: string | undefined;
  /** Milliseconds, by the server's clock; absent while it is queued. */
  readonly startMs: number | undefined;
  /** 0 to 100. */
  readonly progress: number | undefined;
  /** Where a cancel is posted, if the server offers it. */
  readonly cancelPath: string | undefined;
  readonly fault: CloudFault | undefined;
  readonly details: string | undefined;
};

/** Words of a task that will not change any more; only the first means success. */
const endWords: ReadonlySet<string> = new Set(["success", "error", "canceled", "aborted"]);

export function hasEnded({ word }: Pick<RemoteTask, "word">): boolean {
  return endWords.has(word);
}

/** Reads a `Task` element, of a reply or inside another object. */
export function readTask(element: XmlElement): RemoteTask {
  const child = (local: string) => childrenOf(element, element.namespace, local)[0];
  const cancel = childrenOf(element, element.namespace, "Link").find(
    (link) => attributeOf(link, "rel") === "task:cancel",
  );
  const error = child("Error");
  return {
    path: apiPathOf(attributeOf(element, "href") ?? ""),
    word: (attributeOf(element, "status") ?? "").trim(),
    operationName: attributeOf(element, "operationName") ?? "",
    operation: (attributeOf(element, "operation") ?? "").trim(),
    user: textOrNothing(attributeIn(child("User"), "name")),
    owner: apiPathOf(attributeIn(child("Owner"), "href") ?? ""),
    startMs: instantOf(attributeOf(element, "startTime")),
    progress: progressOf(child("Progress")),
    cancelPath: apiPathOf(attributeIn(cancel, "href") ?? ""),
    fault: error === undefined ? undefined : readFault(error),
    details: textOrNothing(wordsIn(child("Details"))),
  };
}

/** Only `success` is success; a word that is not known means that it goes on. */
function statusOf(task: RemoteTask): TaskStatus {
  const { word, progress } = task;
  if (word === "success") return { status: "success" };
  if (endWords.has(word)) return { status: "failed", message: failureOf(task) };
  return {
    status: "running",
    word: word === "" ? "a task without status" : word,
    ...(progress === undefined ? {} : { progress }),
  };
}

export function handleOf(path: string): Value {
  return { task: path };
}

/** Of a task that no list shows any more and whose snapshot is there. */
export function snapshotHandle(vm: string): Value {
  return { snapshot_of: vm };
}

export function isSnapshotHandle(handle: Value): boolean {
  return textIn(handle, "snapshot_of") !== undefined;
}

/** A task that cannot be read any more has vanished: it expires after some weeks. */
export async function pollTask(client: CloudClient, handle: Value): Promise<TaskStatus> {
  if (isSnapshotHandle(handle)) return { status: "success" };
  try {
    return statusOf(await readTaskAt(client, taskPath(handle)));
  } catch (error) {
    if (isGone(error)) return { status: "vanished" };
    throw error;
  }
}

/** Best effort: servers often only note the wish, and the task goes on (wire facts A.5). */
export async function cancelTask(client: CloudClient, handle: Value): Promise<void> {
  if (isSnapshotHandle(handle)) return;
  const path = taskPath(handle);
  let task: RemoteTask;
  try {
    task = await readTaskAt(client, path);
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  if (hasEnded(task)) return;
  await client.send({ method: "POST", path: task.cancelPath ?? `${path}/action/cancel` });
}

export async function readTaskAt(client: CloudClient, path: string): Promise<RemoteTask> {
  const { root } = await client.get(path, { root: "Task" });
  return { ...readTask(root), path };
}

/** A refusal that stands for "is not there" as well as for "not yours". */
export function isGone(error: unknown): error is RemoteError {
  return error instanceof RemoteError && ["forbidden", "not-found"].includes(error.kind);
}

export function factOf(task: RemoteTask): TaskFact {
  const { operation, operationName, user, progress } = task;
  return {
    operation,
    operationName,
    ...(user === undefined ? {} : { user }),
    ...(progress === undefined ? {} : { progress }),
  };
}

function failureOf({ word, operation, operationName, fault, details }: RemoteTask): string {
  const what = `the remote task ${JSON.stringify(operation === "" ? operationName : operation)}`;
  const code =
    fault === undefined ? [] : [fault.major ?? "", fault.minor].filter((it) => it !== "");
  const words = fault === undefined || fault.message === "" ? details : fault.message;
  const ended = word === "error" ? "failed" : `was ${word}`;
  const cause = [...(code.length > 0 ? [code.join(" ")] : []), ...(words ? [words] : [])];
  return [`${what} ${ended}`, ...cause].join(": ");
}

/** Throws `RemoteError` for a handle that is not of this interface. */
export function taskPath(handle: Value): string {
  const path = textIn(handle, "task");
  if (path !== undefined) return path;
  throw refusal("protocol", "the recorded handle names no task of the cloud");
}

/** Real servers leave it at 0, or out; what is no number from 0 to 100 says nothing. */
function progressOf(element: XmlElement | undefined): number | undefined {
  const text = wordsIn(element)?.trim() ?? "";
  const number = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return number <= 100 ? number : undefined;
}

function attributeIn(element: XmlElement | undefined, name: string): string | undefined {
  return element === undefined ? undefined : attributeOf(element, name);
}

function wordsIn(element: XmlElement | undefined): string | undefined {
  return element === undefined ? undefined : textOf(element);
}

function textOrNothing(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? undefined : trimmed;
}
