/** The pure half of `manager_disk_reclaim`: what is due, what is done, what stands against it. */

import { describe, expect, test } from "vitest";
import type { LowerRequest } from "../../../../../src/model/provider/provider.ts";
import type { RecordedObject } from "../../../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import { type Attributes, unknown } from "../../../../../src/model/value/value.ts";
import { entityKey } from "../../../../../src/providers/manager/machine/vm.ts";
import { reclaimType } from "../../../../../src/providers/manager/reclaim/reclaim.ts";
import {
  type ReclaimDisk,
  type ReclaimFacts,
  readReclaimFacts,
} from "../../../../../src/providers/manager/reclaim/reclaim-facts.ts";

const address = "manager_disk_reclaim.x" as Address;
const wipedAt = "2026-01-02T03:00:00.000Z";
const shrunkAt = "2026-01-02T04:00:00.000Z";
const dayMs = 86_400_000;

function record(attributes: Attributes, applied: Attributes | null = {}): RecordedObject {
  return {
    address,
    objectKey: "current",
    type: "manager_disk_reclaim",
    provider: "manager",
    identity: "vm-12/reclaim",
    status: "ready",
    applied,
    attributes,
    dependencies: [],
    timeoutsMs: {},
  };
}

const sparseDisk: ReclaimDisk = {
  id: "2000",
  label: "Hard disk 1",
  format: "sesparse",
  datastore: "ssd-01",
};
const facts: ReclaimFacts = {
  vm: "web",
  instance_uuid: "50ab",
  host: "esx1",
  power: "on",
  tools_running: true,
  disks: [
    sparseDisk,
    { id: "2001", label: "Hard disk 2", format: "thin", datastore: "ssd-02" },
    { id: "2002", label: "", format: "sesparse", datastore: null },
  ],
  running: [],
};

type Update = Extract<LowerRequest, { action: "update" }>;

function create(changes: Partial<ReclaimFacts> = {}, inputs: Attributes = {}): LowerRequest {
  return {
    action: "create",
    identity: "vm-12/reclaim",
    inputs: { vm: "vm-12", ...inputs },
    facts: { ...facts, ...changes },
  };
}

function update(changed: readonly string[], identity = "vm-12/reclaim"): Update {
  return {
    action: "update",
    identity,
    inputs: { vm: "vm-12", triggers: { n: 2 } },
    changed,
    prior: record({}),
    facts,
  };
}

describe("identity", () => {
  test.each([
    [{ vm: "vm-12" }, "vm-12/reclaim"],
    [{ vm: "vm-12", disk_id: "2000" }, "vm-12/reclaim/2000"],
    [{ vm: "vm-12", disk_id: null }, "vm-12/reclaim"],
    [{ vm: "12" }, "12/reclaim"],
    [{ vm: unknown }, undefined],
    [{ vm: "vm-12", disk_id: unknown }, undefined],
    [{ vm: "web" }, undefined],
  ])("of %j", (attributes, identity) => {
    expect(reclaimType.identityOf(attributes)).toBe(identity);
  });

  test("its lock is the VM's, and nothing of it can be imported", () => {
    const settings = { url: "https://m.example.com/sdk" };
    expect(reclaimType.entity("vm-12/reclaim/2000", settings)).toBe(entityKey("vm-12", settings));
    expect(reclaimType.parseIdentity?.("vm-12/reclaim")).toBeUndefined();
  });
});

