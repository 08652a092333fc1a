/** Beginning tasks, cancelling them, and their history (wire facts D.3). */

import { randomBytes } from "node:crypto";
import { successPlan, type TaskPlan } from "../../kit/task.ts";
import type { MethodAnswer, MethodCall, UserCall } from "../method-call.ts";
import { momentOf } from "../objects/context.ts";
import { taskInfo } from "../objects/task-objects.ts";
import { isBelow } from "../objects/tree.ts";
import type { ManagerFault } from "../soap/fault.ts";
import {
  faultOf,
  invalidArgument,
  isViolation,
  notSupported,
  taskInProgress,
} from "../soap/fault.ts";
import type { DataObject } from "../soap/soap-value.ts";
import { numberIn, objectIn, refIn, refTo, textIn, textsIn } from "../soap/soap-value.ts";
import type { ManagerVm } from "../world/inventory.ts";
import type { ManagerState } from "../world/manager-state.ts";
import { runningOn, settleManager, takeNumber } from "../world/manager-state.ts";
import type { ManagerEffect, ManagerTask } from "../world/task.ts";
import { taskState } from "../world/task.ts";

/** A task before it begins. */
export type TaskStart = {
  /** Name of the method. */
  readonly name: string;
  /** Such as `VirtualMachine.reconfigure`. */
  readonly descriptionId: string;
  readonly vm: ManagerVm;
  readonly durationMs: number;
  readonly effect: ManagerEffect;
  readonly cancelable?: boolean;
  readonly plan?: TaskPlan | undefined;
};

/** Records a task as begun. A task without duration has ended at once. */
export function beginTask(
  state: ManagerState,
  start: TaskStart,
  user: string,
  nowMs: number,
  failure: ManagerFault | null = null,
): ManagerTask {
  const { vm, plan, durationMs } = start;
  const number = takeNumber(state);
  const isHost = state.rules.kind === "host";
  const descriptionId = `${isHost ? "vim." : ""}${start.descriptionId}`;
  const startMs = nowMs + state.durations.queued;
  const task: ManagerTask = {
    id: isHost ? `haTask-${vm.id}-${descriptionId}-${number}` : `task-${number}`,
    number,
    name: start.name,
    descriptionId,
    vmId: vm.id,
    vmName: vm.name,
    user,
    queueMs: nowMs,
    startMs,
    // What fails by its preconditions fails soon.
    endMs: failure === null ? startMs + durationMs : startMs,
    cancelable: start.cancelable ?? false,
    cancelMs: null,
    effect: start.effect,
    failure,
    plan: plan ?? successPlan,
    ended: null,
  };
  state.tasks.set(task.id, task);
  settleManager(state, nowMs);
  return task;
}

/** Answers with the task of a call; one task per VM at a time. */
export function answerTask(
  call: Pick<UserCall, "state" | "session" | "nowMs" | "plan">,
  start: TaskStart,
): MethodAnswer {
  const running = runningOn(call.state, start.vm.id);
  if (running !== undefined) return taskInProgress(refTo("Task", running.id));
  const task = beginTask(
    call.state,
    { ...start, plan: call.plan },
    call.session.userName,
    call.nowMs,
  );
  return { value: refTo("Task", task.id), effect: true };
}

/** What the state forbids is told by the answer, or by a task that fails. */
export function refuseTask(
  call: Pick<UserCall, "state" | "session" | "nowMs">,
  start: TaskStart,
  fault: ManagerFault,
): MethodAnswer {
  const running = runningOn(call.state, start.vm.id);
  if (running !== undefined) return taskInProgress(refTo("Task", running.id));
  if (call.state.rules.refusals === "answer") return fault;
  const task = beginTask(call.state, start, call.session.userName, call.nowMs, fault);
  const value = refTo("Task", task.id);
  // Nothing but the task itself is new.
  return isViolation(fault)
    ? { value, effect: true, violation: fault.message }
    : { value, effect: true };
}

/**
 * Only asks for it: the task ends a while later, may succeed before, or may go on all the same.
 */
export function cancelTask(call: UserCall): MethodAnswer {
  const { state, nowMs } = call;
  const task = state.tasks.get(call.target.id);
  if (task === undefined || task.ended !== null) {
    // It may have ended since the client looked.
    return { ...faultOf("InvalidState", "The task has ended."), violation: false };
  }
  if (!task.cancelable) return notSupported("The task cannot be canceled.");
  if (task.cancelMs !== null) return {};
  const works = state.rules.cancel === "works";
  const cancelMs = works ? nowMs + state.durations.cancel : Number.MAX_SAFE_INTEGER;
  state.tasks.set(task.id, { ...task, cancelMs });
  settleManager(state, nowMs);
  return { effect: true };
}

/** A history of tasks, also of those whose objects are gone. */
export function createTaskCollector(call: UserCall): MethodAnswer {
  const filter = objectIn(call.params, "filter");
  const taskIds = [...call.state.tasks.values()]
    .filter((task) => fits(call, task, filter))
    .sort((a, b) => a.number - b.number)
    .map((task) => task.id);
  const id = `session[${call.session.key}]52${randomBytes(15).toString("hex")}`;
  call.session.collectors.set(id, { taskIds, position: 0 });
  return { value: refTo("TaskHistoryCollector", id) };
}

export function readNextTasks(call: UserCall): MethodAnswer {
  const collector = call.session.collectors.get(call.target.id);
  const maxCount = numberIn(call.params, "maxCount") ?? 0;
  if (collector === undefined || maxCount < 1) return invalidArgument("maxCount");
  const ids = collector.taskIds.slice(collector.position, collector.position + maxCount);
  collector.position += ids.length;
  const tasks = ids.map((id) => call.state.tasks.get(id)).filter((task) => task !== undefined);
  return { value: tasks.map((task) => taskInfo(call, task)) };
}

export function destroyCollector(call: UserCall): MethodAnswer {
  call.session.collectors.delete(call.target.id);
  return {};
}

function fits(call: MethodCall, task: ManagerTask, filter: DataObject | undefined): boolean {
  const byEntity = objectIn(filter, "entity");
  const entity = refIn(byEntity, "entity");
  const vm = refTo("VirtualMachine", task.vmId);
  if (entity !== undefined) {
    const isSelf = entity.id === task.vmId;
    const recursion = textIn(byEntity, "recursion");
    const isChild = !isSelf && isBelow(call.state, vm, entity);
    if (!(recursion === "self" ? isSelf : recursion === "children" ? isChild : isSelf || isChild)) {
      return false;
    }
  }
  const users = textsIn(objectIn(filter, "userName"), "userList");
  if (users.length > 0 && !users.includes(task.user)) return false;
  const states = textsIn(filter, "state");
  if (states.length > 0 && !states.includes(taskState(task, call.nowMs))) return false;
  const time = objectIn(filter, "time");
  if (time === undefined) return true;
  const at = timeOf(task, textIn(time, "timeType") ?? "");
  const begin = textIn(time, "beginTime");
  const end = textIn(time, "endTime");
  if (at === undefined) return false;
  if (begin !== undefined && at < momentOf(call, begin)) return false;
  return end === undefined || at <= momentOf(call, end);
}

function timeOf(task: ManagerTask, timeType: string): number | undefined {
  if (timeType === "startedTime") return task.startMs;
  if (timeType === "completedTime") return task.ended?.atMs;
  return task.queueMs;
}
