/** Data sources: what is asked, what the answer becomes, and that one name means one object. */

import { afterEach, describe, expect, test } from "vitest";
import type { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import type { Attributes } from "../../../../../src/model/value/value.ts";
import { cloudData } from "../../../../../src/providers/cloud/data/data.ts";
import { newMemory } from "../../../../../src/providers/cloud/inventory/inventory.ts";
import { remoteErrorOf } from "../../../../helpers/remote-error.ts";
import { errorXml, neutralWords, type ScriptedCloud, startCloud } from "../scripted-cloud.ts";

let cloud: ScriptedCloud;
afterEach(() => cloud.close());

type Records = { readonly [type: string]: readonly string[] };

const { namespace } = neutralWords;
const base = "https://internal.example:8443/base";

/**
 * A server that answers a query with the records whose text holds every `==` value, letter case
 * aside, as API 1.5 does; and objects by path.
 */
async function start(
  records: Records,
  objects: { readonly [path: string]: string } = {},
  org = "System",
) {
  cloud = await startCloud({
    org,
    printed: base,
    handle: ({ method, url }) => {
      if (method === "GET" && objects[url] !== undefined) return { body: objects[url] };
      if (!url.startsWith("/api/query?")) return undefined;
      const query = new URL(url, "http://x").searchParams;
      const known = records[query.get("type") ?? ""];
      if (known === undefined) {
        const body = errorXml(neutralWords, 403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "denied");
        return { status: 403, body };
      }
      const terms = [...(query.get("filter") ?? "").matchAll(/(\w+)==([^;)]*)/g)];
      const found = known.filter((record) =>
        terms.every(([, name, value]) => {
          const shown = new RegExp(` ${name}="([^"]*)"`).exec(record)?.[1];
          return shown === undefined || wildcard(value ?? "").test(shown);
        }),
      );
      const root = `QueryResultRecords xmlns="${namespace}" total="${found.length}" pageSize="128" page="1"`;
      return { body: `<${root}>${found.join("")}</QueryResultRecords>` };
    },
  });
}

function wildcard(value: string): RegExp {
  const parts = value.split("*").map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "i");
}

async function ask(type: string, query: Attributes): Promise<Attributes> {
  const client = await cloud.connection.client();
  const read = cloudData[type];
  if (read === undefined) throw new Error(`there is no data source ${type}`);
  return read({ client, baseUrl: cloud.server.origin, memory: newMemory() }, query);
}

function errorOf(type: string, query: Attributes): Promise<RemoteError> {
  return remoteErrorOf(ask(type, query));
}

function adminVm(id: string, name: string, vapp: string, more = ""): string {
  return (
    `<AdminVMRecord name="${name}" containerName="${vapp}" container="${base}/api/vApp/vapp-${vapp}"` +
    ` status="POWERED_ON" isDeployed="true" isVAppTemplate="false" hardwareVersion="9" memoryMB="2048"` +
    ` numberOfCpus="2" guestOs="CentOS" datastoreName="0x1F" moref="vm-5" hostName=" "` +
    ` vc="${base}/api/admin/extension/vimServer/1" vdc="${base}/api/vdc/7" ${more}` +
    ` href="${base}/api/vApp/vm-${id}"/>`
  );
}

