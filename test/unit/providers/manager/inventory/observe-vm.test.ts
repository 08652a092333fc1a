/** Reading VMs: with how many requests, what their properties say, and when one counts as gone. */

import { afterEach, describe, expect, test } from "vitest";
import type { Observation, Wanted } from "../../../../../src/model/provider/observation.ts";
import { disk, lookedUp, places, type TestVm, vmObject, wanted } from "../machines.ts";
import {
  fault,
  type ManagerScript,
  type ScriptedManager,
  startManager,
} from "../scripted-manager.ts";

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const type = "manager_vm";

async function start(vms: readonly TestVm[], script: ManagerScript = {}): Promise<ScriptedManager> {
  open = await startManager({ objects: [...vms.map(vmObject), ...places], ...script });
  return open;
}

async function read(
  vms: readonly TestVm[],
  objects: readonly Wanted[],
  script: ManagerScript = {},
): Promise<{ readonly seen: readonly Observation[]; readonly calls: readonly string[] }> {
  const manager = await start(vms, script);
  const seen = await manager.session.read(objects);
  const calls = manager.calls().map((call) => call.split(" ")[0] ?? "");
  await manager.close();
  open = undefined;
  return { seen, calls: calls.filter((call) => call !== "Logout") };
}

async function readOne(vm: TestVm, object: Partial<Wanted> = {}, script: ManagerScript = {}) {
  const { seen } = await read([vm], [wanted(type, { identity: vm.id, ...object })], script);
  const [observation] = seen;
  if (observation === undefined) throw new Error("nothing was observed");
  return observation;
}

const numbered = (count: number): readonly TestVm[] =>
  Array.from({ length: count }, (_, index) => ({ id: `vm-${index + 1}` }));
const byId = (vms: readonly TestVm[]) => vms.map(({ id }) => wanted(type, { identity: id }));
const one = ["RetrievePropertiesEx"];
const list = ["CreateContainerView", "RetrievePropertiesEx", "DestroyView"];

describe("how many requests", () => {
  test("a few VMs are one, and one more for hosts that were not seen yet", async () => {
    const manager = await start(numbered(20));
    expect(await manager.session.read(byId(numbered(20)))).toHaveLength(20);
    expect(manager.calls()).toHaveLength(2);
    expect(manager.bodies("RetrievePropertiesEx")[0]?.match(/<objectSet>/g)).toHaveLength(20);
    await manager.session.read(byId(numbered(3)));
    expect(manager.calls()).toHaveLength(3);
  });

  test("many VMs are one read of everything, whose view is ended", async () => {
    const vms = numbered(128);
    const { seen, calls } = await read(vms, byId(vms.slice(0, 100)), {
      settings: { page_size: 500 },
    });
    expect(seen.map(({ status }) => status)).toEqual(Array(100).fill("found"));
    expect(seen[99]).toMatchObject({
      identity: "vm-100",
      attributes: { host: "esx1.example.com" },
    });
    expect(calls).toEqual(list);
  });

  test("a list is read to the end of its pages", async () => {
    const vms = numbered(250);
    const { seen, calls } = await read(vms, byId(vms));
    expect(seen.every(({ status }) => status === "found")).toBe(true);
    const more = "ContinueRetrievePropertiesEx";
    expect(calls).toEqual([...list.slice(0, 2), more, more, "DestroyView"]);
  });

  test("devices are asked for only where somebody needs them", async () => {
    const manager = await start([{ id: "vm-1", devices: [disk()] }]);
    await manager.session.read(byId([{ id: "vm-1" }]));
    await manager.session.read([
      wanted(type, { identity: "vm-1", attributes: ["delta_disk_format"] }),
    ]);
    const asks = manager
      .bodies("RetrievePropertiesEx")
      .map((body) => body.includes("hardware.device"));
    expect(asks).toEqual([false, false, true]);
  });

  test("properties that a server does not know are found out once", async () => {
    const manager = await start([{ id: "vm-1" }], {
      unknownPaths: ["config.nestedHVEnabled", "config.template"],
    });
    const object = wanted(type, { identity: "vm-1", attributes: ["nested_hv_enabled"] });
    expect(await manager.session.read([object])).toMatchObject([
      { status: "found", unreadable: { nested_hv_enabled: "by rule" } },
    ]);
    expect(manager.calls()).toHaveLength(4);
    await manager.session.read([object]);
    expect(manager.calls()).toHaveLength(5);
  });

  test("a list without end is an error", async () => {
    const endless =
      '<?xml version="1.0"?><e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>' +
      '<XResponse xmlns="urn:vim25"><returnval><token>1</token></returnval></XResponse></e:Body></e:Envelope>';
    const { seen } = await read([{ id: "vm-1" }], byId([{ id: "vm-1" }]), {
      handle: ({ method }) =>
        method.endsWith("RetrievePropertiesEx")
          ? { body: endless.replaceAll("XResponse", `${method}Response`) }
          : undefined,
    });
    expect(seen).toMatchObject([
      { status: "unreadable", reason: expect.stringContaining("no end") },
    ]);
  });
});

