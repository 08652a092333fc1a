/** Actions: what they do to each state, what they refuse, and the screen ticket. */

import { describe, expect, test } from "vitest";
import { attributeOf, textOf } from "../../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../../src/simulators/cloud/world/world-document.ts";
import type { Written } from "../../../../../src/simulators/kit/document.ts";
import type { CloudVmEntry } from "../../../../../src/simulators/kit/generated/documents.ts";
import type { Client, Reply, SendOptions } from "../cloud-client.ts";
import {
  cloudWith,
  datastoreHref,
  errorOf,
  instant,
  neutral,
  relocateBody,
  snapshotBody,
  undeployBody,
  vappPath,
  vmPath,
} from "../cloud-client.ts";

function cloudOf(vm: Written<CloudVmEntry>, part: CloudDocument = {}): CloudDocument {
  const vapps = { shop: { vms: { web: vm, db: {} } } };
  const datastores = { slow: {}, fast: { capacity_mb: 20_000 }, closed: { enabled: false } };
  return { durations_ms: instant, datastores, vapps, ...part };
}

function act(client: Client, action: string, options?: SendOptions): Promise<Reply> {
  return client.send(`POST ${vmPath(client, "web")}/${action}`, options);
}

function webOf(client: Client) {
  const found = client.simulators.world().cloud.vms.find((vm) => vm.key === "web");
  if (found === undefined) throw new Error("no VM web");
  return found;
}

/** `on`, `off`, `suspended`, with a `+` when deployed; or what was refused. */
async function outcome(client: Client, action: string, options?: SendOptions): Promise<string> {
  const reply = await act(client, action, options);
  if (reply.status !== 202) return errorOf(reply).slice(0, 2).join(" ");
  const status = attributeOf(reply.root, "status");
  const { status: code, deployed } = webOf(client);
  const name = new Map([
    [4, "on"],
    [8, "off"],
    [3, "suspended"],
  ]).get(code);
  return `${status} ${name}${deployed ? "+" : ""}`;
}

const states: { readonly [name: string]: Written<CloudVmEntry> } = {
  "on+": { power: "on" },
  off: {},
  "off+": { deployed: true },
  "suspended+": { power: "suspended" },
  suspended: { power: "suspended", deployed: false },
};
const refused = "400 BAD_REQUEST";

