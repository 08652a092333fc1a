/** Documents of VMs and vApps: two axes of status, links by state, role, version and tasks. */

import { describe, expect, test } from "vitest";
import type { XmlElement } from "../../../../../src/lib/xml/xml.ts";
import { attributeOf, childrenOf, textOf } from "../../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../../src/simulators/cloud/world/world-document.ts";
import type { Written } from "../../../../../src/simulators/kit/document.ts";
import type { CloudVmEntry } from "../../../../../src/simulators/kit/generated/documents.ts";
import type { Client } from "../cloud-client.ts";
import {
  cloudWith,
  datastoreHref,
  errorOf,
  logIn,
  neutral,
  relocateBody,
  relsOf,
  vappPath,
  vmPath,
} from "../cloud-client.ts";

const users = [
  { name: "admin", password: "secret" },
  { name: "alice", org: "acme", password: "a" },
  { name: "eve", org: "other", password: "e" },
];

function cloudOf(vm: Written<CloudVmEntry>, part: CloudDocument = {}): CloudDocument {
  return { users, vapps: { shop: { org: "acme", vms: { web: vm, db: {} } } }, ...part };
}

async function alice(client: Client, version = "5.1"): Promise<Client> {
  return logIn(client.simulators, { user: "alice@acme", password: "a", version });
}

async function vmOf(client: Client, key = "web"): Promise<XmlElement> {
  return (await client.send(`GET ${vmPath(client, key)}`)).root;
}

const on = ["power:powerOff", "power:reset", "power:reboot", "power:shutdown", "power:suspend"];
const edit = ["edit", "reconfigureVm"];

describe("links", () => {
  test.each<readonly [string, Written<CloudVmEntry>, readonly string[]]>([
    [
      "on",
      { power: "on" },
      [...on, "undeploy", "screen:acquireTicket", ...edit, "snapshot:create"],
    ],
    ["off", {}, ["power:powerOn", "deploy", "remove", ...edit, "enable", "snapshot:create"]],
    [
      "off and deployed",
      { deployed: true },
      ["power:powerOn", "deploy", "undeploy", ...edit, "enable", "snapshot:create"],
    ],
    [
      "suspended",
      { power: "suspended" },
      ["power:powerOn", "undeploy", "discardState", ...edit, "snapshot:create"],
    ],
    [
      "suspended and undeployed",
      { power: "suspended", deployed: false },
      ["power:powerOn", "undeploy", "discardState", "remove", ...edit, "snapshot:create"],
    ],
    [
      "nested",
      { nested: true },
      ["power:powerOn", "deploy", "remove", ...edit, "disable", "snapshot:create"],
    ],
    [
      "of hardware version 8",
      { hardware_version: 8 },
      ["power:powerOn", "deploy", "remove", ...edit, "snapshot:create"],
    ],
    ["being made", { status: 0 }, []],
    ["inconsistent", { status: 9 }, []],
  ])("of a VM that is %s", async (_name, vm, expected) => {
    const admin = await cloudWith(cloudOf(vm));
    const user = await alice(admin);
    expect(relsOf(await vmOf(user))).toEqual(expected);
    const isOffered = expected.length > 0;
    expect(relsOf(await vmOf(admin))).toEqual(isOffered ? [...expected, "relocate"] : []);
    const old = await alice(admin, "1.5");
    const later = ["snapshot:create", "enable", "disable", "reconfigureVm"];
    expect(relsOf(await vmOf(old))).toEqual(expected.filter((rel) => !later.includes(rel)));
  });

  test("of a VM with a snapshot, and of a vApp", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    await client.simulators.change({ snapshot_cloud_vm: { vm: "web" } });
    const more = ["snapshot:create", "snapshot:revertToCurrent", "snapshot:removeAll"];
    expect(relsOf(await vmOf(client))).toEqual(expect.arrayContaining(more));
    const vapp = await client.send(`GET ${vappPath(client, "shop")}`);
    expect(relsOf(vapp.root)).toEqual([...on, "undeploy", "power:powerOn", "deploy", ...more]);
    expect(attributeOf(vapp.root, "status")).toBe("10");
    const [children] = childrenOf(vapp.root, neutral.namespace, "Children");
    expect(children && childrenOf(children, neutral.namespace, "Vm")).toHaveLength(2);
  });

  test("vanish while a task runs, which the VM and its vApp show", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    await client.simulators.change({ start_cloud_task: { vm: "web", duration_ms: 1000 } });
    const busy = await vmOf(client);
    expect(relsOf(busy)).toEqual([]);
    const [tasks] = childrenOf(busy, neutral.namespace, "Tasks");
    const [task] = tasks === undefined ? [] : childrenOf(tasks, neutral.namespace, "Task");
    expect(task && attributeOf(task, "status")).toBe("running");
    expect(relsOf(await vmOf(client, "db"))).not.toEqual([]);
    const vapp = await client.send(`GET ${vappPath(client, "shop")}`);
    expect(relsOf(vapp.root)).toEqual([]);
    client.simulators.clock.advance(1000);
    const idle = await vmOf(client);
    expect(relsOf(idle)).toContain("power:powerOff");
    expect(childrenOf(idle, neutral.namespace, "Tasks")).toEqual([]);
  });

  test("lead to the actions, with the type of a body that is needed", async () => {
    const client = await cloudWith(cloudOf({}));
    const base = client.simulators.origins.cloud;
    const links = childrenOf(await vmOf(client), neutral.namespace, "Link");
    const found = links.find((link) => attributeOf(link, "rel") === "relocate");
    expect(found && attributeOf(found, "type")).toBe(`${neutral.media}relocateVmParams+xml`);
    const href = `${base}${vmPath(client, "web")}/action/relocate`;
    expect(found && attributeOf(found, "href")).toBe(href);
    const start = links.find((link) => attributeOf(link, "rel") === "power:powerOn");
    expect(start && attributeOf(start, "type")).toBeUndefined();
  });
});

