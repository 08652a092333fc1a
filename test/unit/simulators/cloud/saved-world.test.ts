/** Worlds persisted by an earlier version: they go on, running tasks included. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createClock } from "../../../../src/simulators/clock.ts";
import type { CloudWorld } from "../../../../src/simulators/cloud/cloud-state.ts";
import { upgradeCloudWorld } from "../../../../src/simulators/cloud/saved-world.ts";
import { startSimulators } from "../../../../src/simulators/start.ts";
import { readWorldSource } from "../../../../src/simulators/world.ts";
import { cloudWith, datastoreHref, logIn, relocateBody, vmPath } from "./cloud-client.ts";

const cloud = {
  durations_ms: { relocate: 1000 },
  users: [
    { name: "admin", password: "secret" },
    { name: "olga", org: "acme", password: "o" },
  ],
  rules: { manager_name: "Manager 1" },
  datastores: { slow: {}, fast: {} },
  vapps: { shop: { vms: { web: {}, db: {} } } },
};

/** Members that the first version did not have. */
const later = new Set([
  "managers",
  "managerId",
  "role",
  "adminPassword",
  "deniedUserIds",
  "preRunMs",
  "cancelMs",
  "preRunning",
  "cancel",
  "update",
  "recentSuccessTasks",
]);

/** The JSON text of a world as the first version wrote it. */
function asFirstWritten(text: string): string {
  return JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    // The rule has the name of a duration that came later.
    if (key === "cancel" && typeof value === "string") return value;
    return later.has(key) ? undefined : value;
  });
}

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true });
});

test("a running relocate of an earlier version ends as it was to", async () => {
  const home = mkdtempSync(join(tmpdir(), "earlier-cloud-"));
  homes.push(home);
  const persist = join(home, "world.json");
  const clock = createClock({ startMs: 1000, timeScale: 0 });
  let simulators = await startSimulators({ world: { cloud }, clock, persist });
  const first = await logIn(simulators);
  const body = relocateBody(datastoreHref(first, "fast"));
  const reply = await first.send(`POST ${vmPath(first, "web")}/action/relocate`, body);
  const path = new URL(reply.headers.get("location") ?? "").pathname;
  await simulators.stop();
  const written = readFileSync(persist, "utf8");
  const earlier = asFirstWritten(written);
  expect(earlier.length).toBeLessThan(written.length);
  writeFileSync(persist, earlier);
  clock.advance(400);
  simulators = await startSimulators({ world: {}, clock, persist });
  try {
    const admin = await logIn(simulators);
    expect((await admin.send(`GET ${path}`)).text).toContain("<Progress>40</Progress>");
    clock.advance(600);
    const record = await admin.send("GET /api/query?type=adminVM&filter=name==web");
    expect(record.text).toContain('datastoreName="fast"');
    const vm = await admin.send(`GET ${vmPath(admin, "web")}`);
    expect(vm.text).toContain('name="Manager 1"');
    const olga = await logIn(simulators, { user: "olga@acme", password: "o" });
    expect((await olga.send("GET /api/query?type=vm")).text).toContain('total="2"');
    expect((await olga.send("GET /api/query?type=adminVM")).status).toBe(403);
  } finally {
    await simulators.stop();
  }
});

test("a world of before is the same as one that is made today", () => {
  const made = readWorldSource({ cloud }, 1).cloud;
  const earlier: CloudWorld = JSON.parse(asFirstWritten(JSON.stringify(made)));
  expect(upgradeCloudWorld(earlier, 1)).toEqual(made);
});

test("a world of today is not touched", async () => {
  const client = await cloudWith({
    managers: { a: {}, b: {} },
    datastores: { x: { manager: "b" } },
    users: [{ name: "admin", password: "secret", role: "user" }],
    vapps: { shop: { vms: { web: { admin_password: "p" } } } },
    rules: { recent_success_tasks: "listed" },
    durations_ms: { cancel: 7, pre_running: 8 },
  });
  await client.simulators.change({ deny_cloud_vm: { vm: "web", user: "admin" } });
  await client.simulators.change({ start_cloud_task: { vm: "web", duration_ms: 10 } });
  const world = client.simulators.world().cloud;
  expect(upgradeCloudWorld(world, 1)).toEqual(world);
});