describe("power", () => {
  const deploy = (powerOn: boolean): SendOptions => ({
    type: "deployVAppParams",
    body: `<DeployVAppParams xmlns="${neutral.namespace}" powerOn="${powerOn}"/>`,
  });
  // Columns: on+, off, off+, suspended+, suspended.
  const table: readonly (readonly [string, SendOptions | undefined, readonly string[]])[] = [
    ["power/action/powerOn", undefined, ["!", "on+", "on+", "on+", "on+"]],
    ["power/action/powerOff", undefined, ["off+", "!", "!", "!", "!"]],
    ["power/action/shutdown", undefined, ["off+", "!", "!", "!", "!"]],
    ["power/action/reset", undefined, ["on+", "!", "!", "!", "!"]],
    ["power/action/reboot", undefined, ["on+", "!", "!", "!", "!"]],
    ["power/action/suspend", undefined, ["suspended+", "!", "!", "!", "!"]],
    ["action/discardSuspendedState", undefined, ["!", "!", "!", "off+", "off"]],
    ["action/undeploy", undeployBody(), ["off", "!", "off", "off", "off"]],
    ["action/undeploy", undeployBody("powerOff"), ["off", "!", "off", "off", "off"]],
    ["action/undeploy", undeployBody("shutdown"), ["off", "!", "off", "off", "off"]],
    ["action/undeploy", undeployBody("suspend"), ["suspended", "!", "!", "!", "!"]],
    ["action/undeploy", undeployBody("explode"), ["!", "!", "!", "!", "!"]],
    ["action/deploy", deploy(true), ["!", "on+", "on+", "on+", "on+"]],
    ["action/deploy", deploy(false), ["!", "off+", "!", "!", "!"]],
  ];
  const cases = table.flatMap(([action, options, row]) =>
    Object.keys(states).map((from, index) => {
      const to = row[index] ?? "";
      const word = /(?:>|powerOn=")(\w+)/.exec(options?.body ?? "")?.[1] ?? "";
      return [action, word, from, to === "!" ? refused : `success ${to}`, options] as const;
    }),
  );

  test.each(cases)("%s %s of a VM that is %s: %s", async (action, _word, from, to, options) => {
    const client = await cloudWith(cloudOf(states[from] ?? {}));
    expect(await outcome(client, action, options)).toBe(to);
    const expected = to === refused ? [false, true] : [true, false];
    const entry = client.simulators.log().at(-1);
    expect([entry?.effect, entry?.refused, entry?.class]).toEqual([...expected, "mutate"]);
    expect(entry?.violation !== undefined).toBe(to === refused);
  });

  test.each([
    ["power/action/shutdown", undefined],
    ["power/action/reboot", undefined],
    ["action/undeploy", undeployBody("shutdown")],
  ])("%s without tools is accepted, and its task fails", async (action, options) => {
    const client = await cloudWith(cloudOf({ power: "on", tools: false }));
    expect(await outcome(client, action, options)).toBe("error on+");
    const reply = await client.send(`GET ${vmPath(client, "web")}`);
    expect(reply.text).toContain("VMware Tools is not running");
  });

  test("tools come and go", async () => {
    const client = await cloudWith(cloudOf({ power: "on", tools: "absent" }));
    expect(await outcome(client, "action/undeploy", undeployBody("shutdown"))).toBe("error on+");
    await client.simulators.change({ tools_cloud_vm: { vm: "web", tools: "running" } });
    expect(await outcome(client, "action/undeploy", undeployBody("shutdown"))).toBe("success off");
  });

  test("undeploying a suspended VM without tools needs none", async () => {
    const client = await cloudWith(cloudOf({ power: "suspended", tools: "absent" }));
    expect(await outcome(client, "action/undeploy", undeployBody("shutdown"))).toBe("success off");
  });

  test("a second power off is refused, and no client should send it", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    expect(await outcome(client, "power/action/powerOff")).toBe("success off+");
    expect(await outcome(client, "power/action/powerOff")).toBe(refused);
    expect(client.simulators.log().map((entry) => entry.violation)).toEqual([
      undefined,
      undefined,
      'The requested operation could not be executed since VM "web" is not powered on.',
    ]);
  });

  test("the message names what was wrong", async () => {
    const client = await cloudWith(cloudOf({ name: "W & 1" }));
    expect(errorOf(await act(client, "power/action/powerOff"))[2]).toBe(
      'The requested operation could not be executed since VM "W & 1" is not powered on.',
    );
    const vapp = await client.send(`POST ${vappPath(client, "shop")}/power/action/reset`);
    expect(errorOf(vapp)[2]).toBe(
      "The requested operation could not be executed since " +
        'vApp "shop" does not have any powered on VMs.',
    );
  });

  test("a vApp's action runs over its VMs that can", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    const path = vappPath(client, "shop");
    const reply = await client.send(`POST ${path}/power/action/powerOn`);
    expect(reply.status).toBe(202);
    const statuses = () => client.simulators.world().cloud.vms.map((vm) => vm.status);
    expect(statuses()).toEqual([4, 4]);
    await client.send(`POST ${path}/action/undeploy`, undeployBody("suspend"));
    expect(statuses()).toEqual([3, 3]);
    const relocate = relocateBody(datastoreHref(client, "fast"));
    expect((await client.send(`POST ${path}/action/relocate`, relocate)).status).toBe(404);
  });

  test("discarding may undeploy", async () => {
    const rules = { discard_undeploys: true };
    const client = await cloudWith(cloudOf({ power: "suspended" }, { rules }));
    expect(await outcome(client, "action/discardSuspendedState")).toBe("success off");
  });

  test("a VM that is being made does nothing", async () => {
    const client = await cloudWith(cloudOf({ status: 0 }));
    expect(await outcome(client, "power/action/powerOn")).toBe(refused);
  });
});

