/** Nested virtualization, formats of disks, growing them, and relocation. */

import { describe, expect, test } from "vitest";
import type { XmlElement } from "../../../../src/lib/xml/xml.ts";
import { attributeOf, textOf } from "../../../../src/lib/xml/xml.ts";
import { writeXml } from "../../../../src/lib/xml/xml-writer.ts";
import type { Written } from "../../../../src/simulators/kit/document.ts";
import type { ManagerVmEntry } from "../../../../src/simulators/kit/generated/documents.ts";
import type { DiskFormat } from "../../../../src/simulators/manager/world/inventory.ts";
import type { Client } from "./manager-client.ts";
import {
  childOf,
  clientOf,
  faultOf,
  listOf,
  nested,
  read,
  readText,
  reconfigure,
  run,
  textsOf,
  vmIn,
  vmOf,
} from "./manager-client.ts";

const xsi = "http://www.w3.org/2001/XMLSchema-instance";
const gigabyte = 1024 * 1024;

describe("nested virtualization", () => {
  const refused = (type: string) => ["error", type];
  test.each<readonly [Written<ManagerVmEntry>, boolean, readonly string[], boolean | null]>([
    [{}, true, ["success"], true],
    [{}, false, ["success"], false],
    [{ nested: true }, false, ["success"], false],
    [{ power: "on" }, true, refused("InvalidPowerState"), null],
    [{ power: "suspended" }, true, refused("InvalidPowerState"), null],
    [{ power: "on", nested: true }, true, ["success"], true],
    [{ power: "on", nested: true }, false, refused("InvalidPowerState"), true],
    [{ hardware_version: 8 }, true, refused("InvalidVmConfig"), null],
    [{ hardware_version: 8 }, false, ["success"], false],
    [{ hardware_version: 10 }, true, ["success"], true],
    [{ host: "old" }, true, refused("InvalidVmConfig"), null],
  ])("of %j to %s: %s", async (vm, enabled, end, after) => {
    const hosts = { new: {}, old: { nested_supported: false } };
    const client = await clientOf({ hosts, vms: { web: vm } });
    const web = vmOf(client, "web");
    expect(await run(client, reconfigure, web, nested(enabled))).toEqual(end);
    const flag = await readText(client, web, "config.nestedHVEnabled");
    expect(flag).toBe(after === null ? undefined : String(after));
  });

  test("changes also while on, where the server lets it", async () => {
    const rules = { nested_power: "any" } as const;
    const client = await clientOf({ rules, vms: { web: { power: "on" } } });
    expect(await run(client, reconfigure, vmOf(client, "web"), nested(true))).toEqual(["success"]);
  });

  test("capabilities of VMs follow host and hardware version", async () => {
    const vms = { web: {}, old: { hardware_version: 8 } };
    const client = await clientOf({ vms });
    const flags = async (key: string) => {
      const paths = ["capability.nestedHVSupported", "capability.seSparseDiskSupported"] as const;
      const found = await read(client, vmOf(client, key), ...paths);
      return paths.map((path) => found[path]?.text);
    };
    expect(await flags("web")).toEqual(["true", "true"]);
    expect(await flags("old")).toEqual(["false", "false"]);
    expect(await readText(client, vmOf(client, "old"), "config.version")).toBe("vmx-08");
  });
});

test("a name, and a change that somebody else overtook", async () => {
  const client = await clientOf({ vms: { web: {} } });
  const web = vmOf(client, "web");
  const version = await readText(client, web, "config.changeVersion");
  const spec = `<spec><changeVersion>${version}</changeVersion><name>shop</name></spec>`;
  expect(await run(client, reconfigure, web, spec)).toEqual(["success"]);
  expect(await run(client, reconfigure, web, spec)).toEqual(["error", "ConcurrentAccess"]);
  expect(await readText(client, web, "name")).toBe("shop");
  const other = await client.call(reconfigure, web, "<spec><numCPUs>2</numCPUs></spec>");
  expect(faultOf(other)[0]).toBe("NotSupported");
});

