/** Who has changed what has drifted, and when: as the servers tell it, and nothing else. */

import { afterEach, expect, test } from "vitest";
import type { Clock } from "../../src/model/clock.ts";
import type { Written } from "../../src/simulators/kit/document.ts";
import type { ManagerRules } from "../../src/simulators/kit/generated/documents.ts";
import { publicJsonProblems } from "../cli/public-json.ts";
import { type Output, realClock } from "../helpers/program.ts";
import { password } from "./cloud-place.ts";
import { createManagerPlace, type ManagerPlace } from "./manager-place.ts";

let place: ManagerPlace;
/** How far our clock is ahead of that of the simulators. */
let offMs = 0;
afterEach(async () => {
  offMs = 0;
  await place.remove();
});

type Report = {
  readonly objects: readonly {
    readonly address: string;
    readonly told?: readonly { readonly kind: string; readonly user?: string }[];
    readonly withheld?: string;
  }[];
};

async function open(rules: Written<ManagerRules> = {}): Promise<void> {
  place = await createManagerPlace({
    rules,
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
  await run(0, "apply", "--auto-approve");
}

async function drift(code: number): Promise<Report["objects"]> {
  const output = await run(code, "drift", "--json", "--no-unmanaged");
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

const clock: Clock = {
  now: () => place.simulators.clock.now() + offMs,
  sleep: (ms) => realClock.sleep(ms / 20),
};

async function run(code: number, ...words: readonly string[]): Promise<Output> {
  return place.runWith({ clock }, code, ...words);
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
    const { stdout } = await run(2, "drift", "--format", format, "--no-unmanaged");
    expect(stdout).toMatch(/most likely changed by bob at \d{4}-/);
  }
});

test("an alarm names its last editor; where nothing tells, logins are no more than logins", async () => {
  await open();
  await later();
  await place.simulators.change({ power_manager_vm: { vm: "old", power: "off" } });
  await place.simulators.change({ log_in_manager_user: { user: "eve" } });
  await place.simulators.change({ change_manager_alarm: { name: "root", enabled: false } });
  const { stdout } = await run(2, "drift", "--no-unmanaged");
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
  await run(0, "drift", "--no-unmanaged");
  const asked = place.simulators.log().slice(before);
  expect(asked.some(({ path }) => path.includes("tasksList"))).toBe(false);
  expect(asked.some(({ body }) => body.includes("QueryEvents"))).toBe(false);
  const task = { vm: "web", duration_ms: 1, operation: "vappPowerOff", user: "bob" };
  await place.simulators.change({ start_cloud_task: task });
  await place.simulators.change({ power_cloud_vm: { vm: "web", power: "off" } });
  expect(toldOf(await drift(2), "cloud_vm.web")).toBeUndefined();
});

const hourMs = 3_600_000;

test.each([
  ["ahead", hourMs, "1h behind ours"],
  ["behind", -hourMs, "1h ahead of ours"],
])(
  "our clock is an hour %s: what we did is told of nobody else, and what others did is",
  async (_, ms, said) => {
    offMs = ms;
    await open();
    // Our own work: its tasks have our own name.
    place.write({
      "cloud_vm.web": { name: "web", vapp_name: "shop", power: "off" },
      "cloud_vm.db": { name: "db", vapp_name: "shop" },
      "manager_vm.old": { name: "old", power: "off" },
      "manager_login_alarm.root": { name: "root", user_name: "root" },
    });
    await run(0, "apply", "--auto-approve", "--allow", "power-off");
    // Nothing tells who: what is on again left no task.
    await place.simulators.change({ power_cloud_vm: { vm: "web", power: "on" } });
    await place.simulators.change({ power_manager_vm: { vm: "old", power: "on" } });
    const nobody = await drift(2);
    expect(toldOf(nobody, "cloud_vm.web")).toBeUndefined();
    expect(toldOf(nobody, "manager_vm.old")).toBeUndefined();
    await later();
    await place.simulators.change({ log_in_manager_user: { user: "eve" } });
    const task = { vm: "web", duration_ms: 1, operation: "vappPowerOn", user: "bob" };
    await place.simulators.change({ start_cloud_task: task });
    const { stdout } = await run(2, "drift", "--no-unmanaged");
    expect(stdout).toMatch(new RegExp(`changed by bob at .* UTC \\(a clock ${said}\\), by`));
    expect(stdout).toMatch(/logged in since, by .* \(a clock .*\): .*eve at/);
  },
);

test("the clock of a server has been set since: our own work is told of nobody else", async () => {
  await open();
  place.write({ "manager_vm.old": { name: "old", power: "off" } });
  await run(0, "apply", "--auto-approve", "--allow", "power-off");
  await place.simulators.change({ power_manager_vm: { vm: "old", power: "on" } });
  await place.rule({ clock_skew_ms: hourMs });
  expect(toldOf(await drift(2), "manager_vm.old")).toBeUndefined();
  await place.rule({ clock_skew_ms: -hourMs });
  expect(toldOf(await drift(2), "manager_vm.old")).toBeUndefined();
});
