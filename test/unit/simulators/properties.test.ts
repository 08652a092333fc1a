/** Properties of the whole simulator over random requests. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createClock } from "../../../src/simulators/kit/clock.ts";
import type { RunningSimulators } from "../../../src/simulators/start.ts";
import { startSimulators } from "../../../src/simulators/start.ts";
import { amount } from "../../helpers/amount.ts";
import { begin, call } from "./simulation.ts";

type Sent = readonly [target: string, body?: string | object];

const id = fc.constantFrom("a", "b", "c");
const folder = fc.constantFrom("x", "y");
const word = fc.constantFrom("on", "off", "shutdown", "suspend", "pause", "unpause", "jump");
const mapping = fc.record({
  guestPath: folder,
  hostPath: fc.constantFrom("/1", "/2"),
  flags: fc.constantFrom(0, 4, 5),
});

const requests: fc.Arbitrary<Sent> = fc.oneof(
  fc.constant<Sent>(["GET /api/vms"]),
  id.map<Sent>((each) => [`GET /api/vms/${each}`]),
  id.map<Sent>((each) => [`GET /api/vms/power/${each}`]),
  id.map<Sent>((each) => [`GET /api/vms/${each}/folders`]),
  fc.tuple(id, word).map<Sent>(([each, text]) => [`PATCH /api/vms/power/${each}`, text]),
  fc.tuple(id, word).map<Sent>(([each, text]) => [`PATCH /api/vms/power/${each}`, text]),
  id.map<Sent>((each) => ["POST /api/vms", { id: each }]),
  fc.tuple(id, id).map<Sent>(([each, parentId]) => ["POST /api/vms", { id: each, parentId }]),
  id.map<Sent>((each) => [`DELETE /api/vms/${each}`]),
  fc
    .tuple(id, fc.constantFrom("true", "false", "x"))
    .map<Sent>(([each, text]) => [`PATCH /api/vms/${each}/folders`, text]),
  fc.tuple(id, mapping).map<Sent>(([each, body]) => [`POST /api/vms/${each}/folders`, body]),
  fc
    .tuple(id, folder, mapping)
    .map<Sent>(([each, name, body]) => [`PATCH /api/vms/${each}/folders/${name}`, body]),
  fc.tuple(id, folder).map<Sent>(([each, name]) => [`DELETE /api/vms/${each}/folders/${name}`]),
);

const vms = { a: { power: "on", sharing: true }, b: {} } as const;

const instant = {
  create: 0,
  clone: 0,
  power_on: 0,
  tools: 0,
  address: 0,
  power_off: 0,
  shutdown: 0,
  suspend: 0,
  resume: 0,
  delete: 0,
};

test("the log says effect exactly where the world changed; a refusal changes nothing", async () => {
  let effects = 0;
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: 1, maxLength: 30 }), async (sent) => {
      const world = { daemon: { durations_ms: instant, vms } };
      const simulators = await startSimulators({ world, timeScale: 0 });
      try {
        for (const [target, body] of sent) {
          const { nextOperation: _before, ...before } = simulators.world().daemon;
          const reply = await call(simulators, target, body);
          const { nextOperation: _after, ...after } = simulators.world().daemon;
          const entry = simulators.log().at(-1);
          const isChanged = JSON.stringify(before) !== JSON.stringify(after);
          expect(entry).toMatchObject({ effect: isChanged, status: reply.status, ended: true });
          expect(entry?.refused).toBe(entry?.class === "mutate" && reply.status >= 400);
          expect(entry?.class === "mutate").toBe(!target.startsWith("GET "));
          if (isChanged) expect(reply.status).toBeLessThan(300);
          effects += isChanged ? 1 : 0;
          refusals += entry?.refused === true ? 1 : 0;
        }
      } finally {
        await simulators.stop();
      }
    }),
    { numRuns: amount(20, 60) },
  );
  expect(effects).toBeGreaterThan(0);
  expect(refusals).toBeGreaterThan(0);
});

const steps = fc.oneof(
  { weight: 4, arbitrary: requests.map((sent) => ({ kind: "send" as const, sent })) },
  { weight: 2, arbitrary: fc.nat(60).map((ms) => ({ kind: "advance" as const, ms })) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
);

test("restarts in between, with work in progress, change nothing", async () => {
  const home = mkdtempSync(join(tmpdir(), "simulated-world-"));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 25 }), async (script) => {
      const outcomes: unknown[] = [];
      for (const withRestarts of [false, true]) {
        run += 1;
        const persist = join(home, `${run}.json`);
        const clock = createClock({ startMs: 1000, timeScale: 0 });
        const start = (): Promise<RunningSimulators> =>
          startSimulators({ world: { daemon: { vms } }, clock, persist });
        let simulators = await start();
        for (const step of script) {
          if (step.kind === "send") {
            const { reply } = await begin(simulators, ...step.sent);
            reply.catch(() => {});
          } else if (step.kind === "advance") {
            clock.advance(step.ms);
          } else if (withRestarts) {
            await simulators.stop();
            simulators = await start();
          }
        }
        clock.advance(1000);
        outcomes.push(simulators.world().daemon);
        await simulators.stop();
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }),
    { numRuns: amount(14, 40) },
  );
  rmSync(home, { recursive: true });
});
