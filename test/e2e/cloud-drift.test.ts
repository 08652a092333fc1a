/**
 * Changes behind the back of VMs in a cloud: each is told from the others, with both values or the
 * proof, and alike as text, JSON and Markdown.
 */

import { afterEach, beforeEach, expect, test } from "vitest";
import type { OutsideChange } from "../../src/simulators/core.ts";
import type { World } from "../../src/simulators/world.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { type CloudPlace, createCloudPlace, type Resources } from "./cloud-place.ts";

const approve = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,destroy"];
const shop: Resources = {
  "cloud_vm.a": { name: "a", datastore: "fast", power: "on" },
  "cloud_vm.b": { name: "b", datastore: "fast", power: "on", nested_hv_enabled: false },
  "cloud_vm.c": { name: "c", datastore: "old", power: "off" },
  "cloud_vm.d": { name: "d", datastore: "old", power: "on", nested_hv_enabled: false },
  "cloud_snapshot.b": { vm: "${cloud_vm.b.href}", name: "before" },
};
/** What a user of the organization can do. */
const modest: Resources = {
  "cloud_vm.a": { name: "a", power: "on" },
  "cloud_vm.c": { name: "c", power: "off" },
  "cloud_vm.e": { name: "e", power: "on" },
};
const bob = { user: "bob", org: "acme" };

let place: CloudPlace;
beforeEach(async () => {
  place = await createCloudPlace();
});
afterEach(() => place.remove());

type Report = {
  readonly objects: readonly {
    readonly address: string;
    readonly verdict: string;
    readonly reason?: string;
    readonly drifted: readonly {
      readonly attribute: string;
      readonly recorded: unknown;
      readonly observed?: unknown;
    }[];
    readonly not_checked: readonly { readonly attribute: string; readonly rule: string }[];
  }[];
};

async function reportOf(code: number): Promise<Report> {
  const { stdout } = await place.run(code, "drift", "--json");
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Report;
}

/** Everything that is not in order, as JSON tells it. */
async function findings(code: number) {
  const { objects } = await reportOf(code);
  return objects
    .filter(({ verdict }) => verdict !== "in_sync")
    .map(({ address, verdict, reason, drifted }) => ({ address, verdict, reason, drifted }));
}

type Row = {
  readonly name: string;
  readonly changes: readonly (OutsideChange | ((world: World) => World))[];
  readonly code: 1 | 2;
  readonly address: string;
  readonly verdict: string;
  /** Attribute, recorded and observed value. */
  readonly drifted?: readonly [string, unknown, unknown][];
  /** Of the reason. */
  readonly reason?: RegExp;
};

const anything: unknown = expect.anything();
const drifted = { code: 2, verdict: "drifted" } as const;

