/** Reading: property paths, bulk reads by views, pages, what is unset, unknown or forbidden. */

import { describe, expect, test } from "vitest";
import { attributeOf, textOf } from "../../../../src/lib/xml/xml.ts";
import type { Client, Target } from "./manager-client.ts";
import {
  childOf,
  clientOf,
  faultOf,
  filterOf,
  listOf,
  read,
  readText,
  targetOf,
  textsOf,
  vmOf,
} from "./manager-client.ts";

const collector: Target = "PropertyCollector:propertyCollector";
const root: Target = "Folder:group-d1";

async function viewOf(client: Client, type: string, container = "group-d1"): Promise<Target> {
  const kind = container.startsWith("group") ? "Folder" : "Datacenter";
  const reply = await client.call(
    "CreateContainerView",
    "ViewManager:ViewManager",
    `<container type="${kind}">${container}</container><type>${type}</type>` +
      "<recursive>true</recursive>",
  );
  return targetOf(reply);
}

function viewFilter(view: Target, type: string, paths: readonly string[]): string {
  const id = view.slice(view.indexOf(":") + 1);
  const pathSet = paths.map((path) => `<pathSet>${path}</pathSet>`).join("");
  return (
    `<specSet><propSet><type>${type}</type>${pathSet}</propSet><objectSet>` +
    `<obj type="ContainerView">${id}</obj><skip>true</skip>` +
    '<selectSet xsi:type="TraversalSpec"><name>v</name><type>ContainerView</type>' +
    "<path>view</path><skip>false</skip></selectSet></objectSet></specSet>"
  );
}

const vms = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`vm-${index}`, {}]));

test("all VMs in pages, each of them once", async () => {
  const client = await clientOf({ vms, rules: { objects_max: 3 } });
  const view = await viewOf(client, "VirtualMachine");
  const filter = viewFilter(view, "VirtualMachine", ["name", "config.nestedHVEnabled"]);
  let reply = await client.call("RetrievePropertiesEx", collector, `${filter}<options/>`);
  const names: string[] = [];
  const sizes: number[] = [];
  for (;;) {
    const objects = listOf(reply.values[0], "objects");
    sizes.push(objects.length);
    for (const object of objects) {
      const props = listOf(object, "propSet");
      expect(props).toHaveLength(1);
      names.push(textsOf(props[0] ?? object)["val"] ?? "");
    }
    const token = childOf(reply.values[0], "token");
    if (token === undefined) break;
    const inner = `<token>${textOf(token)}</token>`;
    reply = await client.call("ContinueRetrievePropertiesEx", collector, inner);
    const again = await client.call("ContinueRetrievePropertiesEx", collector, inner);
    expect(faultOf(again)).toEqual(["InvalidArgument", { invalidProperty: "token" }]);
  }
  expect(sizes).toEqual([3, 3, 1]);
  expect(names.sort()).toEqual(Object.keys(vms));
});

test("the client's own limit, and giving up", async () => {
  const client = await clientOf({ vms });
  const filter = viewFilter(await viewOf(client, "VirtualMachine"), "VirtualMachine", ["name"]);
  const options = "<options><maxObjects>2</maxObjects></options>";
  const reply = await client.call("RetrievePropertiesEx", collector, `${filter}${options}`);
  expect(listOf(reply.values[0], "objects")).toHaveLength(2);
  const token = `<token>${textsOf(reply.values[0] ?? reply.body)["token"]}</token>`;
  expect((await client.call("CancelRetrievePropertiesEx", collector, token)).status).toBe(200);
  const gone = await client.call("ContinueRetrievePropertiesEx", collector, token);
  expect(faultOf(gone)[0]).toBe("InvalidArgument");
});

test("VMs that go between two pages are left out, and a view shows what is there", async () => {
  const client = await clientOf({ vms, rules: { objects_max: 6 } });
  const view = await viewOf(client, "VirtualMachine");
  const inner = `${viewFilter(view, "VirtualMachine", ["name"])}<options/>`;
  const reply = await client.call("RetrievePropertiesEx", collector, inner);
  await client.simulators.change({ delete_manager_vm: { vm: "vm-6" } });
  const token = `<token>${textsOf(reply.values[0] ?? reply.body)["token"]}</token>`;
  const last = await client.call("ContinueRetrievePropertiesEx", collector, token);
  expect([last.status, last.values]).toEqual([200, []]);
  const whole = await client.call("RetrievePropertiesEx", collector, inner);
  expect(listOf(whole.values[0], "objects")).toHaveLength(6);
  expect(whole.text).not.toContain("<token>");
  await client.call("DestroyView", view);
  expect(faultOf(await client.call("RetrievePropertiesEx", collector, inner))[0]).toBe(
    "ManagedObjectNotFound",
  );
});

