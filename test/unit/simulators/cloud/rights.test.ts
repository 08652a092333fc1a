/** Who sees and may do what: three roles, rights taken from one user or from everybody. */

import { describe, expect, test } from "vitest";
import { attributeOf, childrenOf } from "../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import type { Client } from "./cloud-client.ts";
import {
  cloudWith,
  datastoreHref,
  descendantsOf,
  errorOf,
  logIn,
  neutral,
  recordsOf,
  relocateBody,
  relsOf,
  vappPath,
  vmPath,
} from "./cloud-client.ts";

const cloud: CloudDocument = {
  users: [
    { name: "admin", password: "secret" },
    { name: "deputy", password: "d" },
    { name: "olga", org: "acme", password: "o" },
    { name: "uli", org: "acme", password: "u", role: "user" },
    { name: "eve", org: "other", password: "e" },
  ],
  vapps: {
    shop: { org: "acme", owner: "uli", vms: { web: { power: "on" }, db: {} } },
    lab: { org: "acme", owner: "olga", vms: { lab1: {} } },
  },
};

const passwords: { readonly [user: string]: string } = {
  "admin@system": "secret",
  "deputy@system": "d",
  "olga@acme": "o",
  "uli@acme": "u",
  "eve@other": "e",
};

async function as(client: Client, user: string): Promise<Client> {
  return logIn(client.simulators, { user, password: passwords[user] ?? "" });
}

async function listed(client: Client, type: string): Promise<readonly string[] | number> {
  const reply = await client.send(`GET /api/query?type=${type}`);
  if (reply.status !== 200) {
    expect(errorOf(reply)[1]).toBe("ACCESS_TO_RESOURCE_IS_FORBIDDEN");
    return reply.status;
  }
  return recordsOf(reply.root)
    .map((each) => attributeOf(each, "name") ?? "")
    .sort();
}

async function status(client: Client, target: string): Promise<number> {
  return (await client.send(target)).status;
}

describe("a role", () => {
  const all = ["db", "lab1", "web"];
  test.each<readonly [string, readonly string[], readonly string[] | number, readonly string[]]>([
    ["admin@system", all, all, ["lab", "shop"]],
    ["olga@acme", all, 403, ["lab", "shop"]],
    ["uli@acme", ["db", "web"], 403, ["shop"]],
    ["eve@other", [], 403, []],
  ])("of %s: what queries list", async (user, vms, adminVms, vapps) => {
    const client = await as(await cloudWith(cloud), user);
    expect(await listed(client, "vm")).toEqual(vms);
    expect(await listed(client, "adminVM")).toEqual(adminVms);
    expect(await listed(client, "vApp")).toEqual(vapps);
    expect(await listed(client, "datastore")).toEqual(adminVms === 403 ? 403 : ["local"]);
    expect(await listed(client, "adminVApp")).toEqual(adminVms === 403 ? 403 : vapps);
  });

  test.each([
    ["admin@system", 200, 200],
    ["olga@acme", 200, 200],
    ["uli@acme", 200, 403],
    ["eve@other", 403, 403],
  ])("of %s: web %i, lab1 %i, read and acted on", async (user, web, lab1) => {
    const client = await as(await cloudWith(cloud), user);
    expect(await status(client, `GET ${vmPath(client, "web")}`)).toBe(web);
    expect(await status(client, `GET ${vmPath(client, "lab1")}`)).toBe(lab1);
    expect(await status(client, `GET ${vappPath(client, "lab")}`)).toBe(lab1);
    const start = await status(client, `POST ${vmPath(client, "lab1")}/power/action/powerOn`);
    expect(start).toBe(lab1 === 200 ? 202 : 403);
  });

  test.each([
    ["admin@system", true],
    ["olga@acme", false],
    ["uli@acme", false],
  ])("of %s: relocating, and seeing where a VM is: %s", async (user, may) => {
    const client = await as(await cloudWith(cloud), user);
    const path = vmPath(client, "web");
    const { root } = await client.send(`GET ${path}`);
    expect(relsOf(root).includes("relocate")).toBe(may);
    expect(descendantsOf(root, "VCloudExtension")).toHaveLength(may ? 1 : 0);
    const body = relocateBody(datastoreHref(client, "local"));
    const reply = await client.send(`POST ${path}/action/relocate`, body);
    expect(reply.status).toBe(may ? 202 : 403);
    expect(client.simulators.log().at(-1)?.violation !== undefined).toBe(!may);
    const path2 = new URL(datastoreHref(client, "local")).pathname;
    expect(await status(client, `GET ${path2}`)).toBe(may ? 200 : 403);
    expect(await status(client, "GET /api/admin/extension")).toBe(may ? 200 : 403);
    const record = await client.send("GET /api/query?type=vm&filter=name==web");
    expect(record.text).not.toContain("datastoreName");
  });

  test.each([
    ["admin@system", [200, 200, 200]],
    ["olga@acme", [200, 403, 200]],
    ["uli@acme", [403, 403, 200]],
    ["eve@other", [403, 403, 403]],
  ])("of %s: organization, manager and template of others: %j", async (user, expected) => {
    const image = { org: "acme", owner: "uli", template: true, vms: { golden: {} } };
    const admin = await cloudWith({ ...cloud, vapps: { ...cloud.vapps, image } });
    const world = admin.simulators.world().cloud;
    const orgs = await admin.send("GET /api/org");
    const acme = recordsOf(orgs.root).find((each) => attributeOf(each, "name") === "acme");
    const org = (acme && attributeOf(acme, "href")?.split("/").at(-1)) ?? "";
    const template = world.vapps.find((each) => each.key === "image")?.id;
    const client = await as(admin, user);
    const statuses = [
      await status(client, `GET /api/admin/org/${org}`),
      await status(client, `GET /api/admin/extension/vimServer/${world.managers[0]?.id}`),
      await status(client, `GET /api/vAppTemplate/vappTemplate-${template}`),
    ];
    expect(statuses).toEqual(expected);
  });

  test("that is taken away counts at once, within a session", async () => {
    const admin = await cloudWith(cloud);
    expect(await listed(admin, "adminVM")).toHaveLength(3);
    await admin.simulators.change({ set_cloud_role: { user: "admin", role: "user" } });
    expect(await listed(admin, "adminVM")).toBe(403);
    expect(await listed(admin, "vm")).toEqual([]);
    expect(await status(admin, `GET ${vmPath(admin, "web")}`)).toBe(403);
    expect(await status(admin, "GET /api/session")).toBe(200);
    const { root } = await admin.send("GET /api/query");
    const names = childrenOf(root, neutral.namespace, "Link").map((each) =>
      attributeOf(each, "name"),
    );
    expect(names).not.toContain("adminVM");
    const role = "system_administrator";
    await admin.simulators.change({ set_cloud_role: { user: "admin@SYSTEM", role } });
    expect(await listed(admin, "adminVM")).toHaveLength(3);
  });
});

