/** Rehearsals of a machine that a cloud and its host manager both have: in the twin it is one. */

import { afterEach, expect, test } from "vitest";
import { password } from "./cloud-place.ts";
import { createManagerPlace, type ManagerPlace } from "./manager-place.ts";
import { type Report, reportIn } from "./rehearsed.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

async function placeWith(managers: readonly string[]): Promise<void> {
  const [first = "one", second = first] = managers;
  place = await createManagerPlace({
    vms: { web: { moref: "vm-500", power: "on", disks: [{ size_gb: 10 }] }, vcsa: {} },
    cloud: {
      users: [{ name: "admin", password }],
      managers: Object.fromEntries(managers.map((name) => [name, {}])),
      datastores: {
        a: { manager: first, capacity_mb: 999_999 },
        b: { manager: second, capacity_mb: 999_999 },
      },
      vapps: {
        shop: {
          vms: {
            web: { power: "on", moref: "vm-500", datastore: "a", storage_mb: 10_240 },
            db: { power: "on", moref: "vm-501", datastore: "b" },
          },
        },
      },
    },
  });
}

async function rehearsed(code: number, ...words: readonly string[]): Promise<Report> {
  const before = place.simulators.log().length;
  const report = reportIn(await place.run(code, "rehearse", "--json", ...words));
  const sent = place.simulators.log().slice(before);
  expect(sent.filter(({ class: sends }) => sends === "mutate")).toStrictEqual([]);
  return report;
}

const cloudVm = { name: "web", vapp_name: "shop" };

test("what one of them turns off is off for the other, so both are rehearsed to succeed", async () => {
  await placeWith(["one"]);
  place.write({
    "cloud_vm.web": { ...cloudVm, power: "off" },
    "manager_vm.web": { name: "web", power: "off" },
  });
  const { failures, succeeds, unknown } = await rehearsed(0, "--allow", "power-off");
  expect({ failures, succeeds }).toEqual({ failures: [], succeeds: true });
  expect(unknown.join("\n")).not.toContain("vm-500");
});

test("what the manager turns on refuses in the cloud what needs it off", async () => {
  await placeWith(["one"]);
  await place.simulators.change({ power_manager_vm: { vm: "web", power: "off" } });
  await place.simulators.change({ power_cloud_vm: { vm: "web", power: "off" } });
  place.write({
    "manager_vm.web": { name: "web", power: "on" },
    "cloud_vm.web": { ...cloudVm, nested_hv_enabled: true, depends_on: ["manager_vm.web"] },
  });
  const { failures } = await rehearsed(4);
  expect(failures.map(({ address }) => address)).toEqual(["cloud_vm.web"]);
});

test("behind a cloud with several managers ids mean nothing: that is said, and no guess", async () => {
  await placeWith(["one", "two"]);
  place.write({
    "cloud_vm.web": { ...cloudVm, nested_hv_enabled: true },
    "manager_vm.web": { name: "web", power: "off" },
  });
  const { unknown } = await rehearsed(0, "--allow", "power-off,power-cycle");
  expect(unknown.filter((one) => one.includes("vm-500"))).toEqual([
    "whether vm-500 of manager is the same machine that cloud has under that id: each has its " +
      "own in the twin, and one does not see what the other changes",
  ]);
});
