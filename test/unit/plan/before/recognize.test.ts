/** Is what stands under a recorded id still the recorded object? */

import { describe, expect, test } from "vitest";
import type { Observation } from "../../../../src/model/provider/observation.ts";
import type { Endpoint } from "../../../../src/model/recorded/endpoint.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { likenessOf, recognize } from "../../../../src/plan/before/recognize.ts";
import { diskType } from "../../../../src/providers/manager/machine/disk.ts";
import { vmType } from "../../../../src/providers/manager/machine/vm.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";
import { objectKeyOf } from "../../../../src/state/working.ts";
import { recordedObject } from "../../../helpers/recorded-builder.ts";

describe("likeness", () => {
  const vms: readonly [string, Attributes, Attributes, string][] = [
    ["equal", { instance_uuid: "1" }, { instance_uuid: "1" }, "same"],
    ["equal in another case", { instance_uuid: "50AB" }, { instance_uuid: "50ab" }, "same"],
    ["different", { instance_uuid: "1" }, { instance_uuid: "2" }, "its instance_uuid is 2"],
    ["not recorded", {}, { instance_uuid: "2" }, "unknown"],
    ["not told", { instance_uuid: "1" }, { instance_uuid: null }, "unknown"],
    ["of the BIOS alone", { bios_uuid: "1" }, { bios_uuid: "2" }, "its bios_uuid is 2"],
    [
      "a BIOS that was changed",
      { instance_uuid: "1", bios_uuid: "1" },
      { instance_uuid: "1", bios_uuid: "2" },
      "same",
    ],
    [
      "a copy, with the BIOS of its original",
      { instance_uuid: "1", bios_uuid: "1" },
      { instance_uuid: "2", bios_uuid: "1" },
      "its instance_uuid is 2",
    ],
  ];
  test.each(vms)("VM: %s", (_, known, observed, expected) => {
    expect(textOf(likenessOf(vmType, known, observed))).toContain(expected);
  });

  const disks: readonly [string, Attributes, Attributes, string][] = [
    [
      "another disk with the key of a removed one",
      { vm_instance_uuid: "1", disk_uuid: "a" },
      { vm_instance_uuid: "1", disk_uuid: "b" },
      "its disk_uuid is b",
    ],
    [
      "the disk of another VM",
      { vm_instance_uuid: "1", disk_uuid: "a" },
      { vm_instance_uuid: "2", disk_uuid: "a" },
      "its vm_instance_uuid is 2",
    ],
    ["no UUID is told", {}, {}, "unknown"],
  ];
  test.each(disks)("disk: %s", (_, known, observed, expected) => {
    expect(textOf(likenessOf(diskType, known, observed))).toContain(expected);
  });
});

function textOf(likeness: ReturnType<typeof likenessOf>): string {
  return typeof likeness === "string" ? likeness : likeness.difference;
}

const types = typeRegistry();
const one: Endpoint = { url: "https://a", instance: "1" };
const two: Endpoint = { url: "https://a", instance: "2" };

function manager(text: string, parts: Partial<RecordedObject>): RecordedObject {
  return recordedObject(text, {
    type: text.split(".")[0] ?? "",
    provider: "manager",
    endpoint: one,
    ...parts,
  });
}

const vm = manager("manager_vm.db", {
  identity: "vm-1",
  attributes: { moref: "vm-1", instance_uuid: "u1" },
});
const disk = manager("manager_disk.d", {
  identity: "vm-1/2000",
  container: { type: "manager_vm", identity: "vm-1" },
});
const reclaim = manager("manager_disk_reclaim.r", {
  identity: "vm-1/reclaim",
  container: { type: "manager_vm", identity: "vm-1" },
});
/** A record that knows the VM it is about, which is not recorded itself. */
function ofUuid(uuid: string): RecordedObject {
  return manager("manager_disk_reclaim.known", {
    identity: "vm-2/reclaim",
    container: { type: "manager_vm", identity: "vm-2" },
    applied: { vm_instance_uuid: uuid },
  });
}
const alarm = manager("manager_login_alarm.al", { identity: "logins" });

const found = (identity: string, attributes: Attributes): Observation => ({
  status: "found",
  identity,
  attributes,
  unreadable: {},
});
const byRule: Extract<Observation, { status: "unreadable" }> = {
  status: "unreadable",
  rule: "by rule",
  reason: "nothing is kept",
};

const cases: readonly {
  readonly name: string;
  readonly reads: readonly [RecordedObject, Observation][];
  readonly present?: Endpoint;
  /** Addresses that turn out to be other objects. */
  readonly others: readonly string[];
}[] = [
  {
    name: "all as recorded",
    reads: [
      [vm, found("vm-1", { instance_uuid: "u1" })],
      [reclaim, byRule],
    ],
    others: [],
  },
  {
    name: "another VM, and its content with it, read or not",
    reads: [
      [vm, found("vm-1", { instance_uuid: "u2" })],
      [disk, found("vm-1/2000", {})],
      [reclaim, byRule],
      [alarm, found("logins", {})],
    ],
    others: ["manager_vm.db", "manager_disk.d", "manager_disk_reclaim.r"],
  },
  {
    name: "a record of work alone: the UUID of the VM that it was done on tells",
    reads: [
      [ofUuid("u1"), { ...byRule, knownBy: { vm_instance_uuid: "u2" } }],
      [reclaim, { ...byRule, knownBy: { vm_instance_uuid: "u2" } }],
    ],
    others: ["manager_disk_reclaim.known"],
  },
  {
    name: "a record of work on the same VM",
    reads: [[ofUuid("u1"), { ...byRule, knownBy: { vm_instance_uuid: "U1" } }]],
    others: [],
  },
  {
    name: "another server: what no UUID identifies is another object",
    present: two,
    reads: [
      [vm, found("vm-1", { instance_uuid: "u1" })],
      [alarm, found("logins", {})],
    ],
    others: ["manager_login_alarm.al"],
  },
  {
    name: "what is gone stays gone, what is hidden stays hidden",
    present: two,
    reads: [
      [vm, { status: "missing", proof: "not listed" }],
      [alarm, { status: "unreadable", rule: "failed", reason: "no rights" }],
    ],
    others: [],
  },
];

test.each(cases)("$name", ({ reads, present = one, others }) => {
  const keyOf = ({ address, objectKey }: RecordedObject): string => objectKeyOf(address, objectKey);
  const observations = new Map(reads.map(([object, read]) => [keyOf(object), read]));
  const objects = reads.map(([object]) => object);
  const seen = recognize(types, objects, observations, new Map([["manager", present]]));
  const another = objects.filter((object) => {
    const observation = seen.get(keyOf(object));
    return observation?.status === "missing" && observation.another === true;
  });
  expect(another.map(({ address }) => address)).toEqual(others);
  for (const object of objects) {
    if (another.includes(object)) continue;
    expect(seen.get(keyOf(object))).toEqual(observations.get(keyOf(object)));
  }
});
