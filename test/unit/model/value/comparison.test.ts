/** What differs, and what would be done about it: of each kind of attribute, whoever moved. */

import { expect, test } from "vitest";
import {
  type CompareInput,
  type Comparison,
  compareWanted,
  isSame,
} from "../../../../src/model/value/comparison.ts";
import { readResourceSchema } from "../../../../src/model/value/resource-schema.ts";
import { type PlannedValue, unknown, type Value } from "../../../../src/model/value/value.ts";
import { vmType as cloudVm } from "../../../../src/providers/cloud/vm/vm.ts";
import { diskType } from "../../../../src/providers/manager/machine/disk.ts";
import { vmType as managerVm } from "../../../../src/providers/manager/machine/vm.ts";

const text = (marks: object) => ({ type: "string", "x-vmform": marks });
const schema = readResourceSchema("test_thing", {
  properties: {
    size: { type: "integer" },
    key: text({ forceNew: true, key: true }),
    fixed: text({ forceNew: true }),
    sent: text({ forceNew: true, unreadable: true }),
    hidden: text({ unreadable: true }),
    named: text({ lookup: true }),
    told: text({ computed: true }),
    trigger: text({ local: true }),
    power: text({}),
  },
});

type Row = readonly [
  name: string,
  input: Partial<CompareInput>,
  expected: { readonly [verdict in keyof Comparison]?: readonly string[] },
];

const fixed = { wanted: { fixed: "a" }, applied: { fixed: "a" } };
const imported = { wanted: { fixed: "a" }, applied: null, attributes: { fixed: "b" } };
const content = { schema, replacesDrift: true };

const rows: readonly Row[] = [
  ["nothing wanted", { attributes: { size: 1 }, applied: { size: 1 } }, {}],
  ["equal", { wanted: { size: 1 }, attributes: { size: 1 } }, {}],
  ["equal, one of them beyond 2^53", { wanted: { size: 1n }, attributes: { size: 1 } }, {}],
  ["read otherwise", { wanted: { size: 2 }, attributes: { size: 1 } }, { updates: ["size"] }],
  ["sent otherwise", { wanted: { size: 2 }, attributes: { size: 2 }, applied: { size: 1 } }, {}],
  ["never read", { wanted: { size: 2 } }, { updates: ["size"] }],
  ["wanted null is not compared", { wanted: { size: null }, attributes: { size: 1 } }, {}],
  ["unknown", { wanted: { size: unknown }, attributes: { size: 1 } }, { updates: ["size"] }],
  [
    "force-new, sent otherwise",
    { wanted: { fixed: "b" }, applied: { fixed: "a" }, attributes: { fixed: "a" } },
    { forceNew: ["fixed"] },
  ],
  [
    "force-new, sent otherwise, not read",
    { wanted: { fixed: "b" }, applied: { fixed: "a" } },
    { forceNew: ["fixed"] },
  ],
  [
    "force-new, sent otherwise, and there already",
    { wanted: { fixed: "b" }, applied: { fixed: "a" }, attributes: { fixed: "b" } },
    {},
  ],
  ["force-new, drifted", { ...fixed, attributes: { fixed: "b" } }, { standing: ["fixed"] }],
  ["force-new, gone outside", { ...fixed, attributes: { fixed: null } }, { standing: ["fixed"] }],
  ["force-new, not read", fixed, {}],
  [
    "force-new, drifted, of what loses nothing",
    { ...fixed, attributes: { fixed: "b" }, type: content },
    { forceNew: ["fixed"] },
  ],
  ["force-new, never sent nor read", { wanted: { fixed: "a" }, applied: { size: 1 } }, {}],
  ["force-new, imported", imported, { standing: ["fixed"] }],
  [
    "force-new, imported, of what loses nothing",
    { ...imported, type: content },
    { forceNew: ["fixed"] },
  ],
  ["force-new, sent null", { ...imported, applied: { fixed: null } }, { forceNew: ["fixed"] }],
  ["a key as another writes it", { wanted: { key: "a" }, attributes: { key: "A" } }, {}],
  [
    "unreadable force-new: what is shown does not count",
    { wanted: { sent: "b" }, applied: { sent: "a" }, attributes: { sent: "b" } },
    { forceNew: ["sent"] },
  ],
  [
    "unreadable: what was sent counts",
    { wanted: { hidden: "b" }, applied: { hidden: "a" }, attributes: { hidden: "b" } },
    { updates: ["hidden"] },
  ],
  ["unreadable, imported", { wanted: { hidden: "a" }, applied: null }, { updates: ["hidden"] }],
  [
    "looked up as it is not any more",
    { wanted: { named: "a" }, applied: { named: "a" }, attributes: { named: "a-old" } },
    { standing: ["named"] },
  ],
  [
    "what is only known later differs from nothing that is there",
    { wanted: { fixed: unknown, named: unknown }, applied: null, attributes: { fixed: "b" } },
    {},
  ],
  ["looked up by what is not told", { wanted: { named: "a" }, attributes: { named: null } }, {}],
  ["computed", { wanted: { told: "b" }, attributes: { told: "a" } }, {}],
  ["local", { wanted: { trigger: "b" }, applied: { trigger: "a" } }, {}],
  ["ignored", { wanted: { size: 2 }, ignore: ["size"] }, {}],
  ["with rules of its own", { wanted: { power: "on" }, except: ["power"] }, {}],
];

test.each(rows)("%s", (_, input, expected) => {
  const found = compareWanted({
    type: { schema },
    wanted: {},
    applied: {},
    attributes: {},
    ignore: [],
    except: [],
    ...input,
  });
  expect(found).toEqual({ forceNew: [], updates: [], standing: [], ...expected });
});

const uuid = "1b8ef8e6-3a0e-4ba4-9b43-4ea0a1e7c8b0";
const path = `/api/vApp/vm-${uuid}`;
const browser = "https://m.example.com/mob/?moid=vm-12";

test.each<[string, Parameters<typeof isSame>[0], string, PlannedValue, Value, boolean]>([
  ["a size within the tolerance", diskType, "size_gb", 42.1, 42.099_999_427_795_41, true],
  ["a size beyond it", diskType, "size_gb", 42.1, 42.2, false],
  ["the short id of a cloud VM", cloudVm, "href", `vm-${uuid}`, path, true],
  ["its whole link", cloudVm, "href", `https://other.example.com${path}`, path, true],
  ["its UUID in capitals", cloudVm, "href", uuid.toUpperCase(), path, true],
  ["another VM", cloudVm, "href", "vm-2", path, false],
  ["another name", cloudVm, "name", "vm-2", "vm-3", false],
  ["the address in the object browser", managerVm, "moref", browser, "vm-12", true],
  ["a UUID in capitals", managerVm, "instance_uuid", uuid.toUpperCase(), uuid, true],
  ["another UUID", managerVm, "instance_uuid", uuid.replace("1", "2"), uuid, false],
  ["a path with slashes around it", managerVm, "path", "/dc/vm/web/", "dc/vm/web", true],
  ["names are compared as they are", managerVm, "name", "Web", "web", false],
  ["unknown is like nothing", managerVm, "name", unknown, "web", false],
])("the same: %s", (_, type, attribute, wanted, actual, expected) => {
  expect(isSame(type, attribute, wanted, actual)).toBe(expected);
});