describe("relocate", () => {
  const datastoreName = (client: Client): string | undefined =>
    client.simulators.world().cloud.datastores.find((each) => each.id === webOf(client).datastoreId)
      ?.key;

  test.each(Object.keys(states))("a VM that is %s", async (from) => {
    const client = await cloudWith(cloudOf(states[from] ?? {}));
    const body = relocateBody(datastoreHref(client, "fast"));
    const reply = await act(client, "action/relocate", body);
    expect(reply.status).toBe(202);
    expect(attributeOf(reply.root, "operationName")).toBe("vappRelocateVm");
    expect(reply.headers.get("location")).toBe(attributeOf(reply.root, "href"));
    expect(datastoreName(client)).toBe("fast");
  });

  test("the origin of the datastore's href does not count", async () => {
    const client = await cloudWith(cloudOf({}));
    const { pathname } = new URL(datastoreHref(client, "fast"));
    await act(client, "action/relocate", relocateBody(`https://public.example${pathname}`));
    expect(datastoreName(client)).toBe("fast");
  });

  test("a prefixed body, and a type in another case", async () => {
    const client = await cloudWith(cloudOf({}));
    const href = datastoreHref(client, "fast");
    const reply = await act(client, "action/relocate", {
      body:
        `<c:RelocateParams xmlns:c="${neutral.namespace}">` +
        `<c:Datastore href="${href}"/></c:RelocateParams>`,
      headers: { "content-type": `${neutral.media}RELOCATEVMPARAMS+xml; version=5.1` },
    });
    expect(reply.status).toBe(202);
  });

  test.each<readonly [string, (client: Client) => SendOptions, number, string]>([
    ["no body", () => ({ type: "relocateVmParams", body: "" }), 400, "BAD_REQUEST"],
    ["half a body", () => ({ type: "relocateVmParams", body: "<R" }), 400, "BAD_REQUEST"],
    [
      "another type",
      (client) => ({ ...relocateBody(datastoreHref(client, "fast")), type: "vm" }),
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "another namespace",
      () => ({ type: "relocateVmParams", body: '<RelocateParams xmlns="urn:x"/>' }),
      400,
      "BAD_REQUEST",
    ],
    ["no datastore", () => relocateBody("http://x/api/vApp/1"), 400, "BAD_REQUEST"],
    [
      "an unknown datastore",
      () => relocateBody("/api/admin/extension/datastore/00000000-0000-4000-8000-000000000000"),
      403,
      "ACCESS_TO_RESOURCE_IS_FORBIDDEN",
    ],
  ])("%s is refused", async (_name, options, status, minor) => {
    const client = await cloudWith(cloudOf({}));
    const reply = await act(client, "action/relocate", options(client));
    expect(errorOf(reply).slice(0, 2)).toEqual([status, minor]);
    expect(datastoreName(client)).toBe("slow");
  });

  test.each([
    ["closed", "is not enabled", 100],
    ["fast", "MB are needed", 30_000],
  ])("to a datastore that cannot: the task of %s fails", async (key, cause, size) => {
    const client = await cloudWith(cloudOf({ storage_mb: size }));
    const body = relocateBody(datastoreHref(client, key));
    const reply = await act(client, "action/relocate", body);
    expect([reply.status, attributeOf(reply.root, "status")]).toEqual([202, "error"]);
    expect(reply.text).toContain(cause);
    expect(datastoreName(client)).toBe("slow");
  });
});

describe("nested virtualization", () => {
  test.each<readonly [string, Written<CloudVmEntry>, CloudDocument, string]>([
    ["off", {}, {}, "success off"],
    ["off and deployed", { deployed: true }, {}, "success off+"],
    ["on", { power: "on" }, {}, refused],
    [
      "on, where that is permitted",
      { power: "on" },
      { rules: { nested_power: "any" } },
      "success on+",
    ],
    ["suspended", { power: "suspended" }, {}, refused],
    ["of hardware version 8", { hardware_version: 8 }, {}, refused],
    ["on a host without it", {}, { rules: { nested_supported: false } }, "error off"],
  ])("of a VM that is %s", async (_name, vm, part, expected) => {
    const client = await cloudWith(cloudOf(vm, part));
    expect(await outcome(client, "action/enableNestedHypervisor")).toBe(expected);
    expect(webOf(client).nested).toBe(expected.startsWith("success"));
    if (!expected.startsWith("success")) return;
    // Once more changes nothing, and is no error.
    expect(await outcome(client, "action/enableNestedHypervisor")).toBe(expected);
    expect(webOf(client).nested).toBe(true);
    expect(client.simulators.log().every((entry) => entry.violation === undefined)).toBe(true);
    await act(client, "action/disableNestedHypervisor");
    expect(webOf(client).nested).toBe(false);
  });

  test("1.5 has neither it nor snapshots", async () => {
    const client = await cloudWith(cloudOf({}), { version: "1.5" });
    for (const action of ["enableNestedHypervisor", "createSnapshot", "removeAllSnapshots"]) {
      expect((await act(client, `action/${action}`)).status).toBe(404);
    }
  });
});

