/** Reading disks: format, size, lookups; and a device that is sent back as it was read. */

import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { parseXml } from "../../../../../src/lib/xml/xml-reader.ts";
import type { Observation, Wanted } from "../../../../../src/model/provider/observation.ts";
import { diskType } from "../../../../../src/providers/manager/machine/disk.ts";
import {
  deviceKilobytes,
  readDisks,
  resizedDevice,
} from "../../../../../src/providers/manager/machine/disk-device.ts";
import { kilobytesOf } from "../../../../../src/providers/manager/machine/wire-request.ts";
import {
  bodyOf,
  devicesXml,
  disk,
  gbKb,
  lookedUp,
  places,
  type TestVm,
  vmObject,
  wanted,
} from "../machines.ts";
import { type ManagerScript, type ScriptedManager, startManager } from "../scripted-manager.ts";

let open: ScriptedManager | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const type = "manager_disk";

async function read(
  vm: Partial<TestVm>,
  objects: readonly Wanted[],
  script: ManagerScript = {},
): Promise<readonly Observation[]> {
  const machine = vmObject({ id: "vm-1", name: "web", ...vm });
  open = await startManager({ objects: [machine, ...places], ...script });
  return open.session.read(objects);
}

const flat = (more: string): string => disk({ more });

test.each([
  ["thin", flat("<thinProvisioned>true</thinProvisioned>")],
  ["thin", flat("<thinProvisioned>true</thinProvisioned><eagerlyScrub>true</eagerlyScrub>")],
  [
    "eagerzeroedthick",
    flat("<thinProvisioned>false</thinProvisioned><eagerlyScrub>true</eagerlyScrub>"),
  ],
  [
    "zeroedthick",
    flat("<thinProvisioned>false</thinProvisioned><eagerlyScrub>false</eagerlyScrub>"),
  ],
  // Wire facts D.4: unset means that it is not known.
  ["unknown", flat("<thinProvisioned>false</thinProvisioned>")],
  ["unknown", flat("")],
  [
    "sesparse",
    disk({ backing: "VirtualDiskSeSparseBackingInfo", more: "<grainSize>4</grainSize>" }),
  ],
  ["unknown", disk({ backing: "VirtualDiskRawDiskMappingVer1BackingInfo" })],
])("a disk in %s", async (format, device) => {
  const [observation] = await read({ devices: [device] }, [
    wanted(type, { identity: "vm-1/2000" }),
  ]);
  expect(observation).toEqual({
    status: "found",
    identity: "vm-1/2000",
    attributes: {
      vm: "vm-1",
      disk_id: "2000",
      label: "Hard disk 1",
      size_gb: 10,
      capacity_bytes: 10 * 1024 ** 3,
      format,
      file_name: "[ssd-01] web/web_2000.vmdk",
      datastore: "ssd-01",
      vm_instance_uuid: "5000-vm-1",
      disk_uuid: "6000c29",
    },
    unreadable: {},
  });
});

test.each([
  ["by kilobytes", disk({ kb: 10 * gbKb + 1 }), 10_737_419_264, 10 + 1 / gbKb],
  [
    "by bytes, which are exact",
    disk({ kb: 10 * gbKb, bytes: 10_737_418_241n }),
    10_737_418_241,
    10,
  ],
  [
    "beyond doubles",
    disk({ kb: 2n ** 45n, bytes: 2n ** 55n + 1n }),
    36_028_797_018_963_969n,
    2 ** 25,
  ],
])("size %s", async (_how, device, bytes, gb) => {
  const [observation] = await read({ devices: [device] }, [
    wanted(type, { identity: "vm-1/2000" }),
  ]);
  expect(observation).toHaveProperty("attributes.capacity_bytes", bytes);
  expect(observation?.status === "found" && observation.attributes.size_gb).toBeCloseTo(gb, 7);
});

const three = [
  disk({ key: 2000 }),
  disk({ key: 2001, kb: 5 * gbKb }),
  disk({ key: 2016, label: "Hard disk 2" }),
];

test.each([
  [{ vm: "vm-1", disk_id: "2001" }, "vm-1/2001"],
  [{ vm: "vm-1", label: "Hard disk 1" }, "vm-1/2000"],
  [{ vm: "vm-1", disk_id: "2016", label: "Hard disk 2" }, "vm-1/2016"],
])("%j is %s", async (lookup, identity) => {
  const [observation] = await read({ devices: three }, [lookedUp(type, lookup)]);
  expect(observation).toMatchObject({ status: "found", identity });
});

