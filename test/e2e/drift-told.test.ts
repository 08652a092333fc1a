/** Who has changed what has drifted, and when: as the servers tell it, and nothing else. */

import { afterEach, expect, test } from "vitest";
import { publicJsonProblems } from "../cli/public-json.ts";
import { password } from "./cloud-place.ts";
import { createManagerPlace, type ManagerPlace } from "./manager-place.ts";

let place: ManagerPlace;
afterEach(() => place.remove());

type Report = {
  readonly objects: readonly {
    readonly address: string;
    readonly told?: readonly { readonly kind: string; readonly user?: string }[];
    readonly withheld?: string;
  }[];
};

async function open(): Promise<void> {
  place = await createManagerPlace({
    cloud: {
      users: [
        { name: "admin", password },
        { name: "bob", password },
      ],
      vapps: { shop: { vms: { web: { power: "on" }, db: { power: "on" } } } },
    },
  });
  place.write({
    "cloud_vm.web": { name: "web", vapp_name: "shop" },
    "cloud_vm.db": { name: "db", vapp_name: "shop" },
    "manager_vm.old": { name: "old" },
    "manager_login_alarm.root": { name: "root", user_name: "root" },
  });
  await place.run(0, "apply", "--auto-approve");
}

async function drift(code: number): Promise<Report["objects"]> {
  const output = await place.run(code, "drift", "--json", "--no-unmanaged");
  expect(publicJsonProblems({ ...output, command: "drift --json" })).toEqual([]);
  return (JSON.parse(output.stdout) as Report).objects;
}

function toldOf(objects: Report["objects"], address: string) {
  return objects.find((one) => one.address === address)?.told;
}

/** Work of ours and of others lies more than a minute apart. */
async function later(): Promise<void> {
  place.simulators.clock.advance(10 * 60_000);
}

test("a task of the right kind names who and when, in each form", async () => {
  await open();
  await later();
  await place.simulators.change({ power_cloud_vm: { vm: "web", power: "off" } });
  const task = { vm: "web", duration_ms: 1, operation: "vappPowerOff", user: "bob" };
  await place.simulators.change({ start_cloud_task: task });
  // Of another kind, and of another VM: neither explains it.
  await place.simulators.change({ start_cloud_task: { ...task, operation: "vappRelocateVm" } });
  await place.simulators.change({ start_cloud_task: { ...task, vm: "db" } });
  const told = toldOf(await drift(2), "cloud_vm.web");
  expect(told).toMatchObject([
    { attributes: expect.arrayContaining(["power_state"]), kind: "task", user: "bob" },
  ]);
  for (const format of ["text", "markdown", "html", "junit", "sarif", "gitlab"]) {
    const { stdout } = await place.run(2, "drift", "--format", format, "--no-unmanaged");
    expect(stdout).toMatch(/most likely changed by bob at \d{4}-/);
  }
});

test("an alarm names its last editor; where nothing tells, logins are no more than logins", async () => {
  await open();
  await later();
  await place.simulators.change({ power_manager_vm: { vm: "old", power: "off" } });
  await place.simulators.change({ log_in_manager_user: { user: "eve" } });
  await place.simulators.change({ change_manager_alarm: { name: "root", enabled: false } });
  const { stdout } = await place.run(2, "drift", "--no-unmanaged");
  expect(stdout).toMatch(/nothing tells who has changed the rest; logged in since, by .*eve at/);
  expect(stdout).not.toContain("most likely");
  expect(stdout).toMatch(/enabled: changed by .+ at .+, by the alarm's own record/);
  const told = toldOf(await drift(2), "manager_vm.old");
  expect(told).toMatchObject([
    { kind: "login", attributes: [], user: expect.stringMatching(/eve/) },
  ]);
});

test("what was done before our own last work explains nothing, and in sync nothing is asked", async () => {
  await open();
  const before = place.simulators.log().length;
  await place.run(0, "drift", "--no-unmanaged");
  const asked = place.simulators.log().slice(before);
  expect(asked.some(({ path }) => path.includes("tasksList"))).toBe(false);
  expect(asked.some(({ body }) => body.includes("QueryEvents"))).toBe(false);
  const task = { vm: "web", duration_ms: 1, operation: "vappPowerOff", user: "bob" };
  await place.simulators.change({ start_cloud_task: task });
  await place.simulators.change({ power_cloud_vm: { vm: "web", power: "off" } });
  expect(toldOf(await drift(2), "cloud_vm.web")).toBeUndefined();
});
