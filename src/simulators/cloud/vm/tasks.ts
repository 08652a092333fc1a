/** Tasks over HTTP: their documents, lists, cancelling, and how a request begins one. */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Answer } from "../../kit/answer.ts";
import { changed, unchanged } from "../../kit/answer.ts";
import { successPlan } from "../../kit/task.ts";
import { uuidOf } from "../../kit/uuid.ts";
import { isAtLeast } from "../../kit/version.ts";
import type { UserCall } from "../rest/call.ts";
import { checkUuid, refuse, segmentOf, show } from "../rest/call.ts";
import type { Draft } from "../rest/document.ts";
import {
  adminType,
  documentReply,
  elementOf,
  emptyReply,
  linkTo,
  mediaType,
  timestamp,
} from "../rest/document.ts";
import type { CloudRefusal } from "../rest/refusal.ts";
import { badRequest, isRefusal, noAccess } from "../rest/refusal.ts";
import { findOrg } from "../session/organizations.ts";
import { orgIdOf } from "../session/sessions.ts";
import type { CloudState } from "../world/cloud-state.ts";
import { settleCloud } from "../world/cloud-state.ts";
import { isAdministrator, isSameOrg, maySee, userPath } from "../world/inventory.ts";
import type { CloudTask, CloudTaskPlan, TaskEffect, TaskError, TaskOwner } from "../world/task.ts";
import { taskProgress, taskStatus } from "../world/task.ts";

/** A task before it begins. */
export type TaskStart = {
  readonly operationName: string;
  readonly runningText: string;
  readonly endedText: string;
  readonly owner: TaskOwner;
  readonly vappId: string;
  readonly durationMs: number;
  readonly effect: TaskEffect;
  /** Success by default. */
  readonly plan?: CloudTaskPlan;
};

/** Records a task as begun. A task without duration has ended at once. */
export function beginTask(
  state: CloudState,
  start: TaskStart,
  starter: { readonly name: string; readonly org: string },
  nowMs: number,
): CloudTask {
  const { plan = successPlan, durationMs, ...rest } = start;
  const id = uuidOf(state.seed, "task", String(state.nextNumber));
  state.nextNumber += 1;
  const preRunMs = nowMs + state.durations.queued;
  const runMs = preRunMs + state.durations.pre_running;
  const task: CloudTask = {
    id,
    ...rest,
    user: starter.name,
    org: starter.org,
    startMs: nowMs,
    preRunMs,
    runMs,
    endMs: runMs + durationMs,
    expiryMs: nowMs + state.rules.task_days * 86_400_000,
    plan,
    cancelRequested: false,
    cancelMs: null,
    ended: null,
  };
  state.tasks.set(id, task);
  settleCloud(state, nowMs);
  return state.tasks.get(id) ?? task;
}

/** 202 with the task as body and its href as Location (specification, section A, endpoint 4). */
export function answerTask(call: UserCall, start: TaskStart): Answer {
  const plan = call.plan === undefined ? start.plan : call.plan;
  const planned = plan === undefined ? start : { ...start, plan };
  const task = beginTask(call.state, planned, call.user, call.nowMs);
  const { draft } = call;
  return changed(
    documentReply(draft, mediaType(draft, "task"), taskElement(call, task), {
      status: 202,
      headers: { location: `${draft.base}/api/task/${task.id}` },
    }),
  );
}

export function getTask(call: UserCall): Answer {
  const task = findTask(call);
  if (isRefusal(task)) return refuse(call, task);
  return show(call, "task", taskElement(call, task));
}

/**
 * 204, which only tells that it was asked for: the task ends a while later, may succeed before, or
 * may go on all the same (wire facts A.5).
 */
export function cancelTask(call: UserCall): Answer {
  const task = findTask(call);
  if (isRefusal(task)) return refuse(call, task);
  if (task.ended !== null) {
    // It may have ended since the client looked.
    return refuse(call, { ...badRequest("The task has ended."), violation: false });
  }
  const { state, nowMs } = call;
  if (task.cancelRequested) return unchanged(emptyReply(call.draft));
  const cancelMs = state.rules.cancel === "works" ? nowMs + state.durations.cancel : null;
  state.tasks.set(task.id, { ...task, cancelRequested: true, cancelMs });
  settleCloud(state, nowMs);
  return changed(emptyReply(call.draft));
}

