/** The cloud's part of a world: its file, outside changes, persistence, and the log's effects. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { CloudVm } from "../../../../src/simulators/cloud/world/inventory.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import type { OutsideChange } from "../../../../src/simulators/core.ts";
import { createClock } from "../../../../src/simulators/kit/clock.ts";
import { SimulatorInputError } from "../../../../src/simulators/kit/document.ts";
import type { RunningSimulators } from "../../../../src/simulators/start.ts";
import { startSimulators } from "../../../../src/simulators/start.ts";
import type { WorldDocument } from "../../../../src/simulators/world.ts";
import { readWorldSource } from "../../../../src/simulators/world.ts";
import { call, simulate } from "../simulation.ts";
import type { Client } from "./cloud-client.ts";
import { cloudWith, datastoreHref, logIn, relocateBody, vmPath } from "./cloud-client.ts";

const sample = fileURLToPath(new URL("./sample-cloud.yaml", import.meta.url));

test("the sample world holds what it says", async () => {
  const simulators = await simulate({ world: sample });
  const { cloud } = simulators.world();
  expect(cloud.rules).toMatchObject({ dialect: "vendor", versions: ["1.5", "5.1"] });
  expect(cloud.durations).toMatchObject({ relocate: 60_000, power_on: 20 });
  expect(cloud.vms.map((vm) => [vm.key, vm.name, vm.status, vm.deployed, vm.moref])).toEqual([
    ["web", "web", 4, true, "vm-567"],
    ["db", "Database", 8, false, "vm-102"],
    ["old", "old", 3, false, "vm-103"],
    ["golden", "golden", 8, false, "vm-104"],
  ]);
  const header = "x-vcloud-authorization";
  const client = await logIn(simulators, { user: "alice@acme", password: "a-secret", header });
  expect((await client.send("GET /api/query?type=vApp")).status).toBe(200);
});

test("equal worlds have equal ids, other seeds have others", () => {
  const world = { cloud: { vapps: { a: { vms: { x: {}, y: {} } } } } };
  const ids = (seed: number) => readWorldSource(world, seed).cloud.vms.map((vm) => vm.id);
  expect(ids(1)).toEqual(ids(1));
  expect(new Set([...ids(1), ...ids(2)]).size).toBe(4);
});

test("problems are collected with their places", () => {
  // The wider type is what a JavaScript caller could pass.
  const bad: object = {
    cloud: {
      rules: { dialect: "other", versions: ["five"], page_size_max: 0 },
      durations_ms: { fly: 1 },
      users: [{ name: "a", role: "king" }],
      vapps: { a: { vms: { x: { status: 10 } } }, b: { vms: { x: { power: "paused" } } } },
    },
  };
  expect(placesOf(bad)).toEqual([
    "world.cloud.durations_ms.fly",
    "world.cloud.rules.dialect",
    "world.cloud.rules.versions.0",
    "world.cloud.rules.page_size_max",
    "world.cloud.users.0.password",
    "world.cloud.users.0.role",
    "world.cloud.vapps.a.vms.x.status",
    "world.cloud.vapps.b.vms.x.power",
  ]);
});

test("what is named has to be there, and once", () => {
  const bad: WorldDocument = {
    cloud: {
      managers: { first: {}, second: {} },
      datastores: { a: {}, b: { manager: "third" } },
      vapps: {
        a: { vms: { x: { datastore: "nope" }, y: { moref: "vm-1" }, z: { moref: "vm-1" } } },
        b: { vms: { x: { vm: "x", vapp: "b" } } },
      },
    },
  };
  expect(placesOf(bad)).toEqual([
    "world.cloud.datastores.b.manager",
    "world.cloud.vapps.a.vms.x.datastore",
    "world.cloud.vapps.a.vms.z",
    "world.cloud.vapps.b.vms.x",
    "world.cloud.vapps.b.vms.x.vm",
    "world.cloud.vapps.b.vms.x.vapp",
  ]);
});

function placesOf(bad: WorldDocument): readonly string[] {
  try {
    readWorldSource(bad, undefined);
  } catch (error) {
    if (!(error instanceof SimulatorInputError)) throw error;
    return error.problems.map((problem) => problem.split(": ")[0] ?? "");
  }
  return [];
}

const cloud: CloudDocument = {
  durations_ms: { relocate: 1000 },
  datastores: { slow: {}, fast: {} },
  vapps: { shop: { vms: { web: { power: "on" }, db: {} } }, lab: { vms: { lab1: {} } } },
};

function vmOf(simulators: RunningSimulators, key: string): CloudVm | undefined {
  return simulators.world().cloud.vms.find((vm) => vm.key === key);
}

test.each<readonly [OutsideChange, string, Partial<CloudVm> | undefined]>([
  [{ power_cloud_vm: { vm: "web", power: "off" } }, "web", { status: 8, deployed: false }],
  [
    { power_cloud_vm: { vm: "web", power: "off", deployed: true } },
    "web",
    { status: 8, deployed: true },
  ],
  [{ power_cloud_vm: { vm: "db", power: "off", status: 20 } }, "db", { status: 20 }],
  [{ add_cloud_vm: { vm: "new", vapp: "lab", power: "on", cpus: 2 } }, "new", { cpus: 2 }],
  [{ delete_cloud_vm: { vm: "web" } }, "web", undefined],
  [{ rename_cloud_vm: { vm: "web", name: "db" } }, "web", { name: "db" }],
  [{ nest_cloud_vm: { vm: "db", enabled: true } }, "db", { nested: true }],
  [{ deny_cloud_vm: { vm: "db", denied: true } }, "db", { denied: true }],
  [{ snapshot_cloud_vm: { vm: "db", remove: true } }, "db", { snapshot: null }],
  [{ tools_cloud_vm: { vm: "db", tools: "absent" } }, "db", { tools: false }],
  [{ move_cloud_vm: { vm: "db", datastore: "fast" } }, "db", { name: "db" }],
])("outside change %j", async (change, key, expected) => {
  const local = await simulate({ world: { cloud } });
  await local.change(change);
  const remote = await simulate({ world: { cloud } });
  expect((await call(remote, "POST /_simulator/change", change)).status).toBe(200);
  for (const simulators of [local, remote]) {
    if (expected === undefined) expect(vmOf(simulators, key)).toBeUndefined();
    else expect(vmOf(simulators, key)).toMatchObject(expected);
    expect(simulators.log()).toEqual([]);
  }
});

test.each([
  ["{ power_cloud_vm: { vm: nope, power: on } }", 'there is no cloud VM "nope"'],
  ["{ move_cloud_vm: { vm: web, datastore: nope } }", 'there is no datastore "nope"'],
  ["{ add_cloud_vm: { vm: web, vapp: shop } }", 'there is a VM "web"'],
  ["{ add_cloud_vm: { vm: new, vapp: nope } }", 'there is no vApp "nope"'],
  ["{ power_cloud_vm: { vm: web, power: paused } }", "one of on, off, suspended"],
  ["{ delete_cloud_vm: { vm: web }, delete_vm: { id: a } }", "exactly one of"],
  ["{ deny_cloud_vm: { vm: web, user: nobody } }", 'there is no cloud user "nobody"'],
  ["{ set_cloud_role: { user: admin@acme, role: user } }", 'there is no cloud user "admin@acme"'],
  ["{ set_cloud_role: { user: admin, role: king } }", "one of system_administrator"],
  ["{ change_cloud_datastore: { datastore: nope } }", 'there is no datastore "nope"'],
  ["{ start_cloud_task: { vapp: nope, duration_ms: 1 } }", 'there is no vApp "nope"'],
  ["{ start_cloud_task: { vm: web, vapp: shop, duration_ms: 1 } }", "only one of vm, vapp"],
  [
    "{ tools_cloud_vm: { vm: web, tools: off } }",
    "one of true, false, running, absent is expected",
  ],
])("the change %s is refused", async (body, problem) => {
  const simulators = await simulate({ world: { cloud } });
  const before = simulators.world().cloud;
  const reply = await call(simulators, "POST /_simulator/change", body);
  expect(reply.status).toBe(400);
  expect(reply.text).toContain(JSON.stringify(problem).slice(1, -1));
  expect(simulators.world().cloud).toEqual(before);
});

test("a datastore gets another name, and is closed", async () => {
  const client = await cloudWith(cloud);
  const change = { datastore: "fast", name: "faster", enabled: false };
  await client.simulators.change({ change_cloud_datastore: change });
  const record = await client.send("GET /api/query?type=datastore&filter=name==faster");
  expect(record.text).toContain('isEnabled="false"');
  const body = relocateBody(datastoreHref(client, "fast"));
  await client.send(`POST ${vmPath(client, "web")}/action/relocate`, body);
  client.simulators.clock.advance(1000);
  expect((await client.send(`GET ${vmPath(client, "web")}`)).text).toContain("is not enabled");
});

test("the world of the example has 12 VMs of every kind in 3 vApps, and a template", () => {
  const file = fileURLToPath(new URL("../../../../examples/cloud/world.yaml", import.meta.url));
  const world = readWorldSource(file, undefined).cloud;
  const templates = world.vapps.filter((vapp) => vapp.template).map(({ id }) => id);
  const vms = world.vms.filter((vm) => !templates.includes(vm.vappId));
  expect([vms.length, world.vapps.length, world.datastores.length]).toEqual([12, 4, 2]);
  expect(templates).toHaveLength(1);
  const states = new Set(vms.map((vm) => `${vm.status} ${vm.deployed}`));
  expect(states).toEqual(new Set(["4 true", "8 false", "8 true", "3 true", "3 false"]));
  expect(new Set(vms.map((vm) => vm.hardwareVersion))).toEqual(new Set([8, 9, 10]));
  for (const { id, capacityMb } of world.datastores) {
    // Each has room for all of them.
    expect(vms.reduce((sum, vm) => sum + vm.storageMb, 0)).toBeLessThan(capacityMb);
    expect(vms.some((vm) => vm.datastoreId === id)).toBe(true);
  }
});

test("the whole world can be put in place, sessions going on", async () => {
  const client = await cloudWith(cloud);
  await client.simulators.change((world) => ({ ...world, cloud: { ...world.cloud, vms: [] } }));
  const reply = await client.send("GET /api/query?type=adminVM");
  expect(reply.text).toContain('total="0"');
});

test("a task goes on while no simulator runs; sessions do not", async () => {
  const home = mkdtempSync(join(tmpdir(), "simulated-cloud-"));
  const persist = join(home, "world.json");
  const clock = createClock({ startMs: 1000, timeScale: 0 });
  const start = () => startSimulators({ world: { cloud }, clock, persist });
  let simulators = await start();
  const first = await logIn(simulators);
  const body = relocateBody(datastoreHref(first, "fast"));
  const reply = await first.send(`POST ${vmPath(first, "web")}/action/relocate`, body);
  const path = new URL(reply.headers.get("location") ?? "").pathname;
  await simulators.stop();
  clock.advance(400);
  simulators = await start();
  const stale: Client = { ...first, simulators };
  expect((await stale.send(`GET ${path}`).catch(() => undefined))?.status).not.toBe(200);
  const second = await logIn(simulators);
  expect((await second.send(`GET ${path}`)).text).toContain("<Progress>40</Progress>");
  await simulators.stop();
  clock.advance(600);
  simulators = await start();
  const third = await logIn(simulators);
  expect((await third.send(`GET ${path}`)).text).toContain('status="success"');
  const fast = simulators.world().cloud.datastores.find((each) => each.key === "fast");
  expect(vmOf(simulators, "web")?.datastoreId).toBe(fast?.id);
  await simulators.stop();
  rmSync(home, { recursive: true });
});