describe("due", () => {
  const done = { wiped_at: wipedAt, shrunk_at: shrunkAt, pending: false };
  const after = Date.parse(shrunkAt);

  test.each([
    ["imported, nothing was seen of a wipe", null, {}, {}, ["wiped_at"]],
    ["recorded without a wipe", {}, done, {}, ["wiped_at"]],
    ["wiped, and never shrunk", { pending: true }, { wiped_at: wipedAt }, {}, ["pending"]],
    ["wiped again since, told by nobody", { pending: true }, done, {}, ["pending"]],
    ["wiped, which a shrink took back", { pending: true }, { wiped_at: null }, {}, ["wiped_at"]],
    ["shrunk, told by nobody", { pending: false }, { ...done, pending: true }, {}, []],
    ["done, and no period", { pending: false }, done, {}, []],
    ["done within the period", { pending: false }, done, { every: "2d" }, []],
    ["done a whole period ago", { pending: false }, done, { every: "1d" }, ["every"]],
    ["done a whole day ago", { pending: false }, done, { every: "24h" }, ["every"]],
    ["done within the week", { pending: false }, done, { every: "1w" }, []],
    ["a period that is no period", { pending: false }, done, { every: "soon" }, []],
    [
      "wiped with nothing to shrink within the period",
      { pending: false },
      { wiped_at: shrunkAt, pending: false },
      { every: "2d" },
      [],
    ],
    [
      "wiped with nothing to shrink a period ago",
      { pending: false },
      { wiped_at: wipedAt, pending: false },
      { every: "1d" },
      ["every"],
    ],
    ["done nobody knows when", { pending: false }, {}, { every: "1w" }, ["every"]],
    ["pending, and the period is over", { pending: true }, done, { every: "1d" }, ["pending"]],
  ])("%s", (_what, applied, attributes, wanted, expected) => {
    const now = after + dayMs;
    expect(reclaimType.due?.(record(attributes, applied), wanted, now)).toEqual(expected);
  });

  test("one millisecond before the end of the period is too early", () => {
    const shrunk = record(done, { pending: false });
    const at = (nowMs: number) => reclaimType.due?.(shrunk, { every: "30d" }, nowMs);
    expect(at(after + 30 * dayMs - 1)).toEqual([]);
    expect(at(after + 30 * dayMs)).toEqual(["every"]);
  });
});

describe("steps", () => {
  test("a first time: a wipe that makes the record, then a shrink", () => {
    const steps = reclaimType.lower(create({}, { triggers: { n: 1 }, every: "30d" }));
    expect(steps).toMatchObject([
      {
        verb: "wipe",
        effect: "create",
        summary: "wipe the free space of VM web",
        applied: {
          ...{ vm: "vm-12", triggers: { n: 1 }, pending: true, every: "30d" },
          vm_instance_uuid: "50ab",
        },
        order: { needs: "on", pools: ["wipe host esx1"] },
      },
      {
        verb: "shrink",
        effect: "update",
        summary: "shrink the disks of VM web",
        order: { needs: "on", afterPrevious: true, pools: ["shrink datastore ssd-01"] },
        applied: { pending: false },
        request: { unneededBy: { attribute: "pending", equals: false } },
      },
    ]);
    for (const step of steps) {
      expect(step).toMatchObject({
        proof: { unobservable: true, requestLimitMs: 120_000 },
        request: { repeat: "unsafe" },
        order: { long: true },
        disrupts: ["reclaim"],
      });
    }
  });

  test.each([[["triggers"]], [["every"]], [["wiped_at"]], [["triggers", "pending"]]])(
    "again because of %j: both",
    (changed) => {
      const steps = reclaimType.lower(update(changed));
      expect(steps.map(({ verb, effect }) => `${verb} ${effect}`)).toEqual([
        "wipe update",
        "shrink update",
      ]);
      expect(steps[0]?.applied).toEqual({
        ...{ vm: "vm-12", triggers: { n: 2 }, pending: true },
        vm_instance_uuid: "50ab",
      });
    },
  );

  test("a wipe that was not followed by its shrink: the shrink alone", () => {
    const steps = reclaimType.lower(update(["pending"], "vm-12/reclaim/2000"));
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ verb: "shrink", summary: "shrink disk 2000 of VM web" });
    expect(steps[0]).not.toHaveProperty("afterPrevious");
  });

  test("a value of a trigger that is known later is an input", () => {
    const [wipe] = reclaimType.lower(create({}, { triggers: unknown as never }));
    expect(wipe?.request.inputs.triggers).toBe(unknown);
  });

  test("before anything was asked, and when the record ends", () => {
    const { facts: _facts, ...early } = create() as Extract<LowerRequest, { action: "create" }>;
    expect(reclaimType.lower(early).map(({ order }) => order?.pools)).toEqual([[], []]);
    const end = { action: "delete", identity: "vm-12/reclaim", prior: record({}) } as const;
    expect(reclaimType.lower(end)).toEqual([]);
    expect(reclaimType.recordOnly).toBe(true);
  });

  test.each([
    ["wipe host esx1", {}, 1],
    ["wipe host esx1", { limits: { wipes_per_host: 4 } }, 4],
    ["shrink datastore ssd-01", {}, 1],
    ["shrink datastore ssd-01", { limits: { shrinks_per_datastore: 2 } }, 2],
    ["datastore ssd-01", {}, undefined],
  ])("units of %s with %j", (pool, settings, limit) => {
    expect(reclaimType.poolLimit?.(pool, settings)).toBe(limit);
  });

  test.each([
    ["wipe", "vm-12/reclaim/2000", "/mob/?moid=vm-12&method=wipeDisk", ""],
    ["shrink", "vm-12/reclaim", "/mob/?moid=vm-12&method=shrinkDisk", "&diskId="],
    ["shrink", "vm-12/reclaim/2000", "/mob/?moid=vm-12&method=shrinkDisk", "&diskId=2000"],
  ])("the request of %s of %s", (verb, identity, path, field) => {
    const body = `vmware-session-nonce=(of the page)${field}`;
    expect(reclaimType.request(verb, identity, {})).toMatchObject({ method: "POST", path, body });
  });
});

