/** Every provider that comes with vmform passes the suite that packages are held against. */

import { describe, expect, test } from "vitest";
import { createHttpClients } from "../../../src/http/client.ts";
import { createSecretMask } from "../../../src/lib/mask.ts";
import type { Attributes, Value } from "../../../src/model/value/value.ts";
import type { ProviderFactory } from "../../../src/providers/kit/factory.ts";
import { providers } from "../../../src/providers/registry.ts";
import { checksOf } from "../../../src/published/checks.ts";
import type { DataSample, Subject, TestWorld, TypeSample } from "../../../src/published/harness.ts";
import { type RunningSimulators, startSimulators } from "../../../src/simulators/start.ts";
import type { WorldDocument } from "../../../src/simulators/world.ts";
import { some } from "../../helpers/amount.ts";
import { readNoFile, testPorts } from "../../helpers/http-ports.ts";

const password = "pa55-of-the-w0rld";
const worldDocument: WorldDocument = {
  seed: 1,
  daemon: {
    rules: { host_paths: ["/srv/src", "/srv/docs"] },
    vms: { golden: { name: "Golden image", power: "on", sharing: true, tools: true } },
  },
  cloud: {
    durations_ms: { relocate: 5, create_snapshot: 5, remove_snapshots: 5 },
    users: [{ name: "admin", password }],
    datastores: { "hdd-01": { capacity_mb: 800_000 }, "ssd-01": { capacity_mb: 400_000 } },
    vapps: { tier: { name: "tier", vms: { "web-1": { power: "on", hardware_version: 9 } } } },
  },
  manager: {
    durations_ms: { reconfigure: 5 },
    users: [{ name: "admin", password }],
    datastores: { "ssd-01": { capacity_gb: 2000 }, "hdd-01": { capacity_gb: 8000 } },
    vms: {
      vcsa: { name: "appliance", power: "on", disks: "appliance" },
      desk: {
        power: "off",
        datastore: "hdd-01",
        hardware_version: 10,
        disks: [{ size_gb: 40, format: "sesparse", used_gb: 30, stale_gb: 12 }],
      },
    },
  },
  appliance: { users: [{ name: "root", password }], vm: "vcsa" },
};

type Interface = keyof RunningSimulators["origins"];

function settingsOf(name: string, origins?: RunningSimulators["origins"]): Value {
  const url = origins?.[name as Interface] ?? "http://127.0.0.1:9";
  switch (name) {
    case "noop":
      return {};
    case "daemon":
      return { url };
    case "cloud":
      return { url, org: "system", user: "admin", password };
    default:
      return { url, user: name === "appliance" ? "root" : "admin", password };
  }
}

/** What waits between tries waits not at all. */
const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };

function subjectOf(factory: ProviderFactory): Subject {
  return {
    types: factory.types,
    dataTypes: factory.dataTypes,
    open: (settings, access) => {
      const mask = createSecretMask([password]);
      const http = createHttpClients(testPorts({ clock, mask, readOnly: access === "read" }));
      return factory.create({ http, clock, readTextFile: readNoFile }).open(settings);
    },
  };
}

async function worldOf(name: string): Promise<TestWorld> {
  const running = await startSimulators({ world: worldDocument });
  return {
    settings: settingsOf(name, running.origins),
    ...(name === "noop" ? {} : { unreachable: settingsOf(name) }),
    secrets: [password],
    snapshot: async () => {
      const { [name as "manager"]: part } = running.world();
      // A login is an event, and a number of its own; a task that was refused stays listed.
      const told = name === "manager" ? { tasks: [], events: [] } : { events: [] };
      return { ...part, ...told, nextNumber: 0 };
    },
    close: async () => {
      await running.stop();
    },
  };
}

/** Identities of objects that every world has, by their names. */
async function identities(name: string, type: string): Promise<ReadonlyMap<string, string>> {
  const world = await worldOf(name);
  const factory = providers().find((one) => one.name === name);
  if (factory === undefined) throw new Error(`no provider ${name}`);
  const session = await subjectOf(factory).open(world.settings, "read");
  const all = (await session.list?.(type)) ?? [];
  await session.close();
  await world.close?.();
  return new Map(all.map((one) => [one.name ?? one.identity, one.identity]));
}

