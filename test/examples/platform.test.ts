/**
 * The example that uses nearly all of the language, over all four interfaces: killed on its way it
 * converges and sends nothing twice; refactored it changes nothing; destroyed it goes in order.
 */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLongRun, onlyInLongRun } from "../helpers/amount.ts";
import { buildProgram } from "../helpers/build.ts";
import {
  applyWords,
  killHook,
  openPlatform,
  type PlatformPlace,
  sentTwice,
} from "./platform-place.ts";
import { type Ended, runNode } from "./program.ts";

const program = buildProgram();

let place: PlatformPlace;

beforeAll(async () => {
  place = await openPlatform();
});
afterAll(() => place.remove());

function run(...words: readonly string[]): Promise<Ended> {
  return runNode(program.main, words, place.folder);
}

/** An apply that is killed at its n-th entry of the journal, unless it ends before. */
function applyKilledAt(n: number, phase: string): Promise<Ended> {
  return runNode(program.main, applyWords, place.folder, {
    NODE_OPTIONS: `--import ${killHook}`,
    KILL_AT: JSON.stringify({ kind: "append", n, phase }),
    KILL_FOLDER: join(place.folder, "..", "..", "state"),
  });
}

test.runIf(isLongRun)(
  "killed again and again it converges, and nothing is sent twice",
  async () => {
    // Chosen at random, the same ones each time; VMFORM_FC_SEED chooses others.
    const seed = fc.readConfigureGlobal()?.seed ?? Date.now();
    const moments = fc.sample(
      fc.record({
        n: fc.integer({ min: 2, max: 14 }),
        phase: fc.constantFrom("written", "durable", "torn"),
      }),
      { seed, numRuns: 5 },
    );
    console.info(`platform: killed at ${JSON.stringify(moments)}, by the seed ${seed}`);
    let ended: Ended | undefined;
    const restore = place.limitEverything();
    for (const [index, { n, phase }] of moments.entries()) {
      ended = await applyKilledAt(n, phase);
      if (index === 0) expect(ended.code).not.toBe(0);
      if (ended.code === 0) break;
    }
    restore();
    if (ended?.code !== 0) ended = await run(...applyWords);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const plan = await run("plan", "--detailed-exitcode");
    expect(plan).toMatchObject({ code: 0, stderr: "" });
    expect(await run("drift")).toMatchObject({ code: 0, stderr: "" });
    expect(sentTwice(place.mutations())).toEqual([]);
  },
  900_000,
);

test("refactored it is the same: no replacement, no request", onlyInLongRun, async () => {
  refactor();
  const before = place.simulators.log().length;
  expect(await run("validate")).toMatchObject({ code: 0, stderr: "" });
  const planned = await run("plan", "--json");
  const last: unknown = JSON.parse(planned.stdout.trimEnd().split("\n").at(-1) ?? "");
  const changes = { add: 0, change: 0, remove: 0, blocked: 0, power_cycles: 0 };
  expect(last).toMatchObject({ type: "change_summary", changes });
  const applied = await run("apply", "--auto-approve");
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  expect(applied.stdout).toContain("Resources: 0 added, 0 changed, 0 destroyed, 20 moved.");
  expect(await run("plan", "--detailed-exitcode")).toMatchObject({ code: 0, stderr: "" });
  expect(place.mutations(before)).toEqual([]);
  const listed = (await run("state", "list")).stdout.split("\n");
  expect(listed).toEqual(
    expect.arrayContaining([
      'module.fleet["web"].cloud_vm.vm["web-1"]',
      'module.lab["alpine"].daemon_vm.spare["0"]',
      'module.storage.manager_disk.of["log"]',
      'module.desks.manager_vm.seat["desk-3"]',
      "manager_login_alarm.caretaker",
    ]),
  );
});

