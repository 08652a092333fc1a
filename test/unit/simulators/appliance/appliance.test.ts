/** The appliance over HTTP: sessions, releases, storage, resizes, sizes, errors. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { FaultDocument } from "../../../../src/simulators/faults.ts";
import type { Written } from "../../../../src/simulators/kit/document.ts";
import type { AppliancePart } from "../../../../src/simulators/kit/generated/documents.ts";
import type { ManagerDocument } from "../../../../src/simulators/manager/world/world-document.ts";
import type { RunningSimulators } from "../../../../src/simulators/start.ts";
import { failureOf, simulate, stopNow, untilLogged } from "../simulation.ts";

type Options = {
  readonly appliance?: Written<AppliancePart>;
  readonly manager?: ManagerDocument;
  readonly faults?: readonly FaultDocument[];
};

function start({ appliance = {}, manager, faults = [] }: Options = {}): Promise<RunningSimulators> {
  const world = { appliance, ...(manager === undefined ? {} : { manager }) };
  return simulate({ world, faults: { faults } });
}

type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
};

type Headers_ = { readonly [name: string]: string };

async function send(
  { origins }: RunningSimulators,
  target: string,
  headers: Headers_ = {},
  body?: string,
): Promise<Reply> {
  const [method = "", path = ""] = target.split(" ");
  const response = await fetch(`${origins.appliance}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json(): unknown {
      return JSON.parse(text);
    },
  };
}

const basic = (user: string, password: string): Headers_ => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});
const root = basic("root", "secret");
const json = { "content-type": "application/json" };

async function logIn(simulators: RunningSimulators): Promise<Headers_> {
  const reply = await send(simulators, "POST /rest/com/vmware/cis/session", { ...root, ...json });
  const id = (reply.json as { readonly value: string }).value;
  return { "vmware-api-session-id": id };
}

const storagePath = "/rest/appliance/system/storage";
const resizePath = `POST ${storagePath}/resize`;
const gigabyte = 1024 * 1024;

/** What a file system leaves of a disk. */
const usable = (gb: number): number => Math.floor(gb * gigabyte * 0.995);

/** Sizes as a monitoring query tells them, from 20 minutes ago until now. */
async function sizes(
  simulators: RunningSimulators,
  name: string,
  options = "item.interval=MINUTES5&item.function=MAX",
): Promise<readonly string[]> {
  const now = simulators.clock.now();
  const time = (ms: number): string => new Date(ms).toISOString();
  const query =
    `item.names.1=storage.totalsize.filesystem.${name}&${options}` +
    `&item.start_time=${time(now - 20 * 60_000)}&item.end_time=${time(now + 60_000)}`;
  const reply = await send(simulators, `GET /rest/appliance/monitoring/query?${query}`, root);
  if (reply.status !== 200) throw new Error(reply.text);
  const { value } = reply.json as { readonly value: readonly { readonly data: string[] }[] };
  return value[0]?.data ?? [];
}

function partition(simulators: RunningSimulators, name: string): number {
  const found = simulators.world().appliance.partitions.find((each) => each.name === name);
  return found?.sizes.at(-1)?.kb ?? 0;
}

const grow = (sizeGb: number, disk = "Hard disk 8") => ({
  change_manager_disk: { vm: "vcsa", disk, size_gb: sizeGb },
});

/** Resizes that end without waiting. */
const instant: Written<AppliancePart> = { durations_ms: { resize: 0 } };

test("replies tell the simulated time", async () => {
  const simulators = await start({ faults: [{ on: "GET /rest/**", busy: true }] });
  simulators.clock.advance(86_400_000);
  for (const status of [500, 200]) {
    const reply = await send(simulators, `GET ${storagePath}`, root);
    expect(reply.status).toBe(status);
    const aheadMs = Date.parse(reply.headers.get("date") ?? "") - Date.now();
    expect(aheadMs).toBeGreaterThan(80_000_000);
  }
});

