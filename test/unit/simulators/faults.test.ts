/** Fault scripts: each action over HTTP, counting, and strict reading. */

import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { FaultDocument } from "../../../src/simulators/faults.ts";
import { readFaultDocument } from "../../../src/simulators/faults.ts";
import { parseYaml, SimulatorInputError } from "../../../src/simulators/kit/document.ts";
import type { RunningSimulators } from "../../../src/simulators/start.ts";
import { begin, call, failureOf, powerText, simulate, untilLogged, vixCode } from "./simulation.ts";

const world = {
  daemon: {
    durations_ms: { power_on: 100, power_off: 0, clone: 100 },
    vms: { web: {}, db: { power: "on" } },
  },
} as const;

function withFaults(...faults: readonly FaultDocument[]): Promise<RunningSimulators> {
  return simulate({ world, faults: { faults } });
}

test("a reply stands for the daemon's, without effect unless it says so", async () => {
  const simulators = await withFaults(
    {
      on: "PATCH /api/vms/power/*",
      body: "off",
      reply: { status: 503, headers: { "Retry-After": "2" }, body: "later" },
    },
    { on: "PATCH /api/vms/power/db", body: "off", reply: { status: 502, effect: true } },
  );
  const first = await call(simulators, "PATCH /api/vms/power/db", "off");
  expect(first).toMatchObject({ status: 503, text: "later" });
  expect(first.headers.get("retry-after")).toBe("2");
  expect(await powerText(simulators, "db")).toBe("powered on");
  const third = await call(simulators, "PATCH /api/vms/power/db", "off");
  expect(third.status).toBe(200);
  const mutations = simulators.log().filter((entry) => entry.class === "mutate");
  expect(mutations).toMatchObject([
    { fault: "fault 1", effect: false, refused: true, status: 503 },
    { fault: null, effect: true, refused: false, status: 200 },
  ]);
});

test("a reply with effect", async () => {
  const simulators = await withFaults({
    name: "gateway",
    on: "* /api/**",
    body: "off",
    reply: { status: 502, effect: true },
  });
  expect((await call(simulators, "PATCH /api/vms/power/db", "off")).status).toBe(502);
  expect(simulators.log()).toMatchObject([
    { fault: "gateway", effect: true, refused: true, status: 502 },
  ]);
  expect(await powerText(simulators, "db")).toBe("powered off");
});

test("nth and times choose among the matching requests", async () => {
  const simulators = await withFaults({ on: "GET /api/vms", nth: 2, times: 2, foreign: {} });
  const statuses: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    statuses.push((await call(simulators, "GET /api/vms")).contentType?.split(";")[0] ?? "");
    await call(simulators, "GET /api/vms/power/web");
  }
  expect(statuses).toEqual(["text/plain", "text/html", "text/html", "text/plain", "text/plain"]);
});

test("always", async () => {
  const simulators = await withFaults({ on: "GET /api/vms/*", times: "always", busy: true });
  for (let index = 0; index < 3; index += 1) {
    const reply = await call(simulators, "GET /api/vms/db");
    expect([reply.status, vixCode(reply)]).toEqual([500, 5]);
  }
  // One star stays within a segment.
  expect((await call(simulators, "GET /api/vms/power/db")).status).toBe(200);
});

test.each(["before", "during", "after"] as const)("reset %s the effect", async (when) => {
  const simulators = await withFaults({ on: "PATCH /api/vms/power/web", reset: when });
  const sent = failureOf(call(simulators, "PATCH /api/vms/power/web", "on"));
  if (when === "before") {
    expect(await sent).toBe("ECONNRESET");
    expect(await powerText(simulators, "web")).toBe("powered off");
    expect(simulators.log()[0]).toMatchObject({ effect: false, refused: false, status: null });
    return;
  }
  if (when === "during") expect(await sent).toBe("ECONNRESET");
  else await untilLogged(simulators, (entry) => entry.effect);
  expect(simulators.log()[0]).toMatchObject({ effect: true, ended: false });
  expect(await powerText(simulators, "web")).toBe("powering on");
  simulators.clock.advance(100);
  expect(await sent).toBe("ECONNRESET");
  expect(await powerText(simulators, "web")).toBe("powered on");
  expect(simulators.log()[0]).toMatchObject({ effect: true, status: null, ended: true });
});

test.each([0, 1, 5])("a body cut after %d bytes", async (cut) => {
  const simulators = await withFaults({ on: "GET /api/vms", cut });
  const received = await new Promise<{ announced: string; text: string; complete: boolean }>(
    (resolve, reject) => {
      const client = request(`${simulators.origins.daemon}/api/vms`, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on("error", () => {});
        response.on("close", () => {
          const announced = response.headers["content-length"] ?? "";
          resolve({ announced, text, complete: response.complete });
        });
      });
      client.on("error", reject);
      client.end();
    },
  );
  const whole = '["web","db"]';
  expect(received).toEqual({
    announced: String(whole.length),
    text: whole.slice(0, cut),
    complete: false,
  });
  expect((await call(simulators, "GET /api/vms")).text).toBe(whole);
});

