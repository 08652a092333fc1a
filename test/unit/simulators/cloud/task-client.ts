/** Helpers of the tests of tasks: a cloud where relocating takes a second, and how tasks are read. */

import { attributeOf, childrenOf, textOf } from "../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import type { Client, Reply } from "./cloud-client.ts";
import { datastoreHref, descendantsOf, neutral, relocateBody, vmPath } from "./cloud-client.ts";

export const taskCloud: CloudDocument = {
  users: [
    { name: "admin", password: "secret" },
    { name: "alice", org: "acme", password: "a" },
    { name: "bob", org: "other", password: "b" },
  ],
  durations_ms: { relocate: 1000, power_on: 100 },
  datastores: { slow: {}, fast: {} },
  vapps: { shop: { org: "acme", vms: { web: {}, db: {} } }, lab: { vms: { lab1: {} } } },
};

export function withRules(
  rules: CloudDocument["rules"],
  durations: CloudDocument["durations_ms"] = {},
): CloudDocument {
  return {
    ...taskCloud,
    rules: rules ?? {},
    durations_ms: { ...taskCloud.durations_ms, ...durations },
  };
}

/** Statuses of the tasks that a VM shows. */
export async function shownTasks(client: Client, key = "web"): Promise<readonly string[]> {
  const { root } = await client.send(`GET ${vmPath(client, key)}`);
  return descendantsOf(root, "Task").map((task) => attributeOf(task, "status") ?? "");
}

export function relocate(client: Client, key = "web"): Promise<Reply> {
  const body = relocateBody(datastoreHref(client, "fast"));
  return client.send(`POST ${vmPath(client, key)}/action/relocate`, body);
}

/** Path of the task that a reply announces. */
export function taskPath(reply: Reply): string {
  return new URL(reply.headers.get("location") ?? "").pathname;
}

/** Status and progress of a task, or the status of the reply. */
export async function stateOf(client: Client, path: string): Promise<string> {
  const reply = await client.send(`GET ${path}`);
  if (reply.status !== 200) return String(reply.status);
  const [progress] = childrenOf(reply.root, neutral.namespace, "Progress");
  const shown = progress === undefined ? "" : ` ${textOf(progress)}`;
  return `${attributeOf(reply.root, "status")}${shown}`;
}

export function datastoreOf(client: Client, key = "web"): string | undefined {
  const world = client.simulators.world().cloud;
  const id = world.vms.find((vm) => vm.key === key)?.datastoreId;
  return world.datastores.find((each) => each.id === id)?.key;
}
