/** Operations that the server does in remote tasks: asked about before, repeated, left open. */

import { describe, expect, test } from "vitest";
import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import type { JournalEntry } from "../../../src/model/recorded/journal.ts";
import {
  type CloudConfiguration,
  cloudSnapshot,
  cloudVm,
  emptyCloud,
} from "../../simulation/cloud-configuration.ts";
import { realVm } from "../../simulation/cloud-rule-scenarios.ts";
import { type CloudWorld, createCloudWorld, runCloud } from "../../simulation/cloud-world.ts";
import { failureOf, recordedNow } from "../../simulation/engine-run.ts";
import { beginForeign, noCloudFaults, takeSnapshot } from "../../simulation/fake-cloud.ts";
import type { CloudVm } from "../../simulation/fake-cloud-objects.ts";
import { requestLimitMs } from "../../simulation/fake-cloud-types.ts";
import { createRandom } from "../../simulation/random.ts";

const a = cloudVm("a", "/vm/a");
const s = cloudSnapshot("s", "a");
const moved = { ...a, datastore: "ds-2" };

function worldOf(...vms: readonly CloudVm[]): CloudWorld {
  return createCloudWorld(createRandom(1), vms);
}

function wants(parts: Partial<CloudConfiguration>): CloudConfiguration {
  return { ...emptyCloud, ...parts };
}

function at(world: CloudWorld, ms: number, action: (vm: CloudVm) => void): void {
  const vm = world.cloud.vms.get("/vm/a");
  if (vm === undefined) throw new Error("no VM");
  world.clock.at(world.clock.now() + ms, () => action(vm));
}

/** What was asked of the cloud, in order. */
function asked({ cloud }: CloudWorld): readonly string[] {
  return cloud.tasks.flatMap(({ user, operation }) => (user === "us" ? [operation] : []));
}

/** Entries of the next run, until it writes its snapshot. */
function listen(world: CloudWorld): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  const { journal } = world.disk;
  const push = journal.push.bind(journal);
  journal.push = (...items) => {
    entries.push(...items.map(({ entry }) => entry));
    return push(...items);
  };
  return entries;
}

describe("right before it is sent, it is looked whether it is still to be done", () => {
  test("a VM that somebody has moved there meanwhile is not moved", async () => {
    const world = worldOf(realVm("/vm/a"), realVm("/vm/b"));
    const b = cloudVm("b", "/vm/b", { datastore: "ds-2" });
    at(world, 1_000, (vm) => {
      vm.datastore = "ds-2";
    });
    const run = await runCloud(world, wants({ vms: [b, { ...moved, dependsOn: ["b"] }] }));
    expect(failureOf(run)).toBeUndefined();
    expect(asked(world)).toEqual(["relocate"]);
  });

  test("a snapshot that somebody has made meanwhile is neither replaced nor taken", async () => {
    const world = worldOf(realVm("/vm/a"));
    at(world, 1_000, (vm) => takeSnapshot(world.cloud, vm));
    const run = await runCloud(world, wants({ vms: [moved], snapshots: [s] }));
    expect(failureOf(run)).toMatch(/there is one already, which somebody else has made/);
    expect(asked(world)).toEqual(["relocate"]);
    expect(recordedNow(world).objects.map(({ type }) => type)).toEqual(["fake_cloud_vm"]);
  });

  test("one that somebody has put in the place of ours is not removed", async () => {
    const world = worldOf(realVm("/vm/a"), realVm("/vm/b"));
    const b = cloudVm("b", "/vm/b");
    const t = cloudSnapshot("t", "b");
    const both = wants({ vms: [a, b], snapshots: [s, t] });
    expect(failureOf(await runCloud(world, both))).toBeUndefined();
    // Both are to be removed, one after the other; then somebody replaces the one that comes last.
    const count = world.cloud.effects.length;
    const replace = (): void => {
      if (world.cloud.effects.length === count)
        return world.clock.at(world.clock.now() + 1, replace);
      for (const vm of world.cloud.vms.values()) {
        if (vm.snapshot?.owner === "us") takeSnapshot(world.cloud, vm);
      }
    };
    replace();
    expect(failureOf(await runCloud(world, wants({ vms: [a, b] })))).toBeUndefined();
    const left = [...world.cloud.vms.values()].flatMap(({ snapshot }) => snapshot?.owner ?? []);
    expect(left).toEqual(["others"]);
    expect(asked(world)).toEqual(["create", "create", "remove"]);
  });
});

