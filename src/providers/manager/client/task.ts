/** Remote tasks: how one is read, and what its words mean (wire facts D.3). */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import { refusal } from "../../kit/refusal.ts";
import { describeTask, progressOf, type RemoteTask, type TaskAccess } from "../../kit/tasks.ts";
import type { ManagedObject, ManagedRef, ManagerClient, SoapFault } from "./client.ts";
import { booleanIn, childIn, instantOf, refOf, textIn, typeOf } from "./element.ts";
import { describeFault, readMethodFault } from "./fault.ts";
import { envelopeOf } from "./soap.ts";

export type ManagerTask = RemoteTask & {
  readonly key: string;
  /** Milliseconds, by the server's clock. */
  readonly completeMs: number | undefined;
  readonly canCancel: boolean;
  readonly fault: SoapFault | undefined;
  /** Element with what it answers, when it has ended well. */
  readonly result: XmlElement | undefined;
};

const taskType = "Task";

/** Reads a `TaskInfo`. */
function readTaskInfo(id: string, info: XmlElement): ManagerTask {
  const reason = childIn(info, "reason");
  const error = childIn(info, "error");
  const fault = error === undefined ? undefined : readMethodFault(error);
  // How far it is: `queued`, `running`, `success`, `error`.
  const word = textIn(info, "state") ?? "";
  const name = textIn(info, "descriptionId") ?? "";
  // Such as `VirtualMachine.reconfigure`; may be empty.
  const operation = name === "" ? (textIn(info, "name") ?? "") : name;
  const wasCancelled = booleanIn(childIn(info, "cancelled")) ?? false;
  return {
    key: id,
    word: word === "" ? "a task without state" : word,
    hasEnded: word === "success" || word === "error",
    operation,
    label: operation === "" ? "a task without name" : operation,
    owner: refOf(childIn(info, "entity"))?.id,
    user: textIn(reason, "userName"),
    isForeign: reason !== undefined && typeOf(reason) !== "TaskReasonUser",
    startMs: instantOf(textIn(info, "queueTime")),
    completeMs: instantOf(textIn(info, "completeTime")),
    progress: progressOf(textIn(info, "progress")),
    canCancel: booleanIn(childIn(info, "cancelable")) ?? false,
    fault,
    failure: failureOf(operation === "" ? id : operation, fault, wasCancelled),
    result: childIn(info, "result"),
  };
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
): Promise<ReadonlyMap<string, ManagerTask>> {
  const tasks = new Map<string, ManagerTask>();
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

/** How its tasks are followed and cancelled. */
export function tasksOf(client: ManagerClient): TaskAccess<ManagerTask> {
  return {
    read: async (id) => (await readTasks(client, [id])).get(id),
    cancel: (task, id) => {
      if (!task.canCancel) {
        const message = `the host manager does not let the task ${describeTask(task)} be cancelled`;
        throw refusal("precondition", message);
      }
      const self: ManagedRef = { type: taskType, id };
      const method = "CancelTask";
      return client.call({ method, envelope: envelopeOf(method, self), class: "mutate" });
    },
  };
}

function taskOf(id: string, object: ManagedObject | undefined): ManagerTask {
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

function failureOf(name: string, fault: SoapFault | undefined, wasCancelled: boolean): string {
  const isCancelled = wasCancelled || fault?.type === "RequestCanceled";
  const ended = `the remote task ${name} ${isCancelled ? "was cancelled" : "failed"}`;
  return fault === undefined ? ended : `${ended}: ${describeFault(fault)}`;
}