test("attributes of a VM", async () => {
  const vm: TestVm = {
    id: "vm-1",
    name: "web%2fa",
    power: "poweredOn",
    tools: "guestToolsRunning",
    nested: true,
    version: "vmx-14",
    uuid: "5003AB",
    home: "[ssd %2f 01] web/web.vmx",
  };
  expect(await readOne(vm, { attributes: ["nested_hv_enabled"] })).toEqual({
    status: "found",
    identity: "vm-1",
    attributes: {
      moref: "vm-1",
      name: "web/a",
      power_state: "on",
      host: "esx1.example.com",
      instance_uuid: "5003ab",
      hardware_version: 14,
      datastore: "ssd / 01",
      nested_hv_enabled: true,
      tools_status: "running",
    },
    unreadable: {},
    reasons: {},
  });
});

test.each([
  ["poweredOn", "on"],
  ["poweredOff", "off"],
  ["suspended", "suspended"],
])("power %s is %s", async (power, state) => {
  expect(await readOne({ id: "vm-1", power })).toMatchObject({
    attributes: { power_state: state },
  });
});

test.each([
  [{ power: "unheardOf" }, "has the power state unheardOf, which says nothing of its power"],
  [{ power: "" }, "has no power state"],
  [{ connection: "inaccessible" }, "is inaccessible: what the host manager shows of it is what it"],
  [{ connection: "disconnected" }, "is disconnected"],
  [{ template: true }, "is a template"],
  [
    { refused: { "runtime.powerState": "NoPermission" } },
    "may not be read: NoPermission: words of",
  ],
  [{ refused: { name: "NoPermission" }, name: "" }, "exists and may not be read: NoPermission"],
] as const)("a VM of %j is no answer", async (changes, reason) => {
  const { name, ...rest } = { name: "web", ...changes };
  const base = vmObject({ id: "vm-1", ...rest, ...(name === "" ? {} : { name }) });
  const { name: shown, ...others } = base.values;
  const values = name === "" ? others : { ...others, name: shown ?? "" };
  const { seen } = await read([], byId([{ id: "vm-1" }]), {
    objects: [{ ...base, values }, ...places],
  });
  expect(seen[0]).toMatchObject({ status: "unreadable", rule: "failed" });
  expect(seen[0]).toHaveProperty("reason", expect.stringContaining(reason));
});