describe("objections", () => {
  const codes = (change: LowerRequest): readonly string[] =>
    (reclaimType.objections?.(change) ?? []).map(({ severity, code }) => `${severity} ${code}`);
  const [, thin] = facts.disks;

  test("a VM with a sparse disk and running tools", () => {
    expect(codes(create())).toEqual([]);
    expect(codes(create({}, { disk_id: "2002" }))).toEqual([]);
    expect(codes(create({ power: "off", tools_running: false }))).toEqual([]);
    expect(codes(update(["pending"]))).toEqual([]);
  });

  test("no sparse disk: the formats that were found are named", () => {
    const disks = [
      { ...sparseDisk, format: "thin" },
      { ...sparseDisk, id: "2001", format: "unknown" },
    ];
    const [objection] = reclaimType.objections?.(create({ disks })) ?? [];
    expect(objection).toMatchObject({ severity: "error", code: "MGR101" });
    expect(objection?.detail).toContain(
      "Hard disk 1 (2000) is thin, Hard disk 1 (2001) is unknown",
    );
    expect(reclaimType.objections?.(create({ disks: [] }))[0]?.detail).toContain("it has no disks");
  });

  test.each([
    ["2001", "gives no space back"],
    ["2009", "has no disk 2009"],
  ])("disk %s", (disk, detail) => {
    expect(thin?.format).toBe("thin");
    const [objection] = reclaimType.objections?.(create({}, { disk_id: disk })) ?? [];
    expect(objection).toMatchObject({ code: "MGR102", detail: expect.stringContaining(detail) });
    expect(objection?.fix).toContain("2000 or 2002");
  });

  test("what is only worth knowing is a warning", () => {
    const change = create({ tools_running: false, running: ["VirtualMachine.relocate, by bob"] });
    expect(codes(change)).toEqual(["warning MGR104", "warning MGR103"]);
  });

  test("facts are read as they were written, and bad ones are absent", () => {
    expect(readReclaimFacts(facts)).toEqual(facts);
    expect(readReclaimFacts({ disks: [1, null], running: "x" })).toMatchObject({
      vm: "",
      disks: [],
      running: [],
      tools_running: false,
    });
  });
});

test.each([
  [{ vm: "https://m.example.com/mob/?moid=vm-12" }, ["MGR105"]],
  [{ vm: "web" }, ["MGR105"]],
  [{ vm: "vm-12", every: "0d" }, ["MGR106"]],
  [{ vm: "vm-12", every: "30d" }, []],
  [{ vm: unknown, every: unknown }, []],
])("check of %j", (attributes, codes) => {
  expect(reclaimType.check?.(attributes, address).map(({ code }) => code)).toEqual(codes);
});
