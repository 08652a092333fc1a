/**
 * What is to be made anew when something else changes is made anew: also when the run is killed at
 * any point between the two, and never when nothing has changed.
 */

import { expect, test } from "vitest";
import { planHasChanges } from "../../src/model/plan/plan-counts.ts";
import { allRules } from "../../src/model/plan/rules.ts";
import { some } from "../helpers/amount.ts";
import type { VmConfig } from "./configuration.ts";
import { createRandom } from "./random.ts";
import { configuration, fails, given, logWords, on, vm, worldOf } from "./rule-scene.ts";
import { planOnly, restoreWorld, runApply, saveWorld } from "./world.ts";

type Row = {
  readonly name: string;
  readonly before: readonly VmConfig[];
  readonly after: readonly VmConfig[];
};

const copy = vm("copy", on);
const base = (parts: Partial<VmConfig> = {}) => vm("base", { firmware: "one", ...parts });

const made: readonly Row[] = [
  {
    name: "updated in place",
    before: [base(), { ...copy, trigger: "base" }],
    after: [base({ firmware: "two" }), { ...copy, trigger: "base" }],
  },
  {
    name: "updated in place, the attribute that is named",
    before: [base(), { ...copy, trigger: "base.firmware" }],
    after: [base({ firmware: "two" }), { ...copy, trigger: "base.firmware" }],
  },
  {
    name: "replaced",
    before: [base({ label: "one" }), { ...copy, trigger: "base" }],
    after: [base({ label: "two" }), { ...copy, trigger: "base" }],
  },
  {
    name: "replaced, a new one first",
    before: [base({ label: "one", id: "base-1" }), { ...copy, trigger: "base" }],
    after: [
      base({ label: "two", id: "base-2", createFirst: true }),
      { ...copy, id: "id-copy-2", trigger: "base" },
    ],
  },
  {
    name: "named for the first time by the run that changes it",
    before: [base(), copy],
    after: [base({ firmware: "two" }), { ...copy, trigger: "base" }],
  },
  {
    name: "a clone of it",
    before: [base(), { ...copy, parent: "base", trigger: "base" }],
    after: [base({ firmware: "two" }), { ...copy, parent: "base", trigger: "base" }],
  },
  {
    name: "through another",
    before: [base(), vm("between", { trigger: "base" }), { ...copy, trigger: "between" }],
    after: [
      base({ firmware: "two" }),
      vm("between", { trigger: "base" }),
      { ...copy, trigger: "between" },
    ],
  },
];

test.each(some(made, 2))(
  "$name: made anew once, wherever the run is killed",
  async ({ before, after }) => {
    const start = worldOf(allRules);
    await given(start, configuration(before));
    const saved = saveWorld(start);
    const undisturbed = restoreWorld(saved, createRandom(1), allRules);
    const { points } = await runApply(undisturbed, configuration(after));
    expect(points).toBeGreaterThan(5);
    const wrong: string[] = [];
    for (let killAt = 0; killAt <= points; killAt += 1) {
      const world = restoreWorld(saved, createRandom(killAt), allRules);
      const words = logWords(world);
      await runApply(world, configuration(after), killAt);
      wrong.push(...(await fails(world, configuration(after))));
      const creates = words.filter((word) => /^id-copy(-2)? (create|clone)/.test(word));
      if (creates.length !== 1) wrong.push(`killed at ${killAt}: ${words.join(", ")}`);
      const plan = await planOnly(world, configuration(after));
      if (planHasChanges(plan)) wrong.push(`killed at ${killAt}: the next plan is not empty`);
    }
    expect(wrong).toEqual([]);
  },
);

const kept: readonly Row[] = [
  {
    name: "another attribute than the one that is named",
    before: [base(), { ...copy, trigger: "base.share" }],
    after: [base({ firmware: "two" }), { ...copy, trigger: "base.share" }],
  },
  {
    name: "named for the first time, and not changed",
    before: [base(), copy],
    after: [base(), { ...copy, trigger: "base" }],
  },
  {
    name: "named no longer by the run that changes it",
    before: [base(), { ...copy, trigger: "base" }],
    after: [base({ firmware: "two" }), copy],
  },
  {
    name: "made for the first time",
    before: [copy],
    after: [base(), { ...copy, trigger: "base" }],
  },
  {
    name: "an input that is written and is there already",
    before: [base({ firmware: undefined }), { ...copy, trigger: "base" }],
    after: [base({ firmware: undefined, power: "off" }), { ...copy, trigger: "base" }],
  },
];

test.each(kept)("$name: left as it is", async ({ before, after }) => {
  const world = worldOf(allRules);
  await given(world, configuration(before));
  const words = logWords(world);
  expect(await fails(world, configuration(after))).toEqual([]);
  expect(words.filter((word) => word.startsWith("id-copy"))).toEqual([]);
  expect(planHasChanges(await planOnly(world, configuration(after)))).toBe(false);
});

test("what changed outside and is set right again is no change", async () => {
  const wanted = configuration([base(), { ...copy, trigger: "base" }]);
  const world = worldOf(allRules);
  await given(world, wanted);
  const outside = world.daemon.vms.get("id-base");
  if (outside !== undefined) outside.firmware = "three";
  const words = logWords(world);
  expect(await fails(world, wanted)).toEqual([]);
  expect(words).toEqual(["id-base set-firmware"]);
  expect(planHasChanges(await planOnly(world, wanted))).toBe(false);
});

test("what was deleted outside and is made anew is a change", async () => {
  const wanted = configuration([base(), { ...copy, trigger: "base" }]);
  const world = worldOf(allRules);
  await given(world, wanted);
  world.daemon.vms.delete("id-base");
  const words = logWords(world);
  expect(await fails(world, wanted)).toEqual([]);
  expect(words.filter((word) => word.endsWith(" create"))).toEqual([
    "id-base create",
    "id-copy create",
  ]);
  expect(planHasChanges(await planOnly(world, wanted))).toBe(false);
});