describe("formats of disks", () => {
  test.each<readonly [DiskFormat, string, string | undefined, string | undefined]>([
    ["thin", "VirtualDiskFlatVer2BackingInfo", "true", undefined],
    ["zeroedthick", "VirtualDiskFlatVer2BackingInfo", "false", "false"],
    ["eagerzeroedthick", "VirtualDiskFlatVer2BackingInfo", "false", "true"],
    ["unknown", "VirtualDiskFlatVer2BackingInfo", undefined, undefined],
    ["sesparse", "VirtualDiskSeSparseBackingInfo", undefined, undefined],
  ])("%s", async (format, type, thin, scrub) => {
    const disks = [{ size_gb: 10, format }];
    const client = await clientOf({ vms: { web: { disks } } });
    const device = await diskOf(client, "web", 2000);
    const backing = childOf(device, "backing") ?? device;
    expect(attributeOf(backing, "type", xsi)).toBe(type);
    const texts = textsOf(backing);
    expect([texts["thinProvisioned"], texts["eagerlyScrub"]]).toEqual([thin, scrub]);
    expect(texts["grainSize"]).toBe(format === "sesparse" ? "4" : undefined);
    expect(texts["fileName"]).toBe("[local] web/web.vmdk");
    expect(textsOf(device)).toMatchObject({
      capacityInKB: String(10 * gigabyte),
      capacityInBytes: String(10 * gigabyte * 1024),
      controllerKey: "1000",
      unitNumber: "0",
    });
    expect(textsOf(childOf(device, "deviceInfo") ?? device)["label"]).toBe("Hard disk 1");
  });

  test("stand among other devices, on as many controllers as they need", async () => {
    const disks = Array.from({ length: 17 }, () => ({ size_gb: 1 }));
    const client = await clientOf({ vms: { web: { disks } } });
    const devices = await devicesOf(client, "web");
    const all = devices.map((device) => textsOf(device));
    const places = all
      .filter((each) => each["capacityInKB"] !== undefined)
      .map((each) => [each["key"], each["controllerKey"], each["unitNumber"]].join(" "));
    expect(places.slice(6, 9)).toEqual(["2006 1000 6", "2008 1000 8", "2009 1000 9"]);
    expect(places.slice(15)).toEqual(["2016 1001 0", "2017 1001 1"]);
    expect(all).toContainEqual(expect.objectContaining({ key: "1001", busNumber: "1" }));
    expect(devices.length).toBe(17 + 4);
  });
});

test("an appliance has its twelve disks", async () => {
  const client = await clientOf({ vms: { vcsa: { disks: "appliance" } } });
  const sizes = vmIn(client, "vcsa").disks.map((disk) => disk.capacityKb / 1024);
  const wanted = [12, 1.8, 25, 25, 10, 10, 15, 10, 1, 10, 10, 100];
  expect(sizes).toEqual(wanted.map((gb) => Math.round(gb * 1024)));
  expect(vmIn(client, "vcsa").disks.at(-1)?.label).toBe("Hard disk 12");
});

async function devicesOf(client: Client, key: string): Promise<readonly XmlElement[]> {
  const path = "config.hardware.device";
  const found = await read(client, vmOf(client, key), path);
  return listOf(found[path]?.element, "VirtualDevice");
}

async function diskOf(client: Client, key: string, diskKey: number): Promise<XmlElement> {
  const device = (await devicesOf(client, key)).find(
    (each) => textsOf(each)["key"] === String(diskKey),
  );
  if (device === undefined) throw new Error(`no disk ${diskKey}`);
  return device;
}

/** The device as it was read, with other texts in its members; null leaves a member out. */
function editOf(device: XmlElement, edits: { readonly [member: string]: string | null }): string {
  const children = device.children.flatMap((child) => {
    if (typeof child === "string" || !(child.local in edits)) return [child];
    const text = edits[child.local];
    return text === null || text === undefined ? [] : [{ ...child, children: [text] }];
  });
  const written = writeXml({ ...device, local: "device", children }, { [xsi]: "xsi" });
  return `<spec><deviceChange><operation>edit</operation>${written}</deviceChange></spec>`;
}

function sized(kb: number): { readonly [member: string]: string } {
  return { capacityInKB: String(kb), capacityInBytes: String(kb * 1024) };
}

