/** Replace order: any dependency graph, any subset replaced, any subset create-first. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { planHasChanges } from "../../src/model/plan/plan-counts.ts";
import { amount } from "../helpers/amount.ts";
import type { Configuration, VmConfig } from "./configuration.ts";
import { createRandom } from "./random.ts";
import { createWorld, planOnly, runApply } from "./world.ts";

type Shape = {
  readonly dependsOn: readonly (readonly number[])[];
  readonly replaced: readonly boolean[];
  readonly createFirst: readonly boolean[];
  readonly dropped: readonly boolean[];
};

/** VM i may depend on any VM before it. */
const shapes: fc.Arbitrary<Shape> = fc.integer({ min: 1, max: 7 }).chain((count) => {
  const flags = fc.array(fc.boolean(), { minLength: count, maxLength: count });
  const edges = Array.from({ length: count }, (_none, index) =>
    index === 0
      ? fc.constant<readonly number[]>([])
      : fc.uniqueArray(fc.integer({ min: 0, max: index - 1 }), { maxLength: 3 }),
  );
  return fc.record({
    dependsOn: fc.tuple(...edges),
    replaced: flags,
    createFirst: flags,
    dropped: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
  });
});

function configurationOf(shape: Shape, after: boolean): Configuration {
  const gone = (index: number): boolean =>
    after && (shape.dropped[index] ?? false) && !isNeeded(shape, index);
  const vms = shape.dependsOn.flatMap((dependsOn, index): VmConfig[] => {
    if (gone(index)) return [];
    const renewed = after && (shape.replaced[index] ?? false);
    return [
      {
        name: `v${index}`,
        id: renewed ? `new-${index}` : `old-${index}`,
        label: undefined,
        parent: undefined,
        power: index % 2 === 0 ? "on" : undefined,
        firmware: undefined,
        share: undefined,
        dependsOn: dependsOn.map((other) => `v${other}`),
        createFirst: shape.createFirst[index] ?? false,
      },
    ];
  });
  return { vms, folders: [], moved: [] };
}

function isNeeded(shape: Shape, index: number): boolean {
  return shape.dependsOn.some((dependsOn) => dependsOn.includes(index));
}

test("has no cycle and converges", async () => {
  let replaces = 0;
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const world = createWorld(createRandom(7));
      const before = configurationOf(shape, false);
      const after = configurationOf(shape, true);
      expect((await runApply(world, before)).end).toBe("finished");
      const plan = await planOnly(world, after);
      expect(plan.diagnostics.map((item) => item.detail)).toEqual([]);
      const run = await runApply(world, after);
      if (run.end !== "finished") throw new Error(`the run ended ${run.end}`);
      replaces += run.plan.changes.filter((change) => change.action === "replace").length;
      expect(run.applied.failed).toEqual([]);
      expect(world.daemon.refusals.map((refusal) => refusal.message)).toEqual([]);
      const wanted = after.vms.map((vm) => vm.id).toSorted();
      expect([...world.daemon.vms.keys()].toSorted()).toEqual(wanted);
      expect(planHasChanges(await planOnly(world, after))).toBe(false);
    }),
    { numRuns: amount(30, 400) },
  );
  console.log(`replace order: ${replaces} replaces in 400 graphs`);
});
