/** The object browser: login, cookie, nonce, pages, and what wipe and shrink do. */

import { describe, expect, test } from "vitest";
import type { FaultScript } from "../../../../../src/simulators/faults.ts";
import type { ManagerDocument } from "../../../../../src/simulators/manager/world/world-document.ts";
import type { RunningSimulators } from "../../../../../src/simulators/start.ts";
import type { Client, Target } from "../manager-client.ts";
import {
  childOf,
  clientOf,
  cookieOf,
  listOf,
  managerWith,
  read,
  taskState,
  textsOf,
  vmIn,
} from "../manager-client.ts";

const authorization = `Basic ${Buffer.from("admin:secret").toString("base64")}`;
const literal = "Method Invocation Result: ";

type Page = { readonly status: number; readonly text: string; readonly headers: Headers };

async function send(
  simulators: RunningSimulators,
  method: string,
  query: string,
  headers: { readonly [name: string]: string },
  body?: string,
): Promise<Page> {
  const response = await fetch(`${simulators.origins.manager}/mob${query}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const form = { "content-type": "application/x-www-form-urlencoded" };

/** The whole dance: the page, its cookie and nonce, the form. */
async function invoke(
  simulators: RunningSimulators,
  method: string,
  { id = "vm-101", fields = "" } = {},
): Promise<Page> {
  const query = `/?moid=${id}&method=${method}`;
  const page = await send(simulators, "GET", query, { authorization });
  // A page that tells of a fault has no form.
  if (page.text.includes(literal)) return page;
  const nonce = /name="vmware-session-nonce" type="hidden" value="?([^\s">]+)"?/.exec(page.text);
  const cookie = cookieOf(page.headers);
  const body = `vmware-session-nonce=${nonce?.[1] ?? ""}${fields}`;
  return send(simulators, "POST", query, { cookie, ...form }, body);
}

/** Task of a result page, or the word behind the literal. */
function outcomeOf({ text }: Page): Target {
  const at = text.indexOf(literal);
  const word = /^[\w:]+/.exec(text.slice(at + literal.length))?.[0] ?? "";
  if (at < 0 || word !== "ManagedObjectReference:Task") return `fault:${at < 0 ? "" : word}`;
  const href = /href="\/mob\/\?moid=([^"&]+)"/.exec(text.slice(at))?.[1] ?? "";
  return `Task:${decodeURIComponent(href)}`;
}

const sparse = { format: "sesparse" as const, size_gb: 20, used_gb: 12, stale_gb: 5 };
const world: ManagerDocument = {
  vms: {
    web: { power: "on", disks: [sparse, { ...sparse, stale_gb: 0 }, { format: "thin" }] },
    flat: { power: "on" },
    off: { disks: [sparse] },
    bare: { power: "on", tools: "absent", disks: [sparse] },
  },
};

describe("access", () => {
  test.each([
    ["absent", 404],
    ["unavailable", 503],
  ] as const)("a browser that is %s answers %i", async (browser, status) => {
    const simulators = await managerWith({ ...world, rules: { browser } });
    for (const query of ["/?moid=vm-101&method=wipeDisk", "/logout"]) {
      expect((await send(simulators, "GET", query, { authorization })).status).toBe(status);
    }
  });

  test.each([{}, { authorization: "Basic eDp5" }, { cookie: "vmware_soap_session=x" }])(
    "with %j is asked for credentials",
    async (headers) => {
      const simulators = await managerWith(world);
      const page = await send(simulators, "GET", "/?moid=vm-101", headers);
      expect([page.status, page.text]).toEqual([401, ""]);
      expect(page.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
    },
  );

  test("begins a session, which SOAP knows too, and ends it", async () => {
    const client = await clientOf(world);
    const { simulators } = client;
    const page = await send(simulators, "GET", "/?moid=vm-101", { authorization });
    const cookie = cookieOf(page.headers);
    expect(simulators.managerSessions()).toMatchObject({ opened: 2 });
    const again = await send(simulators, "GET", "/?moid=vm-101", { cookie });
    expect([again.status, again.headers.get("set-cookie")]).toEqual([200, null]);
    const time = ["CurrentTime", "ServiceInstance:ServiceInstance", "", { cookie }] as const;
    expect((await client.call(...time)).status).toBe(200);
    await send(simulators, "GET", "/logout", { cookie });
    expect((await client.call(...time)).status).toBe(500);
    expect(simulators.managerSessions()).toMatchObject({ loggedOut: 1 });
    expect(simulators.log().map((entry) => entry.class)).toEqual([
      "session",
      "read",
      "read",
      "read",
      "session",
      "read",
    ]);
  });
});

describe("forms", () => {
  const query = "/?moid=vm-101&method=wipeDisk";
  test.each(["no cookie", "no nonce", "another nonce", "another type", "another session"])(
    "with %s are refused",
    async (flaw) => {
      const simulators = await managerWith(world);
      const page = await send(simulators, "GET", query, { authorization });
      const other = await send(simulators, "GET", query, { authorization });
      const nonce = /value="(\w+)"/.exec(page.text)?.[1] ?? "";
      const headers = {
        ...(flaw === "no cookie"
          ? { authorization }
          : { cookie: cookieOf((flaw === "another session" ? other : page).headers) }),
        "content-type": flaw === "another type" ? "text/plain" : form["content-type"],
      };
      const sent = flaw === "another nonce" ? "52abc" : nonce;
      const body = flaw === "no nonce" ? "" : `vmware-session-nonce=${sent}`;
      const reply = await send(simulators, "POST", query, headers, body);
      expect(reply.status).toBe(403);
      expect(reply.text).toContain("CSRF");
      expect(simulators.log().at(-1)).toMatchObject({
        class: "mutate",
        effect: false,
        violation: expect.stringContaining("CSRF"),
      });
      expect(simulators.world().manager.tasks).toEqual([]);
    },
  );

  test.each([
    ["quoted", /value="52\w+"/],
    ["unquoted", /value=52\w+>/],
    ["absent", /^(?!.*nonce)/s],
  ] as const)("have their nonce %s", async (browser_nonce, pattern) => {
    const simulators = await managerWith({ ...world, rules: { browser_nonce } });
    const page = await send(simulators, "GET", query, { authorization });
    expect([page.status, page.text]).toEqual([200, expect.stringMatching(pattern)]);
    const reply = await invoke(simulators, "wipeDisk");
    expect(reply.status).toBe(browser_nonce === "absent" ? 403 : 200);
  });

  test.each([
    ["wipeDisk", { fields: "&mode=1" }, "fault:InvalidRequest"],
    ["makeCoffee", {}, "fault:MethodNotFound"],
    ["wipeDisk", { id: "host-21" }, "fault:MethodNotFound"],
    ["wipeDisk", { id: "vm-999" }, "fault:ManagedObjectNotFound"],
    ["wipeDisk", { id: "vm%2d101" }, "Task:task-3"],
  ])("%s with %j", async (method, options, outcome) => {
    const page = await invoke(await managerWith(world), method, options).catch(String);
    expect(typeof page === "string" ? page : outcomeOf(page)).toBe(outcome);
  });
});

test("pages about objects lead to each other", async () => {
  const simulators = await managerWith(world);
  const page = async (query: string) =>
    (await send(simulators, "GET", query, { authorization })).text;
  const vm = await page("/?moid=vm-101");
  expect(vm).toContain('<a href="/mob/?moid=vm%2d101&amp;doPath=config">config</a>');
  expect(vm).toContain("&quot;web&quot;");
  expect(vm).toContain('<td class="c2">snapshot</td>');
  expect(vm).toContain('<td class="clean">Unset</td>');
  expect(await page("/?moid=vm-101&doPath=config%2ehardware")).toContain("numCPU");
  expect(await page("/")).toContain("serverClock");
  expect(await page("/?moid=vm-101&doPath=coffee")).toContain("InvalidProperty");
});

describe("wipe and shrink", () => {
  async function finished(client: Client, page: Page): Promise<readonly string[]> {
    const outcome = outcomeOf(page);
    if (outcome.startsWith("fault:")) return [outcome];
    client.simulators.clock.advance(1000);
    return taskState(client, outcome);
  }
  const wipe = async (client: Client, id?: string) =>
    finished(client, await invoke(client.simulators, "wipeDisk", id === undefined ? {} : { id }));
  const shrink = async (client: Client, diskId = "") =>
    finished(
      client,
      await invoke(client.simulators, "shrinkDisk", { fields: `&diskId=${diskId}` }),
    );
  const reclaimed = (client: Client) =>
    vmIn(client, "web").disks.map((disk) => [
      disk.allocatedKb / 2 ** 20,
      disk.reclaimedKb / 2 ** 20,
    ]);

  test("in their order give back what the guest does not use", async () => {
    const client = await clientOf(world);
    const page = await invoke(client.simulators, "wipeDisk");
    const task = outcomeOf(page);
    client.simulators.clock.advance(199);
    expect(await taskState(client, task)).toEqual(["running"]);
    client.simulators.clock.advance(1);
    expect(await taskState(client, task)).toEqual(["success"]);
    const { info } = await read(client, task, "info");
    expect(info && textsOf(info.element)).toMatchObject({
      descriptionId: "VirtualMachine.wipeDisk",
      entity: "vm-101",
    });
    const result = childOf(info?.element, "result");
    expect(listOf(result, "VirtualMachineWipeResult").map((each) => textsOf(each))).toEqual([
      { diskId: "2000", shrinkableDiskSpace: String(5 * 2 ** 20) },
      { diskId: "2001", shrinkableDiskSpace: "0" },
    ]);
    expect(reclaimed(client).map(([, kb]) => kb)).toEqual([0, 0, 0]);
    expect(await shrink(client)).toEqual(["success"]);
    expect(reclaimed(client)).toEqual([
      [7, 5],
      [12, 0],
      [8, 0],
    ]);
    const refresh = await client.call("RefreshStorageInfo", "VirtualMachine:vm-101");
    expect(refresh.status).toBe(200);
    expect(client.simulators.log().at(-1)).toMatchObject({ class: "read", effect: false });
    const layout = (await read(client, "VirtualMachine:vm-101", "layoutEx"))["layoutEx"];
    const sizes = listOf(layout?.element, "file").map((each) => Number(textsOf(each)["size"]));
    expect(sizes[1]).toBe(7 * 2 ** 30);
  });

  test("of one disk, and then of the others", async () => {
    const client = await clientOf(world);
    expect(await wipe(client)).toEqual(["success"]);
    expect(await shrink(client, "2001")).toEqual(["success"]);
    expect(reclaimed(client)[0]).toEqual([12, 0]);
    expect(await shrink(client, "2000")).toEqual(["success"]);
    expect(reclaimed(client)[0]).toEqual([7, 5]);
  });

  test("what the guest writes in between is kept", async () => {
    const client = await clientOf(world);
    expect(await wipe(client)).toEqual(["success"]);
    await client.simulators.change({
      change_manager_disk: { vm: "web", disk: "Hard disk 1", stale_gb: 2 },
    });
    expect(await shrink(client)).toEqual(["success"]);
    expect(reclaimed(client)[0]).toEqual([10, 2]);
  });

  describe.each(["typed", "table"] as const)("misuse, told by %s", (browser_fault) => {
    const type = (name: string) => `fault:${browser_fault === "typed" ? name : ""}`;
    test("a shrink that no wipe came before, or that came before its end", async () => {
      const client = await clientOf({ ...world, rules: { browser_fault } });
      const last = () => client.simulators.log().at(-1);
      expect(await shrink(client)).toEqual([type("ShrinkDiskFault")]);
      expect(last()).toMatchObject({ status: 200, effect: false });
      expect(last()?.violation).toContain("not been wiped");
      await invoke(client.simulators, "wipeDisk");
      const early = await invoke(client.simulators, "shrinkDisk", { fields: "&diskId=" });
      expect(outcomeOf(early)).toBe(type("TaskInProgress"));
      expect(last()?.violation).toBeDefined();
      client.simulators.clock.advance(1000);
      expect(await shrink(client)).toEqual(["success"]);
      expect(await shrink(client)).toEqual([type("ShrinkDiskFault")]);
    });

    test.each([
      ["2002", "not space-efficient"],
      ["9999", "no such disk"],
      ["x", "no such disk"],
    ])("a shrink of disk %s", async (diskId, why) => {
      const client = await clientOf({ ...world, rules: { browser_fault } });
      expect(await wipe(client)).toEqual(["success"]);
      const page = await invoke(client.simulators, "shrinkDisk", { fields: `&diskId=${diskId}` });
      expect(outcomeOf(page)).toBe(type("ShrinkDiskFault"));
      expect(page.text).toContain(why);
    });

    test.each([
      ["vm-102", "WipeDiskFault"],
      ["vm-103", "InvalidPowerState"],
      ["vm-104", "ToolsUnavailable"],
    ])("a wipe of %s is a %s", async (id, fault) => {
      const client = await clientOf({ ...world, rules: { browser_fault } });
      expect(await wipe(client, id)).toEqual([type(fault)]);
      expect(client.simulators.world().manager.tasks).toEqual([]);
    });
  });

  test("where misuse is ignored nothing is given back, and it is recorded all the same", async () => {
    const client = await clientOf({ ...world, rules: { reclaim_misuse: "ignored" } });
    expect(await shrink(client)).toEqual(["success"]);
    expect(reclaimed(client)[0]).toEqual([12, 0]);
    expect(client.simulators.log().find((entry) => entry.effect)?.violation).toContain("wiped");
    expect(await wipe(client, "vm-102")).toEqual(["success"]);
  });

  test("a wipe that fails allows no shrink, and neither does one of tools that went away", async () => {
    const faults: FaultScript = {
      faults: [{ on: "POST /mob/", query: "*wipeDisk*", task: { end: "error" } }],
    };
    const client = await clientOf(world, { faults });
    expect((await wipe(client))[0]).toBe("error");
    expect(await shrink(client)).toEqual(["fault:ShrinkDiskFault"]);
    const task = outcomeOf(await invoke(client.simulators, "wipeDisk"));
    await client.simulators.change({ power_manager_vm: { vm: "web", power: "off" } });
    client.simulators.clock.advance(1000);
    expect(await taskState(client, task)).toEqual(["error", "WipeDiskFault"]);
    expect(await shrink(client)).toEqual(["fault:ShrinkDiskFault"]);
  });

  test("how many run at the same time is told by host and by datastore", async () => {
    const disks = [sparse];
    const vm = { power: "on" as const, disks };
    const client = await clientOf({
      hosts: { a: {}, b: {} },
      vms: { x: vm, y: vm, z: { ...vm, host: "b" } },
    });
    const { simulators } = client;
    for (const id of ["vm-101", "vm-102", "vm-103"]) await invoke(simulators, "wipeDisk", { id });
    simulators.clock.advance(1000);
    await invoke(simulators, "shrinkDisk", { id: "vm-101" });
    simulators.clock.advance(1000);
    await invoke(simulators, "shrinkDisk", { id: "vm-102" });
    expect(simulators.world().manager.load).toEqual({
      wipesPerHost: { "host-21": 2, "host-22": 1 },
      shrinksPerDatastore: { "datastore-11": 1 },
    });
  });

  test("faults speak the browser's language", async () => {
    const on = "POST /mob/";
    const faults = {
      faults: [
        { on, busy: true as const },
        { on, nth: 2, refusal: { status: 500 } },
      ],
    };
    const { simulators } = await clientOf(world, { faults });
    const busy = await invoke(simulators, "wipeDisk");
    expect([busy.status, outcomeOf(busy)]).toEqual([200, "fault:TaskInProgress"]);
    const refused = await invoke(simulators, "wipeDisk");
    expect([refused.status, outcomeOf(refused)]).toEqual([500, "fault:SystemError"]);
  });
});
