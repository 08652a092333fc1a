/**
 * Rehearsals of plans for a host manager, and for a daemon: what they foretell happens, in the same
 * place, when the plan is applied; and the servers are only read.
 */

import { afterEach, expect, test } from "vitest";
import { publicJsonProblems } from "../cli/public-json.ts";
import type { Output } from "../helpers/program.ts";
import { createManagerPlace } from "./manager-place.ts";
import { createPlace } from "./place.ts";
import { type Report, reportIn } from "./rehearsed.ts";

let remove: () => Promise<void>;
afterEach(() => remove());

type Place = Pick<Awaited<ReturnType<typeof createManagerPlace>>, "run" | "simulators">;

async function rehearsed(
  { run, simulators }: Place,
  code: number,
  ...words: readonly string[]
): Promise<Report> {
  const before = simulators.log().length;
  const output = await run(code, "rehearse", ...words, "--json");
  expect(publicJsonProblems({ ...output, command: "rehearse --json" })).toStrictEqual([]);
  const sent = simulators.log().slice(before);
  expect(sent.filter(({ class: sends }) => sends === "mutate")).toStrictEqual([]);
  expect(sent.length).toBeGreaterThan(0);
  return reportIn(output);
}

function failedIn({ stdout }: Output): readonly string[] {
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
  const failed = events.filter(({ type }) => type === "apply_errored");
  return failed.map(({ hook }) => hook?.resource.addr ?? "").toSorted();
}

type Event = { readonly type: string; readonly hook?: { readonly resource: { addr: string } } };

function addressesOf({ failures }: Report): readonly string[] {
  return failures.map(({ address = "" }) => address).toSorted();
}

const moves = {
  "manager_vm.web": { name: "web", datastore: "ssd" },
  "manager_vm.weak": { name: "weak", nested_hv_enabled: false, power: "off" },
};

test("a datastore without room for a disk that grows is foretold, and the apply fails there", async () => {
  const place = await createManagerPlace();
  remove = place.remove;
  place.write({
    ...moves,
    "manager_vm.old": { name: "old" },
    "manager_disk.old": { vm: "${manager_vm.old.moref}", disk_id: "2000", size_gb: 4100 },
  });
  const allow = ["--allow", "power-off,power-cycle,grow"];
  const report = await rehearsed(place, 4, ...allow);
  expect(addressesOf(report)).toStrictEqual(["manager_disk.old"]);
  expect(report.operations.filter(({ outcome }) => outcome === "success")).not.toHaveLength(0);
  const applied = await place.run(1, "apply", "--auto-approve", ...allow, "--json");
  expect(failedIn(applied)).toStrictEqual(addressesOf(report));
});

test("a user who may only look is foretold to be refused", async () => {
  const place = await createManagerPlace();
  remove = place.remove;
  await place.change((world) => {
    const users = world.manager.users.map((user) => ({ ...user, rights: "read" as const }));
    return { ...world, manager: { ...world.manager, users } };
  });
  place.excuse("violation");
  place.write({ "manager_vm.web": moves["manager_vm.web"] });
  const report = await rehearsed(place, 4);
  expect(addressesOf(report)).toStrictEqual(["manager_vm.web"]);
  const applied = await place.run(1, "apply", "--auto-approve", "--json");
  expect(failedIn(applied)).toStrictEqual(addressesOf(report));
});

test("VMs of a daemon are made, cloned and turned on in a twin", async () => {
  const place = await createPlace({ world: { daemon: { vms: { golden: { power: "on" } } } } });
  remove = place.remove;
  place.write(`
  daemon_vm.base: { id: base }
  daemon_vm.web: { id: web, parent_id: "\${daemon_vm.base.id}", power: on }
  daemon_vm.late: { id: late, parent_id: golden }`);
  const report = await rehearsed(place, 4, "--allow", "power-off,power-cycle");
  // A parent that runs is not copied.
  expect(addressesOf(report)).toStrictEqual(["daemon_vm.late"]);
  expect(report.unknown.join("\n")).toContain("the daemon tells neither of datastores");
  const applied = await place.run(1, "apply", "--auto-approve", "--json");
  expect(failedIn(applied)).toStrictEqual(addressesOf(report));
});