describe("growing a disk", () => {
  const grown = 20 * gigabyte;
  test.each<
    readonly [string, Written<ManagerVmEntry>, { [member: string]: string | null }, string]
  >([
    ["while off", {}, sized(grown), "success"],
    ["while on", { power: "on" }, sized(grown), "success"],
    ["by kilobytes alone", {}, { ...sized(grown), capacityInBytes: null }, "success"],
    ["by bytes alone", {}, { capacityInBytes: String(grown * 1024) }, "success"],
    ["to the same size", {}, sized(16 * gigabyte), "success"],
    ["to a smaller size", {}, sized(15 * gigabyte), "InvalidDeviceOperation"],
    ["to two sizes", {}, { capacityInKB: String(grown) }, "InvalidDeviceSpec"],
    ["without its backing", {}, { ...sized(grown), backing: null }, "InvalidDeviceSpec"],
    ["without its place", {}, { ...sized(grown), unitNumber: null }, "InvalidDeviceSpec"],
    ["that is not there", {}, { ...sized(grown), key: "2005" }, "InvalidDeviceSpec"],
    ["with a snapshot", { snapshots: [{ name: "s" }] }, sized(grown), "InvalidDeviceOperation"],
    ["of a linked clone", { disks: [{ linked: true }] }, sized(grown), "InvalidDeviceOperation"],
    ["beyond its datastore", {}, sized(4000 * gigabyte), "NoDiskSpace"],
    ["thin, beyond it", { disks: [{ format: "thin" }] }, sized(4000 * gigabyte), "success"],
  ])("%s", async (_name, vm, edits, end) => {
    const client = await clientOf({
      datastores: { local: { capacity_gb: 1000 } },
      vms: { web: vm },
    });
    const spec = editOf(await diskOf(client, "web", 2000), edits);
    const ends = await run(client, reconfigure, vmOf(client, "web"), spec);
    expect(ends.at(-1)).toBe(end);
    const [disk] = vmIn(client, "web").disks;
    const wished = edits["capacityInKB"] ?? Number(edits["capacityInBytes"]) / 1024;
    const wanted = end === "success" ? Number(wished) : 16 * gigabyte;
    expect(disk?.capacityKb).toBe(wanted);
  });

  test("takes space of the datastore, and needs the operation", async () => {
    const client = await clientOf({ vms: { web: {} } });
    const device = await diskOf(client, "web", 2000);
    const spec = editOf(device, sized(grown));
    const free = async (): Promise<number> =>
      Number(await readText(client, "Datastore:datastore-11", "summary.freeSpace"));
    const before = await free();
    expect(await run(client, reconfigure, vmOf(client, "web"), spec)).toEqual(["success"]);
    expect(before - (await free())).toBe(4 * gigabyte * 1024);
    const added = spec.replace("edit", "add");
    expect(await run(client, reconfigure, vmOf(client, "web"), added)).toEqual([
      "error",
      "NotSupported",
    ]);
  });
});