describe("cloud_query", () => {
  test("is all that is found, as text, links as paths", async () => {
    await start({ adminVM: [adminVm("2", "010", "a"), adminVm("1", "true", "b")] });
    const answer = await ask("cloud_query", { type: "adminVM", fields: ["name", "vdc"] });
    expect(answer).toEqual({
      results: [
        { href: "/api/vApp/vm-1", name: "true", vdc: "/api/vdc/7" },
        { href: "/api/vApp/vm-2", name: "010", vdc: "/api/vdc/7" },
      ],
      result_count: 2,
    });
  });

  test("sends filter, fields and format as they are meant", async () => {
    await start({ vm: [] });
    const query = { type: "vm", filter: "status==POWERED_ON;name==a b", format: "idrecords" };
    expect(await ask("cloud_query", query)).toEqual({ results: [], result_count: 0 });
    // The second tells "none" from "none of this type".
    expect(cloud.requests()).toEqual(
      ["vm", "adminVM"].map(
        (type) =>
          `GET /api/query?type=${type}&format=idrecords` +
          "&filter=(status==POWERED_ON;name==a%20b);isVAppTemplate==false&pageSize=128&page=1",
      ),
    );
  });

  test("exact values may hold what the query language means something else by", async () => {
    const odd = "web (old), 2; x=1*";
    await start({ adminVM: [adminVm("1", odd, "shop"), adminVm("2", "web old", "shop")] });
    const where = { containerName: "shop", name: odd };
    const answer = await ask("cloud_query", { type: "adminVM", where, fields: ["name"] });
    expect(answer).toEqual({
      results: [{ href: "/api/vApp/vm-1", name: odd }],
      result_count: 1,
    });
  });

  test.each([
    ["System", { vm: [], adminVM: [adminVm("1", "a", "b")] }, "set type: adminVM"],
    ["System", { vm: [], adminVM: [] }, undefined],
    ["System", { vm: [] }, undefined],
    ["Org1", { vm: [], adminVM: [adminVm("1", "a", "b")] }, undefined],
    ["System", { vApp: [], adminVApp: [adminVm("1", "a", "b")] }, "set type: adminVApp"],
  ])("nothing found by %s in %j: %s", async (org, records, advice) => {
    await start(records, {}, org);
    const query = { type: Object.keys(records)[0] ?? "" };
    if (advice === undefined) {
      expect(await ask("cloud_query", query)).toEqual({ results: [], result_count: 0 });
    } else expect((await errorOf("cloud_query", query)).message).toContain(advice);
  });

  test("a type that the user may not ask for is an error in the server's words", async () => {
    await start({});
    expect((await errorOf("cloud_query", { type: "adminVM" })).kind).toBe("forbidden");
  });
});

describe("cloud_vm", () => {
  const vms = [
    adminVm("1", "web", "shop"),
    adminVm("2", "web", "lab"),
    adminVm("3", "WEB", "old"),
    adminVm("4", "db", "shop", 'taskStatus="running" taskStatusName="vappPowerOff"'),
    adminVm("5", "gone", "shop", 'isDeleted="true"'),
  ];

  test("by name and vApp", async () => {
    await start({ adminVM: vms });
    expect(await ask("cloud_vm", { name: "web", vapp_name: "lab" })).toEqual({
      href: "/api/vApp/vm-2",
      name: "web",
      vapp_name: "lab",
      power_state: "on",
      status: "POWERED_ON",
      vapp_href: "/api/vApp/vapp-lab",
      vdc_href: "/api/vdc/7",
      datastore: "0x1F",
      storage_profile: null,
      host: null,
      moref: "vm-5",
      vc: "/api/admin/extension/vimServer/1",
      hardware_version: 9,
      guest_os: "CentOS",
      cpu_count: 2,
      memory_mb: 2048,
      network_name: null,
    });
  });

  test.each(["https://elsewhere/api/vApp/vm-2", "/api/vApp/vm-2", "vm-2"])(
    "by href %s, found by the name that is read there",
    async (href) => {
      const vm = `<Vm xmlns="${namespace}" name="web" href="${base}/api/vApp/vm-2"/>`;
      await start({ adminVM: vms }, { "/api/vApp/vm-2": vm });
      expect(await ask("cloud_vm", { href })).toMatchObject({
        href: "/api/vApp/vm-2",
        vapp_name: "lab",
      });
    },
  );

  test("an organization's user asks for what it may see", async () => {
    await start(
      { vm: [adminVm("1", "web", "shop").replace("AdminVMRecord", "VMRecord")] },
      {},
      "Org1",
    );
    expect(await ask("cloud_vm", { name: "web" })).toMatchObject({ href: "/api/vApp/vm-1" });
  });

  test("power that is changing is none", async () => {
    await start({ adminVM: vms });
    expect(await ask("cloud_vm", { name: "db" })).toMatchObject({ power_state: "changing" });
  });

  test("two of one name are an error that lists both", async () => {
    await start({ adminVM: vms });
    const error = await errorOf("cloud_vm", { name: "web" });
    expect(error.kind).toBe("conflict");
    expect(error.message).toBe(
      '2 objects are a VM with name "web": /api/vApp/vm-1, /api/vApp/vm-2; set href to one of them',
    );
  });

  test.each<[Attributes, string, RegExp]>([
    [{ name: "app" }, "not-found", /^no VM with name "app" among the 4 VMs that this user sees$/],
    [{ name: "gone" }, "not-found", /^no VM with name "gone" among the 4 VMs/],
    [
      { name: "Web", vapp_name: "shop" },
      "not-found",
      /; there is name "web" and vapp_name "shop", name "web" and vapp_name "lab", name "WEB"/,
    ],
    [{}, "invalid", /which VM\? Set name or href/],
    [{ href: "https://x/api/vApp/vapp-1" }, "invalid", /is no link to a VM/],
  ])("%j", async (lookup, kind, message) => {
    await start({ adminVM: vms });
    const error = await errorOf("cloud_vm", lookup);
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(message);
  });
});

