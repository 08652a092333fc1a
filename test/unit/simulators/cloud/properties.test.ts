/** Properties of the cloud over random requests. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CloudWorld } from "../../../../src/simulators/cloud/world/cloud-state.ts";
import type { CloudDocument } from "../../../../src/simulators/cloud/world/world-document.ts";
import { createClock } from "../../../../src/simulators/kit/clock.ts";
import { startSimulators } from "../../../../src/simulators/start.ts";
import { readWorldSource } from "../../../../src/simulators/world.ts";
import type { SendOptions } from "./cloud-client.ts";
import {
  logIn,
  neutral,
  relocateBody,
  snapshotBody,
  undeployBody,
  vmPath,
} from "./cloud-client.ts";

const cloud: CloudDocument = {
  durations_ms: { relocate: 100, queued: 5, pre_running: 5 },
  datastores: { slow: {}, fast: {} },
  vapps: {
    shop: { vms: { web: { power: "on" }, db: { tools: "absent" } } },
    lab: { vms: { lab1: {} } },
  },
};

const datastores = readWorldSource({ cloud }, undefined).cloud.datastores;

function hrefOf(store: string): string {
  return `/api/admin/extension/datastore/${datastores.find((each) => each.key === store)?.id}`;
}

function renamed(name: string): string {
  return `<Vm xmlns="${neutral.namespace}" name="${name}"/>`;
}

type Step = readonly [method: string, key: string, suffix: string, options?: SendOptions];

const key = fc.constantFrom("web", "db", "lab1");
const plain = fc.constantFrom(
  ...["powerOn", "powerOff", "shutdown", "suspend", "reset"].map((word) => `power/action/${word}`),
  ...["discardSuspendedState", "removeAllSnapshots", "revertToCurrentSnapshot"].map(
    (word) => `action/${word}`,
  ),
  "action/enableNestedHypervisor",
  "screen/action/acquireTicket",
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(key, fc.constantFrom("fast", "slow"))
    .map<Step>(([vm, store]) => ["POST", vm, "action/relocate", relocateBody(hrefOf(store))]),
  fc
    .tuple(key, fc.constantFrom("x", "y"))
    .map<Step>(([vm, name]) => ["PUT", vm, "", { type: "vm", body: renamed(name) }]),
  { weight: 3, arbitrary: fc.tuple(key, plain).map<Step>(([vm, path]) => ["POST", vm, path]) },
  fc
    .tuple(key, fc.constantFrom("powerOff", "suspend", "x"))
    .map<Step>(([vm, word]) => ["POST", vm, "action/undeploy", undeployBody(word)]),
  key.map<Step>((vm) => ["POST", vm, "action/createSnapshot", snapshotBody("")]),
  key.map<Step>((vm) => ["GET", vm, ""]),
  key.map<Step>((vm) => ["DELETE", vm, ""]),
);

function classOf(method: string, isTicket: boolean): string {
  if (isTicket) return "session";
  return method === "GET" ? "read" : "mutate";
}

test("the log says effect exactly where the world changed; a refusal changes nothing", async () => {
  let effects = 0;
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.constantFrom(0, 10, 40)), { minLength: 1, maxLength: 25 }),
      async (script) => {
        const simulators = await startSimulators({ world: { cloud }, timeScale: 0 });
        try {
          const client = await logIn(simulators);
          const paths = new Map(["web", "db", "lab1"].map((each) => [each, vmPath(client, each)]));
          for (const [[method, vm, suffix, options], ms] of script) {
            simulators.clock.advance(ms);
            const before = simulators.world().cloud;
            const tail = suffix === "" ? "" : `/${suffix}`;
            const reply = await client.send(`${method} ${paths.get(vm)}${tail}`, options);
            const isChanged = JSON.stringify(before) !== JSON.stringify(simulators.world().cloud);
            const entry = simulators.log().at(-1);
            expect(entry).toMatchObject({ effect: isChanged, status: reply.status, ended: true });
            expect(entry?.refused).toBe(entry?.class === "mutate" && reply.status >= 400);
            const isTicket = suffix === "screen/action/acquireTicket";
            expect(entry?.class).toBe(classOf(method, isTicket));
            if (entry?.refused === true && !reply.text.includes("BUSY_ENTITY")) {
              // Deleted VMs are refused like those that may not be seen.
              expect(entry.violation === undefined).toBe(reply.status === 403);
            }
            if (isChanged) expect(reply.status).toBeLessThan(300);
            effects += isChanged ? 1 : 0;
            refusals += entry?.refused === true ? 1 : 0;
          }
        } finally {
          await simulators.stop();
        }
      },
    ),
    { numRuns: 30 },
  );
  expect(effects).toBeGreaterThan(0);
  expect(refusals).toBeGreaterThan(0);
});

type Script = readonly (readonly [Step, number])[];

/** The world after a script, by simulators that are stopped and started after each request. */
async function worldAfter(script: Script, persist: string | undefined): Promise<CloudWorld> {
  const clock = createClock({ startMs: 1000, timeScale: 0 });
  const start = () =>
    startSimulators({ world: { cloud }, clock, ...(persist === undefined ? {} : { persist }) });
  let simulators = await start();
  try {
    let client = await logIn(simulators);
    const paths = new Map(["web", "db", "lab1"].map((each) => [each, vmPath(client, each)]));
    for (const [[method, vm, suffix, options], ms] of script) {
      clock.advance(ms);
      const tail = suffix === "" ? "" : `/${suffix}`;
      await client.send(`${method} ${paths.get(vm)}${tail}`, options);
      if (persist === undefined) continue;
      await simulators.stop();
      simulators = await start();
      client = await logIn(simulators);
    }
    clock.advance(1000);
    const world = simulators.world().cloud;
    // Made at the host's time, which differs between two tries.
    const timeless = <T extends { readonly createdMs: number }>(all: readonly T[]) =>
      all.map((each) => ({ ...each, createdMs: 0 }));
    return { ...world, vapps: timeless(world.vapps), vms: timeless(world.vms) };
  } finally {
    await simulators.stop();
  }
}

test("restarts in between, with tasks running, change nothing", async () => {
  const home = mkdtempSync(join(tmpdir(), "cloud-restarts-"));
  let count = 0;
  let tasks = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.constantFrom(0, 5, 30)), { minLength: 2, maxLength: 10 }),
        async (script) => {
          count += 1;
          const world = await worldAfter(script, undefined);
          tasks += world.tasks.length;
          expect(await worldAfter(script, join(home, `${count}.json`))).toEqual(world);
        },
      ),
      { numRuns: 8 },
    );
  } finally {
    rmSync(home, { recursive: true });
  }
  expect(tasks).toBeGreaterThan(0);
});