test.each([
  [{}, "ssd-01"],
  // The one datastore that all of it is on, whatever the path still says.
  [{ datastores: ["datastore-2"] }, "ssd-02"],
  [{ datastores: ["datastore-1", "datastore-2"], home: "[ssd-02] a/a.vmx" }, "ssd-02"],
  [{ datastores: ["datastore-9"] }, "ssd-01"],
  // Its disks tell which of several are its own: the other one may hold an image in a drive.
  [{ datastores: ["datastore-1", "datastore-2"], devices: [disk()] }, "ssd-01"],
  [
    { datastores: ["datastore-1", "datastore-2"], home: "[ssd-02] a/a.vmx", devices: [disk()] },
    "ssd-02 + ssd-01",
  ],
  [{ home: "" }, undefined],
])("the datastore of %j is %s", async (changes, name) => {
  const observation = await readOne({ id: "vm-1", ...changes });
  expect(observation.status === "found" && observation.attributes.datastore).toBe(name);
  expect(observation).toMatchObject({
    unreadable: name === undefined ? { datastore: "failed" } : {},
  });
});

describe("nested virtualization", () => {
  const asked = { attributes: ["nested_hv_enabled"] };
  test.each([
    [{ nested: true }, true],
    [{ nested: false }, false],
    // Never set: wire facts D.4.
    [{}, false],
  ])("of %j is %s", async (changes, value) => {
    const observation = await readOne({ id: "vm-1", ...changes }, asked);
    expect(observation).toMatchObject({ attributes: { nested_hv_enabled: value }, unreadable: {} });
  });

  test.each([
    ["the server is too old", {}, { apiVersion: "5.0" }, "by rule"],
    ["the property is not known", {}, { unknownPaths: ["config.nestedHVEnabled"] }, "by rule"],
    [
      "the property is not known, softly",
      {},
      { unknownPaths: ["config.nestedHVEnabled"], softUnknown: true },
      "by rule",
    ],
    ["no configuration is shown", { version: null }, {}, "failed"],
    ["it may not be read", { refused: { "config.nestedHVEnabled": "NoPermission" } }, {}, "failed"],
  ] as const)("where %s it is not told", async (_why, changes, script, rule) => {
    const objects = [vmObject({ id: "vm-1", ...changes }), ...places];
    const observation = await readOne({ id: "vm-1", ...changes }, asked, { objects, ...script });
    expect(observation).toMatchObject({ unreadable: { nested_hv_enabled: rule } });
    expect(observation).not.toHaveProperty("attributes.nested_hv_enabled");
  });
});

const parent = "<parent><fileName>[ssd-01] web/base.vmdk</fileName></parent>";
const nativeDelta = "<deltaDiskFormat>nativeFormat</deltaDiskFormat>";
const sparse = "VirtualDiskSeSparseBackingInfo";

test.each([
  ["no disks", [], null],
  ["no deltas", [disk({ more: nativeDelta }), disk({ key: 2001, backing: sparse })], null],
  ["deltas that tell no format", [disk({ more: parent })], "redoLogFormat"],
  ["one told delta", [disk({ more: nativeDelta + parent })], "nativeFormat"],
  ["a sparse delta", [disk({ backing: sparse, more: parent })], "seSparseFormat"],
  ["a delta and another disk", [disk({ backing: sparse, more: parent }), disk()], "seSparseFormat"],
  ["several", [disk({ backing: sparse, more: parent }), disk({ more: parent })], "mixed"],
])("format of delta disks, of a VM with %s", async (_which, devices, format) => {
  const asked = { attributes: ["delta_disk_format"] };
  const observation = await readOne({ id: "vm-1", devices }, asked);
  expect(observation).toHaveProperty("attributes.delta_disk_format", format);
});

test.each([
  [{ attributes: ["tools_status"] }, null],
  [{ recorded: { tools_status: "running" } }, null],
  [{ recorded: { tools_status: null } }, null],
  [{}, undefined],
] as const)("tools that do not run, asked with %j", async (asked, value) => {
  const observation = await readOne({ id: "vm-1" }, asked);
  expect(observation.status === "found" && observation.attributes.tools_status).toBe(value);
});

