/** Tasks: progress by the clock, busy vApps, cancelling, expiry, lists. */

import { describe, expect, test } from "vitest";
import { attributeOf, childrenOf } from "../../../../../src/lib/xml/xml.ts";
import type { Reply } from "../cloud-client.ts";
import {
  cloudWith,
  descendantsOf,
  errorOf,
  logIn,
  neutral,
  recordsOf,
  relsOf,
  vappPath,
  vmPath,
} from "../cloud-client.ts";
import {
  taskCloud as cloud,
  datastoreOf,
  relocate,
  shownTasks,
  stateOf,
  taskPath,
  withRules,
} from "../task-client.ts";

describe("a task", () => {
  test("goes from queued to success with the clock alone", async () => {
    const client = await cloudWith(withRules({}, { queued: 50, pre_running: 30 }));
    const { clock } = client.simulators;
    const reply = await relocate(client);
    expect(attributeOf(reply.root, "status")).toBe("queued");
    expect(attributeOf(reply.root, "startTime")).toBeUndefined();
    const path = taskPath(reply);
    const seen: string[] = [];
    for (const ms of [49, 1, 29, 1, 250, 749, 1]) {
      clock.advance(ms);
      seen.push(await stateOf(client, path));
      expect(datastoreOf(client)).toBe(seen.at(-1) === "success 100" ? "fast" : "slow");
    }
    expect(seen).toEqual([
      "queued 0",
      "preRunning 0",
      "preRunning 0",
      "running 0",
      "running 25",
      "running 99",
      "success 100",
    ]);
  });

  test("tells who, what and when, and changes its tense at the end", async () => {
    const client = await cloudWith(cloud);
    const { root, headers } = await relocate(client);
    const base = client.simulators.origins.cloud;
    const href = attributeOf(root, "href") ?? "";
    expect(headers.get("location")).toBe(href);
    expect(headers.get("content-type")).toBe(`${neutral.media}task+xml;version=5.1`);
    const id = /\/api\/task\/([-0-9a-f]{36})$/.exec(href)?.[1];
    expect(attributeOf(root, "id")).toBe(`urn:cloud:task:${id}`);
    expect(attributeOf(root, "operation")).toMatch(/^Relocating Virtual Machine web\(.{36}\)$/);
    const time = (name: string): number => Date.parse(attributeOf(root, name) ?? "");
    expect(time("startTime")).toBe(client.simulators.clock.now());
    expect(time("expiryTime") - time("startTime")).toBe(90 * 86_400_000);
    const [owner] = childrenOf(root, neutral.namespace, "Owner");
    expect(owner && attributeOf(owner, "href")).toBe(`${base}${vmPath(client, "web")}`);
    const [user] = childrenOf(root, neutral.namespace, "User");
    expect(user && attributeOf(user, "name")).toBe("admin");
    expect(relsOf(root)).toEqual(["task:cancel"]);
    client.simulators.clock.advance(1000);
    const ended = (await client.send(`GET ${taskPath({ headers } as Reply)}`)).root;
    expect(attributeOf(ended, "operation")).toMatch(/^Relocated /);
    expect(attributeOf(ended, "endTime")).toBeDefined();
    expect(relsOf(ended)).toEqual([]);
  });

  test.each([
    ["absent", "running", "success"],
    ["zero", "running 0", "success 0"],
  ] as const)("may have its progress %s", async (progress, running, ended) => {
    const client = await cloudWith(withRules({ progress }));
    const path = taskPath(await relocate(client));
    client.simulators.clock.advance(500);
    expect(await stateOf(client, path)).toBe(running);
    client.simulators.clock.advance(500);
    expect(await stateOf(client, path)).toBe(ended);
  });

  test("waits in the VM's Tasks too, without links", async () => {
    const client = await cloudWith(withRules({}, { queued: 50, pre_running: 30 }));
    await relocate(client);
    for (const status of ["queued", "preRunning"]) {
      expect(await shownTasks(client)).toEqual([status]);
      expect(relsOf((await client.send(`GET ${vmPath(client, "web")}`)).root)).toEqual([]);
      client.simulators.clock.advance(50);
    }
  });

  test.each([
    ["absent", [], []],
    ["listed", ["success"], []],
  ] as const)(
    "that succeeded an hour ago may be %s in the VM",
    async (recent_success_tasks, before, after) => {
      const client = await cloudWith(withRules({ recent_success_tasks, session_minutes: 100 }));
      await relocate(client);
      client.simulators.clock.advance(1000 + 3_599_999);
      expect(await shownTasks(client)).toEqual(before);
      client.simulators.clock.advance(1);
      expect(await shownTasks(client)).toEqual(after);
    },
  );

  test("that failed is shown for an hour", async () => {
    const client = await cloudWith(withRules({ session_minutes: 100 }), {
      faults: { faults: [{ on: "POST **/relocate", task: { end: "error", message: "No" } }] },
    });
    await relocate(client);
    client.simulators.clock.advance(1000 + 3_599_999);
    expect(await shownTasks(client)).toEqual(["error"]);
    client.simulators.clock.advance(1);
    expect(await shownTasks(client)).toEqual([]);
  });

  test.each(["success", "error"])("is named by the record when its end was %s", async (end) => {
    const client = await cloudWith(cloud, {
      faults: { faults: [{ on: "POST **/relocate", task: { end } }] },
    });
    const path = taskPath(await relocate(client));
    for (const status of ["running", end]) {
      const { root } = await client.send("GET /api/query?type=vm&filter=name==web");
      const [record] = recordsOf(root);
      const value = (name: string) => record && attributeOf(record, name);
      expect(value("taskStatus")).toBe(status);
      expect(value("taskStatusName")).toBe("vappRelocateVm");
      expect(value("task")).toBe(`${client.simulators.origins.cloud}${path}`);
      client.simulators.clock.advance(1000);
    }
  });

  test("is gone when it expires, with 403", async () => {
    const client = await cloudWith(withRules({ task_days: 1, session_minutes: 10_000 }));
    const path = taskPath(await relocate(client));
    client.simulators.clock.advance(86_399_999);
    expect(await stateOf(client, path)).toBe("success 100");
    client.simulators.clock.advance(1);
    expect(await stateOf(client, path)).toBe("403");
  });

  test("is seen by its organization only, and listed there", async () => {
    const admin = await cloudWith(cloud);
    const login = (user: string, password: string) => logIn(admin.simulators, { user, password });
    const [alice, bob] = [await login("alice@acme", "a"), await login("bob@other", "b")];
    const start = await alice.send(`POST ${vmPath(admin, "web")}/power/action/powerOn`);
    const path = taskPath(start);
    expect(await stateOf(alice, path)).toBe("running 0");
    expect(await stateOf(admin, path)).toBe("running 0");
    expect(await stateOf(bob, path)).toBe("403");
    expect((await bob.send(`POST ${path}/action/cancel`)).status).toBe(403);
    const orgs = await alice.send("GET /api/org/");
    const [org] = recordsOf(orgs.root);
    const orgPath = new URL((org && attributeOf(org, "href")) ?? "").pathname;
    const { root } = await alice.send(`GET ${orgPath}`);
    const link = childrenOf(root, neutral.namespace, "Link").find((each) =>
      attributeOf(each, "type")?.includes("tasksList"),
    );
    const listPath = new URL((link && attributeOf(link, "href")) ?? "").pathname;
    const list = await alice.send(`GET ${listPath}`);
    expect(recordsOf(list.root).map((task) => attributeOf(task, "operationName"))).toEqual([
      "vappDeploy",
    ]);
    expect((await bob.send(`GET ${listPath}`)).status).toBe(403);
    admin.simulators.clock.advance(100);
    await alice.send(`POST ${vmPath(admin, "db")}/power/action/powerOn`);
    admin.simulators.clock.advance(100);
    const all = await alice.send(`GET ${listPath}`);
    expect(recordsOf(all.root).map((task) => attributeOf(task, "status"))).toEqual([
      "success",
      "success",
    ]);
  });
});

