/** What the configuration adds to a report, and the advice that follows from the three together. */

import { describe, expect, test } from "vitest";
import type { DesiredObject } from "../../../src/drift/attribute-comparison.ts";
import {
  buildDriftReport,
  type DriftInput,
  driftExitCode,
} from "../../../src/drift/drift-report.ts";
import type { DriftReport } from "../../../src/model/plan/drift-report.ts";
import type { Observation } from "../../../src/model/provider/observation.ts";
import type { RecordedObject } from "../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../src/model/value/address.ts";
import { readResourceSchema } from "../../../src/model/value/resource-schema.ts";
import {
  type Attributes,
  type PlannedAttributes,
  unknown,
} from "../../../src/model/value/value.ts";
import {
  address,
  recordedObject,
  recordedState,
  testTypes,
} from "../../helpers/recorded-builder.ts";

type Given = {
  readonly object?: Partial<RecordedObject>;
  /** Undefined: missing. */
  readonly observed?: Attributes;
  /** Undefined: not in the configuration. */
  readonly desired?: PlannedAttributes;
  readonly ignore?: readonly string[];
};

function report(
  given: { readonly [address: string]: Given },
  parts: Partial<DriftInput> = {},
): DriftReport {
  const observations = new Map<Address, Observation>();
  const objects = new Map<Address, DesiredObject>();
  const records: RecordedObject[] = [];
  for (const [text, { object = {}, observed, desired, ignore = [] }] of Object.entries(given)) {
    const record = recordedObject(text, object);
    const { type, provider, identity } = record;
    records.push(record);
    observations.set(
      record.address,
      observed === undefined
        ? { status: "missing", proof: "absent from the complete list of 2 VMs" }
        : { status: "found", identity, attributes: observed, unreadable: {} },
    );
    if (desired === undefined) continue;
    objects.set(record.address, { type, provider, identity, attributes: desired, ignore });
  }
  return buildDriftReport({
    recorded: recordedState(records),
    observations,
    types: testTypes,
    nowMs: 0,
    configuration: { status: "read", objects },
    ...parts,
  });
}

function commands({ objects: [object] }: DriftReport): readonly string[] {
  return (object?.suggestions ?? []).map(
    ({ purpose, command, remark }) => `${purpose}: ${command}${remark === undefined ? "" : " +"}`,
  );
}

const unreadable: Partial<DriftInput> = { configuration: { status: "unreadable", errors: 3 } };
const accept = "accept: vmform drift --accept daemon_vm.web";
const restore = "restore: vmform apply --target daemon_vm.web";
const replace = "replace: vmform apply --target daemon_vm.web --replace daemon_vm.web";
const on = { attributes: { power_state: "on" } };

const growing = readResourceSchema("test_disk", {
  properties: { size_gb: { type: "number", "x-vmform": { growsOnly: true } } },
});

