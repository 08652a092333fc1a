/** Instances that are known by asking: together with whatever else a configuration says of them. */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPlace, type Place } from "./place.ts";

let place: Place;

beforeEach(async () => {
  const durations_ms = { create: 2, clone: 2, power_on: 1, address: 2, tools: 2, delete: 1 };
  const vms = {
    one: { tag: "golden", power: "off" as const },
    two: { tag: "golden", power: "off" as const },
  };
  place = await createPlace({ world: { daemon: { durations_ms, vms } } });
});
afterEach(() => place.remove());

const golden = "data: { daemon_vms.golden: { tags: [golden] } }";
const clones =
  '  daemon_vm.clone: { for_each: "${data.daemon_vms.golden.ids}", id: "clone-of-${each.key}" }';

test("the data source that says which instances there are is asked once", async () => {
  place.write(clones, `${golden}\noutputs: { ids: { value: "\${data.daemon_vms.golden.ids}" } }`);
  for (const command of ["plan", "apply"]) {
    const before = place.simulators.log().length;
    await place.run(0, command, ...(command === "apply" ? ["--auto-approve"] : []));
    const asked = place.simulators.log().slice(before);
    expect(asked.filter(({ path }) => path.includes("tags=golden"))).toHaveLength(1);
  }
});

test("an object is imported as an instance that is known by asking", async () => {
  await place.simulators.change({ create_vm: { id: "clone-of-one", power: "off" } } as never);
  const imports = "imports: [{ to: 'daemon_vm.clone[\"one\"]', id: clone-of-one }]";
  place.write(clones, `${golden}\n${imports}`);
  const { stdout } = await place.run(0, "apply", "--auto-approve");
  expect(stdout).toMatch(/1 imported, 1 added/);
  await nothingToDo();
  place.write(clones, `${golden}\n${imports.replaceAll('"one', '"none')}`);
  const { stderr } = await place.run(1, "plan");
  expect(stderr).toContain('Name one of its instances: daemon_vm.clone["one"]');
});

test("instances that are known by asking are moved, and removed, with what they were", async () => {
  place.write(clones, golden);
  await place.run(0, "apply", "--auto-approve");
  const copies = clones.replace("daemon_vm.clone", "daemon_vm.copy");
  const moved = "moved: [{ from: daemon_vm.clone, to: daemon_vm.copy }]";
  place.write(copies, `${golden}\n${moved}`);
  const none = await place.mutations(() => place.run(0, "apply", "--auto-approve"));
  expect(none).toEqual([]);
  await nothingToDo();
  // One of them is not wanted any more, and is kept as it is.
  const fewer = copies.replace(".ids}", '.ids.filter(id, id != \\"one\\")}');
  const removed = "removed: [{ from: 'daemon_vm.copy[\"one\"]', destroy: false }]";
  place.write(fewer, `${golden}\n${removed}`);
  const sent = await place.mutations(() => place.run(0, "apply", "--auto-approve"));
  expect(sent).toEqual([]);
  await nothingToDo();
  // A resource cannot be both; which instances it has decides nothing of that.
  place.write(fewer, `${golden}\nremoved: [{ from: daemon_vm.copy, destroy: false }]`);
  const refused = await place.run(1, "plan");
  expect(refused.stderr).toContain("daemon_vm.copy is still in the configuration");
});

test("values that are known only after apply are told to what is imported and moved", async () => {
  const web = "  daemon_vm.web: { id: web, power: on }\n";
  const beside = (name: string) =>
    `  daemon_vm.${name}:\n    for_each: { a: "\${daemon_vm.web.ip_address}" }\n` +
    '    id: near\n    name: "beside ${each.value}"';
  place.write(web + beside("near"));
  const { stdout } = await place.run(0, "apply", "--auto-approve");
  expect(stdout).toContain("2 added");
  await nothingToDo();
  const moved = "moved: [{ from: daemon_vm.near, to: daemon_vm.close }]";
  place.write(web + beside("close"), moved);
  expect(await place.mutations(() => place.run(0, "apply", "--auto-approve"))).toEqual([]);
  // The value is not known again, and what comes of it was moved meanwhile.
  const renewed = web.replace("id: web", "id: web2") + beside("nigh");
  const again = moved.replace("]", ", { from: daemon_vm.close, to: daemon_vm.nigh }]");
  place.write(renewed, again);
  const allowed = ["--allow", "replace,destroy,power-off"];
  const replaced = await place.run(0, "apply", "--auto-approve", ...allowed);
  expect(replaced.stdout).toContain("2 added, 0 changed, 2 destroyed, 1 moved");
  await nothingToDo();
});

