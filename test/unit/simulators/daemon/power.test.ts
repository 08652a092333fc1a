/** The power table over HTTP: every word from every state. */

import { expect, test } from "vitest";
import type { PowerState } from "../../../../src/simulators/daemon/virtual-machine.ts";
import { begin, call, powerText, simulate, vixCode, vixMessage } from "../simulation.ts";

const instant = { power_on: 0, power_off: 0, shutdown: 0, suspend: 0, resume: 0 };

/** Word, state before, then the power text afterwards or the refusal's code. */
const table: readonly (readonly [string, PowerState, string | number])[] = [
  ["on", "off", "powered on"],
  ["on", "suspended", "powered on"],
  ["on", "on", 3007],
  ["on", "paused", 3007],
  ["off", "on", "powered off"],
  ["off", "paused", "powered off"],
  ["off", "off", 3006],
  ["off", "suspended", 3006],
  ["shutdown", "on", "powered off"],
  ["shutdown", "paused", 3016],
  ["shutdown", "off", 3006],
  ["shutdown", "suspended", 3006],
  ["suspend", "on", "suspended"],
  ["suspend", "paused", "suspended"],
  ["suspend", "off", 3006],
  ["suspend", "suspended", 3006],
  ["pause", "on", "paused"],
  ["pause", "paused", 3006],
  ["pause", "off", 3006],
  ["pause", "suspended", 3006],
  ["unpause", "paused", "powered on"],
  ["unpause", "on", 3007],
  ["unpause", "off", 3006],
  ["unpause", "suspended", 3006],
];

const textOf = { on: "powered on", off: "powered off", suspended: "suspended", paused: "paused" };

test.each(table)("%s when %s gives %s", async (word, power, expected) => {
  const simulators = await simulate({
    world: { daemon: { durations_ms: instant, vms: { web: { power } } } },
  });
  expect(await powerText(simulators, "web")).toBe(textOf[power]);
  const reply = await call(simulators, "PATCH /api/vms/power/web", word);
  const [, entry] = simulators.log();
  if (typeof expected === "number") {
    expect([reply.status, vixCode(reply)]).toEqual([500, expected]);
    expect(await powerText(simulators, "web")).toBe(textOf[power]);
    expect(entry).toMatchObject({ class: "mutate", effect: false, refused: true, status: 500 });
  } else {
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(/^\{"code":200,"message":"The VM is [a-z ]+\."\}$/);
    expect(await powerText(simulators, "web")).toBe(expected);
    expect(entry).toMatchObject({ class: "mutate", effect: true, refused: false, status: 200 });
  }
});

const transitions: readonly (readonly [string, PowerState, string, string])[] = [
  ["on", "off", "powering on", "powered on"],
  ["on", "suspended", "powering on", "powered on"],
  ["off", "on", "powering off", "powered off"],
  ["shutdown", "on", "powering off", "powered off"],
  ["suspend", "on", "suspending", "suspended"],
];

test.each(transitions)("%s from %s reads %s meanwhile", async (word, power, meanwhile, after) => {
  const simulators = await simulate({
    world: {
      daemon: {
        durations_ms: { power_on: 100, power_off: 100, shutdown: 100, suspend: 100, resume: 100 },
        vms: { web: { power } },
      },
    },
  });
  const { reply } = await begin(simulators, "PATCH /api/vms/power/web", word);
  expect(await powerText(simulators, "web")).toBe(meanwhile);
  const second = await call(simulators, "PATCH /api/vms/power/web", word);
  expect(vixCode(second)).toBe(5);
  expect(vixCode(await call(simulators, "DELETE /api/vms/web"))).toBe(5);
  expect(vixCode(await call(simulators, "GET /api/vms/web"))).toBe(3006);
  simulators.clock.advance(99);
  expect(await powerText(simulators, "web")).toBe(meanwhile);
  simulators.clock.advance(1);
  expect((await reply).status).toBe(200);
  expect(await powerText(simulators, "web")).toBe(after);
});

test("on when on may be configured as a success without effect", async () => {
  const simulators = await simulate({
    world: { daemon: { rules: { on_when_on: 200 }, vms: { web: { power: "on" } } } },
  });
  expect((await call(simulators, "PATCH /api/vms/power/web", "on")).status).toBe(200);
  expect(simulators.log()).toMatchObject([{ effect: false, refused: false, status: 200 }]);
});

test("shutdown waits for tools, then for the guest's readiness", async () => {
  const simulators = await simulate({
    world: {
      daemon: {
        durations_ms: { power_on: 0, tools: 100, shutdown_ready: 50, shutdown: 0 },
        vms: { web: {}, bare: { tools: false, power: "on" } },
      },
    },
  });
  await call(simulators, "PATCH /api/vms/power/web", "on");
  const shutdown = () => call(simulators, "PATCH /api/vms/power/web", "shutdown");
  simulators.clock.advance(99);
  expect(vixCode(await shutdown())).toBe(3016);
  simulators.clock.advance(1);
  expect(vixCode(await shutdown())).toBe(3009);
  simulators.clock.advance(50);
  expect((await shutdown()).status).toBe(200);
  expect(vixCode(await call(simulators, "PATCH /api/vms/power/bare", "shutdown"))).toBe(3016);
});

test("texts of a running and of a paused VM are configurable", async () => {
  const simulators = await simulate({
    world: {
      daemon: {
        durations_ms: { power_on: 0, tools: 10 },
        rules: { running_text: "tools_running", paused_text: "blocked on msg" },
        vms: { web: {}, still: { power: "paused" } },
      },
    },
  });
  await call(simulators, "PATCH /api/vms/power/web", "on");
  expect(await powerText(simulators, "web")).toBe("powered on");
  simulators.clock.advance(10);
  expect(await powerText(simulators, "web")).toBe("tools_running");
  expect(await powerText(simulators, "still")).toBe("blocked on msg");
});

test.each(["reset", '"on"', "on\n", "On", "", "toString"])(
  "the word %j is not supported",
  async (word) => {
    const simulators = await simulate({ world: { daemon: { vms: { web: {} } } } });
    const reply = await call(simulators, "PATCH /api/vms/power/web", word);
    expect([reply.status, vixMessage(reply)]).toEqual([500, "The op name is not supported."]);
  },
);

test("power of an unknown VM is a failed file access", async () => {
  const simulators = await simulate({ world: {} });
  for (const target of ["GET /api/vms/power/nope", "PATCH /api/vms/power/nope"]) {
    const reply = await call(simulators, target, target.startsWith("PATCH") ? "on" : undefined);
    expect(reply.status).toBe(500);
    expect(vixMessage(reply)).toMatch(/^lstat \S*nope\S*: no such file or directory$/);
  }
});