describe("advice is offered only where it helps", () => {
  test.each<readonly [string, Given, Partial<DriftInput>, readonly string[]]>([
    [
      "power that the configuration wants is restored by an apply",
      { object: on, observed: { power_state: "off" }, desired: { power: "on" } },
      {},
      [restore, `${accept} --write-config +`],
    ],
    [
      "power that nobody asks for is not",
      { object: on, observed: { power_state: "off" }, desired: { power: null } },
      {},
      [accept],
    ],
    [
      "what the configuration wants by now has only to be accepted",
      { object: on, observed: { power_state: "off" }, desired: { power: "off" } },
      {},
      [accept],
    ],
    [
      "a name that only a new VM could have back",
      {
        object: { applied: { name: "a" }, attributes: { name: "a" } },
        observed: { name: "b" },
        desired: { name: "a" },
      },
      {},
      [`${accept} --write-config +`, `${replace} +`],
    ],
    [
      "power comes back by itself, a name only with another VM, which comes last",
      {
        object: { applied: { name: "a" }, attributes: { name: "a", power_state: "on" } },
        observed: { name: "b", power_state: "off" },
        desired: { name: "a", power: "on" },
      },
      {},
      [`${restore} +`, `${accept} --write-config +`, `${replace} +`],
    ],
    [
      "a name that planning replaces for by itself",
      {
        object: { applied: { name: "a" }, attributes: { name: "a" } },
        observed: { name: "b" },
        desired: { name: "c" },
      },
      {},
      [restore, `${accept} --write-config +`],
    ],
    [
      "an imported VM was never given the name: a plain apply leaves it",
      {
        object: { applied: null, attributes: { name: "a" } },
        observed: { name: "b" },
        desired: { name: "a" },
      },
      {},
      [`${accept} --write-config +`, `${replace} +`],
    ],
    [
      "a wish that only planning knows, such as one that a data source answers",
      { object: on, observed: { power_state: "off" }, desired: { power: unknown } },
      {},
      [restore, `${accept} --write-config +`],
    ],
    [
      "a wish that only planning knows, and that is left to others",
      {
        object: on,
        observed: { power_state: "off" },
        desired: { power: unknown },
        ignore: ["power"],
      },
      {},
      [],
    ],
    [
      "an object that left the configuration is not restored",
      { object: on, observed: { power_state: "off" } },
      {},
      [accept],
    ],
    [
      "an unreadable configuration may want anything",
      { object: on, observed: { power_state: "off" } },
      unreadable,
      [restore, accept],
    ],
    ["a missing object", { desired: {} }, {}, [restore, "forget: vmform state rm daemon_vm.web"]],
    ["a missing object nobody wants any more", {}, {}, ["forget: vmform state rm daemon_vm.web"]],
    [
      "a create that was never seen",
      { object: { status: "tentative" } },
      {},
      ["settle: vmform state resolve daemon_vm.web --not-done +"],
    ],
    ["nothing to do", { object: on, observed: { power_state: "on" }, desired: {} }, {}, []],
    [
      "from another folder",
      { desired: {} },
      { directory: "my lab" },
      [
        "restore: vmform apply --target daemon_vm.web --chdir 'my lab'",
        "forget: vmform state rm daemon_vm.web --chdir 'my lab'",
      ],
    ],
  ])("%s", (_name, given, parts, expected) => {
    expect(commands(report({ "daemon_vm.web": given }, parts))).toEqual(expected);
  });

  const toTake = "accept: vmform apply --target test_disk.a --allow readopt +";
  test.each<readonly [string, "attached" | "owned", PlannedAttributes | undefined, string[]]>([
    ["an attached object", "attached", {}, [toTake]],
    ["an attached object nobody wants any more", "attached", undefined, []],
    ["an owned object", "owned", {}, []],
  ])("%s, another one under its identity: it is not to be forgotten", (_name, own, wanted, all) => {
    const types = { test_disk: { schema: growing, ownership: own } };
    const object = { type: "test_disk" };
    const given = wanted === undefined ? { object } : { object, desired: wanted };
    const proof = "under its id there is another one";
    const observations = new Map<Address, Observation>([
      [address("test_disk.a"), { status: "missing", proof, another: true }],
    ]);
    expect(commands(report({ "test_disk.a": given }, { types, observations }))).toEqual(all);
  });

  const toAccept = "accept: vmform drift --accept test_disk.a --write-config";
  const toRestore = "restore: vmform apply --target test_disk.a";
  test.each([
    ["grown beyond what is wanted", 25, 30, [`${toAccept} +`]],
    ["grown beyond what is wanted, as an exact integer", 25n, 30n, [`${toAccept} +`]],
    ["smaller than is wanted", 25, 20, [toRestore, `${toAccept} +`]],
  ])("what is never made smaller: %s", (_name, wanted, size, expected) => {
    const object = { type: "test_disk", attributes: { size_gb: wanted } };
    const given = { object, observed: { size_gb: size }, desired: { size_gb: wanted } };
    const types = { test_disk: { schema: growing, ownership: "attached" as const } };
    expect(commands(report({ "test_disk.a": given }, { types }))).toEqual(expected);
  });

  test("commands can be pasted into a shell", () => {
    expect(commands(report({ [`daemon_vm.web["it's"]`]: {} }))).toEqual([
      `forget: vmform state rm 'daemon_vm.web["it'\\''s"]'`,
    ]);
  });
});