test("no objects are an answer without a value", async () => {
  const client = await clientOf({});
  const filter = viewFilter(await viewOf(client, "VirtualMachine"), "VirtualMachine", ["name"]);
  const reply = await client.call("RetrievePropertiesEx", collector, `${filter}<options/>`);
  expect([reply.status, reply.values]).toEqual([200, []]);
});

describe("a view", () => {
  test.each([
    ["VirtualMachine", "group-d1", 2],
    ["HostSystem", "group-d1", 2],
    ["Datastore", "datacenter-2", 1],
    ["ManagedEntity", "group-v3", 3],
    ["Folder", "group-d1", 5],
    ["VirtualMachine", "group-h4", 2],
    ["VirtualMachine", "group-s5", 0],
  ])("of %s below %s has %i", async (type, container, count) => {
    const client = await clientOf({
      hosts: { a: {}, b: {} },
      vms: { web: {}, db: { folder: "shop" } },
    });
    const view = await viewOf(client, type, container);
    const { view: list } = await read(client, view, "view");
    expect(listOf(list?.element, "ManagedObjectReference")).toHaveLength(count);
  });

  test("of something that is not there, or of no type", async () => {
    const client = await clientOf({});
    await expect(viewOf(client, "VirtualMachine", "group-v99")).rejects.toThrow("NotFound");
    await expect(viewOf(client, "Coffee")).rejects.toThrow("InvalidType");
  });
});

test("traversal by names, several steps deep", async () => {
  const client = await clientOf({ vms: { web: { folder: "a/b" }, db: {} } });
  const step = (name: string, type: string, path: string, inner = ""): string =>
    `<selectSet xsi:type="TraversalSpec"><name>${name}</name><type>${type}</type>` +
    `<path>${path}</path><skip>false</skip>${inner}</selectSet>`;
  const again = "<selectSet><name>children</name></selectSet>";
  const inner =
    "<specSet><propSet><type>VirtualMachine</type><pathSet>name</pathSet></propSet><objectSet>" +
    '<obj type="Folder">group-d1</obj><skip>true</skip>' +
    step(
      "children",
      "Folder",
      "childEntity",
      `${again}${step("vms", "Datacenter", "vmFolder", again)}`,
    ) +
    "</objectSet></specSet><options/>";
  const reply = await client.call("RetrievePropertiesEx", collector, inner);
  const names = listOf(reply.values[0], "objects").map(
    (object) => textsOf(childOf(object, "propSet") ?? object)["val"],
  );
  expect(names.sort()).toEqual(["db", "web"]);
});

test("types of values", async () => {
  const client = await clientOf({ vms: { "a/b%": { nested: true, power: "on" } } });
  const properties = await read(
    client,
    vmOf(client, "a/b%"),
    "name",
    "parent",
    "config.nestedHVEnabled",
    "config.hardware.numCPU",
    "config.hardware.device",
    "config.hardware.device[2000].capacityInKB",
    "runtime.powerState",
    "datastore",
    "recentTask",
    "guest",
    "snapshot",
  );
  const types = Object.entries(properties).map(([path, { type, text }]) => [path, type, text]);
  expect(types).toEqual([
    ["name", "xsd:string", "a%2fb%25"],
    ["parent", "ManagedObjectReference", "group-v3"],
    ["config.nestedHVEnabled", "xsd:boolean", "true"],
    ["config.hardware.numCPU", "xsd:int", "1"],
    ["config.hardware.device", "ArrayOfVirtualDevice", ""],
    ["config.hardware.device[2000].capacityInKB", "xsd:long", "16777216"],
    ["runtime.powerState", "VirtualMachinePowerState", "poweredOn"],
    ["datastore", "ArrayOfManagedObjectReference", ""],
    ["recentTask", "ArrayOfManagedObjectReference", ""],
    ["guest", "GuestInfo", ""],
  ]);
  const parent = properties["parent"]?.element;
  expect(parent && attributeOf(parent, "type")).toBe("Folder");
});

test.each([
  "nothing",
  "config.nothing",
  "config.hardware.device.key",
  "name.first",
  "runtime.host.name",
  "config.hardware.device[0",
])("the path %s is a fault of the whole call", async (path) => {
  const client = await clientOf({ vms: { web: {} } });
  const inner = `${filterOf(vmOf(client, "web"), ["name", path])}<options/>`;
  const reply = await client.call("RetrievePropertiesEx", collector, inner);
  expect(faultOf(reply)).toEqual(["InvalidProperty", { name: path }]);
});

test.each(["config", "config.hardware.device", "layoutEx"])(
  "of a VM that is not reached %s is unset, whatever is below",
  async (path) => {
    const client = await clientOf({ vms: { web: { connection: "inaccessible" } } });
    const web = vmOf(client, "web");
    expect(await readText(client, web, path)).toBeUndefined();
    expect(await readText(client, web, "runtime.connectionState")).toBe("inaccessible");
    expect(await readText(client, web, "name")).toBe("web");
  },
);

