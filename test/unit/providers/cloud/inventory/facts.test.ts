import { afterEach, expect, test } from "vitest";
import type { FactsRequest } from "../../../../../src/model/provider/provider.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import type { Attributes } from "../../../../../src/model/value/value.ts";
import { readFacts } from "../../../../../src/providers/cloud/vm/vm-facts.ts";
import {
  type CloudSession,
  datastoreXml,
  forbidden,
  type Inventory,
  linkXml,
  snapshotXml,
  startInventory,
  taskXml,
  vmPath,
} from "../cloud-inventory.ts";
import { type CloudScript, neutralWords } from "../scripted-cloud.ts";

const words = neutralWords;
const extension =
  '<VCloudExtension><e:VmVimInfo xmlns:e="urn:ext"><e:VmVimObjectRef>' +
  '<e:VimServerRef href="http://inner/api/admin/extension/vimServer/1"/><e:MoRef>vm-567</e:MoRef>' +
  "</e:VmVimObjectRef></e:VmVimInfo></VCloudExtension>";

let open: CloudSession | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(inventory: Inventory, script: CloudScript = {}): Promise<CloudSession> {
  open = await startInventory(inventory, script);
  return open;
}

function request(id: string, wanted: Attributes, prior: Attributes = {}): FactsRequest {
  return {
    address: `cloud_vm.${id}` as Address,
    type: "cloud_vm",
    provider: "cloud",
    action: "update",
    identity: vmPath(id),
    wanted,
    changed: Object.keys(wanted),
    prior,
  };
}

const ds = (name: string, id: string, vc?: string) => datastoreXml(words, name, id, vc);

test("what a VM offers, what runs on it, and its hardware", async () => {
  const inside =
    extension +
    linkXml("power:powerOn", "a", "/power/action/powerOn") +
    linkXml("enable", "a", "/action/enableDownload") +
    linkXml("enable", "a", "/action/enableNestedHypervisor") +
    linkXml("undeploy", "a", "/action/undeploy") +
    `<Tasks>${taskXml(words, { id: "1", user: "eve", inside: "<Progress>7</Progress>" })}` +
    `${taskXml(words, { id: "2", status: "error" })}</Tasks>`;
  const { session, asked } = await start({ vms: [{ id: "a", inside, hardware: 8 }] });
  const [answer] = (await session.facts?.([request("a", { nested_hv_enabled: true })])) ?? [];
  if (answer?.status !== "read") throw new Error("no facts were read");
  expect(readFacts(answer.facts)).toEqual({
    api_version: "5.1",
    is_system: true,
    moref: "vm-567",
    name: "a",
    links: ["power-on", "enable-nested", "undeploy", "undeploy-shutdown"],
    shows_links: true,
    vapp_tasks: [],
    has_independent_disk: false,
    tasks: ["Doing vappRelocateVm, by eve, 7 %"],
    power_state: "off",
    hardware_version: 8,
    datastore_href: null,
    datastore_problem: null,
    space: null,
  });
  expect(asked()).toEqual([`GET ${vmPath("a")}`, "GET /api/vApp/vapp-web"]);
});

test("one read of each VM and one query for all datastores", async () => {
  const vms = ["a", "b", "c"].map((id) => ({ id, inside: extension }));
  const datastores = [ds("ssd", "1"), ds("hdd", "2")];
  const { session, asked } = await start({ vms, datastores });
  const requests = [
    request("a", { datastore: "ssd" }),
    request("b", { datastore: "hdd" }),
    request("c", { nested_hv_enabled: true }),
    { ...request("c", {}), type: "cloud_snapshot", identity: `${vmPath("c")}/snapshot` },
  ];
  const answers = (await session.facts?.(requests)) ?? [];
  const hrefs = answers.map((answer) => answer.status === "read" && answer.facts.datastore_href);
  const href = (id: string) => `http://inner/api/admin/extension/datastore/${id}`;
  expect(hrefs).toEqual([href("1"), href("2"), null, null]);
  const gets = ["a", "b", "c"].map((id) => `GET ${vmPath(id)}`);
  const vapp = "GET /api/vApp/vapp-web";
  expect([...asked()].sort()).toEqual([vapp, ...gets, "query datastore"]);
});

test("of VMs whose vApp is known, the vApp tells it all", async () => {
  const vms = ["a", "b"].map((id) => ({ id, inside: extension + snapshotXml() }));
  const { session, asked } = await start({ vms });
  const prior = { vapp_href: "/api/vApp/vapp-web" };
  const requests = ["a", "b"].map((id) => request(id, { nested_hv_enabled: true }, prior));
  expect(await session.facts?.(requests)).toMatchObject([
    { facts: { name: "a", power_state: "off" } },
    { facts: { name: "b", power_state: "off" } },
  ]);
  expect(asked()).toEqual(["GET /api/vApp/vapp-web"]);
});

test("what runs on another VM of the vApp is told beside what runs on the VM itself", async () => {
  const runs = (id: string) => `<Tasks>${taskXml(words, { id, user: `by-${id}` })}</Tasks>`;
  const by = (id: number) => `Doing vappRelocateVm, by by-${id}`;
  const vms = [{ id: "a", inside: runs("1") }, { id: "b", inside: runs("2") }, { id: "c" }];
  const { session } = await start({ vms });
  const requests = ["a", "c"].map((id) => request(id, { power: "on" }));
  expect(await session.facts?.(requests)).toMatchObject([
    { facts: { tasks: [by(1)], vapp_tasks: [by(2)] } },
    { facts: { tasks: [], vapp_tasks: [by(1), by(2)] } },
  ]);
});