describe("sessions", () => {
  test("begin with credentials, are known by header and cookie, and end", async () => {
    const simulators = await start();
    const reply = await send(simulators, "POST /rest/com/vmware/cis/session", root);
    expect(reply.status).toBe(200);
    const { value: id } = reply.json as { readonly value: string };
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(reply.headers.get("set-cookie")).toBe(
      `vmware-api-session-id=${id};Path=/rest;Secure;HttpOnly`,
    );
    for (const headers of [
      { "vmware-api-session-id": id },
      { cookie: `a=b; vmware-api-session-id=${id}` },
    ]) {
      const who = await send(simulators, "POST /rest/com/vmware/cis/session?~action=get", headers);
      expect(who.json).toMatchObject({ value: { user: "root" } });
    }
    const headers = { "vmware-api-session-id": id };
    const out = await send(simulators, "DELETE /rest/com/vmware/cis/session", headers);
    expect([out.status, out.text, out.headers.get("content-type")]).toEqual([200, "", null]);
    expect((await send(simulators, `GET ${storagePath}`, headers)).status).toBe(401);
    expect(simulators.applianceSessions()).toMatchObject({ open: [], opened: 1, loggedOut: 1 });
  });

  test("end by idling and by others", async () => {
    const simulators = await start({ appliance: { rules: { session_minutes: 2 } } });
    const [first, second] = [await logIn(simulators), await logIn(simulators)];
    const status = async (headers: Headers_): Promise<number> =>
      (await send(simulators, `GET ${storagePath}`, headers)).status;
    simulators.clock.advance(119_999);
    expect(await status(first)).toBe(200);
    simulators.clock.advance(1);
    expect([await status(first), await status(second)]).toEqual([200, 401]);
    await simulators.change({ end_appliance_sessions: {} });
    expect(await status(first)).toBe(401);
    const report = await fetch(`${simulators.origins.appliance}/_simulator/sessions/appliance`);
    expect(await report.json()).toMatchObject({ open: [], opened: 2, endedByOthers: 2 });
  });

  test.each([
    ["6.5", "vapi.method.authentication.required"],
    ["6.7", "com.vmware.vapi.endpoint.method.authentication.required"],
  ] as const)("that are not there: the text of %s", async (release, id) => {
    const simulators = await start({ appliance: { rules: { release } } });
    for (const headers of [{}, basic("root", "x"), { "vmware-api-session-id": "x" }]) {
      const reply = await send(simulators, `GET ${storagePath}`, headers);
      expect(reply.status).toBe(401);
      expect(reply.json).toMatchObject({
        type: "com.vmware.vapi.std.errors.unauthenticated",
        value: { messages: [{ id, args: [] }] },
      });
    }
    const login = await send(simulators, "POST /rest/com/vmware/cis/session", basic("x", "y"));
    expect(login.status).toBe(401);
  });

  test("credentials with a call are enough, unless the rules say otherwise", async () => {
    const accepted = await start();
    expect((await send(accepted, `GET ${storagePath}`, root)).status).toBe(200);
    const refused = await start({ appliance: { rules: { basic: "refused" } } });
    expect((await send(refused, `GET ${storagePath}`, root)).status).toBe(401);
  });
});

describe("releases", () => {
  test.each([
    ["6.5", 12, [200, 404, 404]],
    ["6.7", 13, [200, 200, 404]],
    ["7.0", 16, [200, 200, 200]],
  ] as const)("%s has %i disks, and its paths", async (release, count, statuses) => {
    const simulators = await start({ appliance: { ...instant, rules: { release } } });
    const list = await send(simulators, `GET ${storagePath}`, root);
    const { value } = list.json as {
      readonly value: readonly { readonly disk: string; readonly partition: string }[];
    };
    expect(value).toHaveLength(count);
    const order = value.map((each) => Number(each.disk));
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
    expect(new Set(order).size).toBe(count);
    expect(value.find((each) => each.disk === "8")?.partition).toBe("seat");
    expect("description" in (value[0] ?? {})).toBe(release !== "6.5");
    const found: number[] = [];
    for (const target of [
      resizePath,
      `POST ${storagePath}?action=resize-ex`,
      "POST /api/appliance/system/storage?action=resize-ex",
    ]) {
      found.push((await send(simulators, target, { ...root, ...json })).status);
    }
    expect(found).toEqual(statuses);
  });

  test("the form of 7.0 has bare bodies", async () => {
    const simulators = await start({ appliance: { ...instant, rules: { release: "7.0" } } });
    const login = await send(simulators, "POST /api/session", root);
    expect([login.status, typeof login.json]).toEqual([201, "string"]);
    const headers = { "vmware-api-session-id": String(login.json), ...json };
    const get = async (path: string) => (await send(simulators, `GET /api/${path}`, headers)).json;
    expect(await get("appliance/system/storage")).toHaveLength(16);
    expect(await get("appliance/health/storage")).toBe("green");
    expect(await get("session")).toMatchObject({ user: "root" });
    await simulators.change(grow(20));
    const target = "POST /api/appliance/system/storage?action=resize-ex";
    expect((await send(simulators, target, headers, "{}")).json).toEqual({
      lv_seat_0: { old_size: usable(10), new_size: usable(20) },
    });
    const plain = await send(simulators, target.replace("-ex", ""), headers);
    expect([plain.status, plain.text]).toEqual([204, ""]);
    const out = await send(simulators, "DELETE /api/session", headers);
    expect(out.status).toBe(204);
    const late = await send(simulators, "GET /api/appliance/system/storage", headers);
    expect(late.json).toMatchObject({ error_type: "UNAUTHENTICATED", messages: [{ args: [] }] });
  });

  test("the version is told, and the list may be empty", async () => {
    const simulators = await start({ appliance: { rules: { storage_list: "empty" } } });
    const version = await send(simulators, "GET /rest/appliance/system/version", root);
    expect(version.json).toMatchObject({ value: { version: "6.5.0.10000" } });
    expect((await send(simulators, `GET ${storagePath}`, root)).json).toEqual({ value: [] });
    expect((await send(simulators, "GET /apiexplorer", {})).status).toBe(200);
  });
});

