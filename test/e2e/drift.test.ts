/** Changes behind the back over real HTTP: reported with both values, offered, undone. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlace, type Place } from "./place.ts";

const three = [
  "  daemon_vm.base: { id: base, power: off }",
  '  daemon_vm.web: { id: web, parent_id: "${daemon_vm.base.id}", name: Web, power: on }',
  "  daemon_vm.lone: { id: lone, tag: blue, power: on }",
].join("\n");
const approve = ["--auto-approve", "--allow", "power-off,power-cycle,replace,destroy"];

let place: Place;
beforeEach(async () => {
  place = await createPlace();
  place.write(three);
  await place.run(0, "apply", ...approve);
});
afterEach(() => place.remove());

/** The parts of a drift report that are compared. */
type Report = {
  readonly objects: readonly {
    readonly address: string;
    readonly verdict: string;
    readonly drifted: readonly {
      readonly attribute: string;
      readonly recorded: unknown;
      readonly observed: unknown;
    }[];
  }[];
};

async function driftOf(code: number): Promise<Report> {
  const { stdout } = await place.run(code, "drift", "--json");
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as Report;
}

test("nothing changed, one VM off: no drift, no changes, and only reads", async () => {
  const sent = await place.mutations(async () => {
    const report = await driftOf(0);
    expect(report.objects.map(({ verdict }) => verdict)).not.toContain("drifted");
    await place.run(0, "plan", "--detailed-exitcode");
  });
  expect(sent).toEqual([]);
});

test("power changed and a VM deleted: named, offered and restored", async () => {
  await place.simulators.change({ power_vm: { id: "web", power: "off" } });
  await place.simulators.change({ delete_vm: { id: "lone" } });
  const sent = await place.mutations(async () => {
    const { objects } = await driftOf(2);
    expect(Object.fromEntries(objects.map((one) => [one.address, one.verdict]))).toMatchObject({
      "daemon_vm.web": "drifted",
      "daemon_vm.lone": "missing",
    });
    const web = objects.find((one) => one.address === "daemon_vm.web");
    expect(web?.drifted).toMatchObject([
      { attribute: "power_state", recorded: "on", observed: "off" },
    ]);
    const { stdout } = await place.run(2, "drift");
    expect(stdout).toMatch(/power_state.*on.*off/);
    const plan = await place.run(2, "plan", "--detailed-exitcode");
    expect(plan.stdout).toContain("Plan: 1 to add, 1 to change, 0 to destroy.");
  });
  expect(sent).toEqual([]);
  await place.run(0, "apply", ...approve);
  expect(["base", "web", "lone"].map(place.power)).toEqual(["off", "on", "on"]);
  await place.run(0, "plan", "--detailed-exitcode");
  await driftOf(0);
});

test("renamed behind the back: reported, and never replaced", async () => {
  await place.simulators.change({ rename_vm: { id: "web", name: "Other" } });
  const { objects } = await driftOf(2);
  const web = objects.find((one) => one.address === "daemon_vm.web");
  expect(web?.drifted).toMatchObject([{ attribute: "name", recorded: "Web", observed: "Other" }]);
  const sent = await place.mutations(async () => {
    await place.run(0, "apply", ...approve);
    await place.run(0, "apply", ...approve);
  });
  expect(sent).toEqual([]);
});

test("an endpoint that cannot be read: not said to be in order", async () => {
  await place.simulators.stop();
  place.simulators.stop = () => Promise.resolve();
  for (const command of ["drift", "plan"]) {
    const { stdout, stderr } = await place.run(1, command);
    expect(stdout + stderr).toContain("connection refused");
  }
});
