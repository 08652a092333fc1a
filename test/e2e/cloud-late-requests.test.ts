/**
 * A request that is held up on its way for longer than `timeouts.request`: taken as never arrived,
 * sent again by the next run, and then it arrives after all.
 */

import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { LoggedRequest } from "../../src/simulators/kit/request-log.ts";
import { onlyInLongRun, some } from "../helpers/amount.ts";
import { type Build, buildProgram } from "../helpers/build.ts";
import { endChildren, startChild } from "./child.ts";
import {
  type CloudPlace,
  createCloudPlace,
  isMutation,
  password,
  type Resources,
} from "./cloud-place.ts";
import { limitsOf } from "./type-limits.ts";

/** Simulated time: a test waits a twentieth of it. */
const limits = { update: "60m", power: "60m", create: "60m", delete: "60m", request: "2s" };
const logout = "DELETE /api/session";
/** A session that nobody logs out of lives longer than this. */
const heldMs = 20 * 60_000;
const apply = ["apply", "--auto-approve", "--allow", "power-off,power-cycle,destroy"];

type Row = {
  readonly name: string;
  readonly action: string;
  /** Applied before. */
  readonly before: Resources;
  readonly resources: Resources;
};

const vmLimits = limitsOf("cloud_vm", limits);
const vm = { "cloud_vm.b": { name: "b", timeouts: vmLimits } };
const snapshot = {
  "cloud_snapshot.b": { vm: "${cloud_vm.b.href}", timeouts: limitsOf("cloud_snapshot", limits) },
};
const moves: Row = {
  name: "a move",
  action: "relocate",
  before: vm,
  resources: { "cloud_vm.b": { name: "b", datastore: "fast", timeouts: vmLimits } },
};
const makes: Row = {
  name: "a snapshot",
  action: "createSnapshot",
  before: vm,
  resources: { ...vm, ...snapshot },
};
const removes: Row = {
  name: "the removal of a snapshot",
  action: "removeAllSnapshots",
  before: { ...vm, ...snapshot },
  resources: vm,
};
let build: Build;
let place: CloudPlace;
beforeAll(() => {
  build = buildProgram();
});
beforeEach(async () => {
  place = await createCloudPlace({ durations_ms: { relocate: 200, suspend: 600_000 } });
});
afterEach(async () => {
  await endChildren();
  await place.remove();
});

async function begin({ action, before, resources }: Row): Promise<void> {
  place.write(before);
  await place.run(0, ...apply);
  place.write(resources);
  await place.setFaults({ on: `POST /api/vApp/*/action/${action}`, delay_ms: heldMs });
}

function held(): LoggedRequest | undefined {
  return place.simulators.log().find(({ fault }) => fault !== null);
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The second run does what the first gave up; then the first request arrives. */
async function arrivesLate({ action }: Row): Promise<LoggedRequest | undefined> {
  const second = await place.logged(() => place.run(0, ...apply));
  expect(second.filter(isMutation).map(({ path }) => path)).toEqual([
    `${place.pathOf("b")}/action/${action}`,
  ]);
  expect(held()).toMatchObject({ ended: false });
  place.simulators.clock.advance(heldMs);
  await until(() => held()?.ended === true);
  return held();
}

test.each(some([moves, makes, removes], 1))(
  "$name of a run that has ended is refused: it has logged out",
  async (row) => {
    await begin(row);
    const first = await place.run(1, ...apply);
    expect(first.stdout + first.stderr).toContain("so the request did not arrive");
    expect(await arrivesLate(row)).toMatchObject({ effect: false, refused: true });
    await place.run(0, "plan", "--detailed-exitcode");
    await place.run(0, "drift");
  },
);

test.each([makes, moves])(
  "$name is refused also while the run that sent it goes on",
  onlyInLongRun,
  async (row) => {
    const other = { "cloud_vm.e": { name: "e", timeouts: vmLimits } };
    await begin({ ...row, before: { ...row.before, ...other } });
    const suspends = { "cloud_vm.e": { name: "e", power: "suspended", timeouts: vmLimits } };
    place.write({ ...row.resources, ...suspends });
    const from = place.simulators.log().length;
    const running = place.run(1, ...apply);
    const forsaken = (): boolean =>
      place.simulators
        .log()
        .slice(from)
        .some(({ method, path }) => `${method} ${path}` === logout);
    await until(forsaken);
    // Both the request that was held up and the suspending come to their end.
    place.simulators.clock.advance(heldMs);
    const { stdout, stderr } = await running;
    expect(stdout + stderr).toContain("so the request did not arrive");
    expect(stdout).toContain("cloud_vm.e: suspend complete");
    await until(() => held()?.ended === true);
    expect(held()).toMatchObject({ effect: false, refused: true });
    // The next run does it, once.
    await place.run(0, ...apply);
    await place.run(0, "plan", "--detailed-exitcode");
    await place.run(0, "drift");
  },
);

/** Killed, a run leaves its session to the server, and with it what it has sent. */
async function killed(row: Row): Promise<void> {
  await begin(row);
  place.excuse("session");
  const environment = { CLOUD_PASSWORD: password };
  const child = startChild(build.main, apply, { cwd: place.folder, environment });
  await until(() => held() !== undefined);
  child.kill("SIGKILL");
  await child.ended;
}

test("a move of a run that was killed changes nothing any more", onlyInLongRun, async () => {
  await killed(moves);
  // The cloud takes it, and the VM is there already.
  expect(await arrivesLate(moves)).toMatchObject({ ended: true });
  await place.run(0, "plan", "--detailed-exitcode");
});

test(
  "a snapshot of a run that was killed takes the place of the next one, and it is told",
  onlyInLongRun,
  async () => {
    await killed(makes);
    expect(await arrivesLate(makes)).toMatchObject({ effect: true });
    // Only the cloud could have refused it. What there is now is taken for somebody else's.
    const { stdout } = await place.run(2, "drift");
    expect(stdout).toMatch(/cloud_snapshot\.b.* another snapshot, made at/s);
    const sent = await place.logged(async () => {
      const said = await place.run(1, ...apply);
      expect(said.stdout).toContain("PLN002");
    });
    expect(sent.filter(isMutation)).toEqual([]);
    await place.run(0, "state", "rm", "cloud_snapshot.b");
    await place.run(0, "import", "cloud_snapshot.b", place.pathOf("b"));
    await place.run(0, "plan", "--detailed-exitcode");
  },
);
