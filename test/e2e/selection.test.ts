/** Options that narrow a run or ask for more than the configuration does, over real HTTP. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { onlyInLongRun } from "../helpers/amount.ts";
import { createPlace, type Place } from "./place.ts";

const estate = [
  "  daemon_vm.base: { id: base, power: off }",
  "  daemon_vm.web:",
  "    count: 3",
  '    id: "web-${count.index}"',
  "    parent_id: ${daemon_vm.base.id}",
  "    power: on",
  "    folder_sharing: true",
  "  daemon_shared_folder.src:",
  "    for_each: { a: 0, b: 1 }",
  "    vm_id: ${daemon_vm.web[each.value].id}",
  "    guest_path: ${each.key}",
  "    host_path: /srv/src",
  "  daemon_vm.other: { id: other, power: off }",
].join("\n");
const approve = ["--auto-approve", "--allow", "power-off,power-cycle,replace,destroy"];

let place: Place;
beforeEach(async () => {
  place = await createPlace();
  place.write(estate);
});
afterEach(() => place.remove());

function ids(): readonly string[] {
  return place.simulators
    .world()
    .daemon.vms.map(({ id }) => id)
    .toSorted();
}

function shares(id: string): readonly string[] {
  const vm = place.simulators.world().daemon.vms.find((one) => one.id === id);
  return vm?.folders.map(({ guestPath }) => guestPath) ?? [];
}

async function recorded(): Promise<readonly string[]> {
  const { stdout } = await place.run(0, "state", "list", "--json");
  return (JSON.parse(stdout) as { addresses: readonly string[] }).addresses;
}

/** What is sent by a command, as `METHOD path body`. */
async function sentBy(...words: readonly string[]): Promise<readonly string[]> {
  const sent = await place.mutations(() => place.run(0, ...words));
  expect(sent.filter(({ refused }) => refused)).toEqual([]);
  return sent.map(({ method, path, body }) => `${method} ${path} ${body}`.trim());
}

test("a target names all instances of a resource, and brings what they need", async () => {
  await sentBy("apply", ...approve, "--target", "daemon_vm.web");
  expect(ids()).toEqual(["base", "web-0", "web-1", "web-2"]);
  expect(["web-0", "web-1", "web-2"].flatMap(shares)).toEqual([]);
  await place.run(0, "plan", "--detailed-exitcode", "--target", "daemon_vm.web");
  const { stdout } = await place.run(2, "plan", "--detailed-exitcode");
  expect(stdout).toContain("Plan: 3 to add, 2 to change, 0 to destroy.");
  await sentBy("apply", ...approve);
  await place.run(0, "plan", "--detailed-exitcode");
});

test("a target names one instance, by number or key", onlyInLongRun, async () => {
  const targets = ["--target", "daemon_vm.web[2]", "--target", 'daemon_shared_folder.src["b"]'];
  await sentBy("apply", ...approve, ...targets);
  expect(ids()).toEqual(["base", "web-1", "web-2"]);
  expect([shares("web-1"), shares("web-2")]).toEqual([["b"], []]);
  await sentBy("apply", ...approve);
  await place.simulators.change({ power_vm: { id: "web-0", power: "off" } });
  await place.simulators.change({ power_vm: { id: "web-1", power: "off" } });
  expect(await sentBy("apply", ...approve, "--target", "daemon_vm.web[1]")).toEqual([
    "PATCH /api/vms/power/web-1 on",
  ]);
  expect([place.power("web-0"), place.power("web-1")]).toEqual(["off", "on"]);
});

test("a saved plan of a target stays one of that target", onlyInLongRun, async () => {
  await place.run(0, "plan", ...approve.slice(1), "--target", "daemon_vm.web[0]", "--out", file());
  await sentBy("apply", file());
  expect(ids()).toEqual(["base", "web-0"]);
});

function file(): string {
  return place.file("saved.plan");
}

test("what is excluded is left out with what needs it", async () => {
  await sentBy("apply", ...approve, "--exclude", "daemon_vm.web[1]");
  expect(ids()).toEqual(["base", "other", "web-0", "web-2"]);
  expect(await recorded()).not.toContain('daemon_shared_folder.src["b"]');
  expect(shares("web-0")).toEqual(["a"]);
  const { stdout } = await place.run(0, "plan", "--exclude", "daemon_vm.web");
  expect(stdout).toContain("No changes for the 2 of 7 objects looked at.");
  await place.run(2, "plan", "--detailed-exitcode");
});