describe("relocation", () => {
  const within = (element: XmlElement, local: string): XmlElement => {
    const child = childOf(element, local);
    if (child === undefined) throw new Error(`no ${local}`);
    return child;
  };
  const world = {
    hosts: { a: {}, b: {} },
    datastores: { fast: {}, slow: {}, far: { hosts: ["b"] }, broken: { accessible: false } },
    vms: {
      web: { power: "on" as const, disks: [{}, {}] },
      clone: { disks: [{ linked: true }] },
      old: { hardware_version: 8, disks: [{ linked: true }] },
    },
  };
  const datastore = (id: number): string =>
    `<datastore type="Datastore">datastore-${id}</datastore>`;
  const delta = (format: string, grain = ""): string =>
    `<spec>${datastore(12)}<disk><diskId>2000</diskId>${datastore(12)}` +
    '<diskBackingInfo xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName></fileName>' +
    `<diskMode>persistent</diskMode><deltaDiskFormat>${format}</deltaDiskFormat>${grain}` +
    "</diskBackingInfo></disk></spec>";
  const relocate = (client: Client, key: string, spec: string) =>
    run(client, "RelocateVM_Task", vmOf(client, key), spec);

  test("of the whole VM, while it is on", async () => {
    const client = await clientOf(world);
    expect(await relocate(client, "web", `<spec>${datastore(12)}</spec>`)).toEqual(["success"]);
    const { datastore: list } = await read(client, vmOf(client, "web"), "datastore");
    expect(listOf(list?.element, "ManagedObjectReference").map(textOf)).toEqual(["datastore-12"]);
  });

  test("of a single disk", async () => {
    const client = await clientOf(world);
    const disk = `<disk><diskId>2001</diskId>${datastore(12)}</disk>`;
    expect(await relocate(client, "web", `<spec>${disk}</spec>`)).toEqual(["success"]);
    expect(vmIn(client, "web").disks.map((each) => each.datastoreId)).toEqual([
      "datastore-11",
      "datastore-12",
    ]);
    expect(vmIn(client, "web").datastoreId).toBe("datastore-11");
  });

  test.each([
    ["applied", "seSparseFormat", "VirtualDiskSeSparseBackingInfo", "12"],
    ["format_ignored", undefined, "VirtualDiskFlatVer2BackingInfo", "12"],
    ["ignored", undefined, "VirtualDiskFlatVer2BackingInfo", "11"],
  ] as const)("of a linked clone, %s", async (rule, format, type, moved) => {
    const client = await clientOf({ ...world, rules: { relocate: rule } });
    const spec = delta("seSparseFormat", "<deltaGrainSize>4</deltaGrainSize>");
    expect(await relocate(client, "clone", spec)).toEqual(["success"]);
    const backing = childOf(await diskOf(client, "clone", 2000), "backing");
    if (backing === undefined) throw new Error("no backing");
    expect(attributeOf(backing, "type", xsi)).toBe(type);
    expect(textsOf(backing)["deltaDiskFormat"]).toBe(format);
    expect(childOf(backing, "parent")).toBeDefined();
    expect(vmIn(client, "clone").datastoreId).toBe(`datastore-${moved}`);
  });

  test("the delta format of a disk that is no delta is only noted", async () => {
    const client = await clientOf(world);
    expect(await relocate(client, "web", delta("seSparseFormat"))).toEqual(["success"]);
    expect(vmIn(client, "web").disks[0]).toMatchObject({
      format: "zeroedthick",
      deltaDiskFormat: "seSparseFormat",
    });
  });

  test("a new child of each disk leaves its file where it is, and a plain move takes all along", async () => {
    const client = await clientOf(world);
    const moveType = "<diskMoveType>createNewChildDiskBacking</diskMoveType>";
    const spec = delta("seSparseFormat").replace("<disk>", `${moveType}<disk>`);
    const backingOf = async () => within(await diskOf(client, "web", 2000), "backing");
    const files = async () => {
      const backing = await backingOf();
      return [backing, within(backing, "parent")].map((each) => textsOf(each)["fileName"]);
    };
    expect(await relocate(client, "web", spec)).toEqual(["success"]);
    expect(await files()).toEqual(["[slow] web/web-000001.vmdk", "[fast] web/web.vmdk"]);
    expect(attributeOf(await backingOf(), "type", xsi)).toBe("VirtualDiskSeSparseBackingInfo");
    expect(await relocate(client, "web", `<spec>${datastore(12)}</spec>`)).toEqual(["success"]);
    expect(await files()).toEqual(["[slow] web/web-000001.vmdk", "[slow] web/web.vmdk"]);
    expect(await relocate(client, "web", `<spec>${datastore(11)}</spec>`)).toEqual(["success"]);
    expect(await files()).toEqual(["[fast] web/web-000001.vmdk", "[fast] web/web.vmdk"]);
  });

  test.each([
    ["<thinProvisioned>true</thinProvisioned>", "thin"],
    [
      "<thinProvisioned>false</thinProvisioned><eagerlyScrub>true</eagerlyScrub>",
      "eagerzeroedthick",
    ],
    ["<thinProvisioned>false</thinProvisioned>", "zeroedthick"],
    ["", "unknown"],
  ])("into the format of %j", async (flags, format) => {
    const disks = [{ format: "unknown" as const }];
    const client = await clientOf({ ...world, vms: { web: { disks } } });
    const spec =
      `<spec><disk><diskId>2000</diskId>${datastore(12)}` +
      '<diskBackingInfo xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName></fileName>' +
      `<diskMode>persistent</diskMode>${flags}</diskBackingInfo></disk></spec>`;
    expect(await relocate(client, "web", spec)).toEqual(["success"]);
    expect(vmIn(client, "web").disks[0]?.format).toBe(format);
  });

  test.each([
    ["web", `<spec>${datastore(99)}</spec>`, "ManagedObjectNotFound"],
    ["web", `<spec>${datastore(13)}</spec>`, "InvalidDatastore"],
    ["web", `<spec>${datastore(14)}</spec>`, "InvalidDatastore"],
    ["web", `<spec><disk><diskId>1</diskId>${datastore(12)}</disk></spec>`, "InvalidArgument"],
    ["clone", delta("coffee"), "InvalidArgument"],
    ["clone", delta("redoLogFormat", "<deltaGrainSize>4</deltaGrainSize>"), "InvalidArgument"],
    ["old", delta("seSparseFormat"), "InvalidDeviceBacking"],
    ["web", `<spec><transform>sparse</transform></spec>`, "NotSupported"],
  ])("of %s by %s is refused", async (key, spec, fault) => {
    const client = await clientOf(world);
    expect((await relocate(client, key, spec)).at(-1)).toBe(fault);
  });

  test("to another host that sees the datastore", async () => {
    const client = await clientOf(world);
    const spec = `<spec>${datastore(13)}<host type="HostSystem">host-22</host></spec>`;
    expect(await relocate(client, "web", spec)).toEqual(["success"]);
    expect(await readText(client, vmOf(client, "web"), "runtime.host")).toBe("host-22");
  });

  test("a datastore without room makes the task fail", async () => {
    const datastores = { local: {}, small: { capacity_gb: 10 } };
    const client = await clientOf({ datastores, vms: { web: {} } });
    const ends = await relocate(client, "web", `<spec>${datastore(12)}</spec>`);
    expect(ends).toEqual(["error", "NoDiskSpace"]);
  });
});
