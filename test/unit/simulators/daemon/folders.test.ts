/** Folder sharing over HTTP: what each call needs, and what it answers. */

import { expect, test } from "vitest";
import type { Written } from "../../../../src/simulators/kit/document.ts";
import type {
  DaemonRules,
  DaemonVmEntry,
} from "../../../../src/simulators/kit/generated/documents.ts";
import type { RunningSimulators } from "../../../../src/simulators/start.ts";
import { begin, call, simulate, vixCode, vixMessage } from "../simulation.ts";

const mapping = { guestPath: "src", hostPath: "/srv/src", flags: 4 };
const shared: Written<DaemonVmEntry> = {
  power: "on",
  sharing: true,
  folders: { src: { host_path: "/srv/src" } },
};

function withVm(
  vm: Written<DaemonVmEntry>,
  rules: Written<DaemonRules> = {},
): Promise<RunningSimulators> {
  const durations = { power_on: 0, power_off: 0, tools: 100 };
  return simulate({ world: { daemon: { durations_ms: durations, rules, vms: { web: vm } } } });
}

test("sharing is enabled, a mapping added, read, changed and removed", async () => {
  const simulators = await withVm({ power: "on" });
  const folders = "/api/vms/web/folders";
  expect((await call(simulators, `PATCH ${folders}`, "true")).text).toBe(
    '{"code":200,"message":"true"}',
  );
  expect(await call(simulators, `GET ${folders}`)).toMatchObject({
    contentType: "text/plain; charset=utf-8",
    text: "[]",
  });
  const added = await call(simulators, `POST ${folders}`, mapping);
  expect(added).toMatchObject({ status: 200, text: JSON.stringify(mapping) });
  expect((await call(simulators, `GET ${folders}`)).text).toBe('["src"]');
  expect((await call(simulators, `GET ${folders}/src`)).text).toBe(added.text);
  const changed = { ...mapping, hostPath: "/srv/other", flags: 0 };
  expect(await call(simulators, `PATCH ${folders}/src`, changed)).toMatchObject({ status: 200 });
  expect((await call(simulators, `GET ${folders}/src`)).text).toBe(JSON.stringify(changed));
  expect(await call(simulators, `DELETE ${folders}/src`)).toMatchObject({ status: 204, text: "" });
  expect((await call(simulators, `GET ${folders}`)).text).toBe("[]");
  const mutations = simulators.log().filter((entry) => entry.class === "mutate");
  expect(mutations.map((entry) => entry.effect)).toEqual([true, true, true, true]);
});

const calls: readonly (readonly [string, string | object | undefined])[] = [
  ["PATCH /api/vms/web/folders", "true"],
  ["GET /api/vms/web/folders", undefined],
  ["POST /api/vms/web/folders", { ...mapping, guestPath: "new" }],
  ["GET /api/vms/web/folders/src", undefined],
  ["PATCH /api/vms/web/folders/src", mapping],
  ["DELETE /api/vms/web/folders/src", undefined],
];

test.each(calls)("%s needs a VM that is on, tools and sharing", async (target, body) => {
  for (const power of ["off", "suspended", "paused"] as const) {
    const stopped = await withVm({ ...shared, power });
    expect(vixCode(await call(stopped, target, body))).toBe(3006);
  }
  const booting = await withVm({ ...shared, power: "off" });
  await call(booting, "PATCH /api/vms/power/web", "on");
  expect(vixCode(await call(booting, target, body))).toBe(3016);
  booting.clock.advance(100);
  expect((await call(booting, target, body)).status).toBeLessThan(300);

  const without = await withVm({ ...shared, sharing: false });
  const answer = await call(without, target, body);
  if (target.endsWith("web/folders") && body === "true") expect(answer.status).toBe(200);
  else expect(vixCode(answer)).toBe(6);
  const lenient = await withVm({ ...shared, sharing: false }, { sharing_required: false });
  expect((await call(lenient, target, body)).status).toBeLessThan(300);

  const empty = await simulate({ world: {} });
  expect(vixMessage(await call(empty, target, body))).toMatch(/^lstat /);
});

test.each([
  ["a name that is there", mapping, 23],
  ["an empty body", "", "EOF"],
  ["no flags", { guestPath: "new", hostPath: "/srv" }, "EOF"],
  ["no host path", { guestPath: "new", flags: 4 }, "EOF"],
  ["other flags", { guestPath: "new", hostPath: "/srv", flags: 2 }, 3],
  ["a path for a name", { guestPath: "a/b", hostPath: "/srv", flags: 4 }, 3],
  ["a host path that is not there", { guestPath: "new", hostPath: "/nope", flags: 4 }, 4],
] as const)("a mapping with %s is refused", async (_case, body, expected) => {
  const simulators = await withVm(shared, { host_paths: ["/srv", "/srv/src"] });
  const reply = await call(simulators, "POST /api/vms/web/folders", body);
  expect([reply.status, vixCode(reply)]).toEqual([500, expected]);
  expect((await call(simulators, "GET /api/vms/web/folders")).text).toBe('["src"]');
});

test.each([
  ["GET", undefined],
  ["PATCH", { ...mapping, guestPath: "nope" }],
  ["DELETE", undefined],
] as const)("%s of a mapping that is not there is refused", async (method, body) => {
  const simulators = await withVm(shared);
  const reply = await call(simulators, `${method} /api/vms/web/folders/nope`, body);
  expect(vixCode(reply)).toBe(25);
});

test("a mapping is not renamed by PATCH, and the same again has no effect", async () => {
  const simulators = await withVm(shared);
  const target = "PATCH /api/vms/web/folders/src";
  expect(vixCode(await call(simulators, target, { ...mapping, guestPath: "x" }))).toBe(3);
  expect((await call(simulators, target, mapping)).status).toBe(200);
  expect((await call(simulators, "PATCH /api/vms/web/folders", "true")).status).toBe(200);
  expect(simulators.log().map((entry) => entry.effect)).toEqual([false, false, false]);
});

test("false disables sharing; other words are refused", async () => {
  const simulators = await withVm(shared);
  expect((await call(simulators, "PATCH /api/vms/web/folders", "false")).text).toBe(
    '{"code":200,"message":"false"}',
  );
  expect(vixCode(await call(simulators, "GET /api/vms/web/folders"))).toBe(6);
  const odd = await call(simulators, "PATCH /api/vms/web/folders", "yes");
  expect([odd.status, vixMessage(odd)]).toEqual([
    500,
    'strconv.ParseBool: parsing "yes": invalid syntax',
  ]);
});

test("mappings and sharing outlive a power cycle, and a clone has neither", async () => {
  const simulators = await withVm(shared);
  await call(simulators, "PATCH /api/vms/power/web", "off");
  await call(simulators, "PATCH /api/vms/power/web", "on");
  simulators.clock.advance(100);
  expect((await call(simulators, "GET /api/vms/web/folders")).text).toBe('["src"]');
  await call(simulators, "PATCH /api/vms/power/web", "off");
  const { reply } = await begin(simulators, "POST /api/vms", { id: "copy", parentId: "web" });
  simulators.clock.advance(1000);
  expect((await reply).status).toBe(200);
  const copy = simulators.world().daemon.vms.find((vm) => vm.id === "copy");
  expect(copy).toMatchObject({ sharing: false, folders: [], power: "off" });
});
