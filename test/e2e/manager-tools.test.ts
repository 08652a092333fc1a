/** Guests without tools: what is not waited for. */

import { afterEach, expect, test } from "vitest";
import { apply, timeouts } from "./manager-fault-run.ts";
import { createManagerPlace, type ManagerPlace, nameOf } from "./manager-place.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

const allow = apply.slice(-2);
const limits = { ...timeouts, power: "30s" };
const web = (nested: boolean): void =>
  place.write({
    "manager_vm.web": { name: "web", nested_hv_enabled: nested, timeouts: limits },
  });
const start = async (): Promise<void> => {
  const vms = { web: { power: "on", tools: "absent" }, vcsa: { disks: "appliance" } } as const;
  place = await createManagerPlace({ vms });
};
const verbs = async (): Promise<readonly string[]> =>
  (await place.planned(...allow)).map(({ id }) => id.replace(/^.*#(.*)\.\d+$/, "$1"));
const settings = (sent: Parameters<typeof nameOf>[0][]): readonly string[] =>
  sent.map(nameOf).filter((name) => !/^(Retrieve|Create|Destroy|Log|Current|Continue)/.test(name));

test("a guest without tools is turned off hard, now and later, and never waited for", async () => {
  await start();
  for (const nested of [true, false]) {
    web(nested);
    const window = ["shutdown", "power-off", "nested", "power-on"];
    expect((await verbs()).toSorted()).toEqual(window.toSorted());
    const sent = await place.logged(() => place.run(0, "apply", place.file("p.plan")));
    const refused = ["ShutdownGuest", "PowerOffVM_Task"];
    expect(settings([...sent])).toEqual([...refused, "ReconfigVM_Task", "PowerOnVM_Task"]);
    expect(place.vm("web")).toMatchObject({ power: "poweredOn", nested });
  }
  const shown = await place.run(0, "state", "show", "manager_vm.web");
  expect(shown.stdout).toMatch(/tools_status\W+absent/);
});

test("tools that were installed meanwhile are asked", async () => {
  await start();
  web(true);
  await place.run(0, ...apply);
  await place.change({ change_manager_vm: { vm: "web", tools: "running" } });
  web(false);
  const sent = await place.logged(() => place.run(0, ...apply));
  expect(settings([...sent])).toEqual(["ShutdownGuest", "ReconfigVM_Task", "PowerOnVM_Task"]);
});
