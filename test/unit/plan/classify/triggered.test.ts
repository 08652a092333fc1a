/** Objects that are made anew because another one changes. */

import { expect, test } from "vitest";
import type { DesiredInstance } from "../../../../src/model/plan/desired.ts";
import type { RecordedObject } from "../../../../src/model/recorded/recorded.ts";
import type { Trigger } from "../../../../src/model/value/trigger.ts";
import { vmAddress } from "../../../simulation/configuration.ts";
import {
  changesOf,
  codesOf,
  configuration,
  existingVm,
  operationsOf,
  planOf,
  vm,
} from "../planning.ts";

const byA: Trigger = { address: vmAddress("a") };

type Row = {
  readonly name: string;
  /** Firmware of `a`, which is `one`: as applied, and as wanted. */
  readonly applied?: string;
  readonly wanted?: string;
  readonly triggers?: readonly Trigger[];
  readonly recorded?: Partial<RecordedObject>;
  readonly preventDestroy?: boolean;
  readonly changes: readonly string[];
  readonly codes?: readonly string[];
};

const rows: readonly Row[] = [
  { name: "updated", wanted: "two", changes: ["update a", "replace b"] },
  {
    name: "updated, by attribute",
    wanted: "two",
    triggers: [{ ...byA, attribute: "firmware" }],
    changes: ["update a", "replace b"],
  },
  {
    name: "updated, another attribute",
    wanted: "two",
    triggers: [{ ...byA, attribute: "share" }],
    changes: ["update a"],
  },
  { name: "set right again", applied: "two", wanted: "two", changes: ["update a"] },
  {
    name: "changed before, which is owed",
    recorded: { triggeredBy: byA.address },
    changes: ["replace b"],
  },
  {
    name: "named no longer, though owed",
    triggers: [],
    recorded: { triggers: [byA], triggeredBy: byA.address },
    changes: [],
  },
  {
    name: "protected",
    wanted: "two",
    preventDestroy: true,
    changes: ["update a"],
    codes: ["PLN007"],
  },
];

test.each(rows)("what it is made anew for is $name", (row) => {
  const { applied = "one", wanted = "one", triggers = [byA], codes = [] } = row;
  const edit = (instance: DesiredInstance): DesiredInstance =>
    instance.address === vmAddress("b")
      ? {
          ...instance,
          triggers,
          dependencies: triggers.map(({ address }) => address),
          lifecycle: { ...instance.lifecycle, preventDestroy: row.preventDestroy === true },
        }
      : instance;
  const plan = planOf({
    exists: [
      existingVm(vm("a", { firmware: applied }), "off", {
        attributes: { id: "a", power_state: "off", firmware: "one" },
      }),
      existingVm(vm("b"), "off", { triggers, dependencies: [byA.address], ...row.recorded }),
    ],
    wants: configuration([vm("a", { firmware: wanted }), vm("b")]),
    edit,
  });
  expect(codesOf(plan)).toEqual(codes);
  expect(changesOf(plan)).toEqual(row.changes);
  expect(operationsOf(plan)).toEqual(
    row.changes.flatMap((change) =>
      change === "update a" ? ["a set-firmware"] : ["b delete", "b create"],
    ),
  );
});