describe("what differs from the configuration and no plan would change", () => {
  const accepted = { applied: { name: "a" }, attributes: { name: "b" } };
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    [
      "accepted drift",
      { object: accepted, observed: { name: "b" }, desired: { name: "a" } },
      ["name"],
    ],
    [
      "of an imported VM",
      {
        object: { applied: null, attributes: { name: "b" } },
        observed: { name: "b" },
        desired: { name: "a" },
      },
      ["name"],
    ],
    [
      "of a VM that is off, as far as it is known",
      { object: accepted, observed: { power_state: "off" }, desired: { name: "a" } },
      ["name"],
    ],
    [
      "not what is left to others",
      {
        object: accepted,
        observed: { name: "b" },
        desired: { name: "a" },
        ignore: ["name"],
      },
      [],
    ],
  ];
  test.each(cases)("%s", (_name, given, standing) => {
    const result = report({ "daemon_vm.web": given });
    const [object] = result.objects;
    expect(object?.standing.map(({ attribute }) => attribute)).toEqual(standing);
    expect(object).toMatchObject({ drifted: [], unapplied: [] });
    expect(driftExitCode(result)).toBe(standing.length > 0 ? 2 : 0);
    expect(object?.verdict).toBe(standing.length > 0 ? "differs" : "in_sync");
  });
});

describe("what the configuration changes is no drift", () => {
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    [
      "a readable attribute",
      {
        object: { applied: { name: "a" }, attributes: { name: "a" } },
        observed: { name: "a" },
        desired: { name: "b" },
      },
      ["name"],
    ],
    [
      "wanted power stands at the attribute where power is read",
      { object: on, observed: { power_state: "on" }, desired: { power: "suspended" } },
      ["power_state"],
    ],
    [
      "an attribute that is never read is compared with what was sent",
      {
        object: { applied: { folder_sharing: true }, attributes: {} },
        observed: {},
        desired: { folder_sharing: false },
      },
      ["folder_sharing"],
    ],
    [
      "as planning does, nothing for an imported object that only replacing could change",
      { object: { applied: null, attributes: {} }, observed: {}, desired: { parent_id: "base" } },
      [],
    ],
    [
      "nothing that steers this tool only, is unset, or not known yet",
      {
        object: { attributes: { name: "a", tag: "t" } },
        observed: { name: "a", tag: "t" },
        desired: { shutdown_timeout: "9s", name: null, tag: unknown },
      },
      [],
    ],
    [
      "nothing that the configuration leaves to others",
      {
        object: { attributes: { name: "a" } },
        observed: { name: "a" },
        desired: { name: "b" },
        ignore: ["name"],
      },
      [],
    ],
  ];
  test.each(cases)("%s", (_name, given, unapplied) => {
    const { objects, counts } = report({ "daemon_vm.web": given });
    expect(objects[0]?.unapplied.map(({ attribute }) => attribute)).toEqual(unapplied);
    expect(objects[0]?.unapplied.every((item) => item.class === "config-change")).toBe(true);
    expect(counts).toMatchObject({ drifted: 0, attributesUnapplied: unapplied.length });
  });

  test("objects on one side only are named", () => {
    const { objects, configuration } = report(
      { "daemon_vm.web": { object: on, observed: { power_state: "on" } } },
      {
        configuration: {
          status: "read",
          objects: new Map(
            ["daemon_vm.n[10]", "daemon_vm.n[2]"].map((text) => [
              address(text),
              { type: "daemon_vm", provider: "daemon", identity: "x", attributes: {}, ignore: [] },
            ]),
          ),
        },
      },
    );
    expect(objects[0]).toMatchObject({ configured: false, verdict: "in_sync" });
    expect(configuration).toEqual({
      status: "read",
      notRecorded: ["daemon_vm.n[2]", "daemon_vm.n[10]"],
    });
  });
});

test("what the configuration leaves to others is listed, and no drift", () => {
  const given = { object: on, observed: { power_state: "off" }, desired: {}, ignore: ["power"] };
  const { objects, counts } = report({ "daemon_vm.web": given });
  expect(objects[0]).toMatchObject({
    verdict: "in_sync",
    drifted: [],
    notChecked: [{ attribute: "power_state", rule: "by rule" }],
  });
  expect(counts.attributesCompared).toBe(0);
});