describe("a VM's document", () => {
  test.each<readonly [Written<CloudVmEntry>, string, string]>([
    [{ power: "on" }, "4", "true"],
    [{}, "8", "false"],
    [{ deployed: true }, "8", "true"],
    [{ power: "suspended" }, "3", "true"],
    [{ power: "suspended", deployed: false }, "3", "false"],
    [{ status: 20, deployed: true }, "20", "true"],
    [{ status: -1 }, "-1", "false"],
  ])("of %j: status %s, deployed %s", async (vm, status, deployed) => {
    const root = await vmOf(await cloudWith(cloudOf(vm)));
    expect([attributeOf(root, "status"), attributeOf(root, "deployed")]).toEqual([
      status,
      deployed,
    ]);
  });

  test("names with everything, and what each version and role sees", async () => {
    const name = ` R&D "1" <é> `;
    const vm = { name, description: "a\n b", nested: true, datastore: "fast" };
    const datastores = { slow: {}, fast: { moref: "datastore-23" } };
    const admin = await cloudWith(cloudOf(vm, { datastores }));
    const root = await vmOf(admin);
    expect(attributeOf(root, "name")).toBe(name);
    expect(childrenOf(root, neutral.namespace, "Description").map(textOf)).toEqual(["a\n b"]);
    expect(attributeOf(root, "nestedHypervisorEnabled")).toBe("true");
    const text = (await admin.send(`GET ${vmPath(admin, "web")}`)).text;
    expect(text).toContain(">vmx-09<");
    expect(text).toContain("MoRef>vm-101<");
    expect(text).toContain("MoRef>datastore-23<");
    const user = await alice(admin, "1.5");
    const old = await user.send(`GET ${vmPath(admin, "web")}`);
    expect(attributeOf(old.root, "nestedHypervisorEnabled")).toBeUndefined();
    expect(old.text).not.toContain("MoRef");
    expect(old.text).not.toContain("SnapshotSection");
  });

  test("absent is not false: a VM being made tells nothing of nesting", async () => {
    const root = await vmOf(await cloudWith(cloudOf({ status: 0 })));
    expect(attributeOf(root, "nestedHypervisorEnabled")).toBeUndefined();
  });
});

describe("what is not there", () => {
  const nobody = "00000000-0000-4000-8000-000000000000";

  test("gone, never been, foreign and denied are one 403", async () => {
    const admin = await cloudWith(cloudOf({}));
    const path = vmPath(admin, "web");
    const eve = await logIn(admin.simulators, { user: "eve@other", password: "e" });
    const foreign = await eve.send(`GET ${path}`);
    await admin.simulators.change({ deny_cloud_vm: { vm: "web", denied: true } });
    const denied = await admin.send(`GET ${path}`);
    const listed = await admin.send("GET /api/query?type=adminVM&filter=name==web");
    expect(attributeOf(listed.root, "total")).toBe("1");
    await admin.simulators.change({ deny_cloud_vm: { vm: "web", denied: false } });
    expect((await admin.send(`GET ${path}`)).status).toBe(200);
    await admin.simulators.change({ delete_cloud_vm: { vm: "web" } });
    const gone = await admin.send(`GET ${path}`);
    const never = await admin.send(`GET /api/vApp/vm-${nobody}`);
    for (const reply of [foreign, denied, gone, never]) {
      const [status, minor, message] = errorOf(reply);
      expect([status, minor]).toEqual([403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN"]);
      expect(message).toMatch(/^No access to entity "\(com\.vendor\.cloud\.entity\.vm:.*\)"\.$/);
    }
    expect(errorOf(gone)[2]).toBe(errorOf(denied)[2]);
    const power = await admin.send(`POST ${path}/power/action/powerOn`);
    expect(power.status).toBe(403);
    const empty = await admin.send("GET /api/query?type=adminVM&filter=name==web");
    expect(attributeOf(empty.root, "total")).toBe("0");
  });

  test.each(["/api/vApp/vm-12", "/api/vApp/12", "/api/task/12"])("%s is 400", async (path) => {
    const client = await cloudWith({});
    expect(errorOf(await client.send(`GET ${path}`)).slice(0, 2)).toEqual([400, "BAD_REQUEST"]);
  });

  test("a user sees and moves nothing that is another's", async () => {
    const admin = await cloudWith(cloudOf({}));
    const user = await alice(admin);
    const body = relocateBody(datastoreHref(admin, "local"));
    const reply = await user.send(`POST ${vmPath(admin, "web")}/action/relocate`, body);
    expect(errorOf(reply)).toEqual([
      403,
      "ACCESS_TO_RESOURCE_IS_FORBIDDEN",
      "This operation is denied.",
    ]);
    expect((await user.send("GET /api/admin/extension/datastores")).status).toBe(403);
  });
});