const rows: readonly Row[] = [
  {
    ...drifted,
    name: "moved to another datastore",
    changes: [{ move_cloud_vm: { vm: "a", datastore: "old" } }],
    address: "cloud_vm.a",
    drifted: [["datastore", "fast", "old"]],
  },
  {
    ...drifted,
    name: "powered off",
    changes: [{ power_cloud_vm: { vm: "a", power: "off" } }],
    address: "cloud_vm.a",
    drifted: [["power_state", "on", "off"]],
  },
  {
    ...drifted,
    name: "shut down from within: off, and its resources are still held",
    changes: [{ power_cloud_vm: { vm: "a", power: "off", deployed: true } }],
    address: "cloud_vm.a",
    drifted: [["power_state", "on", "off-deployed"]],
  },
  {
    ...drifted,
    name: "suspended",
    changes: [{ power_cloud_vm: { vm: "a", power: "suspended" } }],
    address: "cloud_vm.a",
    drifted: [["power_state", "on", "suspended"]],
  },
  {
    ...drifted,
    name: "renamed: the same VM, by its path",
    changes: [{ rename_cloud_vm: { vm: "a", name: "other" } }],
    address: "cloud_vm.a",
    drifted: [["name", "a", "other"]],
  },
  {
    ...drifted,
    name: "nested virtualization enabled",
    changes: [{ nest_cloud_vm: { vm: "b", enabled: true } }],
    address: "cloud_vm.b",
    drifted: [["nested_hv_enabled", false, true]],
  },
  {
    ...drifted,
    name: "moved to another vApp",
    changes: [(world) => moved(world, "a", "lab")],
    address: "cloud_vm.a",
    drifted: [
      ["vapp_href", anything, anything],
      ["vapp_name", "shop", "lab"],
    ],
  },
  {
    ...drifted,
    name: "moved, renamed and turned off at once",
    changes: [
      { move_cloud_vm: { vm: "a", datastore: "old" } },
      { rename_cloud_vm: { vm: "a", name: "other" } },
      { power_cloud_vm: { vm: "a", power: "off" } },
    ],
    address: "cloud_vm.a",
    drifted: [
      ["datastore", "fast", "old"],
      ["name", "a", "other"],
      ["power_state", "on", "off"],
    ],
  },
  {
    name: "deleted: refused, and absent from the complete list",
    changes: [{ delete_cloud_vm: { vm: "a" } }],
    code: 2,
    address: "cloud_vm.a",
    verdict: "missing",
    reason: /^absent from the complete list of 4 VMs, and a read of \S+ is answered 403$/,
  },
  {
    name: "deleted, and another VM took its name",
    changes: [
      { delete_cloud_vm: { vm: "a" } },
      { add_cloud_vm: { vm: "new", vapp: "lab", name: "a" } },
    ],
    code: 2,
    address: "cloud_vm.a",
    verdict: "missing",
    reason: /^absent from the complete list of 5 VMs/,
  },
  {
    name: "rights lost: refused, and still listed",
    changes: [{ deny_cloud_vm: { vm: "d" } }],
    code: 1,
    address: "cloud_vm.d",
    verdict: "unknown",
    reason: /VM d is in the list of 5 VMs, but the user .* may not read it .*an administrator can/,
  },
  {
    name: "in a state that says nothing of its power",
    changes: [{ power_cloud_vm: { vm: "a", power: "on", status: 9 } }],
    code: 1,
    address: "cloud_vm.a",
    verdict: "unknown",
    reason: /INCONSISTENT_STATE, which says nothing of its power/,
  },
  {
    name: "a snapshot removed",
    changes: [{ snapshot_cloud_vm: { vm: "b", remove: true } }],
    code: 2,
    address: "cloud_snapshot.b",
    verdict: "missing",
    reason: /VM b was read and has no snapshot/,
  },
  {
    name: "a snapshot that somebody else's replaced",
    changes: [{ snapshot_cloud_vm: { vm: "b" } }],
    code: 2,
    address: "cloud_snapshot.b",
    verdict: "missing",
    reason: /VM b was read and has another snapshot, made at \d/,
  },
];

test.each(some(rows, 2))("$name", async (row) => {
  const { changes, code, address, verdict } = row;
  place.write(shop);
  await place.run(0, ...approve);
  expect(await findings(0)).toEqual([]);
  for (const change of changes) await place.change(change);

  const found = await findings(code);
  expect(found).toMatchObject([{ address, verdict }]);
  const [finding] = found;
  const values = finding?.drifted.map((each) => [each.attribute, each.recorded, each.observed]);
  expect(values).toEqual(row.drifted ?? []);
  if (row.reason !== undefined) expect(finding?.reason).toMatch(row.reason);

  const text = (await place.run(code, "drift")).stdout;
  const markdown = (await place.run(code, "drift", "--format", "markdown")).stdout;
  for (const shown of [text, markdown]) {
    expect(shown).toContain(address);
    for (const [attribute] of row.drifted ?? []) expect(shown).toContain(attribute);
    if (finding?.reason !== undefined) expect(shown).toContain(finding.reason);
  }
  const words = { drifted: "has drifted", missing: "is missing", unknown: "Could not be checked" };
  expect(text).toContain(Object.entries(words).find(([word]) => word === verdict)?.[1]);
});

function moved(world: World, vm: string, vapp: string): World {
  const target = world.cloud.vapps.find(({ key }) => key === vapp);
  if (target === undefined) throw new Error(`no vApp ${vapp}`);
  const vms = world.cloud.vms.map((each) =>
    each.key === vm ? { ...each, vappId: target.id } : each,
  );
  return { ...world, cloud: { ...world.cloud, vms } };
}