describe("cloud_datastore", () => {
  const record = (id: string, name: string, manager: string, more = ""): string =>
    `<DatastoreRecord name="${name}" vcName="${manager}" moref="datastore-${id}" isEnabled="true"` +
    ` vc="${base}/api/admin/extension/vimServer/${manager}" datastoreType="VMFS5" ${more}` +
    ` href="${base}/api/admin/extension/datastore/${id}"/>`;

  test("numbers are exact, unknown ones unset", async () => {
    const more = 'storageMB="9007199254740993" storageUsedMB="1024" provisionedStorageMB=" "';
    await start({ datastore: [record("607", "ssd-01", "m1", more)] });
    expect(await ask("cloud_datastore", { name: "ssd-01" })).toEqual({
      href: "/api/admin/extension/datastore/607",
      name: "ssd-01",
      manager_name: "m1",
      moref: "datastore-607",
      vc: "/api/admin/extension/vimServer/m1",
      datastore_type: "VMFS5",
      enabled: true,
      storage_mb: 9007199254740993n,
      used_mb: 1024,
      provisioned_mb: null,
      requested_mb: null,
      provider_vdc_count: null,
    });
  });

  test("of one name on two host managers, the manager tells", async () => {
    await start({ datastore: [record("1", "ssd", "m1"), record("2", "ssd", "m2")] });
    expect((await errorOf("cloud_datastore", { name: "ssd" })).message).toContain(
      "/api/admin/extension/datastore/1, /api/admin/extension/datastore/2",
    );
    const found = await ask("cloud_datastore", { name: "ssd", manager_name: "m2" });
    expect(found).toMatchObject({ moref: "datastore-2" });
  });

  test("by href, whatever namespace the object itself is in", async () => {
    const path = "/api/admin/extension/datastore/2";
    const object = `<x:Datastore xmlns:x="urn:extension" name="ssd" href="${base}${path}"/>`;
    await start(
      { datastore: [record("1", "ssd", "m1"), record("2", "ssd", "m2")] },
      { [path]: object },
    );
    expect(await ask("cloud_datastore", { href: path })).toMatchObject({ manager_name: "m2" });
  });

  test.each(['storageMB="1.5"', 'storageMB="much"', 'isEnabled="perhaps"'])(
    "%s is an error, not unset",
    async (more) => {
      const text = record("1", "ssd", "m1").replace('isEnabled="true"', more);
      await start({ datastore: [text] });
      expect((await errorOf("cloud_datastore", { name: "ssd" })).kind).toBe("protocol");
    },
  );
});

describe("cloud_vapp", () => {
  const vapp = (id: string, name: string, vdc: string): string =>
    `<AdminVAppRecord name="${name}" vdcName="${vdc}" status="MIXED" isDeployed="false"` +
    ` ownerName="alice" vdc="${base}/api/vdc/${vdc}" href="${base}/api/vApp/vapp-${id}"/>`;
  const inside = (id: string, container: string): string =>
    `<AdminVMRecord name="vm${id}" containerName="shop" isVAppTemplate="false"` +
    ` container="https://other/api/vApp/vapp-${container}" href="${base}/api/vApp/vm-${id}"/>`;

  test("has the VMs that are in it, not those of another vApp of its name", async () => {
    await start({
      adminVApp: [vapp("1", "shop", "east"), vapp("2", "shop", "west")],
      adminVM: [inside("9", "1"), inside("8", "1"), inside("7", "2")],
    });
    expect(await ask("cloud_vapp", { name: "shop", vdc_name: "east" })).toEqual({
      href: "/api/vApp/vapp-1",
      name: "shop",
      vdc_name: "east",
      status: "MIXED",
      deployed: false,
      owner: "alice",
      vdc_href: "/api/vdc/east",
      vm_hrefs: ["/api/vApp/vm-8", "/api/vApp/vm-9"],
      vm_names: ["vm8", "vm9"],
      vm_count: 2,
    });
  });

  test("VMs that do not tell where they are, are an error", async () => {
    const lost = inside("9", "1").replace(/ container="[^"]*"/, "");
    await start({ adminVApp: [vapp("1", "shop", "east")], adminVM: [lost] });
    expect((await errorOf("cloud_vapp", { name: "shop" })).kind).toBe("protocol");
  });
});

test("a type that the cloud does not have is a fault of ours", async () => {
  await start({});
  await expect(ask("cloud_disks", {})).rejects.toThrow(/no data source cloud_disks/);
});