test(
  "a destroy keeps what is excluded and what that needs, not what needs it",
  onlyInLongRun,
  async () => {
    await sentBy("apply", ...approve, "--exclude", "daemon_vm.web[1]");
    expect(await sentBy("destroy", ...approve, "--exclude", "daemon_vm.web[0]")).toEqual([
      "DELETE /api/vms/other",
      "DELETE /api/vms/web-0/folders/a",
      "PATCH /api/vms/power/web-2 off",
      "DELETE /api/vms/web-2",
    ]);
    expect(await recorded()).toEqual(["daemon_vm.base", "daemon_vm.web[0]"]);
  },
);

test("one instance is replaced on demand, with its content and its power", async () => {
  await sentBy("apply", ...approve);
  const words = ["--replace", "daemon_vm.web[0]"];
  const planned = await place.run(0, "plan", ...words);
  expect(planned.stdout).toContain("-/+ daemon_vm.web[0]");
  expect(planned.stdout).toContain("Plan: 2 to add, 0 to change, 2 to destroy");
  const refused = await place.run(1, "apply", "--auto-approve", ...words);
  expect(refused.stderr).toContain("--allow");
  const sent = await sentBy("apply", ...approve, ...words);
  expect(sent).toEqual([
    "PATCH /api/vms/power/web-0 off",
    "DELETE /api/vms/web-0",
    'POST /api/vms {"id":"web-0","parentid":"base"}',
    "PATCH /api/vms/power/web-0 on",
    "PATCH /api/vms/web-0/folders true",
    expect.stringMatching(/^POST \/api\/vms\/web-0\/folders /),
  ]);
  expect([place.power("web-0"), shares("web-0")]).toEqual(["on", ["a"]]);
  await place.run(0, "plan", "--detailed-exitcode");
});

test("replacing a parent on demand replaces none of its clones", onlyInLongRun, async () => {
  await sentBy("apply", ...approve);
  expect(await sentBy("apply", ...approve, "--replace", "daemon_vm.base")).toEqual([
    "DELETE /api/vms/base",
    'POST /api/vms {"id":"base"}',
  ]);
  await place.run(0, "plan", "--detailed-exitcode");
});

async function meddle(): Promise<void> {
  await sentBy("apply", ...approve);
  await place.simulators.change({ power_vm: { id: "web-0", power: "paused" } });
  await place.simulators.change({ delete_vm: { id: "other" } });
  await place.run(2, "drift");
}

test("drift is accepted as a whole without a change of the world, and then offered", async () => {
  await meddle();
  const { stdout } = await place.run(0, "plan", "--refresh-only");
  expect(stdout).toMatch(/daemon_vm\.web\[0\].*\n.*power_state.*on.*paused/);
  expect(await sentBy("apply", "--auto-approve", "--refresh-only")).toEqual([]);
  expect(await recorded()).not.toContain("daemon_vm.other");
  await place.run(0, "drift");
  const plan = await place.run(2, "plan", "--detailed-exitcode");
  expect(plan.stdout).toContain("Plan: 1 to add, 1 to change, 0 to destroy.");
  await sentBy("apply", ...approve);
  expect([place.power("web-0"), place.power("other")]).toEqual(["on", "off"]);
  await place.run(0, "plan", "--detailed-exitcode");
  await place.run(0, "drift");
});

test("drift of one object is accepted, and that of the others stays", onlyInLongRun, async () => {
  await meddle();
  const only = ["--refresh-only", "--target", "daemon_vm.web[0]"];
  expect(await sentBy("apply", "--auto-approve", ...only)).toEqual([]);
  const { stdout } = await place.run(2, "drift");
  expect(stdout).toContain("daemon_vm.other is missing");
  expect(stdout).toContain("Drift: 0 drifted, 1 missing,");
});

test(
  "the order of resources in the file, and of shares on the daemon, is no difference",
  onlyInLongRun,
  async () => {
    await sentBy("apply", ...approve);
    const blocks = estate.split(/\n(?= {2}\S)/);
    place.write(blocks.toReversed().join("\n").replace("{ a: 0, b: 1 }", "{ b: 1, a: 0 }"));
    await place.simulators.change((world) => ({
      ...world,
      daemon: {
        ...world.daemon,
        vms: world.daemon.vms
          .toReversed()
          .map((vm) => ({ ...vm, folders: vm.folders.toReversed() })),
      },
    }));
    await place.run(0, "plan", "--detailed-exitcode");
    const { stdout } = await place.run(0, "drift");
    expect(stdout).toContain("No drift.");
  },
);
