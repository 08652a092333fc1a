/**
 * Twins: what a provider observes of a world, it observes of the twin that is made of its survey, of
 * every type and whatever is there.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSecretMask } from "../../../src/lib/mask.ts";
import type { Observation, Wanted } from "../../../src/model/provider/observation.ts";
import type { ProviderSession } from "../../../src/model/provider/provider.ts";
import type { Survey } from "../../../src/model/provider/survey.ts";
import { toAddress } from "../../../src/model/value/address.ts";
import type { ValueMap } from "../../../src/model/value/value.ts";
import { typeRegistry } from "../../../src/providers/registry.ts";
import type { WorldDocument } from "../../../src/simulators/world.ts";
import { initialState } from "../../../src/state/initial.ts";
import { simulatedAccess } from "../../../src/wiring/simulated-access.ts";
import { start } from "../../../src/wiring/simulators.ts";
import { createTestClock } from "../../../src/wiring/testing/clock.ts";
import { openTwin } from "../../../src/wiring/twin/twin.ts";
import { amount } from "../../helpers/amount.ts";

type Name = "cloud" | "manager" | "daemon" | "appliance";
const startMs = Date.UTC(2026, 0, 31);
const mask = createSecretMask();

const settings: { readonly [name in Name]: ValueMap } = {
  cloud: { url: "https://cloud.test/base", user: "admin", org: "System", password: "secret" },
  manager: { url: "https://manager.test", user: "admin", password: "secret" },
  daemon: { url: "http://localhost:8697" },
  appliance: { url: "https://appliance.test", user: "root", password: "secret" },
};
/** Where a twin leads, whatever stands before the paths of the interface. */
const origins: { readonly [name in Name]: string } = {
  cloud: "https://cloud.test",
  manager: "https://manager.test",
  daemon: "http://localhost:8697",
  appliance: "https://appliance.test",
};
/** Listed first what others are content of. */
const types: { readonly [name in Name]: readonly [string, string?][] } = {
  cloud: [["cloud_vm"], ["cloud_snapshot", "cloud_vm"]],
  manager: [["manager_vm"], ["manager_disk", "manager_vm"], ["manager_login_alarm"]],
  daemon: [["daemon_vm"], ["daemon_shared_folder", "daemon_vm"]],
  appliance: [["appliance_storage"]],
};

type Seen = {
  readonly observed: ReadonlyMap<string, Observation>;
  readonly survey: Survey;
};

/** Everything that a session sees: all objects of all types, with all attributes. */
async function look(name: Name, session: ProviderSession): Promise<Seen> {
  const isOld = name === "cloud" && (await session.version?.()) === "1.5";
  const found: { readonly type: string; readonly identity: string }[] = [];
  for (const [type, container] of types[name]) {
    const within = found.filter((one) => one.type === container).map(({ identity }) => identity);
    // The older version knows no snapshots.
    if (isOld && container !== undefined) continue;
    const listed =
      container === undefined
        ? await session.list?.(type)
        : await session.listContent?.(type, within);
    found.push(...(listed ?? []));
  }
  const registry = typeRegistry();
  const wanted = found.map(({ type, identity }): Wanted => {
    const address = toAddress(`${type}.seen`);
    const schema = registry[type]?.schema;
    if (address === undefined || schema === undefined) throw new Error(`no type ${type}`);
    return { address, type, identity, attributes: Object.keys(schema.attributes) };
  });
  const observations = await session.read(wanted);
  const observed = new Map(
    wanted.map((one, index) => [`${one.type} ${one.identity}`, plain(observations[index])]),
  );
  const survey = await session.survey?.({ objects: found });
  if (survey === undefined) throw new Error(`${name} is not surveyed`);
  return { observed, survey };
}

/** Without words that differ by the number of the session, or name its address. */
function plain(observation: Observation | undefined): Observation {
  if (observation?.status !== "found") throw new Error(JSON.stringify(observation));
  const { reasons: _words, ...rest } = observation;
  return rest;
}