test.each(["before", "after"] as const)("hang %s the effect", async (when) => {
  const simulators = await withFaults({ on: "PATCH /api/vms/power/db", hang: when });
  const abort = new AbortController();
  const sent = fetch(`${simulators.origins.daemon}/api/vms/power/db`, {
    method: "PATCH",
    body: "off",
    signal: abort.signal,
  });
  const failed = failureOf(sent);
  await untilLogged(simulators, (entry) => entry.ended);
  expect(await powerText(simulators, "db")).toBe(when === "before" ? "powered on" : "powered off");
  abort.abort();
  expect(await failed).toMatch(/AbortError/);
});

test("a delay passes on the simulated clock, before the effect", async () => {
  const simulators = await withFaults({ on: "PATCH **", delay_ms: 50 });
  const sent = call(simulators, "PATCH /api/vms/power/db", "off");
  await untilLogged(simulators, (entry) => entry.fault === "fault 1");
  expect(await powerText(simulators, "db")).toBe("powered on");
  simulators.clock.advance(50);
  expect((await sent).status).toBe(200);
  expect(await powerText(simulators, "db")).toBe("powered off");
});

test("an outside change comes before the request", async () => {
  const simulators = await withFaults({
    on: "PATCH /api/vms/power/web",
    change: { delete_vm: { id: "web" } },
  });
  expect((await call(simulators, "PATCH /api/vms/power/web", "on")).status).toBe(500);
  expect((await call(simulators, "GET /api/vms")).text).toBe('["db"]');
});

test("an outside change ends work in progress without its effect", async () => {
  const simulators = await withFaults();
  const { reply } = await begin(simulators, "PATCH /api/vms/power/web", "on");
  await simulators.change({ power_vm: { id: "web", power: "suspended" } });
  simulators.clock.advance(100);
  expect(vixCode(await reply)).toBe(10);
  expect(simulators.log()[0]).toMatchObject({ effect: false, refused: true });
  expect(await powerText(simulators, "web")).toBe("suspended");
});

test("the sample script is acceptable", async () => {
  const simulators = await simulate({
    world,
    faults: fileURLToPath(new URL("./sample-faults.yaml", import.meta.url)),
  });
  expect((await call(simulators, "PATCH /api/vms/power/web", "on")).status).toBe(503);
});

test.each([
  ["faults: [{ on: GET /x, foreign: {}, wat: 1 }]", ['1:37: unknown key "wat"']],
  ["faults: [{ on: GET /x }]", ["1:10: a rule needs one of"]],
  ["faults: [{ on: GET /x, busy: true, cut: 1 }]", ["1:10: only one of busy, cut may stand"]],
  ["faults: [{ on: get /x, busy: true }]", ["1:12: must be a method and a path"]],
  ["faults: [{ busy: true }]", ["1:10: text is expected, it is missing"]],
  ["faults: [{ on: GET /x, busy: yes }]", ["1:24: true is expected"]],
  ["faults: [{ on: GET /x, busy: false }]", ["1:24: true is expected, not false"]],
  ["faults: [{ on: GET /x, cut: -1 }]", ["1:24: a whole number of at least 0"]],
  ["faults: [{ on: GET /x, reset: never }]", ["1:24: one of before, during, after"]],
  ["faults: [{ on: GET /x, nth: 0, hang: after }]", ["1:24: a whole number of at least 1"]],
  ["faults: [{ on: GET /x, reply: { status: 99 } }]", ["1:33: a whole number from 200 to 599"]],
  ["faults: [{ on: GET /x, reply: { status: 600 } }]", ["1:33: a whole number from 200 to 599"]],
  [
    'faults: [{ on: GET /x, reply: { status: 200, headers: { "a b": c } } }]',
    ["1:57: Header name must be a valid HTTP token"],
  ],
  ["faults: [{ on: GET /x, change: { power_vm: { id: web } } }]", ["1:34: one of on, off"]],
  ["faults: [{ on: GET /x, change: {} }]", ["1:24: exactly one of power_vm"]],
  ["faults: []\nfaults: []", ["2:1: Map keys must be unique"]],
  [
    "faults:\n  - on: GET /x\n    times: never\n  - cut: x\n",
    ["3:5: must be a whole number", "4:5: text is expected", "4:5: a whole number"],
  ],
  [
    "faults: [{ on: GET /x, times: 0, busy: true }]",
    ["1:24: must be a whole number of at least 1"],
  ],
  [
    "faults:\n  - on: GET /x\n  - on: GET /y\n    busy: true\n    hang: after\n",
    ["2:5: a rule needs", "3:5: only one of busy, hang"],
  ],
])("%s is refused with places", (text, expected) => {
  let problems: readonly string[] = [];
  try {
    readFaultDocument(parseYaml(text, "f.yaml"));
  } catch (error) {
    if (!(error instanceof SimulatorInputError)) throw error;
    problems = error.problems;
  }
  const found = problems.map((problem, index) =>
    problem.startsWith(`f.yaml:${expected[index]}`) ? expected[index] : problem,
  );
  expect(found.toSorted()).toEqual(expected.toSorted());
});
