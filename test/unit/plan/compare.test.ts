/** Defaults of wanted attributes, and the table of what changes. */

import { expect, test } from "vitest";
import { readResourceSchema } from "../../../src/model/value/resource-schema.ts";
import { type PlannedAttributes, unknown } from "../../../src/model/value/value.ts";
import { attributeChanges, withDefaults } from "../../../src/plan/compare.ts";

const text = (marks: object) => ({ type: "string", "x-vmform": marks });
const schema = readResourceSchema("test_thing", {
  properties: {
    size: { type: "integer" },
    fixed: text({ forceNew: true }),
    hidden: text({ unreadable: true }),
    told: text({ computed: true }),
    trigger: text({ local: true }),
    secret: text({ sensitive: true }),
    mode: { type: "string", default: "plain" },
    power: text({}),
  },
});

test.each<[string, PlannedAttributes, unknown]>([
  ["unset", {}, "plain"],
  ["null", { mode: null }, "plain"],
  ["given", { mode: "other" }, "other"],
  ["unknown", { mode: unknown }, unknown],
])("defaults: %s", (_, attributes, expected) => {
  expect(withDefaults(schema, attributes).mode).toBe(expected);
});

test("the table for people: what changes, what is only known later, what forces a replace", () => {
  const before = { size: 1, fixed: "a", secret: "old", mode: "plain" };
  const after = { size: 1, fixed: "b", secret: "new", told: unknown };
  expect(attributeChanges(schema, before, after, ["fixed"])).toEqual([
    { attribute: "fixed", before: "a", after: "b", sensitive: false, forcesReplace: true },
    { attribute: "told", before: null, after: unknown, sensitive: false, forcesReplace: false },
    { attribute: "secret", before: "old", after: "new", sensitive: true, forcesReplace: false },
    { attribute: "mode", before: "plain", after: null, sensitive: false, forcesReplace: false },
  ]);
});