/** Tasks that users of an organization began, newest first; a plain user sees some of them. */
export function listTasks(call: UserCall): Answer {
  const { draft, state } = call;
  const orgId = segmentOf(call, 0);
  if (findOrg(call, orgId) === undefined) return refuse(call, noAccess(draft, "org", orgId));
  const tasks = [...state.tasks.values()]
    .filter((task) => orgIdOf(state, task.org) === orgId && isSeen(call, task))
    .sort((a, b) => b.startMs - a.startMs)
    .map((task) => taskElement(call, task));
  const href = `${draft.base}/api/tasksList/${orgId}`;
  const type = mediaType(draft, "tasksList");
  return show(call, "tasksList", elementOf(draft, "TasksList", { type, href }, tasks));
}

export function taskElement(call: UserCall, task: CloudTask): XmlElement {
  const { draft, state, nowMs } = call;
  const path = `/api/task/${task.id}`;
  const hasEnded = task.ended !== null;
  const error = task.ended?.error ?? null;
  const progress = state.rules.progress === "zero" ? 0 : taskProgress(task, nowMs);
  const isLater = isAtLeast(draft.version, "5.1");
  return elementOf(
    draft,
    "Task",
    {
      status: taskStatus(task, nowMs),
      // A task that only waits has not started (wire facts A.5).
      startTime: hasEnded || nowMs >= task.preRunMs ? timestamp(task.startMs) : undefined,
      serviceNamespace: isLater ? draft.dialect.service : undefined,
      operationName: task.operationName,
      operation: hasEnded ? task.endedText : task.runningText,
      expiryTime: timestamp(task.expiryMs),
      endTime: task.ended === null ? undefined : timestamp(task.ended.atMs),
      cancelRequested: isLater ? task.cancelRequested : undefined,
      name: "task",
      id: `${draft.dialect.urnPrefix}task:${task.id}`,
      type: mediaType(draft, "task"),
      href: `${draft.base}${path}`,
    },
    [
      hasEnded ? undefined : linkTo(draft, "task:cancel", `${path}/action/cancel`),
      ownerElement(draft, task.owner),
      error === null ? undefined : errorElement(call, error),
      elementOf(draft, "User", {
        type: adminType(draft, "user"),
        name: task.user,
        href: `${draft.base}${userPath(state.seed, task.user, task.org)}`,
      }),
      elementOf(draft, "Organization", {
        type: mediaType(draft, "org"),
        name: task.org,
        href: `${draft.base}/api/org/${orgIdOf(state, task.org)}`,
      }),
      state.rules.progress === "absent"
        ? undefined
        : elementOf(draft, "Progress", {}, [String(progress)]),
      isLater
        ? elementOf(draft, "Details", {}, [error === null ? "" : `  ${error.message}`])
        : undefined,
    ],
  );
}

function ownerElement(draft: Draft, owner: TaskOwner): XmlElement {
  return elementOf(draft, "Owner", {
    type: mediaType(draft, owner.kind),
    name: owner.name,
    href: `${draft.base}/api/vApp/${owner.kind.toLowerCase()}-${owner.id}`,
  });
}

/** System administrators see where it came from, over several lines (wire facts A.5). */
function errorElement({ draft, user }: UserCall, error: TaskError): XmlElement {
  const { service } = draft.dialect;
  const stackTrace = `${service}.api.ApiException: ${error.message}\n\tat ${service}.Task.run`;
  return elementOf(draft, "Error", {
    minorErrorCode: error.minor,
    message: error.message,
    majorErrorCode: error.major,
    stackTrace: isAdministrator(user) ? stackTrace : undefined,
  });
}

/**
 * Seen by system administrators, by administrators of the organization it was begun in, by who
 * began it, and by whoever sees what it is about.
 */
function isSeen({ state, user }: UserCall, task: CloudTask): boolean {
  const isOwnOrg = isSameOrg(user.org, task.org);
  if (isAdministrator(user)) return true;
  if (isOwnOrg && (user.role !== "user" || user.name === task.user)) return true;
  const vapp = state.vapps.get(task.vappId);
  return vapp !== undefined && maySee(user, vapp);
}

function findTask(call: UserCall): CloudTask | CloudRefusal {
  const id = segmentOf(call, 0);
  const bad = checkUuid(id);
  if (bad !== undefined) return bad;
  const task = call.state.tasks.get(id);
  return task !== undefined && isSeen(call, task) ? task : noAccess(call.draft, "task", id);
}
