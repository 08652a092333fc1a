/** The query service: types by role, pages, filters, fields, formats. */

import { describe, expect, test } from "vitest";
import { attributeOf, childrenOf } from "../../../../../src/lib/xml/xml.ts";
import type { CloudDocument } from "../../../../../src/simulators/cloud/world/world-document.ts";
import { simulate } from "../../simulation.ts";
import type { Client } from "../cloud-client.ts";
import {
  cloudWith,
  errorOf,
  logIn,
  neutral,
  recordsOf,
  relsOf,
  vappPath,
  vmPath,
} from "../cloud-client.ts";

const cloud: CloudDocument = {
  users: [
    { name: "admin", password: "secret" },
    { name: "alice", org: "acme", password: "a" },
  ],
  datastores: { fast: { name: "R&D <1>", moref: "datastore-23" }, slow: { enabled: false } },
  vapps: {
    shop: {
      org: "acme",
      vms: {
        web: { power: "on", memory_mb: 4096 },
        db: { name: "Web Two", datastore: "slow" },
        odd: { name: "a,b;(c)=d&e", cpus: 4 },
      },
    },
    lab: { org: "other", vms: { lab1: { name: "web", power: "suspended" } } },
    image: { org: "acme", template: true, vms: { golden: {} } },
  },
};

async function names(client: Client, query: string): Promise<readonly string[]> {
  const reply = await client.send(`GET /api/query?${query}`);
  if (reply.status !== 200) return [`${reply.status}`];
  return recordsOf(reply.root)
    .map((record) => attributeOf(record, "name") ?? "no name")
    .sort((a, b) => (a < b ? -1 : 1));
}