test("what may not be read is missing with its reason", async () => {
  const client = await clientOf({ vms: { web: { unreadable: ["config"] } } });
  const inner = `${filterOf(vmOf(client, "web"), ["config.version", "name"])}<options/>`;
  const reply = await client.call("RetrievePropertiesEx", collector, inner);
  expect(reply.text).toContain('<path>config.version</path><fault><fault xsi:type="NoPermission">');
  expect(reply.text).toContain("<name>name</name>");
});

test("objects that are gone, leniently and not", async () => {
  const client = await clientOf({ vms: { web: {} } });
  const strict = filterOf("VirtualMachine:vm-999", ["name"]);
  const fault = await client.call("RetrievePropertiesEx", collector, `${strict}<options/>`);
  expect(faultOf(fault)).toEqual(["ManagedObjectNotFound", { obj: "vm-999" }]);
  const flag = "<reportMissingObjectsInResults>true</reportMissingObjectsInResults></specSet>";
  const lenient = `${strict.replace("</specSet>", flag)}<options/>`;
  expect((await client.call("RetrievePropertiesEx", collector, lenient)).values).toEqual([]);
});

test("whole objects, supertypes, and the call of old", async () => {
  const client = await clientOf({ vms: { web: {} } });
  const all =
    "<specSet><propSet><type>ManagedEntity</type><all>true</all></propSet>" +
    '<objectSet><obj type="VirtualMachine">vm-101</obj></objectSet></specSet>';
  const reply = await client.call("RetrieveProperties", collector, all);
  const names = listOf(reply.values[0], "propSet").map((prop) => textsOf(prop)["name"]);
  expect(names).toEqual(
    expect.arrayContaining(["name", "config", "summary", "triggeredAlarmState"]),
  );
  expect(names).not.toContain("snapshot");
  const unknown = `${filterOf("VirtualMachine:vm-101", ["name"], "Coffee")}<options/>`;
  const fault = await client.call("RetrievePropertiesEx", collector, unknown);
  expect(faultOf(fault)[0]).toBe("InvalidType");
});

test("hosts, datastores, folders and the rest of the tree", async () => {
  const client = await clientOf({
    rules: { datacenter: "east" },
    hosts: { a: {}, b: { nested_supported: false } },
    datastores: { fast: { capacity_gb: 100, used_gb: 10 }, slow: { hosts: ["b"] } },
    vms: { web: { disks: [{ size_gb: 20 }] } },
  });
  const flags = ["HostSystem:host-21", "HostSystem:host-22"] as const;
  const supported = flags.map((host) => readText(client, host, "capability.nestedHVSupported"));
  expect(await Promise.all(supported)).toEqual(["true", "false"]);
  const free = await readText(client, "Datastore:datastore-11", "summary.freeSpace");
  expect(Number(free) / 2 ** 30).toBe(70);
  const { host } = await read(client, "Datastore:datastore-12", "host");
  expect(listOf(host?.element, "DatastoreHostMount").map((each) => textsOf(each)["key"])).toEqual([
    "host-22",
  ]);
  expect(await readText(client, "Datacenter:datacenter-2", "name")).toBe("east");
  const { childEntity } = await read(client, root, "childEntity");
  expect(listOf(childEntity?.element, "ManagedObjectReference").map(textOf)).toEqual([
    "datacenter-2",
  ]);
  expect(await readText(client, root, "parent")).toBeUndefined();
});

describe("search", () => {
  const world = { vms: { web: { folder: "shop/prod", name: "Web/1" }, db: {} } };
  test.each([
    ["dc/vm/shop/prod/Web%2f1", "VirtualMachine:vm-101"],
    ["/dc/vm/db/", "VirtualMachine:vm-102"],
    ["dc/host/cluster/esx-01.example", "HostSystem:host-21"],
    ["dc/vm/shop", "Folder:group-v201"],
    ["dc/vm/nothing", undefined],
  ])("by path %s", async (path, found) => {
    const client = await clientOf(world);
    const inner = `<inventoryPath>${path}</inventoryPath>`;
    const reply = await client.call("FindByInventoryPath", "SearchIndex:SearchIndex", inner);
    if (found === undefined) expect(reply.values).toEqual([]);
    else expect(targetOf(reply)).toBe(found);
  });

  test.each([true, false])("by UUID, of the instance: %s", async (isInstance) => {
    const client = await clientOf(world);
    const path = isInstance ? "config.instanceUuid" : "config.uuid";
    const uuid = await readText(client, vmOf(client, "db"), path);
    const inner =
      `<uuid>${uuid?.toUpperCase()}</uuid><vmSearch>true</vmSearch>` +
      `<instanceUuid>${isInstance}</instanceUuid>`;
    const reply = await client.call("FindByUuid", "SearchIndex:SearchIndex", inner);
    expect(targetOf(reply)).toBe("VirtualMachine:vm-102");
  });
});
