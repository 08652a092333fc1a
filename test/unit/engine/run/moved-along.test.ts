/** What a change through one interface has moved, seen through the other: ours, and no drift. */

import { describe, expect, test } from "vitest";
import { createDryLedger, type Ledger } from "../../../../src/engine/ledger.ts";
import {
  type Changing,
  createMovedAlong,
  type MovedAlong,
} from "../../../../src/engine/run/moved-along.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import { allRules } from "../../../../src/model/plan/rules.ts";
import type { Observation } from "../../../../src/model/provider/observation.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import { typeRegistry } from "../../../../src/providers/registry.ts";
import { buildOperation } from "../../../helpers/plan-builder.ts";
import { address, recordedObject, recordedState } from "../../../helpers/recorded-builder.ts";
import { session } from "../engine-world.ts";

const types = typeRegistry();
const cloudPath = "/api/vApp/vm-1";
const objects: readonly RecordedObject[] = [
  recordedObject("cloud_vm.c", {
    ...{ type: "cloud_vm", provider: "cloud", identity: cloudPath },
    attributes: { moref: "vm-5", datastore: "old", power_state: "on", name: "c" },
  }),
  recordedObject("manager_vm.m", {
    ...{ type: "manager_vm", provider: "manager", identity: "vm-5" },
    attributes: { datastore: "old", power_state: "on", name: "m" },
  }),
  recordedObject("manager_vm.other", {
    ...{ type: "manager_vm", provider: "manager", identity: "vm-6" },
    attributes: { datastore: "old", power_state: "on", name: "o" },
  }),
  recordedObject("manager_disk.d", {
    ...{ type: "manager_disk", provider: "manager", identity: "vm-5/2000" },
    container: { type: "manager_vm", identity: "vm-5" },
    attributes: { datastore: "old", file_name: "[old] m/m.vmdk", format: "thin" },
  }),
];
const state = recordedState(objects);

/** Whatever is asked for: all of it has changed. */
const changed: { readonly [type: string]: Attributes } = {
  cloud_vm: { moref: "vm-5", datastore: "new", power_state: "off", name: "renamed" },
  manager_vm: { datastore: "new", power_state: "off", name: "renamed" },
  manager_disk: { datastore: "new", file_name: "[new] m/m.vmdk", format: "thin" },
};

type SessionOf = Parameters<typeof createMovedAlong>[0]["sessionOf"];

function sessionsWith(asked: string[], fails = false): SessionOf {
  const read = (wanted: readonly { address: string; type: string; identity: string }[]) => {
    if (fails) {
      const down = { kind: "unavailable", effect: "none", message: "down" } as const;
      return Promise.reject(new RemoteError(down));
    }
    asked.push(...wanted.map((one) => one.address));
    return Promise.resolve(
      wanted.map(
        ({ type, identity }): Observation => ({
          status: "found",
          identity,
          attributes: changed[type] ?? {},
          unreadable: {},
        }),
      ),
    );
  };
  return () => Promise.resolve(session({ read }));
}

type Done = {
  readonly at: string;
  readonly attribute: string;
  readonly key?: string;
};

function changing({ at, attribute, key }: Done): Changing {
  return buildOperation(at, "update", {
    effect: { kind: "update" },
    proof: { expect: [{ attribute, equals: "new" }] },
    order: { locks: [{ key: key ?? "virtual machine vm-5", mode: "exclusive" }] },
  });
}

/** What these changes have moved, of what is recorded in the ledger. */
function alongOf(ledger: Ledger, sessionOf: SessionOf): MovedAlong {
  return createMovedAlong({ ports: { types, events: () => {} }, ledger, sessionOf });
}

describe("after a change, what is recorded of", () => {
  const disk = { datastore: "new", file_name: "[new] m/m.vmdk" };
  test.each<[string, Done, { readonly [address: string]: Attributes }]>([
    [
      "a move through the cloud",
      { at: "cloud_vm.c", attribute: "datastore" },
      { "manager_vm.m": { datastore: "new" }, "manager_disk.d": disk },
    ],
    [
      "a move through the manager",
      { at: "manager_vm.m", attribute: "datastore" },
      { "cloud_vm.c": { datastore: "new" }, "manager_disk.d": disk },
    ],
    [
      "a power word",
      { at: "cloud_vm.c", attribute: "power_state" },
      { "manager_vm.m": { power_state: "off" } },
    ],
    [
      "new deltas",
      { at: "manager_vm.m", attribute: "delta_disk_format" },
      { "manager_disk.d": { file_name: "[new] m/m.vmdk" } },
    ],
    ["a disk that grew", { at: "manager_disk.d", attribute: "size_gb" }, {}],
    [
      "another machine",
      { at: "cloud_vm.x", attribute: "datastore", key: "virtual machine vm-9" },
      {},
    ],
  ])("%s", async (_name, done, expected) => {
    const ledger = createDryLedger(state, allRules);
    const entries = await alongOf(ledger, sessionsWith([])).read([changing(done)]);
    expect(Object.fromEntries(entries.map((entry) => [entry.address, entry.attributes]))).toEqual(
      expected,
    );
  });
});

test("what somebody else had changed before the run is not accepted with it", async () => {
  const drifted = objects.map((object) =>
    object.address === "manager_vm.m" ? { ...object, unaccepted: { datastore: "lent" } } : object,
  );
  const ledger = createDryLedger({ ...state, objects: drifted }, allRules);
  const done = changing({ at: "cloud_vm.c", attribute: "datastore" });
  const entries = await alongOf(ledger, sessionsWith([])).read([done]);
  expect(entries.map((entry) => entry.address)).toEqual(["manager_disk.d"]);
});

test("what was held as drift within the run is recorded by then", async () => {
  const ledger = createDryLedger(state, allRules);
  const along = alongOf(ledger, sessionsWith([]));
  const held = { datastore: "new", name: "renamed" };
  const entry = {
    kind: "observed",
    objectKey: "current",
    existence: "found",
    attributes: {},
  } as const;
  await ledger.append([{ ...entry, address: address("manager_vm.m"), unaccepted: held }]);
  await ledger.append(await along.read([changing({ at: "cloud_vm.c", attribute: "datastore" })]));
  expect(ledger.object(address("manager_vm.m"))).toMatchObject({
    attributes: { datastore: "new" },
    unaccepted: { name: "renamed" },
  });
});

test("one that cannot be read stays as it was, and nothing is read of others", async () => {
  const ledger = createDryLedger(state, allRules);
  const done = changing({ at: "cloud_vm.c", attribute: "datastore" });
  expect(await alongOf(ledger, sessionsWith([], true)).read([done])).toEqual([]);
  const asked: string[] = [];
  await alongOf(ledger, sessionsWith(asked)).read([done]);
  expect(asked.toSorted()).toEqual(["manager_disk.d", "manager_vm.m"]);
});