describe("snapshots", () => {
  test.each([
    ["on", "", true],
    ["on", 'memory="false"', false],
    ["off", 'memory="true"', false],
  ] as const)("of a VM that is %s, with %s", async (power, attributes, poweredOn) => {
    const client = await cloudWith(cloudOf({ power }));
    const reply = await act(client, "action/createSnapshot", snapshotBody(attributes));
    expect(attributeOf(reply.root, "operation")).toMatch(
      /^Created Snapshot Virtual Machine \([-0-9a-f]+\)$/,
    );
    const section = await client.send(`GET ${vmPath(client, "web")}/snapshotSection`);
    expect(section.text).toContain(`poweredOn="${poweredOn}"`);
    expect(section.text).toMatch(/created="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+02:00"/);
  });

  test("a second one silently replaces the first; reverting and removing", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    expect(await outcome(client, "action/revertToCurrentSnapshot")).toBe(refused);
    await act(client, "action/createSnapshot", snapshotBody('name="a"'));
    const first = webOf(client).snapshot?.createdMs;
    expect(client.simulators.log().at(-1)?.violation).toBeUndefined();
    client.simulators.clock.advance(5);
    await act(client, "action/createSnapshot", snapshotBody('name="b" memory="false"'));
    expect(client.simulators.log().at(-1)?.violation).toContain("silently replaced");
    expect(webOf(client).snapshot).toMatchObject({ createdMs: (first ?? 0) + 5, name: "b" });
    expect(await outcome(client, "action/revertToCurrentSnapshot")).toBe("success off+");
    expect(await outcome(client, "action/removeAllSnapshots")).toBe("success off+");
    expect(webOf(client).snapshot).toBeNull();
  });
});

describe("screen tickets", () => {
  const opens = async (client: Client, ticket: string): Promise<unknown> => {
    const response = await fetch(`${client.simulators.origins.cloud}/_simulator/console`, {
      method: "POST",
      body: JSON.stringify({ ticket }),
    });
    return response.json();
  };

  test("open the console of a VM that is on, for 30 seconds", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    const reply = await act(client, "screen/action/acquireTicket");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe(`${neutral.media}screenticket+xml;version=5.1`);
    const url = textOf(reply.root);
    const [, ticket = ""] = /^mks:\/\/console\.example\/vm-101\?ticket=([^/+=:]+)$/.exec(url) ?? [];
    expect(decodeURIComponent(ticket)).toMatch(/^cst-.*[/+=].*--tp-([0-9A-F]{2}:)+/);
    const second = textOf((await act(client, "screen/action/acquireTicket")).root);
    expect(second).not.toBe(url);
    client.simulators.clock.advance(29_999);
    expect(await opens(client, url.replace("vm-101", "vm-102"))).toEqual({ opens: false });
    expect(await opens(client, url)).toEqual({ opens: true });
    client.simulators.clock.advance(1);
    expect(await opens(client, second)).toEqual({ opens: false });
  });

  test("open it once, and only while the VM is on", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    const ticket = async () => textOf((await act(client, "screen/action/acquireTicket")).root);
    const [first, second] = [await ticket(), await ticket()];
    expect([await opens(client, first), await opens(client, first)]).toEqual([
      { opens: true },
      { opens: false },
    ]);
    await client.simulators.change({ power_cloud_vm: { vm: "web", power: "off" } });
    expect(await opens(client, second)).toEqual({ opens: false });
  });

  test("are no mutation: nothing of the world changes", async () => {
    const client = await cloudWith(cloudOf({ power: "on" }));
    const before = client.simulators.world().cloud;
    await act(client, "screen/action/acquireTicket");
    expect(client.simulators.world().cloud).toEqual(before);
    expect(client.simulators.log().at(-1)).toMatchObject({ class: "session", effect: false });
  });

  test.each(["off", "off+", "suspended+"])("are refused when %s", async (from) => {
    const client = await cloudWith(cloudOf(states[from] ?? {}));
    const reply = await act(client, "screen/action/acquireTicket");
    expect(errorOf(reply).slice(0, 2)).toEqual([400, "BAD_REQUEST"]);
  });
});

test("deleting needs an undeployed VM, and is a task", async () => {
  const client = await cloudWith(cloudOf({ power: "on" }));
  const path = vmPath(client, "web");
  expect(errorOf(await client.send(`DELETE ${path}`)).slice(0, 2)).toEqual([400, "BAD_REQUEST"]);
  await act(client, "action/undeploy", undeployBody());
  expect((await client.send(`DELETE ${path}`)).status).toBe(202);
  expect((await client.send(`GET ${path}`)).status).toBe(403);
  const vapp = vappPath(client, "shop");
  expect((await client.send(`DELETE ${vapp}`)).status).toBe(202);
  expect(client.simulators.world().cloud).toMatchObject({ vms: [], vapps: [] });
});