describe("rights on one VM", () => {
  test("taken from a user: 403, and in none of his lists; others keep theirs", async () => {
    const admin = await cloudWith(cloud);
    const [uli, olga] = [await as(admin, "uli@acme"), await as(admin, "olga@acme")];
    const path = vmPath(admin, "web");
    await admin.simulators.change({ deny_cloud_vm: { vm: "web", user: "uli" } });
    expect(errorOf(await uli.send(`GET ${path}`)).slice(0, 2)).toEqual([
      403,
      "ACCESS_TO_RESOURCE_IS_FORBIDDEN",
    ]);
    expect(await status(uli, `POST ${path}/power/action/powerOff`)).toBe(403);
    expect(await listed(uli, "vm")).toEqual(["db"]);
    const vapp = await uli.send(`GET ${vappPath(admin, "shop")}`);
    expect(descendantsOf(vapp.root, "Vm").map((vm) => attributeOf(vm, "name"))).toEqual(["db"]);
    for (const other of [admin, olga]) {
      expect(await status(other, `GET ${path}`)).toBe(200);
      expect(await listed(other, "vm")).toContain("web");
    }
    await admin.simulators.change({ deny_cloud_vm: { vm: "web", user: "uli", denied: false } });
    expect(await status(uli, `GET ${path}`)).toBe(200);
  });

  test("taken from a system administrator: 403, and still listed by his queries", async () => {
    const admin = await cloudWith(cloud);
    const deputy = await as(admin, "deputy@system");
    await admin.simulators.change({ deny_cloud_vm: { vm: "web", user: "admin@System" } });
    const denied = await admin.send(`GET ${vmPath(admin, "web")}`);
    expect(denied.status).toBe(403);
    expect(await listed(admin, "adminVM")).toContain("web");
    expect(await listed(admin, "vm")).toContain("web");
    expect(await status(deputy, `GET ${vmPath(admin, "web")}`)).toBe(200);
    const path = vmPath(admin, "web");
    await admin.simulators.change({ delete_cloud_vm: { vm: "web" } });
    const gone = await admin.send(`GET ${path}`);
    expect([gone.status, gone.text]).toEqual([denied.status, denied.text]);
    expect(await listed(admin, "adminVM")).not.toContain("web");
  });

  test("given back to everybody", async () => {
    const admin = await cloudWith(cloud);
    const path = vmPath(admin, "web");
    await admin.simulators.change({ deny_cloud_vm: { vm: "web", user: "admin" } });
    await admin.simulators.change({ deny_cloud_vm: { vm: "web" } });
    const olga = await as(admin, "olga@acme");
    expect([await status(admin, `GET ${path}`), await status(olga, `GET ${path}`)]).toEqual([
      403, 403,
    ]);
    expect(await listed(olga, "vm")).not.toContain("web");
    await admin.simulators.change({ deny_cloud_vm: { vm: "web", denied: false } });
    expect(await status(admin, `GET ${path}`)).toBe(200);
  });
});

describe("a task", () => {
  test("is seen by who began it, by administrators, and with the VM it is about", async () => {
    const admin = await cloudWith(cloud);
    const start = await admin.send(`POST ${vmPath(admin, "lab1")}/power/action/powerOn`);
    const path = new URL(start.headers.get("location") ?? "").pathname;
    const seen = [];
    for (const user of ["deputy@system", "olga@acme", "uli@acme", "eve@other"]) {
      seen.push(await status(await as(admin, user), `GET ${path}`));
    }
    expect(seen).toEqual([200, 200, 403, 403]);
  });

  test("tells where its error came from to system administrators only", async () => {
    const admin = await cloudWith(cloud, {
      faults: { faults: [{ on: "POST /api/vApp/**", task: { end: "error", message: "Broken" } }] },
    });
    const start = await admin.send(`POST ${vmPath(admin, "lab1")}/power/action/powerOn`);
    const path = new URL(start.headers.get("location") ?? "").pathname;
    admin.simulators.clock.advance(1000);
    const trace = async (client: Client): Promise<string | undefined> => {
      const [error] = descendantsOf((await client.send(`GET ${path}`)).root, "Error");
      return error && attributeOf(error, "stackTrace");
    };
    expect(await trace(admin)).toMatch(/Broken\n\tat /);
    expect(await trace(await as(admin, "olga@acme"))).toBeUndefined();
  });
});
