/** Actions on VMs: done once by hand, never planned. */

import type { ActionOutlook, ResourceType, SendResult } from "../../../model/provider/provider.ts";
import type { Value } from "../../../model/value/value.ts";
import { refusal } from "../refusal.ts";
import { describeTask, handleOf, type RemoteTask } from "../tasks.ts";

export type ActionCall = {
  readonly action: string;
  readonly type: string;
  readonly identity: string;
  /** Of its outlook: the task to be cancelled. */
  readonly subject: Value | undefined;
};

export type ActionWays = {
  readonly cancel: (handle: Value) => Promise<void>;
  /** Sends the request of a verb; `what` is for a message about a mistake of ours. */
  readonly send: (call: { verb: string; vm: string; what: string }) => Promise<SendResult>;
};

/** Throws `RemoteError`. */
export async function actOn(
  { name, actions = [] }: Pick<ResourceType, "name" | "actions">,
  { action, type, identity, subject }: ActionCall,
  { cancel, send }: ActionWays,
): Promise<SendResult> {
  const isKnown = type === name && actions.some((known) => known.name === action);
  if (!isKnown) throw new Error(`${type} has no action ${action}`);
  if (action !== "cancel-task") {
    return send({ verb: action, vm: identity, what: `action ${action} of ${identity}` });
  }
  if (subject === undefined) throw new Error("a task to be cancelled has to be named");
  // Whether it ends cancelled, it tells itself.
  await cancel(subject);
  return { handle: subject };
}

/** What a VM has running, and whose it may be. */
export type Running = {
  /** What people call the VM. */
  readonly vm: string;
  readonly tasks: readonly RemoteTask[];
  /** Of this session. */
  readonly user: string;
  /** Whose a task without a user is. */
  readonly unnamed: (task: RemoteTask) => string;
};

/** The task that would be cancelled, and whose it is. Throws `RemoteError`. */
export function outlookOfCancel({ vm, tasks, user, unnamed }: Running): ActionOutlook {
  const [task, ...more] = tasks;
  if (task?.key === undefined) {
    return { needless: `nothing is running on VM ${vm} that could be cancelled` };
  }
  if (more.length > 0) {
    const all = tasks.map((each) => describeTask(each)).join("; ");
    const message = `several tasks run on VM ${vm}, and only one can be meant: ${all}`;
    throw refusal("precondition", message);
  }
  const { progress } = task;
  const isOurs = !task.isForeign && task.user?.toLowerCase() === user.toLowerCase();
  const stranger = `${task.user ?? unnamed(task)}, not by ${user}`;
  const done = progress === undefined || progress === 0 ? "" : `, ${progress} % of it`;
  return {
    subject: handleOf(task.key),
    remarks: [
      `task:        ${describeTask(task)}`,
      `begun by:    ${isOurs ? "the user of this session" : stranger}`,
      `lost by it:  what the task has done so far${done}; it may also go on all the same`,
    ],
    ...(isOurs ? {} : { disrupts: ["foreign-task"] as const }),
  };
}