/** A module renamed, one split, one made of the root, keys of instances changed, a count given up. */
function refactor(): void {
  renameSync(join(place.folder, "modules/tier"), join(place.folder, "modules/fleet"));
  mkdirSync(join(place.folder, "modules/storage"));
  place.edit("platform.vmform.yaml", [
    ["module.tier", "module.fleet"],
    ["  tier:\n    source: ./modules/tier", "  fleet:\n    source: ./modules/fleet"],
    // The laboratories by the short names of their images.
    ["for_each: ${locals.labs}", "for_each: ${locals.short}"],
    ["image: ${each.key}", 'image: "img-${each.key}"'],
    [
      textBetween("platform.vmform.yaml", "  manager_vm.appliance:", "  # The notes"),
      "  manager_login_alarm.caretaker:\n" +
        '    name: "Login as LAB.LOCAL\\\\root"\n    user_name: LAB.LOCAL\\root\n\n',
    ],
    ["appliance_storage.this.filesystems_gb", "module.storage.filesystems_gb"],
    [
      "  lab:\n    source",
      "  storage: { source: ./modules/storage, inputs: { sizes_gb: '${vars.sizes_gb}' } }\n" +
        "  lab:\n    source",
    ],
  ]);
  writeFileSync(
    join(place.folder, "modules/storage/main.vmform.yaml"),
    [
      "variables: { sizes_gb: { type: { map: integer } } }",
      "resources:",
      "  manager_vm.of: { name: appliance }",
      "  manager_disk.of:",
      "    for_each: { log: 5, seat: 8 }",
      "    vm: ${manager_vm.of.moref}",
      '    label: "Hard disk ${each.value}"',
      "    size_gb: ${vars.sizes_gb[each.key]}",
      "  appliance_storage.of:",
      "    sizes_gb: >-",
      '      ${manager_disk.of.map(key, {"key": key, "value": manager_disk.of[key].size_gb}).toMap()}',
      'outputs: { filesystems_gb: { value: "${appliance_storage.of.filesystems_gb}" } }',
      "",
    ].join("\n"),
  );
  place.edit("modules/desks/main.vmform.yaml", [
    ["manager_vm.desk", "manager_vm.seat"],
    [
      textBetween("modules/desks/main.vmform.yaml", "  manager_login_alarm", "outputs:"),
      "moved: [{ from: manager_vm.desk, to: manager_vm.seat }]\n",
    ],
    ["  user: { type: string }\n", ""],
  ]);
  place.edit("platform.vmform.yaml", [["      user: LAB.LOCAL\\root\n\n", "\n"]]);
  place.edit("modules/lab/main.vmform.yaml", [
    ["count: ${vars.spares}", "for_each: ${range(vars.spares).map(index, string(index))}"],
    ["${count.index}", "${each.key}"],
  ]);
  writeFileSync(
    join(place.folder, "moved.vmform.yaml"),
    [
      "moved:",
      "  - { from: module.tier, to: module.fleet }",
      ...["alpine", "debian"].flatMap((name) => [
        `  - { from: 'module.lab["img-${name}"]', to: 'module.lab["${name}"]' }`,
        `  - { from: 'module.lab["${name}"].daemon_vm.spare[0]', ` +
          `to: 'module.lab["${name}"].daemon_vm.spare["0"]' }`,
      ]),
      "  - { from: manager_vm.appliance, to: module.storage.manager_vm.of }",
      "  - { from: manager_disk.appliance, to: module.storage.manager_disk.of }",
      "  - { from: appliance_storage.this, to: module.storage.appliance_storage.of }",
      "  - from: module.desks.manager_login_alarm.caretaker",
      "    to: manager_login_alarm.caretaker",
      "",
    ].join("\n"),
  );
}

function textBetween(file: string, from: string, to: string): string {
  const text = readFileSync(join(place.folder, file), "utf8");
  return text.slice(text.indexOf(from), text.indexOf(to));
}

test(
  "destroyed it goes in order, and what was only looked after stays",
  onlyInLongRun,
  async () => {
    const before = place.simulators.log().length;
    const destroyed = await run("destroy", "--auto-approve", "--allow", "destroy");
    expect(destroyed).toMatchObject({ code: 0, stderr: "" });
    expect(await run("state", "list")).toMatchObject({ code: 0, stdout: "" });
    const sent = place.mutations(before).map(({ method, path }) => `${method} ${path}`);
    const order = sent.filter((one) => one.includes("alpine"));
    expect(order).toEqual([
      "DELETE /api/vms/alpine-spare-0",
      "PATCH /api/vms/power/alpine-bench",
      "DELETE /api/vms/alpine-bench",
    ]);
    expect(sent.filter((one) => one.includes("removeAllSnapshots"))).toHaveLength(1);
    const { cloud, daemon } = place.simulators.world();
    expect(daemon.vms.map(({ id }) => id)).toEqual(["img-alpine", "img-debian"]);
    expect(cloud.vms.filter(({ name }) => /^(?:web|db)-/.test(name))).toHaveLength(3);
  },
);