test("whoever may not read the vApp is told nothing of it", async () => {
  const answers = { "GET /api/vApp/vapp-web": forbidden(words, "web") };
  const { session } = await start({ vms: [{ id: "a" }], answers });
  expect(await session.facts?.([request("a", { power: "on" })])).toMatchObject([
    { status: "read", facts: { vapp_tasks: [] } },
  ]);
});

const hardDisk = (capacity: string, more = ""): string =>
  `<o:VirtualHardwareSection xmlns:o="urn:ovf" xmlns:r="urn:rasd" xmlns:c="${words.namespace}">` +
  `<o:Item><r:HostResource c:capacity="${capacity}" c:busType="6" ${more}/></o:Item>` +
  "</o:VirtualHardwareSection>";
test.each([
  [hardDisk("808"), false],
  [hardDisk("1024", 'c:disk="http://inner/api/disk/1"'), true],
  [hardDisk("none", 'c:disk="http://inner/api/disk/1"'), false],
])("disks of %s", async (inside, independent) => {
  const { session } = await start({ vms: [{ id: "a", inside }] });
  const facts = await session.facts?.([request("a", { power: "on" })]);
  expect(facts).toMatchObject([{ facts: { has_independent_disk: independent } }]);
});

const room = (name: string, id: string, more: string): string =>
  ds(name, id).replace("/>", ` ${more}/>`);
test.each([
  ['isEnabled="true"', null, null],
  ['isEnabled="false"', "is disabled", null],
  ['isEnabled="true" storageMB="100" storageUsedMB="100"', "is full", null],
  ['storageMB="900" storageUsedMB="100"', null, { free_mb: 800, need_mb: 40, vm_count: 2 }],
  ['storageMB="many" storageUsedMB="100"', null, null],
])("a datastore with %s", async (more, problem, space) => {
  const vms = ["a", "b"].map((id) => ({ id, inside: extension + hardDisk("20") }));
  const { session } = await start({ vms, datastores: [room("ssd", "1", more)] });
  const requests = ["a", "b"].map((id) => request(id, { datastore: "ssd" }));
  const told = problem === null ? null : (expect.stringContaining(problem) as string);
  for (const answer of (await session.facts?.(requests)) ?? []) {
    expect(answer).toMatchObject({ facts: { datastore_problem: told } });
    if (told === null) expect(answer).toMatchObject({ facts: { space } });
  }
});

test("a move tells what is free on both datastores, and what its own disks take", async () => {
  const datastores = [
    room("ssd", "1", 'storageMB="900" storageUsedMB="100"'),
    room("hdd", "2", 'storageMB="500" storageUsedMB="499"'),
  ];
  const vms = ["a", "b"].map((id) => ({ id, inside: extension + hardDisk("20") }));
  const { session } = await start({ vms, datastores });
  const requests = [
    request("a", { datastore: "ssd" }, { datastore: "hdd" }),
    request("b", { datastore: "ssd" }, { datastore: "gone" }),
  ];
  const move = { to: "ssd", to_free_mb: 800, own_mb: 20 };
  const answers = (await session.facts?.(requests)) ?? [];
  const told = answers.map((one) => (one.status === "read" ? one.facts["space"] : null));
  expect(told).toEqual([
    { free_mb: 800, need_mb: 40, vm_count: 2, move: { ...move, from: "hdd", from_free_mb: 1 } },
    { free_mb: 800, need_mb: 40, vm_count: 2, move: { ...move, from: "gone" } },
  ]);
});

test.each([
  ["ssd-09", /^No datastore is named "ssd-09" among all 3; there is one named "ssd-01"\.$/],
  ["twin", /2 datastores are named "twin": .*datastore\/2 of mgr1; .*datastore\/3 of mgr1/],
])("datastore %s cannot be meant", async (datastore, reason) => {
  const datastores = [ds("ssd-01", "1"), ds("twin", "2"), ds("twin", "3")];
  const { session } = await start({ vms: [{ id: "a", inside: extension }], datastores });
  expect(await session.facts?.([request("a", { datastore })])).toMatchObject([
    { status: "read", facts: { datastore_problem: expect.stringMatching(reason) as string } },
  ]);
});

test.each([
  ["of the VM itself", extension, {}],
  ["of the record, where the VM tells none", "", { vc: "/api/admin/extension/vimServer/1" }],
])("a name counts within the host manager %s", async (_, inside, prior) => {
  const datastores = [ds("ssd", "1", "2"), ds("ssd", "2", "1"), ds("far", "3", "2")];
  const { session } = await start({ vms: [{ id: "a", inside }], datastores });
  const requests = [
    request("a", { datastore: "ssd" }, prior),
    request("a", { datastore: "far" }, prior),
  ];
  expect(await session.facts?.(requests)).toMatchObject([
    { facts: { datastore_href: "http://inner/api/admin/extension/datastore/2" } },
    { facts: { datastore_problem: /belongs to another host manager/ } },
  ]);
});

test("a tenant's move is not asked about datastores, which it may not see", async () => {
  const { session, asked } = await start({ vms: [{ id: "a" }] }, { org: "Org1" });
  const answers = await session.facts?.([request("a", { datastore: "ssd" })]);
  expect(answers).toMatchObject([{ status: "read", facts: { is_system: false } }]);
  expect(asked()).toEqual([`GET ${vmPath("a")}`, "GET /api/vApp/vapp-web"]);
});

test("a VM that cannot be read fails its own facts alone", async () => {
  const answers = { [`GET ${vmPath("b")}`]: forbidden(words, "b") };
  const { session } = await start({ vms: [{ id: "a" }], answers });
  const facts = await session.facts?.([
    request("b", { power: "on" }),
    request("a", { power: "on" }),
  ]);
  expect(facts?.map(({ status }) => status)).toEqual(["failed", "read"]);
});