describe("a resize", () => {
  test("makes usable what was grown, and nothing else", async () => {
    const simulators = await start({ appliance: instant });
    await simulators.change(grow(25));
    expect(partition(simulators, "seat")).toBe(usable(10));
    const reply = await send(simulators, resizePath, { ...root, ...json });
    expect([reply.status, reply.text]).toEqual([200, ""]);
    expect(partition(simulators, "seat")).toBe(usable(25));
    expect(partition(simulators, "log")).toBe(usable(10));
    expect((await send(simulators, resizePath, { ...root, ...json }, "{}")).status).toBe(200);
    expect(simulators.world().appliance.resizes.map((each) => each.grown.length)).toEqual([1, 0]);
    expect(simulators.log().at(-1)).toMatchObject({ class: "mutate", interface: "appliance" });
  });

  test("tells from 6.7 on what has grown, only that, in kilobytes", async () => {
    const simulators = await start({ appliance: { ...instant, rules: { release: "6.7" } } });
    await simulators.change(grow(30, "Hard disk 1"));
    const target = `POST ${storagePath}?action=resize-ex`;
    expect((await send(simulators, target, { ...root, ...json })).json).toEqual({
      value: [{ key: "lv_root_0", value: { old_size: usable(12), new_size: usable(30) } }],
    });
    expect((await send(simulators, target, { ...root, ...json })).json).toEqual({ value: [] });
  });

  test("takes its time, excludes another, and keeps to the disks of its begin", async () => {
    const simulators = await start({ appliance: { durations_ms: { resize: 1000 } } });
    await simulators.change(grow(20));
    const running = send(simulators, resizePath, { ...root, ...json });
    await untilLogged(simulators, (entry) => entry.effect);
    const second = await send(simulators, resizePath, { ...root, ...json });
    expect(second.status).toBe(500);
    expect(second.json).toMatchObject({ type: "com.vmware.vapi.std.errors.resource_busy" });
    await simulators.change(grow(40));
    simulators.clock.advance(999);
    expect(partition(simulators, "seat")).toBe(usable(10));
    simulators.clock.advance(1);
    expect((await running).status).toBe(200);
    expect(partition(simulators, "seat")).toBe(usable(20));
  });

  test("goes on when its client leaves", async () => {
    const simulators = await start({ appliance: { durations_ms: { resize: 1000 } } });
    await simulators.change(grow(20));
    const leaving = new AbortController();
    const attempt = fetch(`${simulators.origins.appliance}${storagePath}/resize`, {
      method: "POST",
      headers: { ...root, ...json },
      signal: leaving.signal,
    });
    // It fails while nobody looks.
    attempt.catch(() => {});
    await untilLogged(simulators, (entry) => entry.effect);
    leaving.abort();
    await expect(attempt).rejects.toThrow("aborted");
    simulators.clock.advance(1000);
    expect(partition(simulators, "seat")).toBe(usable(20));
  });

  test("of somebody else keeps it busy, and outlives its sessions", async () => {
    const simulators = await start();
    const headers = await logIn(simulators);
    await simulators.change({ start_appliance_resize: { duration_ms: 360_000 } });
    const again = simulators.change({ start_appliance_resize: { duration_ms: 1 } });
    await expect(again).rejects.toThrow("in progress");
    const busy = await send(simulators, resizePath, { ...headers, ...json });
    expect(busy.status).toBe(500);
    simulators.clock.advance(360_000);
    // By then the session has idled out.
    expect((await send(simulators, `GET ${storagePath}`, headers)).status).toBe(401);
    expect(simulators.world().appliance.resizes.every((each) => each.ended)).toBe(true);
  });

  test.each([
    ["no content type", {}, "", 415],
    ["another content type", { "content-type": "text/plain" }, "{}", 415],
    ["parameters", json, '{"disk": 8}', 400],
  ] as const)("with %s is refused", async (_name, headers, body, status) => {
    const simulators = await start({ appliance: instant });
    const options = body === "" ? [] : [body];
    const reply = await send(simulators, resizePath, { ...root, ...headers }, ...options);
    expect(reply.status).toBe(status);
    expect(simulators.log().at(-1)).toMatchObject({ refused: true, violation: expect.any(String) });
    expect(simulators.world().appliance.resizes).toEqual([]);
  });

  test("of an appliance that is off is not answered by it", async () => {
    const simulators = await start({ appliance: instant });
    await simulators.change({ power_manager_vm: { vm: "vcsa", power: "off" } });
    const reply = await send(simulators, resizePath, { ...root, ...json });
    expect(reply.status).toBe(503);
    expect(reply.json).toMatchObject({ type: "com.vmware.vapi.std.errors.service_unavailable" });
  });
});

