/** Reading over real HTTP: partitions, health, sizes, in three forms; and what cannot be read. */

import { afterEach, describe, expect, test } from "vitest";
import type { Observation } from "../../../../src/model/provider/observation.ts";
import type { Address } from "../../../../src/model/value/address.ts";
import type { Attributes } from "../../../../src/model/value/value.ts";
import {
  type Answered,
  type ApplianceScript,
  apiError,
  json,
  partitions65,
  restError,
  type ScriptedAppliance,
  shown65,
  startAppliance,
} from "./scripted-appliance.ts";

let appliance: ScriptedAppliance;
afterEach(() => appliance.close());

async function start(script: ApplianceScript = {}): Promise<ScriptedAppliance> {
  appliance = await startAppliance(script);
  return appliance;
}

async function readOne(recorded?: Attributes): Promise<Observation> {
  const [observation] = await appliance.session.read([
    {
      address: "appliance_storage.a" as Address,
      type: "appliance_storage",
      identity: "storage",
      attributes: [],
      ...(recorded === undefined ? {} : { recorded }),
    },
  ]);
  if (observation === undefined) throw new Error("no observation");
  return observation;
}

async function facts() {
  const request = {
    address: "appliance_storage.a" as Address,
    provider: "appliance",
    type: "appliance_storage",
    action: "update",
    identity: "storage",
    wanted: {},
    changed: ["sizes_gb"],
    prior: {},
  } as const;
  return (await appliance.session.facts?.([request]))?.[0];
}

const path = (url: string): string => url.replace(/^\/(rest|api)/, "").replace(/\?.*/, "");
const monitoring = "/appliance/monitoring/query";
const answerTo =
  (wanted: string, answer: Answered): NonNullable<ApplianceScript["handle"]> =>
  ({ url }) =>
    path(url) === wanted ? answer : undefined;

const disks65 = Object.fromEntries(partitions65.map(([disk, name]) => [disk, [name]]));

test.each(["6.5", "6.7", "7.0"] as const)("everything, of release %s", async (release) => {
  await start({ release });
  expect(await readOne()).toEqual({
    status: "found",
    identity: "storage",
    attributes: { release, health: "green", disks: disks65, filesystems_gb: shown65 },
    unreadable: {},
    reasons: {},
  });
  const prefix = release === "7.0" ? "/api" : "/rest";
  const asked = ["system/storage", "health/storage", "monitoring/query"];
  expect([...appliance.asked()].sort()).toEqual(
    asked.map((one) => `GET ${prefix}/appliance/${one}`).sort(),
  );
});

test("several objects are read at once, and none costs nothing", async () => {
  await start();
  expect(await appliance.session.read([])).toEqual([]);
  expect(await appliance.session.facts?.([])).toEqual([]);
  expect(appliance.server.seen).toEqual([]);
});

test.each([
  [
    "6.5",
    "item.names.1=storage.totalsize.filesystem.root&item.names.2=storage.totalsize.filesystem.core" +
      "&item.interval=MINUTES5&item.function=MAX" +
      "&item.start_time=2026-01-02T04:00:00.000Z&item.end_time=2026-01-02T05:00:00.000Z",
  ],
  [
    "7.0",
    "names=storage.totalsize.filesystem.root&names=storage.totalsize.filesystem.core" +
      "&interval=MINUTES5&function=MAX" +
      "&start_time=2026-01-02T04:00:00.000Z&end_time=2026-01-02T05:00:00.000Z",
  ],
] as const)("one query by the appliance's own clock, of release %s", async (release, query) => {
  const partitions = [
    ["4", "core"],
    ["1", "root"],
  ] as const;
  const date = new Date("2026-01-02T05:00:00Z").toUTCString();
  const handle: ApplianceScript["handle"] = ({ url }) => {
    if (!url.endsWith("/appliance/system/storage")) return undefined;
    const list = partitions.map(([disk, partition]) => ({ disk, partition }));
    const answer = json(release === "7.0" ? list : { value: list });
    return { ...answer, headers: { ...answer.headers, date } };
  };
  await start({ release, handle });
  await readOne();
  const seen = appliance.server.seen.find(({ url }) => url.includes("monitoring"));
  // The login and what else was answered tell the time of this computer.
  expect(seen?.url.replace(/.*\?/, "")).toBe(query);
});

test("a page of somebody in between tells no time", async () => {
  const date = new Date("2026-01-02T05:00:00Z").toUTCString();
  const page = {
    status: 200,
    headers: { date, "content-type": "text/html" },
    body: "<html></html>",
  };
  const untimed = (value: unknown): Answered => {
    const answer = json({ value });
    return { ...answer, headers: { ...answer.headers, date: "unknown" } };
  };
  const answers: { readonly [path: string]: Answered } = {
    "/appliance/system/storage": untimed([{ disk: "1", partition: "root" }]),
    "/appliance/health/storage": page,
    [monitoring]: untimed([]),
  };
  await start({ handle: ({ url }) => answers[path(url)] });
  await readOne();
  await readOne();
  const queries = appliance.server.seen.filter(({ url }) => url.includes(monitoring));
  expect(queries.length).toBe(2);
  expect(queries.filter(({ url }) => url.includes("end_time=2026-01-02T05"))).toEqual([]);
});

