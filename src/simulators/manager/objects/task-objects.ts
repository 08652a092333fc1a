/** Task objects (wire facts D.3). */

import { localizedFault } from "../soap/fault.ts";
import type { DataObject, Reference } from "../soap/soap-value.ts";
import { refTo } from "../soap/soap-value.ts";
import type { ManagerTask } from "../world/task.ts";
import { taskProgress, taskState } from "../world/task.ts";
import type { ManagerContext } from "./context.ts";
import { timestamp } from "./context.ts";

export function taskInfo(context: ManagerContext, task: ManagerTask): DataObject {
  const { nowMs, state } = context;
  const ended = task.ended;
  const hasStarted = nowMs >= task.startMs;
  const progress = state.rules.progress === "absent" ? undefined : taskProgress(task, nowMs);
  return {
    is: "TaskInfo",
    key: task.id,
    task: refTo("Task", task.id),
    name: task.name,
    descriptionId: task.descriptionId,
    entity: refTo("VirtualMachine", task.vmId),
    entityName: task.vmName,
    state: taskState(task, nowMs),
    cancelled: task.cancelMs !== null,
    cancelable: task.cancelable && ended === null,
    error: ended?.error ? localizedFault(ended.error) : undefined,
    result: ended?.result ?? undefined,
    progress,
    reason: { is: "TaskReasonUser", userName: task.user },
    queueTime: timestamp(context, task.queueMs),
    startTime: hasStarted ? timestamp(context, task.startMs) : undefined,
    completeTime: ended === null ? undefined : timestamp(context, ended.atMs),
    eventChainId: task.number,
  };
}

/** A task object is there for a while after its end; then only histories have it. */
export function isObjectThere({ state, nowMs }: ManagerContext, task: ManagerTask): boolean {
  return task.ended === null || nowMs < task.ended.atMs + state.rules.task_minutes * 60_000;
}

/** Tasks of a VM, or all of them, whose objects are there; the latest first. */
export function recentTasks(context: ManagerContext, vmId?: string): readonly Reference[] {
  return [...context.state.tasks.values()]
    .filter((task) => (vmId === undefined || task.vmId === vmId) && isObjectThere(context, task))
    .sort((a, b) => b.number - a.number)
    .map((task) => refTo("Task", task.id));
}