test.each([
  ["toolsNotInstalled", "guestToolsNotRunning", "absent"],
  // One property lags behind the other while a guest starts.
  ["toolsNotInstalled", "guestToolsRunning", "running"],
  ["toolsNotRunning", "guestToolsNotRunning", null],
  ["toolsOld", "guestToolsRunning", "running"],
] as const)("tools that are %s and %s", async (toolsStatus, tools, value) => {
  const recorded = { tools_status: "running" };
  const observation = await readOne({ id: "vm-1", toolsStatus, tools }, { recorded });
  expect(observation).toHaveProperty("attributes.tools_status", value);
});

test("a guest without tools is told of unasked: nobody need ever wait for them", async () => {
  const observation = await readOne({ id: "vm-1", toolsStatus: "toolsNotInstalled" }, {});
  expect(observation).toHaveProperty("attributes.tools_status", "absent");
});

describe("gone", () => {
  const gone = {
    status: "missing",
    proof:
      "absent from the complete list of 2 VMs, and a read of vm-9 is answered " +
      "ManagedObjectNotFound",
  };

  test("of a few: what the server says, and the complete list", async () => {
    const { seen, calls } = await read(numbered(2), byId([{ id: "vm-9" }, { id: "vm-1" }]));
    expect(seen).toMatchObject([gone, { status: "found", identity: "vm-1" }]);
    // The refused one, the others, their host, the list.
    expect(calls).toEqual([...one, ...one, ...one, ...list]);
  });

  test("of many: absent from the list, and what the server says", async () => {
    const objects = [...byId(numbered(2)), ...byId([{ id: "vm-9" }])];
    const many = Array.from({ length: 20 }, (_, index) =>
      wanted(type, { identity: `vm-${index}9` }),
    );
    const { seen, calls } = await read(numbered(2), [...objects, ...many]);
    expect(seen.slice(0, 3)).toMatchObject([{ status: "found" }, { status: "found" }, gone]);
    expect(seen.slice(3).every(({ status }) => status === "missing")).toBe(true);
    expect(calls).toEqual([...list, ...Array(21).fill(one[0])]);
  });

  test("absent from the list alone proves nothing: it may just not be shown there", async () => {
    const hidden = vmObject({ id: "vm-99", name: "late" });
    const manager = await start(numbered(30), {
      handle: ({ method, request }) =>
        method === "RetrievePropertiesEx" && request.body.includes("view-")
          ? { ...emptyList }
          : undefined,
      objects: [...numbered(30).map(vmObject), hidden, ...places],
    });
    const emptyReads = await manager.session.read([
      ...byId(numbered(30)),
      ...byId([{ id: "vm-99" }]),
    ]);
    expect(emptyReads.at(-1)).toMatchObject({ status: "found", attributes: { name: "late" } });
  });

  test("what the server does not answer for is not gone", async () => {
    const { seen } = await read(numbered(1), byId([{ id: "vm-9" }]), {
      handle: ({ method }) => (method === "RetrievePropertiesEx" ? emptyList : undefined),
    });
    expect(seen).toMatchObject([
      { status: "unreadable", reason: "the host manager shows no VM vm-9" },
    ]);
  });

  test("a list that cannot be read leaves it open", async () => {
    const { seen } = await read(numbered(1), byId([{ id: "vm-9" }]), {
      handle: ({ method }) =>
        method === "CreateContainerView" ? fault("NoPermission", "not yours") : undefined,
    });
    expect(seen).toMatchObject([
      { status: "unreadable", reason: expect.stringContaining("NoPermission: not yours") },
    ]);
  });
});

const emptyList = {
  body:
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>' +
    '<RetrievePropertiesExResponse xmlns="urn:vim25"/></e:Body></e:Envelope>',
};