async function looking(open: () => Promise<ProviderSession>, name: Name): Promise<Seen> {
  const session = await open();
  try {
    return await look(name, session);
  } finally {
    await session.close();
  }
}

async function bothSides(name: Name, part: WorldDocument): Promise<readonly [Seen, Seen]> {
  const org = part.cloud?.users?.[0]?.org;
  const written: ValueMap = { ...settings[name], ...(org === undefined ? {} : { org }) };
  const clock = createTestClock(startMs, () => 0);
  const simulators = await start({ world: part, clock });
  const access = simulatedAccess({
    ...{ clock, mask, events: () => {}, what: "this test" },
    readSecret: () => Promise.reject(new Error("no secret is read")),
    readTextFile: () => Promise.reject(new Error("no file is read")),
    dialTo: simulators.origins,
  });
  const seen = await looking(async () => {
    const given = { ...written, url: origins[name] };
    return access.open(name, given, "read");
  }, name);
  await simulators.stop();
  const provider = { name, settings: written, survey: seen.survey };
  const state = initialState("lineage", "here", false);
  const source = { startMs, state, providers: [provider], operations: [], durations: new Map() };
  const twin = await openTwin(source, mask);
  const opened = twin.openProviders(".", () => {});
  const again = await looking(() => opened.open(name, written, "mutate"), name);
  await twin.close();
  return [seen, again];
}

const power = fc.constantFrom("on" as const, "off" as const, "suspended" as const);
const name = fc.constantFrom("web", "db", "a b/ü", "web");

const cloudVm = fc.record(
  {
    ...{ power, name, deployed: fc.boolean(), nested: fc.boolean() },
    datastore: fc.constantFrom("old", "new", "same"),
    hardware_version: fc.integer({ min: 4, max: 19 }),
    tools: fc.boolean(),
    cpus: fc.integer({ min: 1, max: 8 }),
    memory_mb: fc.integer({ min: 1, max: 99_999 }),
    storage_mb: fc.integer({ min: 0, max: 99_999 }),
    guest_os: fc.constantFrom("Linux <&>", "Windows"),
    snapshot: fc.record({ powered_on: fc.boolean(), size_bytes: fc.nat() }),
  },
  { requiredKeys: ["power", "datastore"] },
);
const cloud = fc
  .record({
    vms: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), cloudVm),
    others: fc.dictionary(fc.constantFrom("e", "f"), cloudVm),
    dialect: fc.constantFrom("neutral" as const, "vendor" as const),
    version: fc.constantFrom("1.5", "5.1"),
    org: fc.constantFrom({ name: "System" }, { name: "acme" }),
  })
  .map(({ vms, others, dialect, version, org }): WorldDocument => {
    return {
      cloud: {
        rules: { dialect, versions: [version] },
        users: [{ name: "admin", org: org.name, password: "secret" }],
        managers: { one: {}, two: {} },
        datastores: {
          old: { manager: "one", capacity_mb: 5_000_000, used_mb: 77 },
          new: { manager: "two", name: "old", capacity_mb: 6_000_000 },
          same: { manager: "one", enabled: false, capacity_mb: 9_000_000 },
        },
        vapps: { shop: { vms }, empty: {}, lab: { name: "shop", vms: others } },
      },
    };
  });