describe("sizes", () => {
  test("are sampled every five minutes, as texts", async () => {
    const simulators = await start({ appliance: instant });
    // A moment that is no sample's.
    const { clock } = simulators;
    clock.advance(300_000 - (clock.now() % 300_000) + 100_000);
    await simulators.change(grow(20));
    await send(simulators, resizePath, { ...root, ...json });
    const [before, after] = [String(usable(10)), String(usable(20))];
    expect(await sizes(simulators, "seat")).toEqual([before, before, before, before, before]);
    clock.advance(199_999);
    expect((await sizes(simulators, "seat")).slice(-2)).toEqual([before, ""]);
    clock.advance(1);
    expect((await sizes(simulators, "seat")).at(-1)).toBe(after);
  });

  test("are sampled as often as the world says", async () => {
    const simulators = await start({ appliance: { durations_ms: { resize: 0, sample: 1000 } } });
    const { clock } = simulators;
    // A second into an interval, in which the new size is sampled within another second.
    clock.advance(300_000 - (clock.now() % 300_000) + 1001);
    await simulators.change(grow(20));
    await send(simulators, resizePath, { ...root, ...json });
    expect((await sizes(simulators, "seat")).at(-1)).toBe(String(usable(10)));
    clock.advance(1000);
    expect((await sizes(simulators, "seat")).at(-1)).toBe(String(usable(20)));
  });

  test.each([
    ["sparse", 2],
    ["empty", 4],
  ] as const)("may be %s", async (monitoring, missing) => {
    const simulators = await start({ appliance: { rules: { monitoring } } });
    simulators.clock.advance(300_000 - (simulators.clock.now() % 300_000));
    const data = (await sizes(simulators, "seat")).slice(0, 4);
    expect(data.filter((each) => each === "")).toHaveLength(missing);
  });

  test("of other functions, names and intervals", async () => {
    const simulators = await start();
    simulators.clock.advance(300_000 - (simulators.clock.now() % 300_000));
    const of = (name: string, interval: string, wanted: string) =>
      sizes(simulators, name, `item.interval=${interval}&item.function=${wanted}`);
    expect((await of("root", "MINUTES5", "COUNT"))[0]).toBe("1");
    expect((await of("updatemgr", "DAY1", "AVG"))[0]).toBe(String(usable(100)));
    expect((await of("boot", "MINUTES5", "MIN"))[0]).toBe("131072");
    for (const [name, interval, wanted] of [
      ["coffee", "MINUTES5", "MAX"],
      ["packages", "MINUTES5", "MAX"],
      ["seat", "MINUTES7", "MAX"],
      ["seat", "MINUTES5", "MEDIAN"],
    ] as const) {
      await expect(of(name, interval, wanted)).rejects.toThrow("invalid_argument");
    }
    // Which metrics there are is found out by asking; the rest is a mistake.
    const wrong = simulators.log().map(({ violation }) => violation !== undefined);
    expect(wrong.slice(-4)).toEqual([false, false, true, true]);
    const query = "item.names.1=storage.used.filesystem.seat&item.interval=DAY1&item.function=MAX";
    const path = `/rest/appliance/monitoring/query?${query}`;
    expect((await send(simulators, `GET ${path}`, root)).status).toBe(400);
  });
});

