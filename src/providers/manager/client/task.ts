/** Remote tasks: how one is read, what its words mean, polling and cancelling (wire facts D.3). */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { TaskResult, TaskStatus } from "../../../model/provider.ts";
import { RemoteError } from "../../../model/remote-error.ts";
import type { Value } from "../../../model/value.ts";
import { textIn as textMember } from "../../kit/narrow.ts";
import { refusal } from "../../kit/refusal.ts";
import type { ManagedObject, ManagedRef, ManagerClient, SoapFault } from "./client.ts";
import { booleanOf, childIn, instantOf, refOf, textIn, typeOf } from "./element.ts";
import { describeFault, readMethodFault } from "./fault.ts";
import { envelopeOf } from "./soap.ts";

export type RemoteTask = {
  readonly id: string;
  /** The server's own word for how far it is: `queued`, `running`, `success`, `error`. */
  readonly word: string;
  /** What is done, such as `VirtualMachine.reconfigure`; may be empty. */
  readonly descriptionId: string;
  /** Id of the object it works on. */
  readonly entity: string | undefined;
  readonly entityName: string | undefined;
  /** Who has begun it; undefined where it was no person. */
  readonly user: string | undefined;
  /** It was begun by a schedule, an alarm or the server itself. */
  readonly isForeign: boolean;
  /** Milliseconds, by the server's clock. */
  readonly queueMs: number | undefined;
  readonly completeMs: number | undefined;
  /** 0 to 100, while it runs. */
  readonly progress: number | undefined;
  readonly canCancel: boolean;
  readonly wasCancelled: boolean;
  readonly fault: SoapFault | undefined;
  /** Element with what it answers, when it has ended well. */
  readonly result: XmlElement | undefined;
};

const taskType = "Task";

/** Words of a task that will not change any more; only the first means success. */
export function hasEnded({ word }: Pick<RemoteTask, "word">): boolean {
  return word === "success" || word === "error";
}

/** Reads a `TaskInfo`. */
function readTaskInfo(id: string, info: XmlElement): RemoteTask {
  const reason = childIn(info, "reason");
  const error = childIn(info, "error");
  const progress = textIn(info, "progress") ?? "";
  const percent = /^\d{1,3}$/.test(progress) ? Number(progress) : Number.NaN;
  const name = textIn(info, "descriptionId") ?? "";
  return {
    id,
    word: textIn(info, "state") ?? "",
    descriptionId: name === "" ? (textIn(info, "name") ?? "") : name,
    entity: refOf(childIn(info, "entity"))?.id,
    entityName: textIn(info, "entityName"),
    user: textIn(reason, "userName"),
    isForeign: reason !== undefined && typeOf(reason) !== "TaskReasonUser",
    queueMs: instantOf(textIn(info, "queueTime")),
    completeMs: instantOf(textIn(info, "completeTime")),
    progress: percent <= 100 ? percent : undefined,
    canCancel: booleanOf(childIn(info, "cancelable")) ?? false,
    wasCancelled: booleanOf(childIn(info, "cancelled")) ?? false,
    fault: error === undefined ? undefined : readMethodFault(error),
    result: childIn(info, "result"),
  };
}

export function handleOf(task: string, more: { readonly [name: string]: Value } = {}): Value {
  return { task, ...more };
}

/** Id of the task that a response hands out; undefined where it hands out none. */
export function taskOfResponse(response: XmlElement): string | undefined {
  const ref = refOf(childIn(response, "returnval"));
  return ref?.type === taskType ? ref.id : undefined;
}

/**
 * By id, without those that the server says it has forgotten. Throws `RemoteError` of kind protocol
 * for one that it says nothing of: that may go on.
 */
export async function readTasks(
  client: ManagerClient,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RemoteTask>> {
  const tasks = new Map<string, RemoteTask>();
  if (ids.length === 0) return tasks;
  const { objects, gone } = await client.read(
    ids.map((id) => ({ type: taskType, id })),
    { [taskType]: ["info"] },
  );
  for (const id of ids) {
    if (!gone.has(id)) tasks.set(id, taskOf(id, objects.get(id)));
  }
  return tasks;
}

/** What an end adds that only its kind can tell. */
export type TaskEnds = {
  readonly onSuccess?: (task: RemoteTask) => Promise<TaskResult | undefined>;
  readonly onFailure?: (task: RemoteTask) => TaskResult | undefined;
};

/** A task that the server has forgotten has vanished. */
export async function pollTask(
  client: ManagerClient,
  handle: Value,
  { onSuccess, onFailure }: TaskEnds = {},
): Promise<TaskStatus> {
  const id = taskIdOf(handle);
  const task = (await readTasks(client, [id])).get(id);
  if (task === undefined) return { status: "vanished" };
  if (task.word === "success") return { ...(await onSuccess?.(task)), status: "success" };
  if (task.word === "error") {
    const { message: more, ...told } = onFailure?.(task) ?? {};
    const message = [failureOf(task), ...(more === undefined ? [] : [more])].join("; ");
    return { status: "failed", message, ...told };
  }
  const { word, progress } = task;
  return {
    status: "running",
    word: word === "" ? "a task without state" : word,
    ...(progress === undefined ? {} : { progress }),
  };
}

/** Best effort: a task that cannot be cancelled goes on. */
export async function cancelTask(client: ManagerClient, handle: Value): Promise<void> {
  const id = taskIdOf(handle);
  const task = (await readTasks(client, [id])).get(id);
  if (task === undefined || hasEnded(task)) return;
  if (!task.canCancel) {
    throw refusal(
      "precondition",
      `the host manager does not let the task ${describeTask(task)} be cancelled`,
    );
  }
  const self: ManagedRef = { type: taskType, id };
  const method = "CancelTask";
  await client.call({ method, envelope: envelopeOf(method, self), class: "mutate" });
}

/** `VirtualMachine.relocate, by DOMAIN\alice, 40 %`. */
export function describeTask(
  task: Pick<RemoteTask, "descriptionId" | "user" | "progress">,
): string {
  const { descriptionId, user, progress } = task;
  return [
    descriptionId === "" ? "a task without name" : descriptionId,
    ...(user === undefined ? [] : [`by ${user}`]),
    ...(progress === undefined ? [] : [`${progress} %`]),
  ].join(", ");
}

function taskOf(id: string, object: ManagedObject | undefined): RemoteTask {
  const info = object?.values.get("info");
  if (info !== undefined) return readTaskInfo(id, info);
  const fault = object?.refused.get("info");
  throw new RemoteError({
    kind: fault === undefined ? "protocol" : "forbidden",
    effect: "none",
    message:
      `the host manager does not tell how far task ${id} is` +
      (fault === undefined ? "" : `: ${describeFault(fault)}`),
  });
}

function failureOf({ descriptionId, fault, wasCancelled, id }: RemoteTask): string {
  const what = `the remote task ${descriptionId === "" ? id : descriptionId}`;
  const isCancelled = wasCancelled || fault?.type === "RequestCanceled";
  const ended = isCancelled ? "was cancelled" : "failed";
  return fault === undefined ? `${what} ${ended}` : `${what} ${ended}: ${describeFault(fault)}`;
}

export function taskIdOf(handle: Value): string {
  const id = textMember(handle, "task");
  if (id !== undefined) return id;
  throw refusal("protocol", "the recorded handle names no task of the host manager");
}