describe("causes", () => {
  const off: Given = { object: on, observed: { power_state: "off" }, desired: { power: "on" } };
  const suspended: Given = { ...off, observed: { power_state: "suspended" } };

  test("objects that drifted the same way share one, with one command for all", () => {
    const { causes } = report({
      "daemon_vm.b": off,
      "daemon_vm.c": suspended,
      "daemon_vm.a": off,
      "daemon_vm.gone[1]": {},
      "daemon_vm.gone[0]": {},
      "daemon_vm.same": { object: on, observed: { power_state: "on" }, desired: {} },
      "daemon_vm.alike": { object: on, observed: { power_state: "on" }, desired: {} },
    });
    expect(causes).toEqual([
      expect.objectContaining({
        verdict: "drifted",
        addresses: ["daemon_vm.a", "daemon_vm.b"],
        differences: [
          expect.objectContaining({ attribute: "power_state", recorded: "on", observed: "off" }),
        ],
      }),
      expect.objectContaining({
        verdict: "missing",
        reason: "absent from the complete list of 2 VMs",
        addresses: ["daemon_vm.gone[0]", "daemon_vm.gone[1]"],
      }),
    ]);
    expect(causes[0]?.suggestions[0]?.command).toBe(
      "vmform apply --target daemon_vm.a --target daemon_vm.b",
    );
    expect(causes[1]?.suggestions[0]?.command).toBe(
      "vmform state rm 'daemon_vm.gone[0]' 'daemon_vm.gone[1]'",
    );
  });

  test.each<readonly [string, Given]>([
    ["another value", suspended],
    ["another type", { ...off, object: { ...on, type: "daemon_shared_folder" } }],
    ["another wish", { ...off, desired: { power: "paused" } }],
    ["other advice", { ...off, desired: { power: null } }],
  ])("%s is another cause", (_name, other) => {
    expect(report({ "daemon_vm.a": off, "daemon_vm.b": other }).causes).toEqual([]);
  });

  test("a command for one address is not shared", () => {
    const tentative: Given = { object: { status: "tentative" } };
    expect(report({ "daemon_vm.a": tentative, "daemon_vm.b": tentative }).causes).toEqual([]);
  });
});

test("attributes that are never read back are named once per type", () => {
  const clone: Given = {
    object: { applied: { parent_id: "base" }, attributes: {} },
    observed: {},
    desired: {},
  };
  const sharing = { ...clone, object: { applied: { folder_sharing: true }, attributes: {} } };
  const { objects, neverRead } = report({
    "daemon_vm.a": clone,
    "daemon_vm.b": sharing,
    "daemon_vm.c": { ...clone, object: { applied: {}, attributes: {} } },
  });
  expect(neverRead).toEqual([{ type: "daemon_vm", attributes: ["folder_sharing", "parent_id"] }]);
  expect(objects.flatMap(({ notChecked }) => notChecked)).toEqual([]);
});

describe("an unmanaged object", () => {
  const discovered = [{ provider: "daemon", type: "daemon_vm", identity: "stray 1" }];
  const wanted = (provider: string): DriftInput["configuration"] => ({
    status: "read",
    objects: new Map([
      [
        address("daemon_vm.new"),
        { type: "daemon_vm", provider, identity: "stray 1", attributes: {}, ignore: [] },
      ],
    ]),
  });
  test.each<readonly [string, DriftInput["configuration"], string]>([
    ["that the configuration wants", wanted("daemon"), "vmform import daemon_vm.new 'stray 1'"],
    ["wanted of another daemon", wanted("daemon.east"), "vmform import --all daemon_vm"],
    ["unknown", { status: "unreadable", errors: 1 }, "vmform import --all daemon_vm"],
  ])("%s", (_name, configuration, command) => {
    const { unmanaged } = report({}, { discovered, configuration });
    expect(unmanaged?.map(({ suggestions }) => suggestions)).toEqual([
      [{ purpose: "import", command }],
    ]);
  });
});

test("a report of a part says so", () => {
  expect(report({}, { partial: true })).toMatchObject({ partial: true });
  expect(report({})).toMatchObject({ partial: false, unlisted: [], diagnostics: [] });
});
