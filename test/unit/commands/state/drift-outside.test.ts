/** What somebody else has done at the daemon, from the first plan to the way back. */

import { expect, test } from "vitest";
import type { OutsideChange } from "../../../../src/simulators/core.ts";
import { type Workplace, workplace } from "../command-line.ts";

const fast = { create: 1, clone: 1, power_on: 1, tools: 1, address: 1, power_off: 1, shutdown: 1 };

/** A VM with a share that can only be read, and what else is wanted. */
function configuration(more = ""): { readonly [file: string]: string } {
  return {
    "main.vmform.yaml": `providers: { daemon: { url: DAEMON }, noop: {} }
resources:
  daemon_vm.dev: { id: dev, name: Dev, tag: one, power: on, folder_sharing: true }
  daemon_shared_folder.a: { vm_id: "\${daemon_vm.dev.id}", guest_path: a, host_path: /srv/share, writable: false }
${more}`,
  };
}

const unrelated = "  noop_resource.n: { name: n }\n";

async function appliedAnd(...changes: readonly OutsideChange[]): Promise<Workplace> {
  const place = await workplace({ daemon: { durations_ms: fast } });
  place.write(configuration());
  expect(await place.run("apply", "--auto-approve")).toMatchObject({ code: 0, stderr: "" });
  for (const change of changes) await place.daemon.change(change);
  return place;
}

function sharesOf({ daemon }: Workplace): readonly object[] {
  return daemon.world().daemon.vms.flatMap(({ folders }) => folders);
}

test("a share that somebody else has added is listed, and stays", async () => {
  const place = await appliedAnd({
    add_folder: { id: "dev", guest_path: "evil", host_path: "/etc" },
  });
  const drift = await place.run("drift");
  expect(drift.stdout).toContain("Exist and are recorded nowhere:");
  expect(drift.stdout).toContain("dev/evil");
  const { unmanaged } = await place.json("drift");
  expect(unmanaged).toMatchObject([{ type: "daemon_shared_folder", identity: "dev/evil" }]);
  expect(await place.run("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(sharesOf(place)).toHaveLength(2);
});

const moved: OutsideChange = {
  add_folder: { id: "dev", guest_path: "a", host_path: "/etc", writable: true },
};

test("a share that leads elsewhere is brought back, whatever else is applied", async () => {
  const place = await appliedAnd(moved);
  expect(await place.run("drift")).toMatchObject({ code: 2 });
  const plan = await place.run("plan", "--detailed-exitcode");
  expect(plan.code).toBe(2);
  expect(plan.stdout).not.toContain("No changes.");
  expect(plan.stdout).toMatch(/host_path: +"\/etc" +-> +"\/srv\/share"/);
  place.write(configuration(unrelated));
  expect(await place.run("apply", "--auto-approve")).toMatchObject({ code: 0 });
  expect(sharesOf(place)).toMatchObject([{ guestPath: "a", hostPath: "/srv/share", flags: 0 }]);
  expect(await place.run("plan", "--detailed-exitcode")).toMatchObject({ code: 0 });
  expect(await place.run("drift")).toMatchObject({ code: 0 });
});

test.each<[string, OutsideChange]>([
  ["name", { rename_vm: { id: "dev", name: "other" } }],
  ["tag", { tag_vm: { id: "dev", tag: "other" } }],
])("another %s is told by each plan, and no apply accepts it", async (attribute, change) => {
  const place = await appliedAnd(change);
  place.write(configuration(unrelated));
  expect(await place.run("apply", "--auto-approve")).toMatchObject({ code: 0 });
  const plan = await place.run("plan", "--detailed-exitcode");
  expect(plan.code).toBe(2);
  expect(plan.stdout).not.toContain("matches the configuration");
  expect(plan.stdout).toContain(attribute);
  const drift = await place.run("drift");
  expect(drift.code).toBe(2);
  expect(drift.stdout).toContain('"other"');
});