const disk = fc.record({
  size_mb: fc.integer({ min: 1, max: 99_999 }),
  format: fc.constantFrom("thin" as const, "zeroedthick" as const, "unknown" as const),
  datastore: fc.constantFrom("local", "fast"),
  label: fc.constantFrom("Hard disk 1", "data"),
  linked: fc.boolean(),
});
const managerVm = fc.record({
  ...{ power, name, nested: fc.boolean(), host: fc.constantFrom("x", "y") },
  folder: fc.constantFrom("", "team", "team/deep", "vm"),
  datastore: fc.constantFrom("local", "fast"),
  hardware_version: fc.integer({ min: 4, max: 19 }),
  tools: fc.constantFrom("running" as const, "absent" as const),
  disks: fc.array(disk, { maxLength: 4 }),
  snapshots: fc.array(fc.record({ name }), { maxLength: 2 }),
});
const manager = fc
  .record({
    vms: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), managerVm),
    enabled: fc.boolean(),
    version: fc.constantFrom("5.0", "5.1", "6.5", "7.0.3.0"),
  })
  .map(
    ({ vms, enabled, version }): WorldDocument => ({
      manager: {
        rules: { api_version: version, datacenter: "Lab" },
        hosts: { x: { nested_supported: false }, y: {} },
        // Thin disks count with their whole size, so there has to be so much that is taken.
        datastores: {
          local: { capacity_gb: 9000, used_gb: 2000 },
          fast: { capacity_gb: 8000, used_gb: 2000 },
        },
        alarms: { root: { user: "LAB\\root", enabled, description: "who?" } },
        vms,
      },
    }),
  );

const daemonVm = fc.record({
  power: fc.constantFrom("on" as const, "off" as const, "suspended" as const, "paused" as const),
  ...{ name, tag: fc.constantFrom("shop", "lab") },
  sharing: fc.constant(true),
  folders: fc.dictionary(
    fc.constantFrom("src", "a b"),
    fc.record({ host_path: fc.constantFrom("/srv", "/a b"), writable: fc.boolean() }),
  ),
});
const daemon = fc
  .dictionary(fc.constantFrom("a", "b", "c d"), daemonVm)
  .map((vms): WorldDocument => ({ daemon: { vms } }));

const appliance = fc
  .record({
    release: fc.constantFrom("6.5" as const, "6.7" as const, "7.0" as const),
    storage_list: fc.constantFrom("full" as const, "empty" as const),
    monitoring: fc.constantFrom("full" as const, "empty" as const),
    health: fc.constantFrom("green" as const, "orange" as const),
    sizes: fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 12, maxLength: 12 }),
  })
  .map(({ health, sizes, ...rules }): WorldDocument => {
    const disks = sizes.map((size, index) => ({ label: `Hard disk ${index + 1}`, size_gb: size }));
    return {
      manager: { vms: { own: { power: "on", disks } } },
      appliance: { vm: "own", health, rules },
    };
  });

const worlds: readonly (readonly [Name, fc.Arbitrary<WorldDocument>])[] = [
  ["cloud", cloud],
  ["manager", manager],
  ["daemon", daemon],
  ["appliance", appliance],
];

describe.each(worlds)("a twin of the %s", (provider, world) => {
  test("is observed as what it was made of, and surveyed so", async () => {
    await fc.assert(
      fc.asyncProperty(world, async (part) => {
        const [seen, again] = await bothSides(provider, part);
        expect(again.observed).toStrictEqual(seen.observed);
        expect(again.survey).toStrictEqual(seen.survey);
      }),
      { numRuns: amount(3, 40), seed: 7 },
    );
  });
});

test("nothing but the twin is spoken to, and no secret is read for it", async () => {
  const url = "https://cloud.test";
  const keptSecret = { ...settings.cloud, url, password: { env: "PASSWORD" } };
  const survey: Survey = {
    ...{ traits: {}, managers: [], hosts: [], datastores: [], groups: [], machines: [] },
    ...{ alarms: [], unknown: [], account: { name: "admin", administrator: true } },
  };
  const state = initialState("lineage", "here", false);
  const providers = [{ name: "cloud", settings: keptSecret, survey }];
  const twin = await openTwin(
    { startMs, state, providers, operations: [], durations: new Map() },
    mask,
  );
  const access = twin.openProviders(".", () => {});
  const session = await access.open("cloud", keptSecret, "mutate");
  expect(await session.list?.("cloud_vm")).toStrictEqual([]);
  await session.close();
  await expect(access.open("manager", settings.manager, "read")).rejects.toThrow(
    "a rehearsal speaks to simulated worlds alone, and there is none for https://manager.test",
  );
  await twin.close();
});
