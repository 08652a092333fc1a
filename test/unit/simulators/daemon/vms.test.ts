/** VMs over HTTP: create, clone, list, retrieve, delete, address. */

import { request } from "node:http";
import { expect, test } from "vitest";
import { begin, call, simulate, untilLogged, vixCode, vixMessage } from "../simulation.ts";

test("a VM is made, listed, read while on, and deleted", async () => {
  const simulators = await simulate({
    world: { daemon: { durations_ms: { create: 0, power_on: 0, power_off: 0, delete: 0 } } },
  });
  expect(await call(simulators, "GET /api/vms")).toMatchObject({
    status: 200,
    contentType: "text/plain; charset=utf-8",
    text: "[]",
  });
  const made = await call(simulators, "POST /api/vms", { id: "web", name: "Web", tag: "t" });
  expect(made).toMatchObject({
    status: 200,
    contentType: "application/json; charset=utf-8",
    text: '{"id":"web","name":"Web","tag":"t"}',
  });
  expect((await call(simulators, "GET /api/vms")).text).toBe('["web"]');
  expect(vixCode(await call(simulators, "GET /api/vms/web"))).toBe(3006);
  await call(simulators, "PATCH /api/vms/power/web", "on");
  expect((await call(simulators, "GET /api/vms/web")).text).toBe(made.text);
  expect(vixCode(await call(simulators, "DELETE /api/vms/web"))).toBe(3007);
  await call(simulators, "PATCH /api/vms/power/web", "off");
  expect(await call(simulators, "DELETE /api/vms/web", '{"id":"web"}')).toMatchObject({
    status: 204,
    text: "",
    contentType: null,
  });
  expect((await call(simulators, "GET /api/vms")).text).toBe("[]");
  expect(vixMessage(await call(simulators, "DELETE /api/vms/web"))).toMatch(/^lstat /);
});

test("a clone is one long request; the VM is seen when the copy is complete", async () => {
  const simulators = await simulate({
    world: { daemon: { durations_ms: { clone: 1000 }, vms: { base: {} } } },
  });
  const { reply } = await begin(simulators, "POST /api/vms", { id: "copy", parentid: "base" });
  simulators.clock.advance(999);
  expect((await call(simulators, "GET /api/vms")).text).toBe('["base"]');
  expect(vixMessage(await call(simulators, "GET /api/vms/power/copy"))).toMatch(/^lstat /);
  expect(vixCode(await call(simulators, "POST /api/vms", { id: "copy" }))).toBe(23);
  expect(vixCode(await call(simulators, "PATCH /api/vms/power/base", "on"))).toBe(15);
  expect(vixCode(await call(simulators, "DELETE /api/vms/base"))).toBe(15);
  const { reply: second } = await begin(simulators, "POST /api/vms", {
    id: "copy-2",
    parentId: "base",
  });
  simulators.clock.advance(1);
  expect((await reply).text).toBe('{"id":"copy","name":"copy","tag":""}');
  expect((await call(simulators, "GET /api/vms")).text).toBe('["base","copy"]');
  simulators.clock.advance(999);
  expect((await second).status).toBe(200);
  expect(vixCode(await call(simulators, "PATCH /api/vms/power/copy", "off"))).toBe(3006);
});

test("a clone whose client left completes", async () => {
  const simulators = await simulate({
    world: { daemon: { durations_ms: { clone: 1000 }, vms: { base: {} } } },
  });
  const client = request(`${simulators.origins.daemon}/api/vms`, { method: "POST" });
  client.on("error", () => {});
  client.end(JSON.stringify({ id: "copy", parentId: "base" }));
  await untilLogged(simulators, (entry) => entry.effect);
  client.destroy();
  simulators.clock.advance(1000);
  const entry = await untilLogged(simulators, (each) => each.ended);
  expect(entry).toMatchObject({ effect: true, refused: false });
  expect((await call(simulators, "GET /api/vms")).text).toBe('["base","copy"]');
});

test.each([
  ["off", "refused", 200],
  ["suspended", "refused", 200],
  ["on", "refused", 3007],
  ["paused", "refused", 3007],
  ["on", "allowed", 200],
] as const)("clone of a VM that is %s, running parents %s: %s", async (power, rule, expected) => {
  const simulators = await simulate({
    world: {
      daemon: {
        durations_ms: { clone: 0 },
        rules: { clone_of_running_parent: rule },
        vms: { base: { power } },
      },
    },
  });
  const reply = await call(simulators, "POST /api/vms", { id: "copy", parentId: "base" });
  expect(reply.status === 200 ? 200 : vixCode(reply)).toBe(expected);
});

