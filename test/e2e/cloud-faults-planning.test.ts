/**
 * What stands against a change of a VM in a cloud is found while planning: told with its numbers
 * and the way out, nothing sent, nothing of somebody else's taken, and everything else goes on.
 */

import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { CloudDocument } from "../../src/simulators/cloud/world/world-document.ts";
import type { OutsideChange } from "../../src/simulators/core.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import {
  type CloudPlace,
  createCloudPlace,
  isMutation,
  password,
  type Resources,
  type Settings,
  users,
  world,
} from "./cloud-place.ts";

const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,destroy"];
const crowded = {
  ...world,
  managers: { one: {}, two: {} },
  datastores: {
    old: { manager: "one" },
    fast: { manager: "one" },
    twin1: { name: "twin", manager: "one" },
    twin2: { name: "twin", manager: "one" },
    far: { manager: "two" },
    shut: { manager: "one", enabled: false },
  },
  users: [
    ...users,
    { name: "guest", org: "acme", password, withheld: ["power", "nested", "snapshot"] },
  ],
  vapps: {
    ...world.vapps,
    lab: {
      owner: "bob",
      vms: {
        e: { power: "on", hardware_version: 10 },
        a2: { name: "a" },
        held: { independent_disk: true },
      },
    },
  },
} satisfies CloudDocument;

let place: CloudPlace;
afterEach(() => place.remove());

const bob: Settings = { user: "bob", org: "acme" };
const guest: Settings = { user: "guest", org: "acme" };

type Row = {
  readonly name: string;
  readonly resources: Resources;
  readonly settings?: Settings;
  readonly changes?: readonly OutsideChange[];
  readonly code: string;
  readonly says: readonly RegExp[];
  /** A mistake in the configuration itself: nothing else is done either. */
  readonly stopsAll?: true;
};

const rows: readonly Row[] = [
  {
    name: "nested virtualization on hardware that is too old",
    resources: { "cloud_vm.d": { name: "d", nested_hv_enabled: true } },
    code: "CLD011",
    says: [/virtual hardware version 8; 9 is needed/, /Upgrade the virtual hardware/],
  },
  {
    name: "nested virtualization over a version of the API that does not know it",
    resources: { "cloud_vm.b": { name: "b", nested_hv_enabled: true } },
    settings: { api_version: "1.5" },
    code: "CLD010",
    says: [/speaks API 1\.5; nested_hv_enabled needs 5\.1/, /Set api_version: "5\.1"/],
  },
  {
    name: "a snapshot over a version of the API that does not know it",
    resources: { "cloud_snapshot.b": { vm: "VM b" } },
    settings: { api_version: "1.5" },
    code: "CLD014",
    says: [/5\.1/],
  },
  {
    name: "a move that needs an administrator",
    resources: { "cloud_vm.b": { name: "b", datastore: "fast" } },
    settings: bob,
    code: "CLD012",
    says: [/Moving a VM needs a system administrator/, /Log in as a system administrator/],
  },
  {
    name: "a datastore that does not exist",
    resources: { "cloud_vm.b": { name: "b", datastore: "fsat" } },
    code: "CLD015",
    says: [/No datastore is named "fsat" among all 6; there is one named "fast"\./],
  },
  {
    name: "a datastore that exists twice: both are named",
    resources: { "cloud_vm.b": { name: "b", datastore: "twin" } },
    code: "CLD015",
    says: [/2 datastores are named "twin": \S+datastore\/\S+ of one; \S+datastore\/\S+ of one/],
  },
  {
    name: "a datastore of another host manager",
    resources: { "cloud_vm.b": { name: "b", datastore: "far" } },
    code: "CLD015",
    says: [/Datastore "far" belongs to another host manager: \S+ of two/],
  },
  {
    name: "a datastore that is disabled",
    resources: { "cloud_vm.b": { name: "b", datastore: "shut" } },
    code: "CLD015",
    says: [/Datastore "shut" is disabled/],
  },
  {
    name: "power without the right to it",
    resources: { "cloud_vm.b": { name: "b", power: "suspended" } },
    settings: guest,
    code: "CLD017",
    says: [/does not offer the user of this session to suspend this VM/],
  },
  {
    name: "nested virtualization without the right to it",
    resources: { "cloud_vm.held": { name: "held", nested_hv_enabled: true } },
    settings: guest,
    code: "CLD017",
    says: [/to enable nested virtualization of this VM/],
  },
  {
    name: "nested virtualization without the right to turn the VM off for it",
    resources: { "cloud_vm.b": { name: "b", nested_hv_enabled: true } },
    settings: guest,
    code: "CLD017",
    says: [/to turn off this VM, which the change needs/],
  },
  {
    name: "a snapshot without the right to it",
    resources: { "cloud_snapshot.b": { vm: "VM b" } },
    settings: guest,
    code: "CLD017",
    says: [/to make a snapshot of this VM/],
  },
  {
    name: "a snapshot of a VM with an independent disk",
    resources: { "cloud_snapshot.b": { vm: "VM held" } },
    code: "CLD018",
    says: [/An independent disk is attached/],
  },
  {
    name: "two VMs of one name: both are named and none is taken",
    resources: { "cloud_vm.a": { name: "a" } },
    code: "PLN027",
    says: [
      /a in vApp shop: \/api\/vApp\/vm-/,
      /a in vApp lab: \/api\/vApp\/vm-/,
      /vapp_name or href/,
    ],
  },
  {
    name: "a VM that is nowhere",
    resources: { "cloud_vm.x": { name: "x" } },
    code: "PLN023",
    says: [/no VM is named "x" in the complete list of 7 VMs/i],
  },
  {
    name: "a VM of that name in another vApp",
    resources: { "cloud_vm.x": { name: "e", vapp_name: "shop" } },
    code: "PLN023",
    says: [/"e" in vApp "shop"/, /there is e in vApp lab/],
  },
  {
    name: "a VM of a template, which is none",
    resources: { "cloud_vm.x": { name: "golden" } },
    code: "PLN023",
    says: [/no VM is named "golden" in the complete list of 7 VMs, which has none of templates/i],
  },
  {
    name: "the link of a VM of a template",
    resources: { "cloud_vm.x": { href: "/api/vAppTemplate/vm-1" } },
    code: "CLD002",
    says: [/is a VM of a template, which cannot be run/],
    stopsAll: true,
  },
  {
    name: "somebody else's snapshot",
    resources: { "cloud_snapshot.b": { vm: "VM b" } },
    changes: [{ snapshot_cloud_vm: { vm: "b" } }],
    code: "PLN002",
    says: [/vmform import/],
  },
];