describe("partitions", () => {
  test("that are not listed are those of release 6.5", async () => {
    await start({ release: "7.0", partitions: [] });
    expect(await readOne()).toMatchObject({
      attributes: { release: "7.0", disks: {}, filesystems_gb: shown65 },
    });
  });

  test.each<[unknown]>([
    [{ value: { disk: "1" } }],
    [{ value: [{ disk: "1" }] }],
    [{ value: [{ partition: "root" }] }],
    [{ value: [7] }],
    [{ value: null }],
    [[]],
  ])("answered as %j hide everything", async (value) => {
    await start({ handle: answerTo("/appliance/system/storage", json(value)) });
    expect(await readOne()).toMatchObject({ status: "unreadable", rule: "failed" });
    expect(await facts()).toMatchObject({ status: "failed" });
  });

  test("are grouped by disk, each once, by whatever name", async () => {
    const list = [
      { disk: 1, partition: "lv_root_0" },
      { disk: "1", partition: "boot" },
      { disk: "1", partition: "/" },
      { disk: "2", partition: "" },
      { disk: "x", partition: "archive" },
    ];
    await start({ handle: answerTo("/appliance/system/storage", json({ value: list })) });
    expect(await readOne()).toMatchObject({
      attributes: { disks: { "1": ["boot", "root"], "2": [], x: ["archive"] } },
    });
  });
});

describe("sizes", () => {
  const unknownItem = restError(400, "invalid_argument", "Unknown item.");

  test("are asked for by earlier names where there is no sample", async () => {
    const { core: _core, seat: _seat, ...others } = shown65;
    await start({ shown: { ...others, coredump: 24.48, vcdb_seat: 9.71 } });
    expect(await readOne()).toMatchObject({ attributes: { filesystems_gb: shown65 } });
    const names = appliance.server.seen
      .filter(({ url }) => url.includes("monitoring"))
      .map(({ url }) => url.match(/item\.names/g)?.length);
    expect(names).toEqual([11, 2]);
  });

  test("of names that are refused are asked for one by one, once", async () => {
    const handle: ApplianceScript["handle"] = ({ url }) =>
      url.includes("updatemgr") ? unknownItem : undefined;
    await start({ handle });
    const { updatemgr: _refused, ...others } = shown65;
    expect(await readOne()).toMatchObject({ attributes: { filesystems_gb: others } });
    const before = appliance.asked().length;
    expect(await readOne()).toMatchObject({ attributes: { filesystems_gb: others } });
    expect(appliance.asked().length - before).toBe(3);
  });

  test.each<[string, Answered, number]>([
    ["no such query", { status: 404, body: "<html>Not Found</html>" }, 2],
    ["in its own words", restError(404, "not_found"), 2],
    ["items that it does not know", unknownItem, 2],
    ["no samples", json({ value: [] }), 2],
    ["empty samples", json({ value: [{ name: "x", data: ["", ""] }] }), 2],
  ])("are not told as a rule: %s", async (_, answer, queries) => {
    await start({ handle: answerTo(monitoring, answer) });
    const observation = await readOne();
    expect(observation).toMatchObject({
      status: "found",
      unreadable: { filesystems_gb: "by rule" },
    });
    expect(observation).not.toHaveProperty("attributes.filesystems_gb");
    expect(appliance.asked().filter((one) => one.includes("monitoring"))).toHaveLength(queries);
    expect(await facts()).toMatchObject({ status: "read", facts: { filesystems_gb: null } });
  });

  test.each<[string, Answered]>([
    ["an error", restError(500, "internal_server_error")],
    ["no list", json({ value: {} })],
    ["an item without samples", json({ value: [{ name: "storage.totalsize.filesystem.log" }] })],
    [
      "a sample that is no number",
      json({ value: [{ name: "storage.totalsize.filesystem.log", data: ["many"] }] }),
    ],
    [
      "a sample below nothing",
      json({ value: [{ name: "storage.totalsize.filesystem.log", data: ["-1"] }] }),
    ],
    [
      "a sample of another kind",
      json({ value: [{ name: "storage.totalsize.filesystem.log", data: [{}] }] }),
    ],
  ])("that fail to be read are no sizes: %s", async (what, answer) => {
    await start({ handle: answerTo(monitoring, answer) });
    expect(await readOne()).toMatchObject({
      status: "found",
      attributes: { health: "green" },
      unreadable: { filesystems_gb: "failed" },
    });
    // A change is not planned blindly where what is told makes no sense.
    const isError = what === "an error";
    expect(await facts()).toMatchObject(
      isError ? { status: "read", facts: { filesystems_gb: null } } : { status: "failed" },
    );
  });

  test("the last sample that is one counts, and none is no size", async () => {
    const item = (name: string, ...data: unknown[]) => ({
      name: `storage.totalsize.filesystem.${name}`,
      data,
    });
    const items = [
      item("core", "25669632", "", "51339264", ""),
      item("log", "0"),
      item("db", 10_485_760, null),
      item("stranger", "1"),
    ];
    await start({ handle: answerTo(monitoring, json({ value: items })) });
    expect(await readOne()).toMatchObject({
      attributes: { filesystems_gb: { core: 48.96, db: 10 } },
    });
  });

  test("without a sample just now are those of before", async () => {
    await start({ shown: { core: 48.96 } });
    const recorded = { filesystems_gb: { core: 24.48, log: 9.71, gone: 1 } };
    expect(await readOne(recorded)).toMatchObject({
      attributes: { filesystems_gb: { core: 48.96, log: 9.71 } },
    });
  });
});

