/** Two runs at once, and runs that are asked to stop, as processes of their own. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Build, buildProgram } from "../helpers/build.ts";
import { type Child, endChildren, startChild } from "./child.ts";
import { createPlace, type Place } from "./place.ts";

/** Simulated time that passes only when the test says so: nothing is a matter of chance. */
const hours = 3_600_000;

let build: Build;
let place: Place;
beforeAll(() => {
  build = buildProgram();
});
beforeEach(async () => {
  place = await createPlace();
});
afterEach(async () => {
  await endChildren();
  await place.remove();
});

/** The first request of this kind takes hours of simulated time. */
async function holdUp(on: string): Promise<void> {
  const reply = await fetch(`${place.simulators.origins.daemon}/_simulator/faults`, {
    method: "POST",
    body: JSON.stringify({ faults: [{ on, delay_ms: hours }] }),
  });
  expect(reply.status).toBe(200);
}

function apply(): Child {
  const words = ["apply", "--auto-approve", "--allow", "power-off,power-cycle"];
  return startChild(build.main, words, { cwd: place.folder });
}

/** Resolves once a request has arrived that is held up. */
async function heldUp(): Promise<void> {
  while (!place.simulators.log().some((entry) => entry.fault !== null)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("of two runs at once one holds the lock; the other says who, and nobody takes it away", async () => {
  place.write("  daemon_vm.web: { id: web }");
  await holdUp("POST /api/vms");
  const [left, right] = [apply(), apply()];
  const { loser, winner } = await Promise.race([
    left.ended.then(() => ({ loser: left, winner: right })),
    right.ended.then(() => ({ loser: right, winner: left })),
  ]);
  const { code, stderr } = await loser.ended;
  expect(code).toBe(1);
  expect(stderr).toContain("STO009");
  expect(stderr).toContain(`process ${winner.pid}`);
  expect(stderr).toContain("The lock ends with that process");
  await heldUp();
  // Stopped wherever it is, between a look at its lock and a write too: nobody takes the lock.
  const lock = JSON.parse(readFileSync(join(place.folder, "state/default.json.lock"), "utf8"));
  process.kill(winner.pid, "SIGSTOP");
  const forced = await place.run(1, "force-unlock", (lock as { readonly id: string }).id);
  expect(forced.stderr).toContain("STO015");
  expect((await apply().ended).code).toBe(1);
  process.kill(winner.pid, "SIGCONT");
  const planned = await place.run(0, "plan");
  expect(planned.stdout + planned.stderr).toContain(`process ${winner.pid}`);
  place.simulators.clock.advance(hours);
  const won = await winner.ended;
  expect(won).toMatchObject({ code: 0, stderr: "" });
  expect(place.simulators.log().filter((entry) => entry.class === "mutate")).toHaveLength(1);
  await place.run(0, "plan", "--detailed-exitcode");
});

/** A running parent that is cloned in a window of its own, and something that comes after it. */
const windowed = [
  "  daemon_vm.parent: { id: parent }",
  '  daemon_vm.child: { id: child, parent_id: "${daemon_vm.parent.id}" }',
  "  daemon_vm.later: { id: later, depends_on: [daemon_vm.child] }",
].join("\n");

async function startWindow(): Promise<Child> {
  place.write("  daemon_vm.parent: { id: parent }");
  await place.run(0, "apply", "--auto-approve");
  await place.simulators.change({ power_vm: { id: "parent", power: "on" } });
  place.write(windowed);
  await holdUp("POST /api/vms");
  const child = apply();
  await heldUp();
  expect(place.power("parent")).toBe("off");
  child.kill("SIGINT");
  await child.printed("Stopping");
  return child;
}

async function expectConverged(): Promise<void> {
  const before = place.simulators.log().filter((one) => one.refused).length;
  await place.run(0, "apply", "--auto-approve", "--allow", "power-off,power-cycle");
  await place.run(0, "plan", "--detailed-exitcode");
  const log = place.simulators.log();
  expect(log.filter((entry) => entry.refused)).toHaveLength(before);
  const creates = log.filter((entry) => entry.method === "POST" && entry.effect);
  expect(creates.map((entry) => JSON.parse(entry.body).id)).toEqual(["parent", "child", "later"]);
  expect(["parent", "child", "later"].map(place.power)).toEqual(["on", "off", "off"]);
}

test("the first Ctrl-C lets the clone end, closes its window and begins nothing more", async () => {
  const child = await startWindow();
  place.simulators.clock.advance(hours);
  expect((await child.ended).code).toBe(130);
  expect(["parent", "child", "later"].map(place.power)).toEqual(["on", "off", undefined]);
  await expectConverged();
});

test("the second Ctrl-C stops at once; the next run settles and closes the window", async () => {
  const child = await startWindow();
  child.kill("SIGINT");
  expect((await child.ended).code).toBe(130);
  expect(place.power("parent")).toBe("off");
  place.simulators.clock.advance(hours);
  await expectConverged();
});