test(
  "four causes in one report, one of which cannot be told: the others stand",
  onlyInLongRun,
  async () => {
    place.write(shop);
    await place.run(0, ...approve);
    await place.change({ move_cloud_vm: { vm: "a", datastore: "old" } });
    await place.change({ power_cloud_vm: { vm: "b", power: "off" } });
    await place.change({ delete_cloud_vm: { vm: "c" } });
    expect(await findings(2)).toMatchObject([
      { address: "cloud_vm.a", verdict: "drifted" },
      { address: "cloud_vm.b", verdict: "drifted" },
      { address: "cloud_vm.c", verdict: "missing" },
    ]);
    await place.change({ deny_cloud_vm: { vm: "d" } });
    expect(await findings(1)).toMatchObject([
      { address: "cloud_vm.a", verdict: "drifted" },
      { address: "cloud_vm.b", verdict: "drifted" },
      { address: "cloud_vm.c", verdict: "missing" },
      { address: "cloud_vm.d", verdict: "unknown" },
    ]);
    const plan = await place.run(1, "plan");
    expect(plan.stdout).toContain("Plan: 0 to add, 2 to change, 0 to destroy, 2 blocked.");
    await place.run(1, ...approve);
    expect(place.vm("a").datastoreId).toBe(place.vm("d").datastoreId);
    // Whatever can be done is done when that is asked for, and nothing is made anew.
    await place.run(1, ...approve, "--allow-partial");
    expect(place.vm("a").datastoreId).not.toBe(place.vm("d").datastoreId);
    expect(place.vm("b").status).toBe(4);
    expect(place.simulators.world().cloud.vms.map(({ key }) => key)).not.toContain("c");
  },
);

test("rights lost by a user who is not shown the VM any more: not said to be deleted", async () => {
  place.write(modest, bob);
  await place.run(0, ...approve);
  await place.change((world) => ({
    ...world,
    cloud: {
      ...world.cloud,
      vapps: world.cloud.vapps.map((vapp) =>
        vapp.key === "lab" ? { ...vapp, owner: "somebody" } : vapp,
      ),
    },
  }));
  expect(await findings(1)).toMatchObject([
    {
      address: "cloud_vm.e",
      verdict: "unknown",
      reason: expect.stringMatching(/it was deleted, or your rights on it were lost/) as unknown,
    },
  ]);
  const { stdout } = await place.run(1, "plan");
  expect(stdout).toContain("Nothing is planned for it");
  expect(stdout).not.toContain("cloud_vm.e has been deleted");
});

test("deleted from a vApp that the user still sees: missing", async () => {
  place.write(modest, bob);
  await place.run(0, ...approve);
  await place.change({ delete_cloud_vm: { vm: "a" } });
  expect(await findings(2)).toMatchObject([
    {
      address: "cloud_vm.a",
      verdict: "missing",
      reason: expect.stringMatching(/its vApp \/api\/vApp\/vapp-\S+ does not hold it/) as unknown,
    },
  ]);
});

test("an administrator's objects seen by a user: the datastore is not checked, by rule", async () => {
  const both = { "cloud_vm.a": shop["cloud_vm.a"], "cloud_vm.c": shop["cloud_vm.c"] } as Resources;
  place.write(both);
  await place.run(0, ...approve);
  place.write(both, bob);
  await place.change({ move_cloud_vm: { vm: "a", datastore: "old" } });
  const { objects } = await reportOf(0);
  for (const { not_checked: notChecked } of objects) {
    expect(notChecked).toContainEqual(
      expect.objectContaining({ attribute: "datastore", rule: "by rule" }),
    );
  }
  const { stdout } = await place.run(0, "drift");
  expect(stdout).toContain("datastore");
  expect(stdout).toContain("No drift.");
  await place.change({ power_cloud_vm: { vm: "a", power: "off" } });
  expect(await findings(2)).toMatchObject([{ address: "cloud_vm.a", verdict: "drifted" }]);
});

