/** What differs: wanted values against applied ones, or against what was read. */

import { expect, test } from "vitest";
import { readResourceSchema } from "../../../src/model/resource-schema.ts";
import { type PlannedAttributes, unknown } from "../../../src/model/value.ts";
import {
  attributeChanges,
  type CompareInput,
  compareAttributes,
  withDefaults,
} from "../../../src/plan/compare.ts";

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

type Row = readonly [
  name: string,
  input: Partial<CompareInput>,
  forceNew: readonly string[],
  updates: readonly string[],
];

test.each<Row>([
  ["nothing wanted", { attributes: { size: 1 }, applied: { size: 1 } }, [], []],
  ["equal", { wanted: { size: 1 }, attributes: { size: 1 } }, [], []],
  ["equal, one of them beyond 2^53", { wanted: { size: 1n }, attributes: { size: 1 } }, [], []],
  [
    "read otherwise",
    { wanted: { size: 2 }, attributes: { size: 1 }, applied: { size: 2 } },
    [],
    ["size"],
  ],
  [
    "applied otherwise, read as wanted",
    {
      wanted: { size: 2 },
      attributes: { size: 2 },
      applied: {
        size: 1,
      },
    },
    [],
    [],
  ],
  ["never read", { wanted: { size: 2 } }, [], ["size"]],
  ["wanted null is not compared", { wanted: { size: null }, attributes: { size: 1 } }, [], []],
  [
    "unknown differs from everything",
    { wanted: { size: unknown }, attributes: { size: 1 } },
    [],
    ["size"],
  ],
  [
    "force-new, applied otherwise",
    { wanted: { fixed: "b" }, applied: { fixed: "a" } },
    ["fixed"],
    [],
  ],
  [
    "force-new, drifted",
    { wanted: { fixed: "a" }, applied: { fixed: "a" }, attributes: { fixed: "b" } },
    [],
    [],
  ],
  ["force-new, never applied", { wanted: { fixed: "a" }, applied: { size: 1 } }, [], []],
  ["force-new, imported", { wanted: { fixed: "a" }, applied: null }, [], []],
  [
    "force-new, applied as nothing",
    { wanted: { fixed: "a" }, applied: { fixed: null } },
    ["fixed"],
    [],
  ],
  [
    "unreadable: applied counts",
    { wanted: { hidden: "b" }, applied: { hidden: "a" }, attributes: { hidden: "b" } },
    [],
    ["hidden"],
  ],
  ["unreadable, imported", { wanted: { hidden: "a" }, applied: null }, [], ["hidden"]],
  ["computed", { wanted: { told: "b" }, attributes: { told: "a" } }, [], []],
  ["local", { wanted: { trigger: "b" }, applied: { trigger: "a" } }, [], []],
  ["ignored", { wanted: { size: 2 }, ignore: ["size"] }, [], []],
  ["with rules of its own", { wanted: { power: "on" }, except: ["power"] }, [], []],
])("%s", (_, input, forceNew, updates) => {
  const found = compareAttributes({
    schema,
    wanted: {},
    applied: {},
    attributes: {},
    ignore: [],
    except: [],
    ...input,
  });
  expect(found).toEqual({ forceNew, updates });
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