describe("the VM under it", () => {
  test("is one of the manager, made where none is named", async () => {
    const simulators = await start();
    const made = simulators.world().manager.vms.map((vm) => [vm.key, vm.disks.length, vm.power]);
    expect(made).toEqual([["vcsa", 12, "poweredOn"]]);
    const none = await simulate({ world: {} });
    expect(none.world().manager.vms).toEqual([]);
    expect((await send(none, `GET ${storagePath}`, root)).json).toEqual({ value: [] });
  });

  test("may be named, and must be there then", async () => {
    const manager = {
      vms: { vc: { power: "on", disks: [{ size_gb: 12 }, { size_gb: 2 }, { size_gb: 25 }] } },
    } as const;
    const simulators = await start({ manager, appliance: { vm: "vc" } });
    expect(simulators.world().appliance.partitions.map((each) => each.name)).toEqual([
      "root",
      "packages",
      "swap",
    ]);
    await expect(start({ manager, appliance: { vm: "other" } })).rejects.toThrow(
      'world.appliance.vm: the manager has no VM "other"',
    );
  });
});

describe("faults", () => {
  const on = "POST /rest/appliance/system/storage/resize";
  const resizeWith = async (fault: Omit<FaultDocument, "on">) => {
    const simulators = await start({ appliance: instant, faults: [{ on, ...fault }] });
    await simulators.change(grow(20));
    const attempt = send(simulators, resizePath, { ...root, ...json });
    return { simulators, attempt };
  };

  test.each<readonly [Omit<FaultDocument, "on">, number, string, number]>([
    [{ busy: true }, 500, "resource_busy", 10],
    [{ refusal: { status: 400, message: "No." } }, 400, "error", 10],
    [{ refusal: { status: 504, minor_code: "timed_out" } }, 504, "timed_out", 10],
    [{ task: { end: "error", message: "Failed." } }, 400, "error", 10],
    [{ task: { end: "error", effect: true } }, 400, "error", 20],
  ])("%j", async (fault, status, name, gb) => {
    const { simulators, attempt } = await resizeWith(fault);
    const reply = await attempt;
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ type: `com.vmware.vapi.std.errors.${name}` });
    expect(partition(simulators, "seat")).toBe(usable(gb));
  });

  test("a reply that is lost", async () => {
    const { simulators, attempt } = await resizeWith({ reset: "after" });
    expect(await failureOf(attempt)).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(partition(simulators, "seat")).toBe(usable(20));
  });
});

test("other people change its health", async () => {
  const simulators = await start({ appliance: { health: "yellow" } });
  const health = async () =>
    (await send(simulators, "GET /rest/appliance/health/storage", root)).json;
  expect(await health()).toEqual({ value: "yellow" });
  await simulators.change({ change_appliance: { health: "red" } });
  expect(await health()).toEqual({ value: "red" });
});

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

test("a resize goes on between runs", async () => {
  const home = mkdtempSync(join(tmpdir(), "simulated-appliance-"));
  homes.push(home);
  const persist = join(home, "world.json");
  const appliance = { durations_ms: { resize: 1000 } };
  const first = await simulate({ world: { appliance }, persist });
  await first.change(grow(20));
  const attempt = send(first, resizePath, { ...root, ...json });
  attempt.catch(() => {});
  await untilLogged(first, (entry) => entry.effect);
  first.clock.advance(400);
  await first.change({ change_appliance: { health: "gray" } });
  await stopNow(first);
  await expect(attempt).rejects.toThrow("fetch failed");
  const second = await simulate({ world: {}, persist });
  expect(partition(second, "seat")).toBe(usable(10));
  second.clock.advance(600);
  expect(partition(second, "seat")).toBe(usable(20));
});

test("what can be asked of monitoring is listed, and each of it can be asked", async () => {
  const simulators = await start({});
  const reply = await send(simulators, "GET /rest/appliance/monitoring", root);
  const { value } = reply.json as { readonly value: readonly { readonly id: string }[] };
  const names = value.map(({ id }) => id);
  expect(names).toContain("storage.totalsize.filesystem.seat");
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    if (!name.startsWith("storage.totalsize.")) continue;
    expect(await sizes(simulators, name.replace("storage.totalsize.filesystem.", ""))).not.toEqual(
      [],
    );
  }
});
