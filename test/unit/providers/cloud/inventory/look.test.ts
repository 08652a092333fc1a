/** Looks: what one look reads once, and what it must not take from its memory. */

import { afterEach, describe, expect, test } from "vitest";
import type { FactsRequest, View } from "../../../../../src/model/provider/provider.ts";
import {
  type CloudSession,
  datastoreXml,
  type Inventory,
  operation,
  startInventory,
  taskXml,
  vmPath,
  wantedVm,
  xml,
} from "../cloud-inventory.ts";
import { neutralWords } from "../scripted-cloud.ts";

let one: CloudSession;
afterEach(() => one.close());

const vms = Array.from({ length: 30 }, (_, index) => ({ id: `v${index}` }));
const view = (count: number): View => ({ expected: () => count });

async function start(inventory: Partial<Inventory> = {}): Promise<CloudSession["session"]> {
  const datastores = [
    datastoreXml(neutralWords, "ssd", "1"),
    datastoreXml(neutralWords, "hdd", "2"),
  ];
  one = await startInventory({ vms, datastores, ...inventory });
  return one.session;
}

function moveOf(id: string): FactsRequest {
  return {
    ...{ address: wantedVm(id).address, provider: "cloud", type: "cloud_vm", action: "update" },
    ...{ identity: vmPath(id), wanted: { datastore: "ssd" }, changed: ["datastore"], prior: {} },
  };
}

test("one look reads each thing once", async () => {
  const session = await start();
  const look = view(30);
  await session.readData?.("cloud_vm", { name: "v3" }, look);
  await session.readData?.("cloud_vm", { href: vmPath("v4") }, look);
  await session.readData?.("cloud_datastore", { name: "ssd" }, look);
  await session.read([wantedVm("v1", "nested_hv_enabled"), wantedVm("v2")], look);
  await session.facts?.([moveOf("v1")], look);
  await session.list?.("cloud_vm", look);
  const reads = [`GET ${vmPath("v1")}`, "GET /api/vApp/vapp-web"];
  expect(one.asked()).toEqual(["query adminVM", "query datastore", ...reads]);
});

test("without a look, and in the next one, all is read again", async () => {
  const session = await start();
  for (const look of [view(30), view(30), undefined]) await session.list?.("cloud_vm", look);
  expect(one.asked()).toEqual(["query adminVM", "query adminVM", "query adminVM"]);
});

test.each([
  ["a request", "send"],
  ["a request by hand", "act"],
  ["a cancel", "cancel"],
] as const)("%s that changes something ends the look", async (_what, how) => {
  const task = xml(neutralWords, taskXml(neutralWords, { id: "1" }));
  const session = await start({
    answers: {
      [`POST ${vmPath("v1")}/power/action/suspend`]: { ...task, status: 202 },
      [`POST ${vmPath("v1")}/power/action/reset`]: { ...task, status: 202 },
      "GET /api/task/1": task,
      "POST /api/task/1/action/cancel": { status: 204 },
    },
  });
  const look = view(30);
  await session.list?.("cloud_vm", look);
  if (how === "send") await session.send(operation("suspend", vmPath("v1")), 1e15);
  if (how === "act") await session.act?.("reset", "cloud_vm", vmPath("v1"));
  if (how === "cancel") await session.cancel?.({ task: "/api/task/1" });
  await session.list?.("cloud_vm", look);
  const asked = one.asked();
  expect(asked.filter((request) => request.startsWith("query"))).toHaveLength(2);
  expect(asked.some((request) => request.startsWith("POST"))).toBe(true);
});

test("what failed is asked for again", async () => {
  const answers = { [`GET ${vmPath("v1")}`]: [{ status: 500 }, xml(neutralWords, "<html/>")] };
  const session = await start({ answers });
  const look = view(1);
  const facts = async () => (await session.facts?.([moveOf("v1")], look))?.[0];
  const reasons = [await facts(), await facts()].map((answer) =>
    answer?.status === "failed" ? answer.reason : "",
  );
  expect(reasons[0]).toContain("500");
  expect(reasons[1]).not.toContain("500");
  expect(one.asked()).toEqual([`GET ${vmPath("v1")}`, `GET ${vmPath("v1")}`]);
});

describe("the list of all answers no question that only the server can", () => {
  test.each([
    ["a filter in its own language", { type: "adminVM", filter: "name==v1*" }],
    ["other forms of records", { type: "adminVM", format: "references" }],
    ["an attribute that is not listed", { type: "adminVM", fields: ["name", "catalogName"] }],
    ["another type", { type: "vm" }],
  ])("%s", async (_what, query) => {
    const session = await start();
    const look = view(30);
    await session.list?.("cloud_vm", look);
    await session.readData?.("cloud_query", query, look);
    expect(one.asked()).toHaveLength(2);
  });

  test("but it answers for the attributes that it shows", async () => {
    const session = await start();
    const look = view(30);
    await session.list?.("cloud_vm", look);
    const query = { type: "adminVM", fields: ["name", "memoryMB"] };
    const answer = await session.readData?.("cloud_query", query, look);
    expect(answer).toMatchObject({ result_count: 30 });
    expect(answer?.results).toContainEqual({ href: vmPath("v7"), name: "v7", memoryMB: "512" });
    expect(one.asked()).toHaveLength(1);
  });
});

test("a few are asked for by name until all are known", async () => {
  const session = await start();
  const look = view(1);
  const wanted = { ...wantedVm("v1"), recorded: { name: "v1" } };
  const isFiltered = () =>
    one.cloud.requests().map((request) => decodeURIComponent(request).includes("name==v1"));
  await session.read([wanted], look);
  expect(isFiltered()).toEqual([true]);
  await session.list?.("cloud_vm", look);
  const [found] = await session.read([wanted], look);
  expect(found).toMatchObject({ status: "found", identity: vmPath("v1") });
  expect(isFiltered()).toEqual([true, false]);
});