test("a user of System who is no administrator any more", async () => {
  place.write(shop);
  await place.run(0, ...approve);
  await place.change({ set_cloud_role: { user: "admin", role: "user" } });
  const found = await findings(1);
  expect(found.map(({ verdict }) => verdict)).toEqual(found.map(() => "unknown"));
  const { stdout } = await place.run(1, "drift");
  expect(stdout).toContain(
    "admin@System may not list VMs as a system administrator; log in as one",
  );
  expect(stdout).toContain("No drift found: 0 objects in sync, 5 could not be checked.");
});

test("all VMs gone at once: more likely a wrong place than a clean-up", onlyInLongRun, async () => {
  place.write({ ...shop, ...modest });
  await place.run(0, ...approve);
  for (const vm of ["a", "b", "c", "d", "e"]) await place.change({ delete_cloud_vm: { vm } });
  const drift = await place.run(1, "drift");
  expect(drift.stderr).toContain("Most recorded objects are missing at once");
  const plan = await place.run(1, "plan");
  expect(plan.stdout).toContain("stopped by the errors above");
  await place.run(1, ...approve);
  // Forgotten one by one or with consent, never by itself.
  const { stdout } = await place.run(0, "state", "list");
  expect(stdout).toContain("cloud_vm.a");
});

test("a configuration that is not applied yet is no drift", onlyInLongRun, async () => {
  place.write(shop);
  await place.run(0, ...approve);
  place.write({ ...shop, "cloud_vm.a": { name: "a", datastore: "old", power: "off" } });
  expect(await findings(0)).toEqual([]);
  await place.run(2, "plan", "--detailed-exitcode");
  // Consent is asked for before anything is sent.
  await place.run(1, "apply", "--auto-approve");
  expect(place.vm("a").status).toBe(4);
});

test("deleted, told as 404: missing as well", async () => {
  place.write(shop);
  await place.run(0, ...approve);
  await place.change({ delete_cloud_vm: { vm: "a" } });
  const refusal = { status: 404, minor_code: "RESOURCE_NOT_FOUND", message: "No such VM." };
  await place.setFaults({ on: "GET /api/vApp/*", times: "always", refusal });
  const { objects } = await reportOf(1);
  const verdicts = Object.fromEntries(objects.map(({ address, verdict }) => [address, verdict]));
  // What is listed and cannot be read is not said to be gone.
  expect(verdicts).toMatchObject({ "cloud_vm.a": "missing", "cloud_vm.b": "unknown" });
});

test("many runs that end in errors leave no session behind", onlyInLongRun, async () => {
  place.write(shop);
  await place.run(0, ...approve);
  await place.setFaults({ on: "GET /api/query", times: "always", foreign: {} });
  for (let count = 0; count < 15; count += 1) await place.run(1, "drift");
  const { open, opened, loggedOut } = place.simulators.sessions();
  expect({ open, left: opened - loggedOut }).toEqual({ open: [], left: 0 });
});

test(
  "what a data source says is wanted can be restored, though drift does not ask it",
  onlyInLongRun,
  async () => {
    const datastore = "${data.cloud_datastore.fast.name}";
    const data = { "cloud_datastore.fast": { name: "fast" } };
    place.write({ "cloud_vm.a": { name: "a", datastore } }, {}, { data });
    await place.run(0, ...approve);
    await place.change({ move_cloud_vm: { vm: "a", datastore: "old" } });
    const { stdout } = await place.run(2, "drift");
    expect(stdout).toContain("to restore: vmform apply --target cloud_vm.a");
    await place.run(0, ...approve, "--target", "cloud_vm.a");
    await place.run(0, "drift");
  },
);

test("what nobody manages is listed by name and by link", async () => {
  place.write({ "cloud_vm.a": { name: "a" } });
  await place.run(0, "apply", "--auto-approve");
  const { stdout } = await place.run(0, "drift");
  for (const [name, key] of [
    ["shop/b", "b"],
    ["lab/e", "e"],
  ] as const) {
    expect(stdout).toContain(`  cloud_vm "${name}" "${place.pathOf(key)}" (cloud)`);
  }
  expect(stdout).not.toContain('"shop/a"');
  expect(stdout).not.toContain("golden");
});
