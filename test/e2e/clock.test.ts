/** Runs on machines whose clock is wrong, or is set while they wait. */

import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { type Build, buildProgram } from "../helpers/build.ts";
import { type Child, endChildren, startChild } from "./child.ts";
import { createPlace, type Place } from "./place.ts";
import { setFaultsAt } from "./place-parts.ts";

const hourMs = 3_600_000;
const daysMs = 48 * hourMs;
const hook = fileURLToPath(new URL("clock-hook.mjs", import.meta.url));

let build: Build;
let place: Place;
beforeAll(() => {
  build = buildProgram();
});
beforeEach(async () => {
  place = await createPlace({ world: { daemon: { durations_ms: { address: hourMs } } } });
});
afterEach(async () => {
  await endChildren();
  await place.remove();
});

function apply(environment: { readonly [name: string]: string }): Child {
  const node = ["--import", hook];
  return startChild(build.main, ["apply", "--auto-approve"], {
    cwd: place.folder,
    node,
    environment,
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function asked(path: string): number {
  return place.simulators.log().filter((entry) => entry.path === path).length;
}

test.each(some([daysMs, -daysMs], 1))(
  "set by %d ms during a wait, it goes on as before",
  onlyInLongRun,
  async (byMs) => {
    place.write(
      '  daemon_vm.a: { id: a, power: on }\n  daemon_vm.b: { id: b, tag: "${daemon_vm.a.ip_address}" }',
    );
    const child = apply({ CLOCK_SET_MS: String(byMs), CLOCK_ON_SIGNAL: "1" });
    await child.printed("wait for ip_address...");
    child.kill("SIGUSR2");
    const before = asked("/api/vms/a/ipaddress");
    await until(() => asked("/api/vms/a/ipaddress") > before + 2);
    place.simulators.clock.advance(hourMs);
    const { code, stdout } = await child.ended;
    expect(stdout).toMatch(/wait for ip_address complete after \d+s/);
    expect(code).toBe(0);
    await place.run(0, "plan", "--detailed-exitcode");
  },
);

test(
  "a begin of a run whose clock was ahead is waited for within its own limit",
  onlyInLongRun,
  async () => {
    place.write("  daemon_vm.a: { id: a, timeouts: { create: 1s } }");
    await setFaultsAt(place.simulators.origins.daemon, [{ on: "POST /api/vms", hang: "before" }]);
    const child = apply({ CLOCK_SET_MS: String(3650 * daysMs) });
    await until(() => place.simulators.log().some(({ fault }) => fault !== null));
    child.kill("SIGKILL");
    await child.ended;
    await setFaultsAt(place.simulators.origins.daemon, []);
    const next = await place.run(0, "apply", "--auto-approve");
    expect(next.stdout).toContain("1 added");
    const posts = place.simulators.log().filter((entry) => entry.method === "POST" && entry.effect);
    expect(posts).toHaveLength(1);
  },
);

test(
  "a begin of a run whose clock was behind is looked at more than once",
  onlyInLongRun,
  async () => {
    place.write("  daemon_vm.a: { id: a, timeouts: { create: 1m } }");
    const { daemon } = place.simulators.origins;
    await setFaultsAt(daemon, [{ on: "POST /api/vms", hang: "after" }]);
    const child = apply({ CLOCK_SET_MS: String(-3650 * daysMs) });
    await until(() => place.simulators.log().some(({ fault }) => fault !== null));
    child.kill("SIGKILL");
    await child.ended;
    await setFaultsAt(daemon, [
      { on: "GET /api/vms", times: 1, reply: { status: 200, body: "[]" } },
    ]);
    const next = await place.run(0, "apply", "--auto-approve");
    expect(next.stdout).toContain("create had taken effect");
    const posts = place.simulators.log().filter((entry) => entry.method === "POST");
    expect(posts).toHaveLength(1);
  },
);