describe("what the server was busy with may have made a request needless", () => {
  test("somebody else's snapshot, which is not replaced", async () => {
    const world = worldOf(realVm("/vm/a"));
    at(world, 0, (vm) => beginForeign(world.cloud, vm, 4_000, true));
    const run = await runCloud(world, wants({ vms: [a], snapshots: [s] }));
    expect(failureOf(run)).toMatch(/there is one already/);
    expect(world.cloud.vms.get("/vm/a")?.snapshot?.owner).toBe("others");
    expect([asked(world), world.cloud.violations]).toEqual([[], []]);
  });

  test("the same move, which is not made again", async () => {
    const world = worldOf(realVm("/vm/a"));
    at(world, 0, (vm) => beginForeign(world.cloud, vm, 4_000));
    at(world, 4_000, (vm) => {
      vm.datastore = "ds-2";
    });
    expect(failureOf(await runCloud(world, wants({ vms: [moved] })))).toBeUndefined();
    expect([asked(world), world.cloud.violations]).toEqual([[], []]);
  });
});

test("a request repeated after busy replies begins again, its limit as before", async () => {
  const world = worldOf(realVm("/vm/a"));
  await runCloud(world, wants({ vms: [a] }));
  at(world, 0, (vm) => beginForeign(world.cloud, vm, 4_000));
  const entries = listen(world);
  expect(failureOf(await runCloud(world, wants({ vms: [moved] })))).toBeUndefined();
  const begins = entries.filter((entry): entry is BeginEntry => entry.kind === "begin");
  expect(begins.length).toBeGreaterThan(2);
  const ends = new Set(begins.map(({ atMs, proof: { limitMs } }) => atMs + limitMs));
  expect(ends.size).toBe(1);
  const skews = begins.map(({ atMs, serverTimeMs = 0 }) => serverTimeMs - atMs);
  expect(new Set(skews).size).toBe(1);
  const [last] = begins.slice(-1);
  const [task] = world.cloud.tasks.filter(({ user }) => user === "us");
  const startedMs = (task?.startMs ?? 0) - world.cloud.skewMs;
  expect(startedMs - (last?.atMs ?? 0)).toBeLessThan(requestLimitMs);
});

test("a task that outlasts its limit is left open, and the next run attaches to it", async () => {
  const world = worldOf(realVm("/vm/a"));
  world.cloud.faults = { ...noCloudFaults, slow: 1 };
  const first = await runCloud(world, wants({ vms: [moved] }));
  expect(failureOf(first)).toMatch(/still running after 60 s/);
  const second = await runCloud(world, wants({ vms: [moved] }));
  expect(failureOf(second)).toMatch(/relocate of fake_cloud_vm.a was begun/);
  await world.clock.advance(10_000);
  expect(failureOf(await runCloud(world, wants({ vms: [moved] })))).toBeUndefined();
  expect(asked(world)).toEqual(["relocate"]);
});

test("what is made of an attached object's attributes is looked up when it is found", async () => {
  const theirs = { created: "t1", owner: "others", label: "theirs", madeMs: 0 } as const;
  const world = worldOf(realVm("/vm/a", { snapshot: theirs }), realVm("/vm/b"));
  expect(failureOf(await runCloud(world, wants({ vms: [a] })))).toBeUndefined();
  // The address means another VM now, which has no snapshot.
  const other = { ...a, id: "/vm/b", by: { href: "/vm/b" } };
  const run = await runCloud(world, wants({ vms: [other], snapshots: [s] }));
  expect(failureOf(run)).toBeUndefined();
  expect(world.cloud.vms.get("/vm/b")?.snapshot?.owner).toBe("us");
  expect(world.cloud.vms.get("/vm/a")?.snapshot).toEqual(theirs);
});
