/** Entries of `removed`: an object is forgotten and stays, or is destroyed with consent. */

import { expect, test } from "vitest";
import { type Workplace, workplace } from "./command-line.ts";

const provider = "providers: { daemon: { url: DAEMON } }\n";
const kept = "  daemon_vm.kept: { id: kept }\n";

/** Three VMs are made; then the configuration wants only one of them. */
async function shrunk(removed: string): Promise<Workplace> {
  const place = await workplace({ daemon: { durations_ms: { create: 1, delete: 1 } } });
  const lab = '  daemon_vm.lab: { count: 2, id: "lab-${count.index}" }\n';
  place.write({ "main.vmform.yaml": `${provider}resources:\n${kept}${lab}` });
  expect(await place.run("apply", "--auto-approve")).toMatchObject({ code: 0 });
  place.write({ "main.vmform.yaml": `${provider}resources:\n${kept}removed: [${removed}]\n` });
  return place;
}

function ids({ daemon }: Workplace): readonly string[] {
  return daemon
    .world()
    .daemon.vms.map(({ id }) => id)
    .toSorted();
}

test("destroy: false forgets all instances, needs no consent and sends nothing", async () => {
  const place = await shrunk("{ from: daemon_vm.lab, destroy: false }");
  const requests = place.daemon.log().length;
  const apply = await place.run("apply", "--auto-approve");
  expect(apply).toMatchObject({ code: 0 });
  expect(apply.stdout).toContain("Plan: 0 to add, 0 to change, 0 to destroy, 2 to forget.");
  expect(ids(place)).toEqual(["kept", "lab-0", "lab-1"]);
  expect(await place.json("state", "list")).toEqual({
    format_version: "1.0",
    addresses: ["daemon_vm.kept"],
  });
  const later = place.daemon.log().slice(requests);
  expect(later.filter((entry) => entry.class === "mutate")).toEqual([]);
  expect((await place.run("plan")).stdout).toContain("No changes.");
});

test("what is forgotten needs no look: its server may be gone", async () => {
  const place = await shrunk("{ from: daemon_vm.lab, destroy: false }");
  place.write({
    "main.vmform.yaml":
      `${provider}resources: { noop_resource.n: { name: n, value: x } }\n` +
      "removed:\n" +
      "  - { from: daemon_vm.lab, destroy: false }\n" +
      "  - { from: daemon_vm.kept, destroy: false }\n",
  });
  await place.daemon.stop();
  expect((await place.run("apply", "--auto-approve")).stdout).toContain("3 to forget.");
  expect(await place.json("state", "list")).toEqual({
    format_version: "1.0",
    addresses: ["noop_resource.n"],
  });
});

test("what is destroyed is looked at first, and the way out is named", async () => {
  const place = await shrunk("{ from: daemon_vm.lab }");
  await place.daemon.stop();
  const { code, stdout, stderr } = await place.run("plan");
  expect(code).toBe(1);
  expect(`${stdout}${stderr}`).toContain("vmform state rm 'daemon_vm.lab[0]'");
});

test("an instance alone may be forgotten, while the others are destroyed", async () => {
  const place = await shrunk("{ from: 'daemon_vm.lab[1]', destroy: false }");
  const apply = await place.run("apply", "--auto-approve", "--allow", "destroy");
  expect(apply.stdout).toContain("Plan: 0 to add, 0 to change, 1 to destroy, 1 to forget.");
  expect(ids(place)).toEqual(["kept", "lab-1"]);
});

test("without destroy: false the object is destroyed, and that needs consent", async () => {
  const place = await shrunk("{ from: daemon_vm.lab }");
  const refused = await place.run("apply", "--auto-approve");
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain("--allow destroy");
  expect(await place.run("apply", "--auto-approve", "--allow", "destroy")).toMatchObject({
    code: 0,
  });
  expect(ids(place)).toEqual(["kept"]);
});
