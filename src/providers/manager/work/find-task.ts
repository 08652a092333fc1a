/**
 * Finding the task of an interrupted operation: the VM lists its own recent tasks, the server those
 * of everybody. The server's clock at *begin* tells ours from older ones of the same kind.
 */

import type { BeginEntry } from "../../../model/begin-entry.ts";
import type { Value } from "../../../model/value.ts";
import { refusal } from "../../kit/refusal.ts";
import type { ManagedRef, ManagerClient } from "../client/client.ts";
import { refsIn } from "../client/element.ts";
import { describeFault } from "../client/fault.ts";
import { vmObjectType, vmRef } from "../client/moref.ts";
import { handleOf, hasEnded, type RemoteTask, readTasks, taskIdOf } from "../client/task.ts";
import { diskParts } from "../machine/disk-identity.ts";
import { recentTaskPath } from "../machine/vm-properties.ts";
import { methodOf } from "../machine/wire-request.ts";

/** Where only our own clock is known. */
const foreignClockMarginMs = 600_000;

export type SoughtTask = {
  /** Id of the VM. */
  readonly vm: string;
  /** Matches what follows the last full stop of its description. */
  readonly operation: RegExp;
  readonly begin: Pick<BeginEntry, "serverTimeMs" | "atMs" | "earlierTasks">;
};

/** Undefined when no list shows one: the request did not arrive, or its task is forgotten. */
export async function findTask(
  client: ManagerClient,
  begin: BeginEntry,
): Promise<Value | undefined> {
  const operation = methodOf(begin.verb)?.task;
  if (operation === undefined) return undefined;
  const vm = diskParts(begin.identity)?.vm ?? begin.identity;
  const task = await lookForTask(client, { vm, operation, begin });
  return task === undefined ? undefined : handleOf(task.id);
}

/** The first that was begun since: anybody later found the VM busy. */
export async function lookForTask(
  client: ManagerClient,
  sought: SoughtTask,
): Promise<RemoteTask | undefined> {
  const { taskManager } = client.content;
  const lists = [vmRef(sought.vm), ...(taskManager === undefined ? [] : [taskManager])];
  for (const list of lists) {
    const tasks = await recentTasks(client, list);
    const ours = tasks
      .filter((task) => matches(client, task, sought))
      .toSorted((left, right) => (left.queueMs ?? 0) - (right.queueMs ?? 0));
    if (ours[0] !== undefined) return ours[0];
  }
  return undefined;
}

/** Throws `RemoteError` where the list is not told: a task that it does not show may be in it. */
async function recentTasks(
  client: ManagerClient,
  list: ManagedRef,
): Promise<readonly RemoteTask[]> {
  const { objects, gone } = await client.read([list], { [list.type]: [recentTaskPath] });
  const object = objects.get(list.id);
  const fault = object?.refused.get(recentTaskPath);
  if (fault !== undefined || (object === undefined && !gone.has(list.id))) {
    const why = fault === undefined ? "" : `: ${describeFault(fault)}`;
    throw refusal("protocol", `the host manager does not tell the tasks of ${list.id}${why}`);
  }
  const ids = refsIn(object?.values.get(recentTaskPath));
  const tasks = [...(await readTasks(client, ids)).values()];
  // Listed with the VM, a task may leave out what it works on.
  const isOwn = list.type === vmObjectType;
  return tasks.map((task) => (isOwn ? { ...task, entity: task.entity ?? list.id } : task));
}

function matches(client: ManagerClient, task: RemoteTask, sought: SoughtTask): boolean {
  const { descriptionId, entity, user, isForeign, queueMs } = task;
  if (entity !== sought.vm || isForeign) return false;
  // One fails, and the next of its kind begins within the same second.
  if (sought.begin.earlierTasks?.some((handle) => taskIdOf(handle) === task.id)) return false;
  if (!sought.operation.test(descriptionId.slice(descriptionId.lastIndexOf(".") + 1))) return false;
  if (user !== undefined && user.toLowerCase() !== client.user.toLowerCase()) return false;
  // Without a time it can only be ours while it still goes on.
  return queueMs === undefined ? !hasEnded(task) : queueMs >= earliestMs(sought, queueMs);
}

/** Some servers write whole seconds. */
function earliestMs({ begin }: SoughtTask, queueMs: number): number {
  const { serverTimeMs, atMs } = begin;
  if (serverTimeMs === undefined) return atMs - foreignClockMarginMs;
  return queueMs % 1000 === 0 ? Math.floor(serverTimeMs / 1000) * 1000 : serverTimeMs;
}
