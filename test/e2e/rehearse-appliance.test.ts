/** Rehearsals of an appliance that makes grown disks usable, with and without its host manager. */

import { afterEach, expect, test } from "vitest";
import { createManagerPlace, type ManagerPlace } from "./manager-place.ts";
import { type Report, reportIn } from "./rehearsed.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

async function rehearsed(code: number): Promise<Report> {
  const before = place.simulators.log().length;
  const report = reportIn(await place.run(code, "rehearse", "--allow", "grow", "--json"));
  const sent = place.simulators.log().slice(before);
  expect(sent.filter(({ class: sends }) => sends === "mutate")).toStrictEqual([]);
  return report;
}

test("the appliance is the VM whose disk its sizes refer to, and grows to that disk", async () => {
  place = await createManagerPlace({ appliance: { durations_ms: { sample: 1_000 } } });
  place.write({
    "manager_vm.own": { name: "vcsa" },
    "manager_disk.log": { vm: "${manager_vm.own.moref}", label: "Hard disk 5", size_gb: 40 },
    "appliance_storage.all": { sizes_gb: { log: "${manager_disk.log.size_gb}" } },
  });
  const { operations, unknown, succeeds } = await rehearsed(0);
  expect(succeeds).toBe(true);
  expect(operations).toMatchObject([
    { address: "manager_disk.log", outcome: "success" },
    { address: "appliance_storage.all", outcome: "success" },
  ]);
  const { id } = place.vm("vcsa");
  expect(unknown).toContain(`the appliance is the VM ${id}, whose disks its sizes refer to`);
  expect(unknown.join("\n")).not.toContain("has its own twin");
  await place.run(0, "apply", "--auto-approve", "--allow", "grow");
  expect(place.partition("log")).toBe(40);
});

test("without its host manager, its disks are taken to be as large as is wanted", async () => {
  place = await createManagerPlace({ appliance: { rules: { release: "7.0" } } });
  place.write({ "appliance_storage.all": { sizes_gb: { log: 40 } } });
  const { operations, unknown, succeeds } = await rehearsed(0);
  expect(succeeds).toBe(true);
  expect(operations).toMatchObject([{ address: "appliance_storage.all", outcome: "success" }]);
  expect(unknown).toContain(
    "the disks of the appliance are as large as its file systems are to become",
  );
});
