/**
 * Power that an interrupted run owes is given back also where policies deny what is asked for now:
 * a destroy, and a saved plan. Nothing else of them is done.
 */

import { rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";
import { type CloudPlace, createCloudPlace, isMutation } from "./cloud-place.ts";

let place: CloudPlace;

beforeEach(async () => {
  place = await createCloudPlace();
  await place.setFaults({
    on: "POST /api/vApp/*/power/action/powerOn",
    task: { end: "error", message: "The host is full." },
    times: 4,
  });
  place.write(resources);
  await place.run(1, "apply", "--auto-approve", "--allow", "power-cycle");
  if (runs("b")) throw new Error("nothing is owed");
});
afterEach(() => place.remove());

/** The first is turned off for what it shall be; the second is left alone. */
const resources = {
  "cloud_vm.web": { name: "b", vapp_name: "shop", nested_hv_enabled: true },
  "cloud_vm.db": { name: "c", vapp_name: "shop" },
};
const more = { ...resources, "cloud_vm.db": { ...resources["cloud_vm.db"], power: "on" } };

function deny(condition: string): void {
  const rule = { over: "changes", when: `\${${condition}}`, condition: "${false}" };
  const policies = { no: { ...rule, level: "deny", message: "Not now" } };
  writeFileSync(place.file("rules.vmformpolicy.yaml"), JSON.stringify({ policies }));
}

function runs(key: string): boolean {
  return place.vm(key).status === 4;
}

const destroy = ["destroy", "--auto-approve", "--allow", "destroy,power-off"] as const;

test(
  "of a destroy that is denied, power is given back and nothing else is done",
  onlyInLongRun,
  async () => {
    deny('change.action in ["delete", "forget"]');
    const sent = await place.logged(async () => {
      expect((await place.run(1, ...destroy)).stderr).toContain("CLI029");
    });
    expect(sent.filter(isMutation).map(({ path }) => path)).toEqual([wordOf("b")]);
    expect([runs("b"), runs("c")]).toEqual([true, false]);
    await nothingOwed();
  },
);

test("of a saved plan that is denied, power is given back and nothing else is done", async () => {
  place.write(more);
  await place.run(0, "plan", "--out", place.file("saved"));
  deny('change.address == "cloud_vm.db"');
  const sent = await place.logged(async () => {
    expect((await place.run(1, "apply", place.file("saved"))).stderr).toContain("CLI029");
  });
  expect(sent.filter(isMutation).map(({ path }) => path)).toEqual([wordOf("b")]);
  expect([runs("b"), runs("c")]).toEqual([true, false]);
  // It is over with it: what was to be done is not what it would be now.
  const { stderr } = await place.run(1, "apply", place.file("saved"));
  expect(stderr).toContain("cannot be applied");
  await nothingOwed();
});

test(
  "a policy that denies exactly this keeps the power back, and that is said",
  onlyInLongRun,
  async () => {
    deny('change.address == "cloud_vm.web"');
    const sent = await place.logged(async () => {
      expect((await place.run(1, ...destroy)).stderr).toContain("CLI030");
    });
    expect(sent.filter(isMutation)).toEqual([]);
  },
);

test("what a target leaves out is left as it is", onlyInLongRun, async () => {
  deny("true");
  const sent = await place.logged(() => place.run(1, ...destroy, "--target", "cloud_vm.db"));
  expect(sent.filter(isMutation)).toEqual([]);
});

test("a configuration that is broken elsewhere keeps no power back", onlyInLongRun, async () => {
  deny('change.action in ["delete", "forget"]');
  place.write(resources, {}, { outputs: { odd: { value: "${nothing.of.that}" } } });
  await place.run(1, ...destroy);
  expect(runs("b")).toBe(true);
});

function wordOf(key: string): string {
  return `${place.pathOf(key)}/power/action/powerOn`;
}

/** Everything else is as it was: recorded, and what is wanted still to be done. */
async function nothingOwed(): Promise<void> {
  rmSync(place.file("rules.vmformpolicy.yaml"));
  const { stdout } = await place.run(0, "show", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ restores: [], open: [] });
  place.write(resources);
  const same = await place.run(0, "plan", "--detailed-exitcode");
  expect(same.stderr).toBe("");
  place.write(more);
  const planned = await place.run(2, "plan", "--detailed-exitcode");
  expect(planned.stdout).toContain("0 to add, 1 to change, 0 to destroy");
}
