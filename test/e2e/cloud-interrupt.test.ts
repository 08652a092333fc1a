/** Runs against the cloud that are asked to stop: what they began goes on, and they log out. */

import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";
import { type Build, buildProgram } from "../helpers/build.ts";
import { type Child, endChildren, startChild } from "./child.ts";
import { type CloudPlace, createCloudPlace, isMutation, password, world } from "./cloud-place.ts";

/** A task that takes hours of simulated time, which pass only when the test says so. */
const hours = 5 * 3_600_000;

let build: Build;
let place: CloudPlace;
beforeAll(() => {
  build = buildProgram();
});
beforeEach(async () => {
  place = await createCloudPlace({ ...world, durations_ms: { relocate: hours } });
  place.write({
    "cloud_vm.a": { name: "a", datastore: "fast" },
    "cloud_vm.b": { name: "b", datastore: "fast", depends_on: ["cloud_vm.a"] },
  });
});
afterEach(async () => {
  await endChildren();
  await place.remove();
});

function start(...words: readonly string[]): Child {
  const environment = { CLOUD_PASSWORD: password };
  return startChild(build.main, words, { cwd: place.folder, environment });
}

async function seen(path: RegExp): Promise<void> {
  while (!place.simulators.log().some((entry) => path.test(entry.path) && !entry.refused)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function relocates(): readonly string[] {
  return place.simulators
    .log()
    .filter(isMutation)
    .map(({ path }) => path);
}

const relocateA = (): string => `${place.pathOf("a")}/action/relocate`;
const relocateB = (): string => `${place.pathOf("b")}/action/relocate`;

test("stopped while planning, it logs out and leaves nothing", async () => {
  await place.setFaults({ on: "GET /api/vApp/*", delay_ms: hours });
  const child = start("plan");
  await seen(/^\/api\/vApp\//);
  child.kill("SIGINT");
  expect((await child.ended).code).toBe(130);
  expect(place.simulators.sessions()).toMatchObject({ open: [], opened: 1, loggedOut: 1 });
  expect(relocates()).toEqual([]);
});

test(
  "stopped once, it waits for the task, begins nothing more and logs out",
  onlyInLongRun,
  async () => {
    const child = start("apply", "--auto-approve");
    await seen(/^\/api\/task\//);
    child.kill("SIGINT");
    await child.printed("Stopping");
    place.simulators.clock.advance(hours);
    expect((await child.ended).code).toBe(130);
    expect(relocates()).toEqual([relocateA()]);
    expect(place.simulators.sessions()).toMatchObject({ open: [] });
    // The next one moves the other, and the first is not moved again.
    const next = start("apply", "--auto-approve");
    while (!relocates().includes(relocateB()))
      await new Promise((resolve) => setTimeout(resolve, 20));
    place.simulators.clock.advance(hours);
    expect((await next.ended).code).toBe(0);
    expect(relocates()).toEqual([relocateA(), relocateB()]);
    await place.run(0, "plan", "--detailed-exitcode");
  },
);

test(
  "stopped twice, it logs out and ends; the next run attaches to the task",
  onlyInLongRun,
  async () => {
    const child = start("apply", "--auto-approve");
    await seen(/^\/api\/task\//);
    child.kill("SIGINT");
    await child.printed("Stopping");
    child.kill("SIGINT");
    expect((await child.ended).code).toBe(130);
    expect(place.simulators.sessions()).toMatchObject({ open: [], opened: 1, loggedOut: 1 });
    const polls = place.simulators.log().length;
    const next = start("apply", "--auto-approve");
    const isPoll = (path: string): boolean => path.startsWith("/api/task/");
    while (
      !place.simulators
        .log()
        .slice(polls)
        .some(({ path }) => isPoll(path))
    ) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    place.simulators.clock.advance(hours);
    while (!relocates().includes(relocateB()))
      await new Promise((resolve) => setTimeout(resolve, 20));
    place.simulators.clock.advance(hours);
    expect((await next.ended).code).toBe(0);
    expect(relocates()).toEqual([relocateA(), relocateB()]);
    await place.run(0, "plan", "--detailed-exitcode");
  },
);

test(
  "stopped twice before the answer, it logs out: what comes late is refused",
  onlyInLongRun,
  async () => {
    await place.setFaults({ on: "POST /api/vApp/*/action/relocate", delay_ms: hours });
    const child = start("apply", "--auto-approve");
    await seen(/relocate$/);
    child.kill("SIGINT");
    await child.printed("Stopping");
    child.kill("SIGINT");
    expect((await child.ended).code).toBe(130);
    expect(relocates()).toEqual([relocateA()]);
    expect(place.simulators.sessions()).toMatchObject({ open: [], opened: 1, loggedOut: 1 });
    place.simulators.clock.advance(hours);
    const late = () => place.simulators.log().find(({ fault }) => fault !== null);
    while (late()?.ended !== true) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(late()).toMatchObject({ effect: false, refused: true });
  },
);

test(
  "stopped twice while the server does not answer the log-out, it ends all the same",
  onlyInLongRun,
  async () => {
    await place.setFaults({ on: "DELETE /api/session", hang: "before" });
    const child = start("apply", "--auto-approve");
    await seen(/^\/api\/task\//);
    child.kill("SIGINT");
    await child.printed("Stopping");
    child.kill("SIGINT");
    expect((await child.ended).code).toBe(130);
    expect(place.simulators.sessions()).toMatchObject({ opened: 1, loggedOut: 0 });
  },
);