describe("busy", () => {
  test("is the whole vApp, and no other, until the task ends", async () => {
    const client = await cloudWith(cloud);
    await relocate(client);
    const busy = [
      await relocate(client),
      await relocate(client, "db"),
      await client.send(`POST ${vmPath(client, "db")}/power/action/powerOn`),
      await client.send(`POST ${vappPath(client, "shop")}/power/action/powerOn`),
      await client.send(`DELETE ${vmPath(client, "db")}`),
    ];
    for (const reply of busy) {
      const [status, minor, message] = errorOf(reply);
      expect([status, minor]).toEqual([400, "BUSY_ENTITY"]);
      expect(message).toMatch(/^The entity (web|db|shop) is busy completing an operation\.$/);
    }
    expect((await relocate(client, "lab1")).status).toBe(202);
    const record = await client.send("GET /api/query?type=vm&filter=isBusy==true&sortAsc=name");
    expect(recordsOf(record.root).map((each) => attributeOf(each, "name"))).toEqual([
      "lab1",
      "web",
    ]);
    client.simulators.clock.advance(1000);
    expect((await relocate(client, "db")).status).toBe(202);
    expect(client.simulators.log().filter((entry) => entry.effect)).toHaveLength(3);
  });

  test("by somebody else's task, which is named", async () => {
    const client = await cloudWith(cloud);
    await client.simulators.change({ start_cloud_task: { vm: "web", duration_ms: 500 } });
    expect(errorOf(await relocate(client))[1]).toBe("BUSY_ENTITY");
    expect((await client.send(`GET ${vmPath(client, "web")}`)).text).toContain('name="somebody"');
    client.simulators.clock.advance(500);
    expect((await relocate(client)).status).toBe(202);
  });
});

