/** Sizes: tolerance of filesystems, what stands against what, and what a growth must show. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layout65 } from "../../../../../src/providers/appliance/storage/layout.ts";
import {
  gbOfKb,
  gbOfReply,
  goalOf,
  leastGb,
  shownGb,
  sizeText,
  standingOf,
} from "../../../../../src/providers/appliance/storage/size.ts";
import { shown65 } from "../scripted-appliance.ts";

const core = ["core"];
const system = ["root", "boot"];

describe("tolerance", () => {
  const sizes: readonly (readonly [string, number])[] = [
    ["1", 12],
    ["3", 25],
    ["4", 25],
    ["5", 10],
    ["6", 10],
    ["7", 15],
    ["8", 10],
    ["9", 1],
    ["10", 10],
    ["11", 10],
    ["12", 100],
  ];
  test.each(sizes)("disk %s of %d GB is as large as its filesystem shows", (disk, gb) => {
    const partitions = layout65.get(disk) ?? [];
    const shown = shownGb(partitions, new Map(Object.entries(shown65)));
    expect(standingOf({ gb, partitions }, undefined, shown)).toBe("enough");
    expect(standingOf({ gb, partitions }, gb, shown)).toBe("enough");
    // A growth by a fifth is seen without a record, one by a little with it.
    const more = partitions.includes("root") ? 1.3 : 1.2;
    expect(standingOf({ gb: gb * more, partitions }, undefined, shown)).toBe("grow");
    expect(standingOf({ gb: gb * 1.01, partitions }, gb, shown)).toBe("grow");
  });
});

test.each([
  // wanted, applied, shown
  [50, 25, 24.48, "grow"],
  [25, 25, 24.48, "enough"],
  [25, 25, undefined, "enough"],
  // The filesystem was asked to grow and did not, or its disk is another one now.
  [50, 50, 24.48, "grow"],
  [25, undefined, 24.48, "enough"],
  [50, undefined, 24.48, "grow"],
  [50, undefined, undefined, "grow"],
  [26, 25, 24.48, "grow"],
  [20, 25, 24.48, "shrink"],
  [20, 25, undefined, "shrink"],
  [20, undefined, 24.48, "shrink"],
  // Somebody wrote down what is shown.
  [24.48, undefined, 24.48, "enough"],
  // Grown by somebody else: as large as wanted, and larger.
  [50, 25, 49.05, "grow"],
  [50, 25, 98.3, "shrink"],
  [25, 25, 98.3, "enough"],
] as const)("wanted %s, applied %s, shown %s: %s", (gb, applied, shown, standing) => {
  expect(standingOf({ gb, partitions: core }, applied, shown)).toBe(standing);
});

const gb = fc.double({ min: 0.5, max: 4096, noNaN: true });
/** What a filesystem takes of its disk for itself. */
const lack = fc.double({ min: 0, max: 0.05, noNaN: true });

test("whatever a filesystem takes for itself, a disk of the wanted size is enough", () => {
  fc.assert(
    fc.property(gb, lack, (size, part) => {
      const shown = size * (1 - part);
      expect(standingOf({ gb: size, partitions: core }, undefined, shown)).toBe("enough");
      expect(standingOf({ gb: size, partitions: core }, size, shown)).toBe("enough");
    }),
  );
});

test("one wish is never both too large and too small, and growing it ends the growing", () => {
  fc.assert(
    fc.property(gb, gb, fc.option(gb, { nil: undefined }), lack, (size, disk, applied, part) => {
      const shown = disk * (1 - part);
      const standing = standingOf({ gb: size, partitions: core }, applied, shown);
      if (standing === "shrink") expect(Math.max(applied ?? 0, shown)).toBeGreaterThan(size);
      if (standing !== "grow") return;
      expect(size).toBeGreaterThanOrEqual(applied ?? 0);
      const after = Math.max(size, disk) * (1 - part);
      expect(standingOf({ gb: size, partitions: core }, size, after)).toBe("enough");
    }),
  );
});

test("a growth of two percent and more shows, and none does not", () => {
  const more = fc.double({ min: 1.02, max: 20, noNaN: true });
  const before = fc.double({ min: 5, max: 4096, noNaN: true });
  fc.assert(
    fc.property(before, more, lack, (applied, factor, part) => {
      const size = applied * factor;
      const shown = applied * (1 - part);
      const goal = goalOf({ gb: size, partitions: core }, applied, new Map([["core", shown]]));
      expect(goal?.gb).toBeGreaterThan(shown);
      expect(goal?.gb).toBeLessThanOrEqual(size * (1 - part));
    }),
  );
});

describe("what the largest partition must show", () => {
  const shown = new Map([
    ["root", 10.7],
    ["boot", 0.12],
    ["core", 24.48],
  ]);
  test.each([
    [50, core, 25, { partition: "core", gb: 46.9 }],
    [50, core, undefined, { partition: "core", gb: 46.9 }],
    [26, core, 25, { partition: "core", gb: 24.96 }],
    [20, system, 12, { partition: "root", gb: 15.78 }],
    // It has grown already, by more than the disk of before could hold.
    [50, core, 24, { partition: "core", gb: 46.9 }],
    [50, ["log"], 10, { partition: "log", gb: 46.9 }],
    [50, [], 10, undefined],
  ] as const)("of %d GB on %j, applied %s", (size, partitions, applied, goal) => {
    expect(goalOf({ gb: size, partitions }, applied, shown)).toEqual(goal);
  });
});

test("what is least is never less than nothing", () => {
  expect(leastGb(0.01, core)).toBe(0);
  expect(shownGb(system, new Map([["root", 10]]))).toBe(10);
  expect(shownGb(system, new Map())).toBeUndefined();
});

test("units", () => {
  expect(gbOfKb(104_312_832)).toBe(99.48);
  // Recorded as KB, documented as MB.
  expect(gbOfReply(104_312_832, 94)).toBe(99.48);
  expect(gbOfReply(101_868, 94)).toBe(99.48);
  expect(gbOfReply(0, 94)).toBe(0);
  expect(sizeText(24)).toBe("24 GB");
  expect(sizeText(24.405)).toBe("24.41 GB");
});
