/** The persisted world: saved before replies, going on between runs, one process at a time. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownProcess } from "../../../src/lib/files/process-identity.ts";
import { SimulatorInputError } from "../../../src/simulators/kit/document.ts";
import type { RunningSimulators } from "../../../src/simulators/start.ts";
import { startSimulators } from "../../../src/simulators/start.ts";
import { begin, call, powerText, simulate, stopNow, vixCode } from "./simulation.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simulated-world-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const world = {
  daemon: {
    durations_ms: { create: 0, clone: 1000, power_on: 100, tools: 50, address: 50 },
    vms: { base: {}, web: {} },
  },
} as const;

const persistFile = (): string => join(folder, "deep", "world.json");

function open(): Promise<RunningSimulators> {
  return simulate({ world, persist: persistFile() });
}

function savedIds(): readonly string[] {
  const saved: { readonly daemon: unknown } = JSON.parse(readFileSync(persistFile(), "utf8"));
  const text = JSON.stringify(saved.daemon);
  return [...text.matchAll(/\{"id":"([^"]+)","name"/g)].map((match) => match[1] ?? "");
}

test("the world is saved before each reply that tells of a change", async () => {
  const simulators = await open();
  expect(savedIds()).toEqual(["base", "web"]);
  await call(simulators, "POST /api/vms", { id: "new" });
  expect(savedIds()).toEqual(["base", "web", "new"]);
  await simulators.change({ delete_vm: { id: "base" } });
  expect(savedIds()).toEqual(["web", "new"]);
  await simulators.change((now) => ({ ...now, daemon: { ...now.daemon, vms: [] } }));
  expect(savedIds()).toEqual([]);
});

test("concurrent changes are all saved", async () => {
  const simulators = await open();
  const ids = Array.from({ length: 40 }, (_, index) => `vm-${index}`);
  await Promise.all(
    ids.map(async (id) => {
      await call(simulators, "POST /api/vms", { id });
      expect(savedIds()).toContain(id);
    }),
  );
  await stopNow(simulators);
  expect(readdirSync(join(folder, "deep"))).toEqual(["world.json"]);
});

test("a persisted world wins over the source, which is not looked at", async () => {
  const first = await open();
  await call(first, "POST /api/vms", { id: "new" });
  await stopNow(first);
  const second = await simulate({ world: "/nowhere.yaml", persist: persistFile() });
  expect((await call(second, "GET /api/vms")).text).toBe('["base","web","new"]');
});

test("work goes on between runs, from its start", async () => {
  const first = await open();
  const { reply: clone } = await begin(first, "POST /api/vms", { id: "copy", parentId: "base" });
  first.clock.advance(900);
  const { reply: power } = await begin(first, "PATCH /api/vms/power/web", "on");
  const startedMs = first.clock.now();
  await stopNow(first);
  await expect(clone).rejects.toThrow("fetch failed");
  await expect(power).rejects.toThrow("fetch failed");

  const second = await open();
  expect(second.clock.now()).toBe(startedMs);
  expect(await powerText(second, "web")).toBe("powering on");
  expect(vixCode(await call(second, "POST /api/vms", { id: "copy" }))).toBe(23);
  second.clock.advance(99);
  expect((await call(second, "GET /api/vms")).text).toBe('["base","web"]');
  second.clock.advance(1);
  expect((await call(second, "GET /api/vms")).text).toBe('["base","web","copy"]');
  expect(await powerText(second, "web")).toBe("powered on");
  expect(vixCode(await call(second, "GET /api/vms/web/ipaddress"))).toBe(3000);
  second.clock.advance(50);
  expect((await call(second, "GET /api/vms/web/ipaddress")).status).toBe(200);
});

test("without a still clock time passes between runs, and a moved clock stays moved", async () => {
  const first = await simulate({ world, persist: persistFile(), timeScale: 1 });
  await fetch(`${first.origins.daemon}/_simulator/clock/advance`, {
    method: "POST",
    body: '{"ms": 3600000}',
  });
  const before = first.clock.now();
  expect(before).toBeGreaterThanOrEqual(Date.now() + 3_599_000);
  await stopNow(first);
  const second = await simulate({ world, persist: persistFile(), timeScale: 1 });
  expect(second.clock.now()).toBeGreaterThanOrEqual(before);
});

test("one process per world", async () => {
  const first = await open();
  await expect(open()).rejects.toThrow(/in use by process \d+.*vmform simulate/);
  await stopNow(first);
  await open();
});

const lockInfo = {
  ...ownProcess(),
  id: "left-behind",
  operation: "simulate",
  who: "vmform",
  host: hostname(),
  createdMs: 1,
};

test("the lock of a process that is gone, or had this one's id, is taken over", async () => {
  const lockFile = `${persistFile()}.lock`;
  await stopNow(await open());
  const gone = spawnSync(process.execPath, ["-e", ""]).pid;
  for (const pid of [gone, process.pid]) {
    const owner = { ...lockInfo, pid, start: "1" };
    writeFileSync(lockFile, JSON.stringify(owner));
    const simulators = await open();
    await expect(open()).rejects.toThrow(SimulatorInputError);
    await stopNow(simulators);
  }
  expect(readdirSync(join(folder, "deep"))).toEqual(["world.json"]);
  // Killed between taking it and saying who it is: no process holds it.
  writeFileSync(lockFile, "");
  await open();
});

test.each([{}, { pidNamespace: "pid:[1]" }, { boot: "another" }, { host: "elsewhere" }])(
  "the lock file of a process that lives, or cannot be looked at, is respected: %j",
  async (elsewhere) => {
    await stopNow(await open());
    const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    const owner = { ...lockInfo, pid: process.ppid, start, ...elsewhere };
    writeFileSync(`${persistFile()}.lock`, JSON.stringify(owner));
    const told = new RegExp(`in use by process ${process.ppid} .*remove .*world.json.lock`);
    await expect(open()).rejects.toThrow(told);
  },
);

test.each(["", "{", "[]", '{"formatVersion": 2}'])(
  "a persisted world %j is refused and left as it is",
  async (text) => {
    await stopNow(await open());
    writeFileSync(persistFile(), text);
    await expect(open()).rejects.toThrow(/world\.json: not a persisted simulated world/);
    expect(readFileSync(persistFile(), "utf8")).toBe(text);
    expect(readdirSync(join(folder, "deep"))).toEqual(["world.json"]);
  },
);

test("a start that fails gives the world back", async () => {
  const first = await simulate({ world });
  const port = Number(new URL(first.origins.daemon).port);
  const taken = startSimulators({ world, persist: persistFile(), port });
  await expect(taken).rejects.toMatchObject({ code: "EADDRINUSE" });
  const bad = startSimulators({ world: { seed: -1 }, persist: join(folder, "other.json") });
  await expect(bad).rejects.toThrow(SimulatorInputError);
  expect(readdirSync(folder)).toEqual(["deep"]);
  await open();
});