test.each([
  ["an existing id", { id: "web" }, 23],
  ["an unknown parent", { id: "x", parentId: "nope" }, /^lstat .*nope.*: no such file/],
  ["no id", { name: "x" }, "EOF"],
  ["an empty body", "", "EOF"],
  ["a body that is not JSON", "on", /^invalid character/],
  ["a list", "[]", /^json: cannot unmarshal/],
  ["a number for an id", '{"id": 1}', /^json: cannot unmarshal number into field id/],
  ["a path for an id", { id: "../x" }, 3],
  ["unknown members are ignored", { id: "new", refused: true, status: 1, message: "m" }, 200],
  ["names of members count without case", { ID: "new", Name: "N" }, 200],
] as const)("creation with %s", async (_case, body, expected) => {
  const simulators = await simulate({
    world: { daemon: { durations_ms: { create: 0 }, vms: { web: {} } } },
  });
  const reply = await call(simulators, "POST /api/vms", body);
  const ids = (await call(simulators, "GET /api/vms")).text;
  if (expected === 200) {
    expect(reply.status).toBe(200);
    expect(ids).toBe('["web","new"]');
    return;
  }
  expect(reply.status).toBe(500);
  if (typeof expected === "number") expect(vixCode(reply)).toBe(expected);
  else expect(vixMessage(reply)).toMatch(expected);
  expect(ids).toBe('["web"]');
});

test("a suspended VM may be deleted; while that runs it is listed and busy", async () => {
  const simulators = await simulate({
    world: { daemon: { durations_ms: { delete: 10 }, vms: { web: { power: "suspended" } } } },
  });
  const { reply } = await begin(simulators, "DELETE /api/vms/web");
  expect((await call(simulators, "GET /api/vms")).text).toBe('["web"]');
  expect(vixCode(await call(simulators, "DELETE /api/vms/web"))).toBe(5);
  expect(vixCode(await call(simulators, "POST /api/vms", { id: "x", parentId: "web" }))).toBe(5);
  simulators.clock.advance(10);
  expect((await reply).status).toBe(204);
  expect((await call(simulators, "GET /api/vms")).text).toBe("[]");
});

test.each([500, 408] as const)("an address that is not there yet is %s", async (status) => {
  const simulators = await simulate({
    world: {
      seed: 7,
      daemon: {
        durations_ms: { power_on: 0, tools: 10, address: 30 },
        rules: { address_missing: status },
        vms: { web: {} },
      },
    },
  });
  const address = () => call(simulators, "GET /api/vms/web/ipaddress");
  expect(vixCode(await address())).toBe(3006);
  await call(simulators, "PATCH /api/vms/power/web", "on");
  simulators.clock.advance(29);
  expect((await address()).status).toBe(status);
  simulators.clock.advance(1);
  const reply = await address();
  expect([reply.status, vixMessage(reply)]).toEqual([200, "10.116.188.48"]);
});

test("addresses come from the seed and the id", async () => {
  const addressOf = async (seed: number): Promise<string> => {
    const simulators = await simulate({
      seed,
      world: { seed: 99, daemon: { vms: { web: { power: "on" } } } },
    });
    return vixMessage(await call(simulators, "GET /api/vms/web/ipaddress"));
  };
  const first = await addressOf(7);
  expect(await addressOf(7)).toBe(first);
  expect(await addressOf(8)).not.toBe(first);
});

test("a list is filtered by tags; ids are percent-decoded", async () => {
  const simulators = await simulate({
    world: {
      daemon: { vms: { "a b": { tag: "x", power: "on" }, c: { tag: "y" }, d: { tag: "z" } } },
    },
  });
  expect((await call(simulators, "GET /api/vms?tags=x,z")).text).toBe('["a b","d"]');
  expect((await call(simulators, "GET /api/vms?tags=")).text).toBe('["a b","c","d"]');
  expect((await call(simulators, "GET /api/vms/a%20b")).status).toBe(200);
  expect((await call(simulators, "GET /api/vms/a%2")).status).toBe(404);
});

test("the version probe, unknown paths and wrong methods", async () => {
  const simulators = await simulate({ world: {} });
  const probe = await call(simulators, "GET /json/swagger.json");
  expect(JSON.parse(probe.text)).toMatchObject({ info: { version: "1.0.0" }, basePath: "/api" });
  expect((await call(simulators, "GET /api/nothing")).status).toBe(404);
  expect((await call(simulators, "PUT /api/vms", "x")).status).toBe(405);
  expect(simulators.log().map((entry) => [entry.class, entry.refused])).toEqual([
    ["session", false],
    ["read", false],
    ["mutate", true],
  ]);
});
