/**
 * Finding the task of an interrupted operation. The VM lists its own tasks, ended ones only for a
 * while; its record names the last one; the organization's list holds the rest (wire facts A.3.1,
 * A.2.5, A.5). A cloud that shows none of those that have ended still shows the snapshot that one
 * of them has made.
 */

import { attributeOf, childrenOf, type XmlElement } from "../../../lib/xml/xml.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { BeginEntry } from "../../../model/recorded/begin-entry.ts";
import type { Value } from "../../../model/value/value.ts";
import { handleOf, isSince, lookForTask, type SoughtTask } from "../../kit/tasks.ts";
import type { CloudClient } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";
import type { InventoryPorts } from "../inventory/inventory.ts";
import { snapshotTypeName } from "../vm/names.ts";
import { snapshotParts } from "../vm/snapshot.ts";
import { type CloudTask, isGone, readTask, readTaskAt, snapshotHandle } from "../vm/task.ts";
import { readVm } from "../vm/vm-document.ts";
import { vmPathOf } from "../vm/vm-path.ts";
import { operationNameOf } from "../vm/wire-request.ts";

/** Dates of replies count in seconds, and are some time old when they arrive. */
const clockMarginMs = 5_000;
/** A snapshot is dated to the millisecond, the server's clock by its replies to the second. */
const madeMarginMs = 1_000;
/** Undefined when no list shows one: the request did not arrive, or its task is forgotten. */
export async function findTask(
  ports: InventoryPorts,
  begin: BeginEntry,
): Promise<Value | undefined> {
  const { client } = ports;
  const operationName = operationNameOf(begin.verb);
  if (operationName === undefined) return undefined;
  const vm =
    begin.subject.type === snapshotTypeName
      ? snapshotParts(begin.subject.identity).vm
      : begin.subject.identity;
  const sought: SoughtTask = {
    begin,
    owner: vm,
    user: client.who.user,
    isNamed: (operation) => operation === operationName,
    earliestMs: (serverTimeMs) => serverTimeMs - clockMarginMs,
  };
  const lists = [vmTasks, recordTasks, organizationTasks].map((list) => () => list(ports, vm));
  const found = await lookForTask(lists, sought);
  if ("task" in found) return found.task.key === undefined ? undefined : handleOf(found.task.key);
  if (begin.subject.type !== snapshotTypeName || begin.verb !== "create") return undefined;
  return madeSnapshot(ports, begin, sought, found.seen);
}

/**
 * The snapshot that a VM has come by just after our request, where no list shows whose task has
 * made it. There was none before, or nothing would have been sent; and while somebody else made
 * one, the VM would have been busy for us.
 */
async function madeSnapshot(
  { client }: InventoryPorts,
  begin: BeginEntry,
  sought: SoughtTask,
  seen: readonly CloudTask[],
): Promise<Value | undefined> {
  const { requestLimitMs = 0 } = begin.proof;
  const isForeign = seen.some(
    (task) =>
      sought.isNamed(task.operation) &&
      task.owner === sought.owner &&
      (task.startMs === undefined || isSince(task, sought)),
  );
  if (isForeign || begin.serverTimeMs === undefined) return undefined;
  const { snapshot } = await readVm(client, sought.owner);
  const createdMs = snapshot == null ? Number.NaN : Date.parse(snapshot.createdAt);
  const untilMs = begin.serverTimeMs + requestLimitMs + clockMarginMs;
  return createdMs >= begin.serverTimeMs - madeMarginMs && createdMs <= untilMs
    ? snapshotHandle(sought.owner)
    : undefined;
}

export async function vmTasks(
  { client }: InventoryPorts,
  vm: string,
): Promise<readonly CloudTask[]> {
  try {
    const { tasks } = await readVm(client, vm);
    // Listed with the VM, a task may leave its owner out.
    return tasks.map((task) => (task.owner === undefined ? { ...task, owner: vm } : task));
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** `task` is no documented attribute: servers may leave it out. */
async function recordTasks(
  { client, baseUrl, memory }: InventoryPorts,
  vm: string,
): Promise<readonly CloudTask[]> {
  const name = memory.names.get(vm);
  const filter =
    name === undefined ? [{ raw: `href==${baseUrl}${vm}` }] : [{ attribute: "name", equals: name }];
  const records = await orNothing(() => client.query({ type: "vm", filter }));
  const record = records.find(({ href }) => vmPathOf(href ?? "") === vm);
  const path = apiPathOf(record?.attributes.task ?? "");
  return path === undefined ? [] : orNothing(async () => [await readTaskAt(client, path)]);
}

/** Session, organization, list of tasks: each names the next, where the session may see it. */
export async function organizationTasks({ client }: InventoryPorts): Promise<readonly CloudTask[]> {
  return orNothing(async () => {
    const { root: session } = await client.get("/api/session", { root: "Session" });
    const organization = linkBelow(session, /^\/api\/org\/[^/]+$/, client.who.org);
    if (organization === undefined) return [];
    const { root: org } = await client.get(organization);
    const list = linkBelow(org, /^\/api\/tasksList\/[^/]+$/);
    return list === undefined ? [] : readTasksList(client, list);
  });
}

async function readTasksList(client: CloudClient, path: string): Promise<readonly CloudTask[]> {
  const { root } = await client.get(path, { root: "TasksList" });
  return childrenOf(root, root.namespace, "Task").map((task) => readTask(task));
}

function linkBelow(element: XmlElement, path: RegExp, name?: string): string | undefined {
  for (const link of childrenOf(element, element.namespace, "Link")) {
    const found = apiPathOf(attributeOf(link, "href") ?? "");
    if (found === undefined || !path.test(found)) continue;
    const shown = attributeOf(link, "name");
    if (name === undefined || shown === undefined || shown.toLowerCase() === name.toLowerCase()) {
      return found;
    }
  }
  return undefined;
}

/** A place where a task might be listed and that this session may not look at. */
async function orNothing<T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await read();
  } catch (error) {
    const refused = error instanceof RemoteError && error.status !== undefined;
    if (refused && error.status >= 400 && error.status < 500 && error.status !== 401) return [];
    throw error;
  }
}