describe("health", () => {
  test.each([
    ["GREEN", "green"],
    ["orange", "orange"],
  ])("%s is %s", async (health, read) => {
    await start({ health });
    expect(await readOne()).toMatchObject({ attributes: { health: read } });
    expect(await facts()).toMatchObject({ facts: { health: read } });
  });

  test.each<[Answered, string]>([
    [restError(404, "not_found"), "by rule"],
    [json({ value: 7 }), "failed"],
  ])("answered as %j hides nothing else", async (answer, rule) => {
    await start({ handle: answerTo("/appliance/health/storage", answer) });
    expect(await readOne()).toMatchObject({
      status: "found",
      attributes: { filesystems_gb: shown65 },
      unreadable: { health: rule },
    });
    expect(await facts()).toMatchObject({ status: "read", facts: { health: null } });
  });
});

test("what says not now is asked again", async () => {
  const handle: ApplianceScript["handle"] = ({ url }, count) => {
    if (count > 0) return undefined;
    if (url.endsWith("/system/storage")) return restError(503, "service_unavailable");
    return url.endsWith("/health/storage") ? restError(504, "timed_out") : undefined;
  };
  await start({ handle });
  expect(await readOne()).toMatchObject({ status: "found", unreadable: {} });
  expect(appliance.ports.retries).toHaveLength(2);
});

describe("the data source", () => {
  test("tells partitions by disk and purpose, with their sizes", async () => {
    await start({ release: "6.7", partitions: partitions65.slice(0, 3), shown: { root: 10.73 } });
    expect(await appliance.session.readData?.("appliance_storage", {})).toEqual({
      release: "6.7",
      health: "green",
      disks: { "1": ["root"], "10": ["autodeploy"], "12": ["updatemgr"] },
      filesystems_gb: { root: 10.73 },
      partitions: [
        { disk: "1", purpose: "root", description: "The root", size_gb: 10.73 },
        { disk: "10", purpose: "autodeploy", description: "The autodeploy", size_gb: null },
        { disk: "12", purpose: "updatemgr", description: "The updatemgr", size_gb: null },
      ],
    });
  });

  test("has no sizes where none are told, and fails where they cannot be read", async () => {
    await start({ partitions: partitions65.slice(1, 2), shown: {} });
    expect(await appliance.session.readData?.("appliance_storage", {})).toMatchObject({
      filesystems_gb: null,
      partitions: [{ disk: "1", purpose: "root", description: null, size_gb: null }],
    });
    await appliance.close();
    await start({
      release: "7.0",
      handle: answerTo(monitoring, apiError(500, "ERROR", "Broken.")),
    });
    await expect(appliance.session.readData?.("appliance_storage", {})).rejects.toThrow(
      /the appliance answered 500 error: Broken\. \(id\)/,
    );
  });
});

test("there is one object to list", async () => {
  await start();
  expect(await appliance.session.list?.("appliance_storage")).toEqual([
    { type: "appliance_storage", identity: "storage" },
  ]);
  await expect(appliance.session.list?.("cloud_vm")).rejects.toThrow(/cannot be listed/);
});

describe("an appliance that offers the resize alone", () => {
  const literal: ApplianceScript["handle"] = ({ method, url }) => {
    if (url === "/apiexplorer") return { status: 200, headers: {}, body: "<html></html>" };
    const isResize = method === "POST" && url === "/appliance/system/storage/resize";
    return isResize ? { status: 200, headers: {}, body: "" } : restError(404, "not_found");
  };

  test.each([
    ["found by asking", { login: "basic" }],
    ["as settings say", { login: "basic", prefix: "none" }],
  ])("is read as what is known of every one, %s", async (_how, settings) => {
    await start({ handle: literal, settings });
    expect(await readOne()).toMatchObject({
      status: "found",
      unreadable: { disks: "by rule", health: "by rule", filesystems_gb: "by rule" },
    });
    expect(await facts()).toMatchObject({
      status: "read",
      facts: { release: "6.5", prefix: "none", disks: {}, filesystems_gb: null },
    });
  });
});