describe("looked up", () => {
  const vms: readonly TestVm[] = [
    { id: "vm-1", name: "web", uuid: "5000-AA" },
    { id: "vm-2", name: "web", parent: "group-v4" },
    { id: "vm-3", name: "db" },
    { id: "vm-4", name: "db", template: true },
    { id: "vm-5", name: "in a vApp", parent: "none" },
    { id: "vm-6", name: "tier/1" },
    { id: "vm-7", name: "golden", template: true },
  ];
  const paths = async (lookup: Wanted["lookup"]) => {
    const { seen, calls } = await read(vms, [lookedUp(type, lookup ?? {})]);
    const [observation] = seen;
    if (observation === undefined) throw new Error("nothing was observed");
    return { observation, calls };
  };

  test.each([
    [{ name: "db" }, "vm-3", list],
    [{ name: "in a vApp" }, "vm-5", list],
    [{ path: "/Lab/vm/team/web" }, "vm-2", list],
    [{ path: "Lab/vm/web" }, "vm-1", list],
    [{ instance_uuid: "5000-aa" }, "vm-1", list],
    [{ name: "web", path: "Lab/vm/team/web" }, "vm-2", list],
    [{ moref: "vm-3" }, "vm-3", [...one, ...one]],
    [{ moref: "https://m/mob/?moid=vm%2d3", name: "db" }, "vm-3", [...one, ...one]],
  ])("%j is %s", async (lookup, identity, requests) => {
    const { observation, calls } = await paths(lookup);
    expect(observation).toMatchObject({ status: "found", identity });
    expect(calls).toEqual(requests);
    const path = "path" in lookup ? lookup.path : undefined;
    expect(observation.status === "found" && observation.attributes.path).toBe(path);
  });

  test.each([
    [{ name: "Web" }, 'no VM has name "Web" in the complete list of 7 VMs'],
    [{ path: "Lab/vm/x" }, 'no VM has path "Lab/vm/x" in the complete list of 7 VMs'],
    [
      { name: "web", path: "Lab/vm/x" },
      "in the complete list of 7 VMs; there is vm-1 at Lab/vm/web on host esx1.example.com; vm-2 at",
    ],
    [{ name: "tier%2f1" }, 'of 7 VMs; there is one of name "tier/1"'],
    [{ path: "/Lab/vm/tier/1" }, 'of 7 VMs; there is one of path "Lab/vm/tier%2f1"'],
    [{ name: "golden" }, 'there is a template, which cannot be run, of name "golden"'],
    [{ moref: "vm-3", name: "web" }, 'vm-3 is of name "db", not "web"'],
    [{ moref: "vm-9" }, "a read of vm-9 is answered ManagedObjectNotFound"],
  ])("%j is nothing", async (lookup, proof) => {
    const { observation } = await paths(lookup);
    expect(observation).toMatchObject({ status: "missing", proof: expect.stringContaining(proof) });
  });

  test.each([
    [{ recorded: { path: "/Lab/vm/team/web" } }, "/Lab/vm/team/web"],
    [{ recorded: { path: "Lab/vm/old/web" } }, "Lab/vm/team/web"],
    [{ attributes: ["path"] }, "Lab/vm/team/web"],
    [{}, undefined],
  ])("the path of %j is %s, by some small requests", async (object, path) => {
    const { seen, calls } = await read(vms, [wanted(type, { identity: "vm-2", ...object })]);
    const [observation] = seen;
    expect(observation?.status === "found" && observation.attributes.path).toBe(path);
    // The VM, its host, and each of three places.
    expect(calls).toEqual(Array(path === undefined ? 2 : 5).fill(one[0]));
  });

  test("of several with one name none is taken", async () => {
    const { observation } = await paths({ name: "web" });
    expect(observation).toEqual({
      status: "unreadable",
      rule: "failed",
      reason: '2 VMs have name "web"; set path or moref',
      matches: [
        "vm-1 at Lab/vm/web on host esx1.example.com",
        "vm-2 at Lab/vm/team/web on host esx1.example.com",
      ],
    });
  });
});
