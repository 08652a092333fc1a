/** Attributes are of the kind that their schema names, or are not set. */

import { expect, test } from "vitest";
import { type PlannedAttributes, unknown } from "../../../../../src/model/value/value.ts";
import { attributesOf } from "../../../../../src/providers/kit/schema/attributes.ts";

const diskIn = attributesOf<object>("manager_disk");
const reclaimIn = attributesOf<object>("manager_disk_reclaim");

test.each<[string, PlannedAttributes, object]>([
  ["texts and numbers", { vm: "vm-1", size_gb: 2.5 }, { vm: "vm-1", size_gb: 2.5 }],
  ["null is unset", { vm: null, label: "a" }, { label: "a" }],
  ["unknown is unset", { vm: unknown, label: "" }, { label: "" }],
  ["another kind", { vm: 1, size_gb: "2", label: ["a"], disk_id: { a: "b" } }, {}],
  ["what the schema does not name", { colour: "red" }, {}],
])("%s", (_name, attributes, expected) => {
  expect(diskIn(attributes)).toEqual(expected);
});

test("maps and booleans", () => {
  expect(reclaimIn({ triggers: { a: unknown }, pending: false })).toEqual({
    triggers: { a: unknown },
    pending: false,
  });
  expect(reclaimIn({ triggers: unknown, pending: "false" })).toEqual({});
});

test("names that every object has are not attributes", () => {
  expect(diskIn(Object.create({ vm: "vm-1" }) as PlannedAttributes)).toEqual({});
});