test.each(some(rows, 3))(
  "$name",
  async ({ resources, settings = {}, changes = [], code, ...row }) => {
    place = await createCloudPlace(crowded);
    for (const change of changes) await place.change(change);
    // What stands against the one must not stand against the other.
    const beside = { "cloud_vm.c": { name: "c", power: "off" } };
    place.write({ ...withPaths(resources), ...beside }, settings);
    const before = JSON.stringify(place.simulators.world().cloud.vms);
    for (const words of [["plan"], apply, [...apply, "--allow-partial"]]) {
      const { stdout, stderr } = await place.run(1, ...words);
      const said = `${stdout}\n${stderr}`;
      expect(said).toContain(`(${code})`);
      for (const each of row.says) expect(said).toMatch(each);
    }
    expect(place.simulators.log().filter(isMutation)).toEqual([]);
    expect(JSON.stringify(place.simulators.world().cloud.vms)).toBe(before);
    if (row.stopsAll === true) return;
    const recorded = readFileSync(place.file("state/default.json"), "utf8");
    expect(Object.keys(resources).filter((address) => recorded.includes(address))).toEqual([]);
    expect(recorded).toContain("cloud_vm.c");
  },
);

/** `VM b` becomes the path of the VM. */
function withPaths(resources: Resources): Resources {
  const text = JSON.stringify(resources);
  return JSON.parse(
    text.replaceAll(/VM (\w+)/g, (_whole, key: string) => place.pathOf(key)),
  ) as Resources;
}

test("of two VMs of one name, the vApp tells which", async () => {
  place = await createCloudPlace(crowded);
  place.write({ "cloud_vm.a": { name: "a", vapp_name: "lab", power: "on" } });
  await place.run(0, ...apply);
  expect(place.vm("a2").status).toBe(4);
  await place.run(0, "plan", "--detailed-exitcode");
});

test(
  "somebody else's snapshot is neither replaced nor removed, whenever it appears",
  onlyInLongRun,
  async () => {
    place = await createCloudPlace();
    const resources = {
      "cloud_vm.b": { name: "b", power: "on" },
      "cloud_snapshot.b": { vm: "${cloud_vm.b.href}" },
    };
    place.write(resources);
    // Between planning and sending.
    const other = { snapshot_cloud_vm: { vm: "b" } };
    await place.run(0, "plan", "--out", place.file("p.plan"));
    await place.change(other);
    const theirs = place.vm("b").snapshot;
    const late = await place.run(1, "apply", place.file("p.plan"));
    expect(late.stdout).toMatch(/create failed .*there is one already.*it is left alone/);
    await place.run(1, ...apply);
    expect(place.vm("b").snapshot).toEqual(theirs);

    // Instead of ours, which is to be removed.
    await place.change({ snapshot_cloud_vm: { vm: "b", remove: true } });
    await place.run(0, ...apply);
    await place.change(other);
    const newer = place.vm("b").snapshot;
    place.write({ "cloud_vm.b": { name: "b", power: "on" } });
    await place.run(0, ...apply);
    expect(place.vm("b").snapshot).toEqual(newer);
    // And it is not ours to make another while theirs is there.
    place.write(resources);
    const { stdout, stderr } = await place.run(1, ...apply);
    expect(stdout + stderr).toContain("(PLN002)");
    expect(place.vm("b").snapshot).toEqual(newer);
  },
);