test.each([
  [
    { vm: "vm-1", disk_id: "2002" },
    "missing",
    'VM web has no disk with disk_id 2002; it has 2000 "Hard disk 1" of 10 GB; 2001',
  ],
  [{ vm: "vm-1", disk_id: "2000", label: "x" }, "missing", 'with disk_id 2000 and label "x"'],
  [{ vm: "vm-7", disk_id: "2000" }, "missing", "absent from the complete list of 1 VM, and a read"],
  [{ vm: "vm-1" }, "unreadable", "neither disk_id nor label says which disk is meant"],
  [{ vm: "web", disk_id: "2000" }, "unreadable", "nothing says in which VM the disk is"],
  [{ vm: "vm-1", label: "Hard disk 2" }, "unreadable", 'have label "Hard disk 2"; set disk_id'],
])("%j is none: %s", async (lookup, status, told) => {
  const [observation] = await read({ devices: three }, [lookedUp(type, lookup)]);
  expect(observation?.status).toBe(status);
  expect(JSON.stringify(observation)).toContain(JSON.stringify(told).slice(1, -1));
});

test.each([
  ["a VM out of reach", { connection: "inaccessible" }, /VM web is inaccessible/],
  [
    "devices that may not be read",
    { refused: { "config.hardware.device": "NoPermission" } },
    /does not show the devices of VM web: NoPermission/,
  ],
  [
    "a disk without a size",
    { devices: [disk().replace(/<capacityInKB>.*<\/capacityInKB>/, "")] },
    /does not tell the size of disk 2000/,
  ],
])("%s proves nothing", async (_what, vm, reason) => {
  const [observation] = await read(vm, [wanted(type, { identity: "vm-1/2000" })]);
  expect(observation).toMatchObject({ status: "unreadable", rule: "failed" });
  expect(observation?.status === "unreadable" && observation.reason).toMatch(reason);
});

test("a VM and all its disks are one request, and one for names", async () => {
  const objects = [
    wanted("manager_vm", { identity: "vm-1" }),
    ...["2000", "2001", "2016"].map((key) => wanted(type, { identity: `vm-1/${key}` })),
  ];
  const seen = await read({ devices: three }, objects);
  expect(seen.map(({ status }) => status)).toEqual(Array(4).fill("found"));
  expect(open?.calls()).toHaveLength(2);
});

function readDevice(xml: string): string {
  const [device] = readDisks(
    parseXml(`<x ${declared}>${devicesXml([xml])}</x>`).children.flatMap((child) =>
      typeof child === "string" ? [] : [child],
    )[0],
  );
  if (device === undefined) throw new Error("no disk was read");
  return device.device;
}

const declared =
  'xmlns="urn:vim25" xmlns:v="urn:vim25" xmlns:xsd="http://www.w3.org/2001/XMLSchema" ' +
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

test("a device is sent back as it was read, with the prefixes that the request declares", () => {
  const device = readDevice(
    disk({ bytes: 10n * 1024n ** 3n }).replace('"VirtualDisk"', '"v:VirtualDisk"'),
  );
  expect(device).toBe(
    '<device xmlns="urn:vim25" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
      'xsi:type="VirtualDisk"><key>2000</key><deviceInfo><label>Hard disk 1</label>' +
      "<summary>10,485,760 KB</summary></deviceInfo>" +
      '<backing xsi:type="VirtualDiskFlatVer2BackingInfo">' +
      "<fileName>[ssd-01] web/web_2000.vmdk</fileName>" +
      '<datastore type="Datastore">datastore-1</datastore><diskMode>persistent</diskMode>' +
      "<uuid>6000C29</uuid></backing><controllerKey>1000</controllerKey>" +
      "<unitNumber>0</unitNumber><capacityInKB>10485760</capacityInKB>" +
      "<capacityInBytes>10737418240</capacityInBytes>" +
      "<shares><shares>1000</shares><level>normal</level></shares>" +
      '<later xsi:type="xsd:int">7</later></device>',
  );
});

test.each([
  "",
  "<device",
  "<device/>",
  '<device xmlns="urn:vim25"><capacityInKB>1</capacityInKB></device>',
])("%j is no device", (text) => {
  expect(resizedDevice(text, 1n)).toBeUndefined();
});

test("a resized device has both sizes, consistent, and never less than was asked for", () => {
  const device = readDevice(disk({ bytes: 10n * 1024n ** 3n }));
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 62 * 1024, noNaN: true }), (gb) => {
      const request = diskType.request("grow", "vm-1/2000", { size_gb: { gb, device } });
      const body = bodyOf(request);
      const kb = BigInt(/<capacityInKB>(\d+)</.exec(body)?.[1] ?? "-1");
      const bytes = BigInt(/<capacityInBytes>(\d+)</.exec(body)?.[1] ?? "-1");
      expect(bytes).toBe(kb * 1024n);
      expect(kb).toBe(kilobytesOf(gb));
      expect(Number(bytes) / 1024 ** 3).toBeGreaterThanOrEqual(gb);
      expect(Number(bytes) / 1024 ** 3 - gb).toBeLessThan(2 / gbKb);
    }),
  );
});

test("a server that shows kilobytes alone gets kilobytes alone", () => {
  const device = readDevice(disk());
  expect(deviceKilobytes(device)).toBe(10_485_760n);
  const request = diskType.request("grow", "vm-1/2000", { size_gb: { gb: 20, device } });
  expect(bodyOf(request)).toContain("<capacityInKB>20971520</capacityInKB><shares>");
  expect(bodyOf(request)).not.toContain("capacityInBytes");
});
