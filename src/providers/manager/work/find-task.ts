/**
 * Finding the task of an interrupted operation: the VM lists its own recent tasks, the server those
 * of everybody. The server's clock at *begin* tells ours from older ones of the same kind.
 */

import type { BeginEntry } from "../../../model/recorded/begin-entry.ts";
import type { Value } from "../../../model/value/value.ts";
import { refusal } from "../../kit/refusal.ts";
import { handleOf, lookForTask, type SoughtTask } from "../../kit/tasks.ts";
import type { ManagedRef, ManagerClient } from "../client/client.ts";
import { refsIn } from "../client/element.ts";
import { describeFault } from "../client/fault.ts";
import { vmObjectType, vmRef } from "../client/moref.ts";
import { type ManagerTask, readTasks } from "../client/task.ts";
import { diskParts } from "../machine/disk-identity.ts";
import { recentTaskPath } from "../machine/vm-properties.ts";
import { methodOf } from "../machine/wire-request.ts";

export type SoughtWork = {
  /** Id of the VM. */
  readonly vm: string;
  /** Matches what follows the last full stop of its description. */
  readonly operation: RegExp;
  readonly begin: SoughtTask["begin"];
};

/** Undefined when no list shows one: the request did not arrive, or its task is forgotten. */
export async function findTask(
  client: ManagerClient,
  begin: BeginEntry,
): Promise<Value | undefined> {
  const operation = methodOf(begin.verb)?.task;
  if (operation === undefined) return undefined;
  const vm = diskParts(begin.subject.identity)?.vm ?? begin.subject.identity;
  const task = await lookForWork(client, { vm, operation, begin });
  return task === undefined ? undefined : handleOf(task.key);
}

/** The first that was begun since. */
export async function lookForWork(
  client: ManagerClient,
  { vm, operation, begin }: SoughtWork,
): Promise<ManagerTask | undefined> {
  const { taskManager } = client.content;
  const refs = [vmRef(vm), ...(taskManager === undefined ? [] : [taskManager])];
  const found = await lookForTask(
    refs.map((ref) => () => recentTasks(client, ref)),
    {
      begin,
      owner: vm,
      user: client.user,
      isNamed: (name) => operation.test(name.slice(name.lastIndexOf(".") + 1)),
      // Some servers write whole seconds.
      earliestMs: (serverTimeMs, startMs) =>
        startMs % 1000 === 0 ? Math.floor(serverTimeMs / 1000) * 1000 : serverTimeMs,
    },
  );
  return "task" in found ? found.task : undefined;
}

/** Throws `RemoteError` where the list is not told: a task that it does not show may be in it. */
export async function recentTasks(
  client: ManagerClient,
  list: ManagedRef,
): Promise<readonly ManagerTask[]> {
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
  return tasks.map((task) => (isOwn ? { ...task, owner: task.owner ?? list.id } : task));
}
