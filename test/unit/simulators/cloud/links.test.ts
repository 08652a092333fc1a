/** Every link leads somewhere: all that can be read is read, from a session on. */

import { expect, test } from "vitest";
import type { XmlElement } from "../../../../src/lib/xml/xml.ts";
import { attributeOf } from "../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import { simulate } from "../simulation.ts";
import type { Client } from "./cloud-client.ts";
import { cloudWith, errorOf, logIn, rawSend, vmPath } from "./cloud-client.ts";

const cloud: CloudDocument = {
  users: [
    { name: "admin", password: "p" },
    { name: "olga", org: "acme", password: "p" },
    { name: "uli", org: "acme", password: "p", role: "user" },
  ],
  managers: { east: {}, west: {} },
  datastores: { fast: {}, slow: { manager: "west" } },
  vapps: {
    shop: { org: "acme", owner: "uli", vms: { web: { power: "on" }, db: { power: "suspended" } } },
    lab: { org: "acme", vms: { lab1: { datastore: "slow" } } },
    image: { org: "acme", template: true, vms: { golden: {} } },
  },
};

/** Elements whose hrefs can be read: links to actions are left to the tests of the actions. */
const readable = new Set([
  "Org",
  "OrganizationReference",
  "ResourceEntity",
  "Reference",
  "VimServerReference",
  "VimServerRef",
  "Owner",
  "Organization",
  "Vm",
  "Task",
  "VMRecord",
  "AdminVMRecord",
  "DatastoreRecord",
  "VAppRecord",
  "AdminVAppRecord",
  "VMReference",
  "DatastoreReference",
  "VAppReference",
]);
const readableRels = new Set(["down", "up", "alternate", "down:extensibility", "nextPage"]);
/** Attributes of records that are references. */
const references = ["container", "vdc", "vc", "org", "task"];

function hrefsOf(element: XmlElement): readonly string[] {
  const rel = attributeOf(element, "rel");
  const isRead =
    element.local === "Link" ? readableRels.has(rel ?? "") : readable.has(element.local);
  const names = isRead ? ["href", ...references] : [];
  const own = names.map((name) => attributeOf(element, name)).filter((each) => each !== undefined);
  const inner = element.children.flatMap((child) =>
    typeof child === "string" ? [] : hrefsOf(child),
  );
  return [...own.filter((each) => /^https?:/.test(each)), ...inner];
}

async function crawl(client: Client): Promise<ReadonlyMap<string, number>> {
  const statuses = new Map<string, number>();
  const waiting = ["/api/session"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (statuses.has(path)) continue;
    const reply = await client.send(`GET ${path}`);
    statuses.set(path, reply.status);
    if (reply.status !== 200) continue;
    for (const href of hrefsOf(reply.root)) {
      const { pathname, search } = new URL(href);
      waiting.push(`${pathname}${search}`);
    }
  }
  return statuses;
}

test.each([
  ["admin@system", "5.1", "neutral", 40, []],
  ["admin@system", "1.5", "vendor", 40, []],
  ["olga@acme", "5.1", "vendor", 20, []],
  // A plain user is shown the way to what only administrators may see.
  ["uli@acme", "5.1", "neutral", 15, [["/api/admin/", 403]]],
] as const)("for %s in %s, %s", async (user, version, dialect, least, refused) => {
  const simulators = await simulate({ world: { cloud: { ...cloud, rules: { dialect } } } });
  const header = dialect === "vendor" ? "x-vcloud-authorization" : "x-cloud-authorization";
  const client = await logIn(simulators, { user, password: "p", version, header });
  await client.send(`POST ${vmPath(client, "web")}/power/action/powerOff`);
  const statuses = await crawl(client);
  expect([...statuses].filter(([, status]) => status !== 200)).toEqual(refused);
  expect(statuses.size).toBeGreaterThan(least);
});

test.each([
  ["vm", "web", "/api/vApp/vm-"],
  ["vapp", "shop", "/api/vApp/vapp-"],
  ["datastore", "fast", "/api/admin/extension/datastore/"],
])("an id of a %s is resolved", async (kind, key, folder) => {
  const client = await cloudWith({
    ...cloud,
    users: [{ name: "admin", password: "secret" }],
  });
  const world = client.simulators.world().cloud;
  const all: readonly { readonly key: string; readonly id: string }[] = [
    ...world.vms,
    ...world.vapps,
    ...world.datastores,
  ];
  const id = all.find((each) => each.key === key)?.id ?? "";
  const reply = await client.send(`GET /api/entity/urn:cloud:${kind}:${id}`);
  expect(reply.text).toContain(`href="${client.simulators.origins.cloud}${folder}${id}"`);
  const encoded = await client.send(`GET /api/entity/urn%3Acloud%3a${kind}:${id}`);
  expect(encoded.text).toBe(reply.text);
});

test("ids that are not there are 403, what is no id 400", async () => {
  const client = await cloudWith({});
  const nobody = "00000000-0000-4000-8000-000000000000";
  const statusOf = async (id: string) => errorOf(await client.send(`GET /api/entity/${id}`))[0];
  for (const kind of ["vm", "vapp", "org", "vdc", "datastore", "ship"]) {
    expect(await statusOf(`urn:cloud:${kind}:${nobody}`)).toBe(403);
  }
  for (const id of ["urn:cloud:vm:12", "urn:other:vm:1", "%zz"]) {
    expect(await statusOf(id)).toBe(400);
  }
  for (const path of ["org", "vdc", "admin/org", "tasksList"]) {
    expect((await client.send(`GET /api/${path}/${nobody}`)).status).toBe(403);
  }
  expect((await client.send(`GET /api/vAppTemplate/vappTemplate-${nobody}`)).status).toBe(403);
});

test("nothing but versions is shown without a session", async () => {
  const simulators = await simulate({ world: { cloud } });
  for (const path of ["admin", "admin/extension", "org", "query", "session", "extensibility"]) {
    const headers = { accept: "application/*+xml;version=5.1" };
    const reply = await rawSend(simulators, `GET /api/${path}`, headers);
    expect([path, reply.status, reply.text]).toEqual([path, 401, ""]);
  }
});
