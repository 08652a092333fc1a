/** Two infrastructure managers whose references and datastore names repeat. */

import { expect, test } from "vitest";
import { attributeOf, textOf } from "../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import type { Client } from "./cloud-client.ts";
import {
  cloudWith,
  datastoreHref,
  descendantsOf,
  errorOf,
  recordsOf,
  relocateBody,
  vmPath,
} from "./cloud-client.ts";

const cloud: CloudDocument = {
  durations_ms: { relocate: 0 },
  managers: { east: { name: "Manager East" }, west: {} },
  datastores: {
    "east-fast": { name: "fast" },
    "east-slow": { name: "slow" },
    "west-fast": { name: "fast", manager: "west" },
  },
  vapps: {
    one: { vms: { a: {}, b: { datastore: "west-fast" } } },
    two: { vms: { c: { datastore: "east-slow" }, d: { datastore: "west-fast" } } },
  },
};

async function record(client: Client, query: string): Promise<{ [name: string]: string }[]> {
  const { root } = await client.send(`GET /api/query?${query}`);
  return recordsOf(root).map((each) =>
    Object.fromEntries(each.attributes.map(({ local, value }) => [local, value])),
  );
}

/** Keys of the VMs that adminVM lists. */
async function keysOf(client: Client, filter: string): Promise<readonly string[]> {
  const found = await record(client, `type=adminVM&filter=${filter}`);
  return found.map((each) => each["name"] ?? "").sort();
}

async function managerHref(client: Client, key: string): Promise<string> {
  const { root } = await client.send("GET /api/admin/extension/vimServerReferences");
  const name = key === "east" ? "Manager East" : key;
  const found = recordsOf(root).find((each) => attributeOf(each, "name") === name);
  return (found && attributeOf(found, "href")) ?? "";
}

test("references are unique only within a manager, names of datastores not at all", async () => {
  const client = await cloudWith(cloud);
  expect(await keysOf(client, "moref==vm-101")).toEqual(["a", "b"]);
  expect(await keysOf(client, "datastoreName==fast")).toEqual(["a", "b", "d"]);
  const stores = await record(client, "type=datastore&filter=name==fast");
  expect(stores.map((each) => `${each["moref"]} of ${each["vcName"]}`).sort()).toEqual([
    "datastore-11 of Manager East",
    "datastore-11 of west",
  ]);
});

test.each([
  ["east", ["a", "c"], ["fast", "slow"]],
  ["west", ["b", "d"], ["fast"]],
])("filtered by the manager %s, whatever the origin of its href", async (key, vms, stores) => {
  const client = await cloudWith(cloud);
  const href = await managerHref(client, key);
  const { pathname } = new URL(href);
  for (const each of [href, pathname, `https://other.example${pathname}`]) {
    expect(await keysOf(client, `vc==${encodeURIComponent(each)}`)).toEqual(vms);
    const found = await record(client, `type=datastore&filter=vc==${encodeURIComponent(each)}`);
    expect(found.map((store) => store["name"]).sort()).toEqual(stores);
  }
  const one = encodeURIComponent(pathname);
  expect(await keysOf(client, `(moref==vm-101;vc==${one})`)).toEqual(vms.slice(0, 1));
});

test("a VM and a datastore name the manager of their references", async () => {
  const client = await cloudWith(cloud);
  const west = await managerHref(client, "west");
  const vm = await client.send(`GET ${vmPath(client, "b")}`);
  const servers = descendantsOf(vm.root, "VimServerRef");
  expect(servers.map((each) => attributeOf(each, "href"))).toEqual([west, west, west]);
  expect(descendantsOf(vm.root, "MoRef").map(textOf).slice(0, 2)).toEqual([
    "vm-101",
    "datastore-11",
  ]);
  const store = await client.send(`GET ${new URL(datastoreHref(client, "west-fast")).pathname}`);
  expect(attributeOf(store.root, "name")).toBe("fast");
  expect(descendantsOf(store.root, "MoRef").map(textOf)).toEqual(["datastore-11"]);
  expect(
    descendantsOf(store.root, "VimServerRef").map((each) => attributeOf(each, "href")),
  ).toEqual([west]);
  expect((await client.send(`GET ${new URL(west).pathname}`)).status).toBe(200);
});

test("a VM moves within its manager only: the task fails", async () => {
  const client = await cloudWith(cloud);
  const relocate = (store: string) =>
    client.send(
      `POST ${vmPath(client, "a")}/action/relocate`,
      relocateBody(datastoreHref(client, store)),
    );
  const refused = await relocate("west-fast");
  expect([refused.status, attributeOf(refused.root, "status")]).toEqual([202, "error"]);
  expect(refused.text).toContain("belongs to another");
  expect(attributeOf((await relocate("east-slow")).root, "status")).toBe("success");
  expect(await keysOf(client, "datastoreName==slow")).toEqual(["a", "c"]);
});

test("an unknown manager or datastore is 403, an id that is none 400", async () => {
  const client = await cloudWith(cloud);
  const nobody = "00000000-0000-4000-8000-000000000000";
  for (const kind of ["datastore", "vimServer"]) {
    const path = `/api/admin/extension/${kind}`;
    expect(errorOf(await client.send(`GET ${path}/${nobody}`)).slice(0, 2)).toEqual([
      403,
      "ACCESS_TO_RESOURCE_IS_FORBIDDEN",
    ]);
    expect((await client.send(`GET ${path}/607`)).status).toBe(400);
  }
});