test("somebody else's snapshot can be taken over, and is removed as ours then", async () => {
  place = await createCloudPlace();
  await place.change({ snapshot_cloud_vm: { vm: "b" } });
  const made = place.vm("b").snapshot;
  const id = place.pathOf("b").slice("/api/vApp/".length);
  const resources = {
    "cloud_vm.b": { name: "b", power: "on" },
    "cloud_snapshot.b": { vm: "${cloud_vm.b.href}" },
  };
  place.write(resources, {}, { imports: [{ to: "cloud_snapshot.b", id }] });
  await place.run(0, ...apply);
  await place.run(0, "plan", "--detailed-exitcode");
  expect(place.vm("b").snapshot).toEqual(made);
  place.write({ "cloud_vm.b": { name: "b", power: "on" } });
  await place.run(0, ...apply);
  expect(place.vm("b").snapshot).toBeNull();
});

test(
  "our snapshot that somebody replaced: drift names the way out, and it works",
  onlyInLongRun,
  async () => {
    place = await createCloudPlace();
    place.write({
      "cloud_vm.b": { name: "b", power: "on" },
      "cloud_snapshot.b": { vm: "${cloud_vm.b.href}" },
    });
    await place.run(0, ...apply);
    await place.change({ snapshot_cloud_vm: { vm: "b", remove: true } });
    await place.change({ snapshot_cloud_vm: { vm: "b" } });
    const theirs = place.vm("b").snapshot;
    const drifted = await place.run(2, "drift");
    // An apply would be refused: what is there is left alone.
    expect(drifted.stdout).not.toContain("to restore");
    expect(drifted.stdout).toMatch(
      /to forget: vmform state rm cloud_snapshot\.b.* then vmform import/,
    );
    await place.run(0, "state", "rm", "cloud_snapshot.b");
    await place.run(0, "import", "cloud_snapshot.b", place.pathOf("b"));
    await place.run(0, "plan", "--detailed-exitcode");
    await place.run(0, "drift");
    expect(place.vm("b").snapshot).toEqual(theirs);
  },
);

test("VMs that are gone all at once: the advice leads out", async () => {
  place = await createCloudPlace();
  const keys = ["a", "b", "c", "d"];
  const vms = Object.fromEntries(keys.map((key) => [`cloud_vm.${key}`, { name: key }]));
  place.write({ ...vms, "noop_resource.n": { name: "n" } });
  await place.run(0, ...apply);
  for (const vm of keys) await place.change({ delete_cloud_vm: { vm } });
  const { stdout, stderr } = await place.run(1, "plan");
  expect(stdout + stderr).toContain(
    "take those that are adopted out of the configuration, then: vmform apply --allow vanished",
  );
  place.write({ "noop_resource.n": { name: "n" } });
  await place.run(0, ...apply, "--allow", "vanished");
  await place.run(0, "plan", "--detailed-exitcode");
});

test(
  "our snapshot that another replaced while its removal was planned is left alone",
  onlyInLongRun,
  async () => {
    place = await createCloudPlace();
    place.write({
      "cloud_vm.b": { name: "b", power: "on" },
      "cloud_snapshot.b": { vm: "${cloud_vm.b.href}" },
    });
    await place.run(0, ...apply);
    place.write({ "cloud_vm.b": { name: "b", power: "on" } });
    await place.run(0, "plan", "--allow", "destroy", "--out", place.file("p.plan"));
    await place.change({ snapshot_cloud_vm: { vm: "b" } });
    const theirs = place.vm("b").snapshot;
    await place.run(0, "apply", place.file("p.plan"));
    expect(place.vm("b").snapshot).toEqual(theirs);
    await place.run(0, ...apply);
    expect(place.vm("b").snapshot).toEqual(theirs);
  },
);

test(
  "somebody's task on the VM is told while planning, and waited for",
  onlyInLongRun,
  async () => {
    place = await createCloudPlace();
    place.excuse("violation");
    place.write({ "cloud_vm.b": { name: "b", datastore: "fast" } });
    const task = { vm: "b", duration_ms: 20_000, operation: "vappUpdateVm", user: "carol" };
    await place.change({ start_cloud_task: task });
    const plan = await place.run(0, "plan");
    expect(plan.stdout + plan.stderr).toContain("Updating Virtual Machine b");
    expect(plan.stdout + plan.stderr).toContain("by carol");
    const { stdout } = await place.run(0, ...apply);
    expect(stdout).toMatch(/is busy completing an operation.*running now: Updating .*by carol/);
    await place.run(0, "plan", "--detailed-exitcode");
  },
);
