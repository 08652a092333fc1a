/** The control surface, outside changes, and the request log. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OutsideChange } from "../../../src/simulators/core.ts";
import type { PowerState, VirtualMachine } from "../../../src/simulators/daemon/virtual-machine.ts";
import type { RunningSimulators } from "../../../src/simulators/start.ts";
import { onlyInLongRun } from "../../helpers/amount.ts";
import { begin, call, powerText, simulate, stopNow } from "./simulation.ts";

const world = {
  daemon: {
    durations_ms: { create: 0, power_on: 100 },
    vms: { web: { power: "on" as PowerState, folders: { src: { host_path: "/srv" } } }, db: {} },
  },
};

function vmOf(simulators: RunningSimulators, id: string): VirtualMachine | undefined {
  return simulators.world().daemon.vms.find((vm) => vm.id === id);
}

const changes: readonly (readonly [OutsideChange, string, Partial<VirtualMachine> | undefined])[] =
  [
    [{ power_vm: { id: "web", power: "off" } }, "web", { power: "off", toolsAtMs: null }],
    [{ power_vm: { id: "db", power: "on" } }, "db", { power: "on", toolsAtMs: 0 }],
    [{ create_vm: { id: "new", tag: "t", power: "on" } }, "new", { tag: "t", power: "on" }],
    [{ delete_vm: { id: "web" } }, "web", undefined],
    [{ rename_vm: { id: "web", name: "Other" } }, "web", { name: "Other" }],
    [{ tag_vm: { id: "web", tag: "x" } }, "web", { tag: "x" }],
    [{ share_vm: { id: "web", sharing: true } }, "web", { sharing: true }],
    [
      { add_folder: { id: "db", guest_path: "a", host_path: "/a", writable: false } },
      "db",
      { folders: [{ guestPath: "a", hostPath: "/a", flags: 0 }] },
    ],
    [{ remove_folder: { id: "web", guest_path: "src" } }, "web", { folders: [] }],
  ];

test.each(changes)("outside change %j", async (change, id, expected) => {
  const local = await simulate({ world });
  await local.change(change);
  const remote = await simulate({ world });
  const reply = await call(remote, "POST /_simulator/change", change);
  expect(reply.status).toBe(200);
  for (const simulators of [local, remote]) {
    if (expected === undefined) expect(vmOf(simulators, id)).toBeUndefined();
    else expect(vmOf(simulators, id)).toMatchObject(expected);
    expect(simulators.log()).toEqual([]);
  }
});

test.each([
  ["{ power_vm: { id: nope, power: on } }", 'request body:1:1: there is no VM "nope"'],
  ["{ create_vm: { id: web } }", 'request body:1:1: there is a VM "web"'],
  ["{ delete_vm: { id: web }, tag_vm: { id: web, tag: x } }", "exactly one of"],
  ["{ power_vm: { id: web, power: on, now: true } }", 'request body:1:35: unknown key "now"'],
  ["{ remove_folder: { id: web, guest_path: nope } }", 'has no folder "nope"'],
  ["{ sink_vm: { id: web } }", 'unknown key "sink_vm"'],
  ["- 1", "a map is expected, not a list"],
  ["{", "request body:1:2"],
])("the change %s is refused", async (body, problem) => {
  const simulators = await simulate({ world });
  const before = simulators.world().daemon;
  const reply = await call(simulators, "POST /_simulator/change", body);
  expect(reply.status).toBe(400);
  expect(JSON.parse(reply.text)).toMatchObject({
    problems: expect.arrayContaining([expect.stringContaining(problem)]),
  });
  expect(simulators.world().daemon).toEqual(before);
});

test("a function may change the world, and ends work that it leaves out", async () => {
  const simulators = await simulate({ world });
  const { reply } = await begin(simulators, "PATCH /api/vms/power/db", "on");
  await simulators.change((now) => ({
    ...now,
    daemon: { ...now.daemon, vms: now.daemon.vms.filter((vm) => vm.id !== "db") },
  }));
  simulators.clock.advance(100);
  expect((await reply).status).toBe(500);
  expect((await call(simulators, "GET /api/vms")).text).toBe('["web"]');
});

test("the clock is read and moved over HTTP", async () => {
  const simulators = await simulate({ world });
  const { reply } = await begin(simulators, "PATCH /api/vms/power/db", "on");
  const before = simulators.clock.now();
  expect((await call(simulators, "GET /_simulator/clock")).text).toBe(`{"now":${before}}`);
  const moved = await call(simulators, "POST /_simulator/clock/advance", { ms: 100 });
  expect(moved.text).toBe(`{"now":${before + 100}}`);
  expect((await reply).status).toBe(200);
  for (const body of ['{"ms": -1}', '{"ms": 1.5}', "{}", '{"ms": 1, "s": 2}', ""]) {
    expect((await call(simulators, "POST /_simulator/clock/advance", body)).status).toBe(400);
  }
});

test("faults are set and cleared over HTTP", async () => {
  const simulators = await simulate({ world });
  const script = "faults: [{ on: GET /api/vms, times: always, reply: { status: 503 } }]";
  expect((await call(simulators, "POST /_simulator/faults", script)).status).toBe(200);
  expect((await call(simulators, "GET /api/vms")).status).toBe(503);
  expect((await call(simulators, "POST /_simulator/faults", "faults: [1]")).status).toBe(400);
  expect((await call(simulators, "GET /api/vms")).status).toBe(503);
  expect((await call(simulators, "POST /_simulator/faults", "faults: []")).status).toBe(200);
  expect((await call(simulators, "GET /api/vms")).status).toBe(200);
});

test("the log, here, over HTTP and in its file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "request-log-"));
  const file = join(folder, "log.jsonl");
  const simulators = await simulate({ world, log: file });
  await call(simulators, "GET /json/swagger.json");
  await call(simulators, "GET /api/vms?tags=a");
  await call(simulators, "POST /api/vms", { id: "web" });
  const { reply } = await begin(simulators, "PATCH /api/vms/power/db", "on");
  await call(simulators, "GET /api/vms/nope");
  const running = simulators.log()[3];
  expect(running).toMatchObject({ status: null, ended: false, effect: true, refused: false });
  simulators.clock.advance(100);
  await reply;
  const at = running?.at;
  const common = { at, interface: "daemon", ended: true, fault: null };
  const read = { ...common, body: "", class: "read", effect: false, refused: false };
  const expected = [
    { ...read, n: 1, method: "GET", path: "/json/swagger.json", class: "session", status: 200 },
    { ...read, n: 2, method: "GET", path: "/api/vms?tags=a", status: 200 },
    {
      ...common,
      n: 3,
      method: "POST",
      path: "/api/vms",
      body: '{"id":"web"}',
      class: "mutate",
      status: 500,
      effect: false,
      refused: true,
    },
    {
      ...common,
      n: 4,
      method: "PATCH",
      path: "/api/vms/power/db",
      body: "on",
      class: "mutate",
      status: 200,
      effect: true,
      refused: false,
    },
    { ...read, n: 5, method: "GET", path: "/api/vms/nope", status: 500 },
  ];
  expect(simulators.log()).toEqual(expected);
  expect(JSON.parse((await call(simulators, "GET /_simulator/log")).text)).toEqual(expected);
  const later = await call(simulators, "GET /_simulator/log?after=3");
  expect(JSON.parse(later.text)).toEqual(expected.slice(3));
  // The file has the order of the ends.
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const written: readonly unknown[] = lines.map((line): unknown => JSON.parse(line));
  expect(written).toEqual([0, 1, 2, 4, 3].map((index) => expected[index]));
  await stopNow(simulators);
  rmSync(folder, { recursive: true });
});

test("the world over HTTP is the world, settled to now", async () => {
  const simulators = await simulate({ world });
  const { reply } = await begin(simulators, "PATCH /api/vms/power/db", "on");
  expect(simulators.world().daemon.operations).toMatchObject([{ kind: "power", vmId: "db" }]);
  simulators.clock.advance(100);
  await reply;
  const shown: unknown = JSON.parse((await call(simulators, "GET /_simulator/world")).text);
  expect(shown).toMatchObject({ daemon: simulators.world().daemon });
  expect(simulators.world().daemon.operations).toEqual([]);
  expect((await call(simulators, "GET /_simulator/nothing")).status).toBe(404);
});

test("20,000 VMs are listed, each found and changed", onlyInLongRun, async () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => `vm-${index}`);
  const vms = Object.fromEntries(ids.map((id) => [id, {}]));
  const simulators = await simulate({ world: { daemon: { durations_ms: { power_on: 0 }, vms } } });
  expect(JSON.parse((await call(simulators, "GET /api/vms")).text)).toEqual(ids);
  for (const id of ["vm-0", "vm-19999"]) {
    expect((await call(simulators, `PATCH /api/vms/power/${id}`, "on")).status).toBe(200);
    expect(await powerText(simulators, id)).toBe("powered on");
  }
});
