/** World files: the samples of the documentation, defaults, and everything that is not acceptable. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readFaultDocument } from "../../../../src/simulators/faults.ts";
import { parseYaml, SimulatorInputError } from "../../../../src/simulators/kit/document.ts";
import type { WorldDocument } from "../../../../src/simulators/world.ts";
import { readWorldSource } from "../../../../src/simulators/world.ts";
import { managerWith } from "./manager-client.ts";

const guide = readFileSync(new URL("../../../../docs/simulator.md", import.meta.url), "utf8");
const samples = [...guide.matchAll(/^```yaml\n([^]*?)^```/gm)].map((match) => match[1] ?? "");

function sample(key: string): unknown {
  const text = samples.find((each) => each.startsWith(`${key}:`));
  if (text === undefined) throw new Error(`no sample of ${key}`);
  return parseYaml(text, key).value;
}

test("the samples of the documentation are worlds and scripts", () => {
  const parts = ["cloud", "manager", "appliance"].map((key) => sample(key));
  const world = readWorldSource(Object.assign({}, ...parts) as WorldDocument, undefined);
  expect(world.manager.vms.map((vm) => vm.key)).toEqual(["web", "clone", "vcsa"]);
  expect(world.manager.vms[0]?.disks[0]).toMatchObject({
    format: "sesparse",
    label: "Hard disk 1",
  });
  expect(world.appliance).toMatchObject({ vm: "vcsa", durations: { resize: 360_000 } });
  const faults = { value: sample("faults"), place: (path: readonly unknown[]) => path.join(".") };
  expect(readFaultDocument(faults).rules.length).toBeGreaterThan(5);
});

test("a world that is made twice is the same, and another seed has other ids", () => {
  const vms = { web: {}, db: { folder: "shop" } };
  const uuids = (seed: number) =>
    readWorldSource({ manager: { vms } }, seed).manager.vms.map((vm) => [vm.uuid, vm.id]);
  expect(uuids(1)).toEqual(uuids(1));
  expect(uuids(1)).not.toEqual(uuids(2));
});

describe("what is not acceptable", () => {
  test.each<readonly [unknown, string]>([
    [{ rules: { api_version: 6.5 } }, "world.manager.rules.api_version: text is expected"],
    [{ rules: { api_version: "new" } }, "must be a version such as 6.5"],
    [{ rules: { nested: true } }, "unknown key"],
    [{ rules: { kind: "host" }, hosts: { a: {}, b: {} } }, "exactly one host"],
    [{ rules: { kind: "host" }, alarms: { A: { user: "x" } } }, "has no alarms"],
    [{ durations_ms: { wipe: -1 } }, "a whole number of at least 0"],
    [{ vms: { web: { host: "x" } } }, 'vms.web.host: there is no host "x"'],
    [{ vms: { web: { datastore: "x" } } }, 'there is no datastore "x"'],
    [{ vms: { a: { moref: "x" }, b: { moref: "x" } } }, "another VM has the moref x"],
    [{ hosts: { a: { moref: "x" }, b: { moref: "x" } } }, "another host has the moref x"],
    [{ datastores: { a: { moref: "x" }, b: { moref: "x" } } }, "datastore has the moref x"],
    [
      { vms: { web: { disks: "all" } } },
      "must be a list, or one of appliance, appliance-6.7 and appliance-7.0",
    ],
    [{ vms: { web: { disks: [{ size_gb: 1, size_mb: 1 }] } } }, "only one of size_gb, size_mb"],
    [
      { vms: { web: { disks: [{ size_gb: 4, format: "sesparse", stale_gb: 3 }] } } },
      "stale_gb is more than the disk takes",
    ],
    [{ datastores: { x: { hosts: ["y"] } } }, 'there is no host "y"'],
    [{ vms: { "a\u0001": {} } }, "XML cannot carry the character U+0001"],
    [{ vms: { a: { name: "a\ufffe" } } }, "vms.a.name: XML cannot carry the character U+FFFE"],
    [{ users: [{ name: "x" }] }, "users.0.password: text is expected"],
  ])("%j", (manager, problem) => {
    const read = () => readWorldSource({ manager } as WorldDocument, undefined);
    expect(read).toThrow(SimulatorInputError);
    expect(read).toThrow(problem);
  });

  test.each<readonly [object, string]>([
    [{ power_manager_vm: { vm: "nobody", power: "on" } }, 'the manager has no "nobody"'],
    [{ change_manager_disk: { vm: "web", disk: "Hard disk 9" } }, "there is no disk"],
    [{ change_manager_vm: { vm: "web", host: "x" } }, 'the manager has no "x"'],
    [{ end_manager_sessions: { user: "x" } }, 'there is no user "x"'],
    [{ change_manager_vm: { vm: "web", colour: "red" } }, "unknown key"],
    [{ change_appliance: { health: "purple" } }, "one of green, yellow"],
  ])("the change %j", async (change, problem) => {
    const simulators = await managerWith({ vms: { web: {} } });
    const reply = await fetch(`${simulators.origins.manager}/_simulator/change`, {
      method: "POST",
      body: JSON.stringify(change),
    });
    expect([reply.status, await reply.text()]).toEqual([
      400,
      expect.stringContaining(JSON.stringify(problem).slice(1, -1)),
    ]);
  });
});

test("a VM is changed behind the clients' backs", async () => {
  const simulators = await managerWith({
    hosts: { a: {}, b: {} },
    datastores: { fast: {}, slow: {} },
    vms: { web: { power: "on" } },
  });
  await simulators.change({
    change_manager_vm: {
      vm: "web",
      name: "shop",
      nested: true,
      host: "b",
      datastore: "slow",
      tools: "absent",
      connection: "disconnected",
    },
  });
  const [vm] = simulators.world().manager.vms;
  expect(vm).toMatchObject({
    name: "shop",
    nested: true,
    hostId: "host-22",
    datastoreId: "datastore-12",
    tools: "absent",
    toolsMs: null,
    connection: "disconnected",
  });
  await simulators.change({ snapshot_manager_vm: { vm: "web", name: "before" } });
  expect(simulators.world().manager.vms[0]?.snapshots).toHaveLength(1);
  await simulators.change({ snapshot_manager_vm: { vm: "web", remove: true } });
  expect(simulators.world().manager.vms[0]?.snapshots).toEqual([]);
});