const cloudVm = (await identities("cloud", "cloud_vm")).get("tier/web-1") ?? "";
/** The second of the manager's VMs, which it lists by their ids. */
const desk = (await identities("manager", "manager_vm")).get("vm-102") ?? "";

const samples: { readonly [provider: string]: readonly TypeSample[] } = {
  daemon: [
    { type: "daemon_vm", create: { id: "web", name: "Web" }, update: { name: "Other" } },
    {
      type: "daemon_shared_folder",
      create: { vm_id: "golden", guest_path: "src", host_path: "/srv/src" },
    },
  ],
  cloud: [
    {
      type: "cloud_vm",
      existing: { lookup: { name: "web-1", vapp_name: "tier" }, wanted: { name: "web-1" } },
      update: { datastore: "ssd-01" },
      absent: { lookup: { name: "nobody" } },
      actions: [
        { name: "reset" },
        { name: "reboot" },
        { name: "shutdown", after: { power_state: "off-deployed" } },
        { name: "power-off" },
        { name: "suspend", after: { power_state: "suspended" } },
        { name: "discard", refused: true },
        { name: "revert", refused: true },
        { name: "cancel-task", refused: true },
      ],
    },
    { type: "cloud_snapshot", create: { vm: cloudVm, name: "before" } },
  ],
  manager: [
    {
      type: "manager_vm",
      existing: { lookup: { name: "desk" }, wanted: { name: "desk" } },
      update: { nested_hv_enabled: true },
      absent: { lookup: { name: "nobody" } },
      actions: [
        { name: "reset", refused: true },
        { name: "shutdown", refused: true },
        { name: "suspend", refused: true },
        { name: "cancel-task", refused: true },
      ],
    },
    {
      type: "manager_disk",
      existing: { lookup: { vm: desk, disk_id: "2000" }, wanted: { vm: desk, disk_id: "2000" } },
      update: { size_gb: 60 },
      absent: { lookup: { vm: desk, disk_id: "2999" } },
    },
    { type: "manager_disk_reclaim", create: { vm: desk, triggers: { round: 1 } as Attributes } },
    {
      type: "manager_login_alarm",
      create: { name: "Login as root", user_name: "LAB.LOCAL\\root" },
      update: { description: "Nobody should." },
    },
  ],
  appliance: [
    {
      type: "appliance_storage",
      existing: { identity: "storage", wanted: {} },
      always: true,
    },
  ],
  noop: [{ type: "noop_resource", create: { name: "a", value: "x" }, update: { value: "y" } }],
};

const data: { readonly [provider: string]: readonly DataSample[] } = {
  daemon: [{ type: "daemon_vms", query: {}, expect: { ids: ["golden"], vm_count: 1 } }],
  cloud: [
    { type: "cloud_query", query: { type: "vm" }, refused: { type: "nothing" } },
    { type: "cloud_vm", query: { name: "web-1" }, refused: { name: "nobody" } },
    { type: "cloud_vapp", query: { name: "tier" }, refused: { name: "nothing" } },
    { type: "cloud_datastore", query: { name: "ssd-01" }, refused: { name: "nothing" } },
  ],
  manager: [
    { type: "manager_vm", query: { name: "desk" }, refused: { name: "nobody" } },
    { type: "manager_disks", query: { vm: desk }, refused: { vm: "vm-999" } },
    { type: "manager_host", query: {}, refused: { name: "nothing" } },
    { type: "manager_login_events", query: {} },
  ],
  appliance: [{ type: "appliance_storage", query: {} }],
};

test("each provider is held against it", () => {
  expect(Object.keys(samples).toSorted()).toEqual(
    providers()
      .map(({ name }) => name)
      .toSorted(),
  );
});

describe.each(providers().map((factory) => [factory.name, factory] as const))(
  "%s",
  (name, factory) => {
    const world = () => worldOf(name);
    const checks = checksOf(async () => subjectOf(factory), {
      world,
      samples: samples[name] ?? [],
      data: data[name] ?? [],
    });
    const rows = checks.map((check) => [check.name, check] as const);
    test.each(some(rows, 12))("%s", async (_name, check) => {
      await expect(check.run()).resolves.toBeUndefined();
    });
  },
);
