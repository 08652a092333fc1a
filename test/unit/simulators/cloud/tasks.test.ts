/** Tasks: progress by the clock, busy vApps, cancelling, expiry, lists, and how faults end them. */

import { describe, expect, test } from "vitest";
import { attributeOf, childrenOf, textOf } from "../../../../src/lib/xml.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world-document.ts";
import type { FaultDocument } from "../../../../src/simulators/faults.ts";
import { failureOf } from "../simulation.ts";
import type { Client, Reply } from "./cloud-client.ts";
import {
  cloudWith,
  datastoreHref,
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
    { name: "alice", org: "acme", password: "a" },
    { name: "bob", org: "other", password: "b" },
  ],
  durations_ms: { relocate: 1000, power_on: 100 },
  datastores: { slow: {}, fast: {} },
  vapps: { shop: { org: "acme", vms: { web: {}, db: {} } }, lab: { vms: { lab1: {} } } },
};

function withRules(rules: CloudDocument["rules"], queued = 0): CloudDocument {
  return { ...cloud, rules: rules ?? {}, durations_ms: { ...cloud.durations_ms, queued } };
}

function relocate(client: Client, key = "web"): Promise<Reply> {
  const body = relocateBody(datastoreHref(client, "fast"));
  return client.send(`POST ${vmPath(client, key)}/action/relocate`, body);
}

/** Path of the task that a reply announces. */
function taskPath(reply: Reply): string {
  return new URL(reply.headers.get("location") ?? "").pathname;
}

/** Status and progress of a task, or the status of the reply. */
async function stateOf(client: Client, path: string): Promise<string> {
  const reply = await client.send(`GET ${path}`);
  if (reply.status !== 200) return String(reply.status);
  const [progress] = childrenOf(reply.root, neutral.namespace, "Progress");
  const shown = progress === undefined ? "" : ` ${textOf(progress)}`;
  return `${attributeOf(reply.root, "status")}${shown}`;
}

function datastoreOf(client: Client, key = "web"): string | undefined {
  const world = client.simulators.world().cloud;
  const id = world.vms.find((vm) => vm.key === key)?.datastoreId;
  return world.datastores.find((each) => each.id === id)?.key;
}

describe("a task", () => {
  test("goes from queued to success with the clock alone", async () => {
    const client = await cloudWith(withRules({}, 50));
    const { clock } = client.simulators;
    const reply = await relocate(client);
    expect(attributeOf(reply.root, "status")).toBe("queued");
    expect(attributeOf(reply.root, "startTime")).toBeUndefined();
    const path = taskPath(reply);
    const seen: string[] = [];
    for (const ms of [49, 1, 250, 749, 1]) {
      clock.advance(ms);
      seen.push(await stateOf(client, path));
      expect(datastoreOf(client)).toBe(seen.at(-1) === "success 100" ? "fast" : "slow");
    }
    expect(seen).toEqual(["queued 0", "running 0", "running 25", "running 99", "success 100"]);
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

describe("cancelling", () => {
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

describe("faults", () => {
  const on = "POST /api/vApp/*/action/relocate";
  const withFault = (fault: Omit<FaultDocument, "on">): Promise<Client> =>
    cloudWith(cloud, { faults: { faults: [{ on, ...fault }] } });

  test.each<readonly [FaultDocument["task"] & {}, string, string, string]>([
    [{ end: "canceled" }, "running 50", "canceled", "slow"],
    [{ end: "aborted" }, "running 50", "aborted", "slow"],
    [{ end: "error", message: "Contact your administrator." }, "running 50", "error", "slow"],
    [{ end: "error", effect: true }, "running 50", "error", "fast"],
    [{ effect: false }, "running 50", "success", "slow"],
    [{ meanwhile: "paused" }, "paused 50", "success", "fast"],
    [{ end: "vanquished" }, "running 50", "vanquished", "slow"],
    [{ lost: true }, "running 50", "403", "fast"],
  ])("the task %j", async (task, meanwhile, end, datastore) => {
    const client = await withFault({ task });
    const reply = await relocate(client);
    expect(reply.status).toBe(202);
    const path = taskPath(reply);
    client.simulators.clock.advance(500);
    expect(await stateOf(client, path)).toBe(meanwhile);
    client.simulators.clock.advance(500);
    expect((await stateOf(client, path)).split(" ")[0]).toBe(end);
    expect(datastoreOf(client)).toBe(datastore);
    if (task.message !== undefined) {
      expect((await client.send(`GET ${path}`)).text).toContain(task.message);
      expect((await client.send(`GET ${vmPath(client, "web")}`)).text).toContain(task.message);
    }
    expect((await relocate(client)).status).toBe(202);
  });

  test("busy, any refusal, a lost reply and a foreign page", async () => {
    const busy = await withFault({ busy: true });
    expect(errorOf(await relocate(busy)).slice(0, 2)).toEqual([400, "BUSY_ENTITY"]);
    const refusal = { status: 403, minor_code: "ACCESS_TO_RESOURCE_IS_FORBIDDEN", message: "No" };
    const denied = await withFault({ refusal });
    expect(errorOf(await relocate(denied))).toEqual([403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No"]);
    const lost = await withFault({ reset: "after" });
    expect(await failureOf(relocate(lost))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(lost.simulators.log().at(-1)).toMatchObject({ effect: true, status: null });
    expect(lost.simulators.world().cloud.tasks).toHaveLength(1);
    const foreign = await withFault({ foreign: { status: 503 } });
    const page = await relocate(foreign);
    expect([page.status, page.text.slice(0, 9)]).toEqual([503, "<!DOCTYPE"]);
    expect(foreign.simulators.world().cloud.tasks).toEqual([]);
  });

  test("a VM that is deleted while its task runs makes the task fail", async () => {
    const client = await cloudWith(cloud);
    const path = taskPath(await relocate(client));
    await client.simulators.change({ delete_cloud_vm: { vm: "web" } });
    client.simulators.clock.advance(1000);
    const { text } = await client.send(`GET ${path}`);
    expect(text).toContain('status="error"');
    expect(text).toContain("does not exist");
  });

  test("a change in front of a request", async () => {
    const change = { move_cloud_vm: { vm: "db", datastore: "fast" } } as const;
    const client = await withFault({ change });
    expect((await relocate(client)).status).toBe(202);
    expect(datastoreOf(client, "db")).toBe("fast");
  });
});