describe("busy by a vApp's own task", () => {
  test("are all its VMs", async () => {
    const client = await cloudWith(cloud);
    const change = { vapp: "shop", duration_ms: 500, operation: "vappCopy", user: "alice" };
    await client.simulators.change({ start_cloud_task: change });
    for (const key of ["web", "db"]) {
      expect(errorOf(await relocate(client, key))[1]).toBe("BUSY_ENTITY");
      expect(relsOf((await client.send(`GET ${vmPath(client, key)}`)).root)).toEqual([]);
    }
    const vapp = await client.send(`GET ${vappPath(client, "shop")}`);
    const [task] = descendantsOf(vapp.root, "Task");
    expect(task && attributeOf(task, "operationName")).toBe("vappCopy");
    expect(descendantsOf(vapp.root, "Task")).toHaveLength(1);
    expect(client.simulators.log().every((entry) => entry.violation === undefined)).toBe(true);
    client.simulators.clock.advance(500);
    expect((await relocate(client)).status).toBe(202);
  });

  test("is no other vApp, and the request of a VM keeps the vApp busy", async () => {
    const client = await cloudWith(cloud);
    await relocate(client);
    const shop = vappPath(client, "shop");
    expect(errorOf(await client.send(`POST ${shop}/power/action/powerOn`))[1]).toBe("BUSY_ENTITY");
    expect(errorOf(await client.send(`DELETE ${shop}`))[1]).toBe("BUSY_ENTITY");
    expect((await relocate(client, "lab1")).status).toBe(202);
  });
});

describe("cancelling", () => {
  test("comes too late for a task that ends before it takes effect", async () => {
    const client = await cloudWith(withRules({}, { cancel: 300 }));
    const path = taskPath(await relocate(client));
    client.simulators.clock.advance(701);
    const first = await client.send(`POST ${path}/action/cancel`);
    const second = await client.send(`POST ${path}/action/cancel`);
    expect([first.status, second.status]).toEqual([204, 204]);
    expect(client.simulators.log().map(({ effect }) => effect)).toEqual([false, true, true, false]);
    client.simulators.clock.advance(300);
    expect(await stateOf(client, path)).toBe("success 100");
    expect(datastoreOf(client)).toBe("fast");
  });

  test("of a task that waits ends it as well", async () => {
    const client = await cloudWith(withRules({}, { queued: 100 }));
    const path = taskPath(await relocate(client));
    await client.send(`POST ${path}/action/cancel`);
    expect(await stateOf(client, path)).toBe("queued 0");
    client.simulators.clock.advance(10);
    expect(await stateOf(client, path)).toBe("canceled 0");
    expect(client.simulators.log().find(({ path: url }) => url.endsWith("cancel"))?.class).toBe(
      "mutate",
    );
  });

  test("ends a task without its effect, and frees the vApp", async () => {
    const client = await cloudWith(cloud);
    const path = taskPath(await relocate(client));
    client.simulators.clock.advance(500);
    const reply = await client.send(`POST ${path}/action/cancel`);
    expect([reply.status, reply.text]).toEqual([204, ""]);
    expect(await stateOf(client, path)).toBe("running 50");
    expect(errorOf(await relocate(client))[1]).toBe("BUSY_ENTITY");
    client.simulators.clock.advance(10);
    expect(await stateOf(client, path)).toBe("canceled 51");
    client.simulators.clock.advance(1000);
    expect(datastoreOf(client)).toBe("slow");
    expect((await relocate(client)).status).toBe(202);
    const again = await client.send(`POST ${path}/action/cancel`);
    expect(errorOf(again)[1]).toBe("BAD_REQUEST");
  });

  test("may be ignored: the task only tells that it was asked", async () => {
    const client = await cloudWith(withRules({ cancel: "ignored" }));
    const path = taskPath(await relocate(client));
    await client.send(`POST ${path}/action/cancel`);
    const { root } = await client.send(`GET ${path}`);
    expect(attributeOf(root, "cancelRequested")).toBe("true");
    expect(attributeOf(root, "status")).toBe("running");
    client.simulators.clock.advance(1000);
    expect(await stateOf(client, path)).toBe("success 100");
    expect(datastoreOf(client)).toBe("fast");
  });
});