test("while nobody can know which instances there are, none is forgotten or recorded", async () => {
  place.write(clones, golden);
  await place.run(0, "apply", "--auto-approve");
  const unknown = clones.replace(
    "data.daemon_vms.golden.ids",
    "[string(daemon_vm.web.ip_address)]",
  );
  const web = "\n  daemon_vm.web: { id: web, power: on }";
  const entries = [
    "removed: [{ from: 'daemon_vm.clone[\"one\"]', destroy: false }]",
    "imports: [{ to: 'daemon_vm.clone[\"two\"]', id: two }]",
    "removed: [{ from: 'daemon_vm.clone[\"one\"]' }]",
  ];
  for (const entry of entries) {
    place.write(unknown + web, entry);
    const { stderr } = await place.run(1, "plan");
    expect(stderr).toContain("CFG033");
    const partly = await place.run(0, "plan", "--target", "daemon_vm.web");
    expect(partly.stdout).toContain("Plan: 1 to add, 0 to change, 0 to destroy.");
    expect(partly.stdout).not.toContain("daemon_vm.clone");
  }
});

test("objects are imported by a provider whose settings are known by asking another", async () => {
  await place.simulators.change({ create_vm: { id: "clone-of-one", power: "off" } } as never);
  const { daemon } = place.simulators.origins;
  const url = `\${data.daemon_vms.golden.vm_count == 2 ? "${daemon}" : "http://127.0.0.1:9"}`;
  const east = `{ url: '${url}' }`;
  place.write(clones.replace("{ for_each", "{ provider: daemon.east, for_each"), golden);
  const path = place.file("main.vmform.yaml");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace("providers: {", `providers: { daemon.east: ${east},`));
  appendFileSync(path, "imports: [{ to: 'daemon_vm.clone[\"one\"]', id: clone-of-one }]\n");
  const { stdout } = await place.run(0, "apply", "--auto-approve");
  expect(stdout).toMatch(/1 imported, 1 added/);
  await nothingToDo();
});

test("tests of a configuration know what is known by asking, and what only after apply", async () => {
  place.write(
    `${clones}\n  daemon_vm.web: { id: web, power: on }\n` +
      '  daemon_vm.near: { for_each: { a: "${daemon_vm.web.ip_address}" }, id: near, name: "by ${each.value}" }',
    golden,
  );
  writeFileSync(
    place.file("late.vmformtest.yaml"),
    `world: { daemon: { vms: { one: { tag: golden }, two: { tag: golden } } } }
runs:
  - name: planned
    expect:
      assertions:
        - { condition: "\${plan.counts.add == 4}" }
        - { condition: '\${plan.changes.exists(c, c.address == "daemon_vm.clone[\\"two\\"]")}' }
  - name: made
    command: apply
    expect:
      assertions:
        - { condition: '\${world.daemon.vms.exists(vm, vm.name.startsWith("by 10."))}' }
  - name: empty
    expect: { assertions: [{ condition: "\${plan.operations.size() == 0}" }] }
  - name: unknown
    expect: { assertions: [{ condition: '\${plan.changes.size() == 0}' }] }
`,
  );
  const { stdout } = await place.run(0, "test");
  expect(stdout).toContain("4 runs passed");
});

async function nothingToDo(): Promise<void> {
  const { stderr } = await place.run(0, "plan", "--detailed-exitcode");
  expect(stderr).toBe("");
}