describe("what a type shows, and to whom", () => {
  test.each([
    [
      "vm",
      ["Web Two", "a,b;(c)=d&e", "golden", "web"],
      ["Web Two", "a,b;(c)=d&e", "golden", "web", "web"],
    ],
    ["adminVM", ["403"], ["Web Two", "a,b;(c)=d&e", "golden", "web", "web"]],
    ["datastore", ["403"], ["R&D <1>", "slow"]],
    ["vApp", ["shop"], ["lab", "shop"]],
    ["adminVApp", ["403"], ["lab", "shop"]],
    ["VM", ["400"], ["400"]],
  ])("%s", async (type, ofUser, ofAdmin) => {
    const admin = await cloudWith(cloud);
    const alice = await logIn(admin.simulators, { user: "alice@acme", password: "a" });
    expect(await names(alice, `type=${type}`)).toEqual(ofUser);
    expect(await names(admin, `type=${type}`)).toEqual(ofAdmin);
  });

  test("a type without right is 403", async () => {
    const admin = await cloudWith(cloud);
    const alice = await logIn(admin.simulators, { user: "alice@acme", password: "a" });
    const reply = await alice.send("GET /api/query?type=datastore");
    expect(errorOf(reply).slice(0, 2)).toEqual([403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN"]);
    const list = await alice.send("GET /api/query");
    const offered = childrenOf(list.root, neutral.namespace, "Link");
    expect(new Set(offered.map((link) => attributeOf(link, "name")))).toEqual(
      new Set(["vm", "vApp"]),
    );
  });

  test("administrators may get nothing from vm", async () => {
    const client = await cloudWith({ ...cloud, rules: { administrator_vm_query: "none" } });
    expect(await names(client, "type=vm")).toEqual([]);
    expect(await names(client, "type=adminVM")).toHaveLength(5);
  });

  test("records of each type", async () => {
    const client = await cloudWith(cloud);
    const record = async (type: string, filter: string) => {
      const reply = await client.send(`GET /api/query?type=${type}&filter=${filter}`);
      const [found] = recordsOf(reply.root);
      if (found === undefined) throw new Error(reply.text);
      return Object.fromEntries(found.attributes.map((each) => [each.local, each.value]));
    };
    const base = client.simulators.origins.cloud;
    const vm = await record("vm", "name==web;containerName==shop");
    expect(vm).toMatchObject({
      containerName: "shop",
      container: `${base}${vappPath(client, "shop")}`,
      href: `${base}${vmPath(client, "web")}`,
      status: "POWERED_ON",
      isVAppTemplate: "false",
      isDeployed: "true",
      isBusy: "false",
      memoryMB: "4096",
      hardwareVersion: "9",
    });
    expect(vm).not.toHaveProperty("catalogName");
    expect(await record("vm", "isVAppTemplate==true")).toMatchObject({
      name: "golden",
      catalogName: "Catalog",
      href: expect.stringContaining("/api/vAppTemplate/vm-"),
    });
    expect(await record("adminVM", "isVAppTemplate==true")).toMatchObject({
      name: "golden",
      href: expect.stringContaining("/api/vAppTemplate/vm-"),
    });
    const admin = await record("adminVM", "moref==vm-101");
    expect(admin).toMatchObject({ name: "web", datastoreName: "R&D <1>", moref: "vm-101" });
    expect(admin).not.toHaveProperty("isBusy");
    expect(await record("datastore", "moref==datastore-23")).toMatchObject({
      name: "R&D <1>",
      isEnabled: "true",
      storageMB: "1048576",
      storageUsedMB: String(16_384 * 4),
    });
    expect(await record("vApp", "name==shop")).toMatchObject({
      status: "MIXED",
      numberOfVMs: "3",
      isDeployed: "true",
    });
  });
});

describe("filters", () => {
  test.each([
    ["name==web", ["web", "web"]],
    ["name==WEB", []],
    ["name==w*", ["Web Two", "web", "web"]],
    ["name==Web%20Two", ["Web Two"]],
    ["name==Web+Two", ["Web Two"]],
    ["name==a%2Cb%3B%28c%29%3Dd%26e", ["a,b;(c)=d&e"]],
    ["name!=web", ["Web Two", "a,b;(c)=d&e", "golden"]],
    ["name!=w*", ["Web Two", "a,b;(c)=d&e", "golden", "web", "web"]],
    ["status==POWERED_ON", ["web"]],
    ["status==SUSPENDED,status==POWERED_ON", ["web", "web"]],
    ["(name==web;status==SUSPENDED)", ["web"]],
    ["name==golden,(name==web;(status==POWERED_ON,status==POWERED_OFF))", ["golden", "web"]],
    ["numberOfCpus=gt=1", ["a,b;(c)=d&e"]],
    ["memoryMB=ge=1024;memoryMB=lt=4096;isVAppTemplate==false", ["Web Two", "a,b;(c)=d&e", "web"]],
    ["isVAppTemplate!=false", ["golden"]],
    ["nothing==1", ["400"]],
    ["name=gt=a", ["400"]],
    ["memoryMB==many", ["400"]],
    ["isDeployed==yes", ["400"]],
    ["name%3D%3Dweb", ["web", "web"]],
    ["name%3d%3Dw*", ["Web Two", "web", "web"]],
    ["numberOfCpus%3Dgt%3D1", ["a,b;(c)=d&e"]],
    ["name%21%3Dweb;isVAppTemplate==false", ["Web Two", "a,b;(c)=d&e"]],
    ["name%3D%3D%3D", []],
    ["name%3D", ["400"]],
    ["name", ["400"]],
    ["(name==web", ["400"]],
    ["name==web)", ["400"]],
    ["name==we(b)", ["400"]],
    ["name==%2577eb", ["500"]],
    ["name==%zz", ["400"]],
  ])("%s", async (filter, expected) => {
    const client = await cloudWith(cloud);
    expect(await names(client, `type=vm&filter=${filter}`)).toEqual(expected);
  });

  test("a value encoded twice is announced, from 5.1 on", async () => {
    const client = await cloudWith(cloud);
    const query = "type=vm&filterEncoded=true&filter=name==Web%2520Two";
    expect(await names(client, query)).toEqual(["Web Two"]);
    const old = await logIn(client.simulators, { version: "1.5" });
    expect(await names(old, query)).toEqual(["500"]);
  });

  test("1.5 compares without case", async () => {
    const client = await cloudWith(cloud, { version: "1.5" });
    expect(await names(client, "type=vm&filter=name==WEB")).toEqual(["web", "web"]);
  });

  test("references are compared by path, whatever the origin", async () => {
    const client = await cloudWith(cloud);
    const path = vappPath(client, "lab");
    for (const href of [path, `https://other.example${path}`]) {
      const filter = `container==${encodeURIComponent(href)}`;
      expect(await names(client, `type=vm&filter=${filter}`)).toEqual(["web"]);
    }
    const href = encodeURIComponent(vmPath(client, "db"));
    expect(await names(client, `type=adminVM&filter=href==${href}`)).toEqual(["Web Two"]);
  });

  test.each(["filter=metadata:tier==STRING:web", "fields=metadata:tier"])(
    "metadata is refused: %s",
    async (query) => {
      const client = await cloudWith(cloud);
      const reply = await client.send(`GET /api/query?type=vm&${query}`);
      expect(errorOf(reply).slice(0, 2)).toEqual([400, "BAD_REQUEST"]);
      expect(errorOf(reply)[2]).toContain("metadata");
    },
  );

  test("one filter at most", async () => {
    const client = await cloudWith(cloud);
    expect(await names(client, "type=vm&filter=name==a&filter=name==b")).toEqual(["400"]);
  });
});

describe("pages", () => {
  const many = (count: number): CloudDocument => ({
    vapps: {
      big: { vms: Object.fromEntries(Array.from({ length: count }, (_, n) => [`vm${n}`, {}])) },
    },
  });
  const page = async (client: Client, query: string) => {
    const { root } = await client.send(`GET /api/query?type=vm&${query}`);
    const number = (name: string): number => Number(attributeOf(root, name));
    return {
      total: number("total"),
      pageSize: number("pageSize"),
      page: number("page"),
      count: recordsOf(root).length,
      rels: relsOf(root).filter((rel) => rel !== "alternate"),
    };
  };

  test("25 by default, 128 at most, and the size used is told", async () => {
    const client = await cloudWith(many(300));
    expect(await page(client, "")).toEqual({
      total: 300,
      pageSize: 25,
      page: 1,
      count: 25,
      rels: ["nextPage", "lastPage"],
    });
    const all = ["firstPage", "previousPage", "nextPage", "lastPage"];
    expect(await page(client, "page=2&pageSize=1000")).toMatchObject({
      pageSize: 128,
      count: 128,
      rels: all,
    });
    expect(await page(client, "page=3&pageSize=128")).toMatchObject({
      count: 44,
      rels: ["firstPage", "previousPage"],
    });
    expect(await page(client, "page=9&pageSize=128")).toMatchObject({ total: 300, count: 0 });
  });

  test("following nextPage shows everything once, filter and fields kept", async () => {
    const client = await cloudWith({ ...many(60), rules: { page_size_max: 7 } });
    const base = client.simulators.origins.cloud;
    const seen: string[] = [];
    let target: string | undefined =
      "/api/query?type=vm&pageSize=50&fields=name&filter=name==vm*;name!=vm0";
    while (target !== undefined) {
      const { root } = await client.send(`GET ${target}`);
      for (const record of recordsOf(root)) {
        expect(record.attributes.map((each) => each.local)).toEqual(["name", "href"]);
        seen.push(attributeOf(record, "href") ?? "");
      }
      const next = childrenOf(root, neutral.namespace, "Link").find(
        (link) => attributeOf(link, "rel") === "nextPage",
      );
      target = next && attributeOf(next, "href")?.slice(base.length);
    }
    expect(seen).toHaveLength(59);
    expect(new Set(seen).size).toBe(59);
  });

  test("an inventory that changes between two pages moves records to a page that was read", async () => {
    const client = await cloudWith(many(10));
    const shown = async (number: number): Promise<readonly string[]> => {
      const { root } = await client.send(`GET /api/query?type=vm&pageSize=5&page=${number}`);
      return recordsOf(root).map((each) => attributeOf(each, "name") ?? "");
    };
    const [first, second] = [await shown(1), await shown(2)];
    const change = { delete_cloud_vm: { vm: first[0] ?? "" } };
    const rule = { on: "GET /api/query", query: "*type=vm&*page=2", nth: 2, change };
    const body = JSON.stringify({ faults: [rule] });
    const control = `${client.simulators.origins.cloud}/_simulator/faults`;
    expect((await fetch(control, { method: "POST", body })).status).toBe(200);
    expect(await shown(2)).toEqual(second);
    expect(await shown(1)).toEqual(first);
    expect(await shown(2)).toEqual(second.slice(1));
    expect(await shown(1)).toEqual([...first.slice(1), ...second.slice(0, 1)]);
  });

  test.each(["page=0", "page=x", "pageSize=0", "pageSize=-1", "format=xml", "fields=nothing"])(
    "%s is refused",
    async (query) => {
      const client = await cloudWith(many(1));
      expect(errorOf(await client.send(`GET /api/query?type=vm&${query}`)).slice(0, 2)).toEqual([
        400,
        "BAD_REQUEST",
      ]);
    },
  );

  test("sorted both ways", async () => {
    const client = await cloudWith(cloud);
    const sorted = async (query: string) =>
      recordsOf((await client.send(`GET /api/query?type=vm&${query}`)).root).map((record) =>
        Number(attributeOf(record, "memoryMB")),
      );
    expect(await sorted("sortAsc=memoryMB")).toEqual([1024, 1024, 1024, 1024, 4096]);
    expect(await sorted("sortDesc=memoryMB")).toEqual([4096, 1024, 1024, 1024, 1024]);
  });
});

describe("formats", () => {
  test("references, and idrecords without hrefs", async () => {
    const client = await cloudWith(cloud);
    const id = vmPath(client, "db").slice("/api/vApp/vm-".length);
    const references = await client.send(
      "GET /api/query?type=adminVM&format=references&filter=name==Web%20Two",
    );
    expect(references.root).toMatchObject({ local: "VMReferences" });
    expect(references.headers.get("content-type")).toContain("query.references+xml");
    const [reference] = childrenOf(references.root, neutral.namespace, "VMReference");
    expect(reference && attributeOf(reference, "id")).toBe(`urn:cloud:vm:${id}`);
    const records = await client.send("GET /api/query?type=vm&format=idrecords&fields=container");
    expect(records.text).not.toContain("/api/vApp/");
    expect(recordsOf(records.root)[0]?.attributes.map((each) => each.local)).toEqual([
      "container",
      "id",
    ]);
  });

  test("alternates name the two other formats", async () => {
    const client = await cloudWith(cloud);
    const { root } = await client.send("GET /api/query?type=vm&format=references");
    const links = childrenOf(root, neutral.namespace, "Link");
    expect(links.map((link) => attributeOf(link, "href")?.split("format=")[1])).toEqual([
      "records",
      "idrecords",
    ]);
  });

  test("packaged queries have their own default format", async () => {
    const client = await cloudWith(cloud);
    const rootOf = async (path: string) => (await client.send(`GET ${path}`)).root.local;
    expect(await rootOf("/api/vms/query?page=1")).toBe("QueryResultRecords");
    expect(await rootOf("/api/vApps/query")).toBe("QueryResultRecords");
    const datastores = "/api/admin/extension/datastores";
    expect(await rootOf(`${datastores}/query`)).toBe("DatastoreReferences");
    expect(await rootOf(datastores)).toBe("DatastoreReferences");
  });

  test("prefixed bodies and the vendor's words", async () => {
    const rules = { xml: "prefixed", dialect: "vendor" } as const;
    const simulators = await simulate({ world: { cloud: { ...cloud, rules } } });
    const client = await logIn(simulators, { header: "x-vcloud-authorization" });
    const reply = await client.send("GET /api/query?type=vm&filter=name==golden");
    expect(reply.text).toContain("<ns6:QueryResultRecords");
    expect(reply.text).toContain("<ns6:VMRecord ");
    expect(reply.root.namespace).toBe("http://www.vmware.com/vcloud/v1.5");
    expect(attributeOf(reply.root, "type")).toBe("application/vnd.vmware.vcloud.query.records+xml");
  });
});
