/** What references see of a changing object: what is there, what is wanted, what is not known. */

import { expect, test } from "vitest";
import { formatAddress } from "../../../src/model/value/address.ts";
import { type Attributes, unknown } from "../../../src/model/value/value.ts";
import { plannedAttributes } from "../../../src/plan/classify/desired.ts";
import type { PowerGoal, Unit } from "../../../src/plan/unit.ts";
import { vmType as daemonVmType } from "../../../src/providers/daemon/vm.ts";
import { diskType } from "../../../src/providers/manager/machine/disk.ts";
import { vmType } from "../../../src/providers/manager/machine/vm.ts";

const attributes: Attributes = {
  vm: "vm-1",
  disk_id: "2000",
  size_gb: 10,
  capacity_bytes: 10_737_418_240,
  format: "thin",
};

function diskUnit(part: Pick<Unit, "action" | "updates">): Unit {
  const record = {
    address: formatAddress({
      mode: "managed",
      modules: [],
      type: diskType.name,
      name: "a",
    }),
    objectKey: "current",
    type: diskType.name,
    provider: "manager",
    identity: "vm-1/2000",
    status: "ready",
    applied: null,
    attributes,
    dependencies: [],
    timeoutsMs: {},
  } as const;
  return {
    address: record.address,
    objectKey: "current",
    type: diskType,
    provider: "manager",
    settings: null,
    desired: undefined,
    prior: {
      ...{ record, existence: "found", attributes },
      ...{ why: "", failed: false, failedAttributes: [] },
    },
    identity: record.identity,
    reason: { kind: "attributes" },
    wanted: { vm: "vm-1", disk_id: "2000", size_gb: 20 },
    deferred: {},
    forceNew: [],
    standing: [],
    undecided: undefined,
    branch: undefined,
    endsSilently: false,
    power: undefined,
    deposes: undefined,
    dependencies: [],
    facts: undefined,
    partsWith: undefined,
    ...part,
  };
}

test.each([
  ["what follows a change is known after it", ["size_gb"], unknown],
  ["a change of something else leaves it", ["label"], attributes.capacity_bytes],
  ["and so does none", [], attributes.capacity_bytes],
] as const)("%s", (_name, updates, capacity) => {
  const action = updates.length === 0 ? "no-op" : "update";
  const planned = plannedAttributes(diskUnit({ action, updates }));
  expect(planned).toMatchObject({ size_gb: 20, format: "thin", capacity_bytes: capacity });
});

const goal: Omit<PowerGoal, "from" | "to"> = { openRestore: undefined, remember: undefined };

test.each([
  ["off and stays off", "off", "off", "esx-1", "esx-1", null],
  ["goes off", "on", "off", "esx-1", "esx-1", null],
  ["comes on", "off", "on", "esx-1", "esx-1", unknown],
  ["stays on", "on", "on", "esx-1", "esx-1", "running"],
  ["off, and its host was never told", "off", "off", null, null, null],
  ["comes on, and its host was never told", "off", "on", null, unknown, unknown],
] as const)("a VM that is %s: its host is told, its tools only while it is on", (...row) => {
  const [_name, from, to, host, plannedHost, tools] = row;
  const unit = diskUnit({ action: "update", updates: [] });
  if (unit.prior === undefined) throw new Error("no prior");
  const prior = { ...unit.prior, attributes: { host, tools_status: "running" } };
  const planned = plannedAttributes({ ...unit, type: vmType, prior, power: { ...goal, from, to } });
  expect(planned).toMatchObject({ host: plannedHost, tools_status: tools });
});

test.each([
  ["made, and given its name by the server", "create", null, unknown],
  ["made anew, and given its name by the server", "replace", null, unknown],
  ["made with a name", "create", "front", "front"],
  ["left as it is", "no-op", null, "old"],
] as const)("a VM that is %s: its name is never taken for none", (_name, action, name, planned) => {
  const unit = diskUnit({ action, updates: [] });
  if (unit.prior === undefined) throw new Error("no prior");
  const prior = { ...unit.prior, attributes: { id: "old", name: "old" } };
  const wanted = { id: "new", name };
  expect(plannedAttributes({ ...unit, type: daemonVmType, prior, wanted }).name).toEqual(planned);
});
