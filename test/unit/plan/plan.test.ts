/** What becomes of objects, which operations, in which order: one row per situation. */

import { describe, expect, test } from "vitest";
import type { DesiredInstance, DesiredOutput, Lifecycle } from "../../../src/model/plan/desired.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { planHasChanges } from "../../../src/model/plan/plan-counts.ts";
import { vmAddress } from "../../simulation/configuration.ts";
import {
  changesOf,
  codesOf,
  configuration,
  consentOf,
  type Existing,
  edgeOf,
  existingFolder,
  existingVm,
  folder,
  isAfter,
  operationsOf,
  planOf,
  type Scene,
  vm,
} from "./planning.ts";

type Row = Scene & {
  readonly name: string;
  readonly changes?: readonly string[];
  readonly operations?: readonly string[];
  readonly codes?: readonly string[];
  readonly consent?: readonly string[];
};

const copyNames = "a b c d e f g h i j".split(" ");

const a = vm("a");
const on = { power: "on" } as const;
const aOn = vm("a", on);
const f = folder("f", "a");
const lifecycle =
  (parts: Partial<Lifecycle>) =>
  (instance: DesiredInstance): DesiredInstance => ({
    ...instance,
    lifecycle: { ...instance.lifecycle, ...parts },
  });

const lives: readonly Row[] = [
  { name: "nothing" },
  {
    name: "a new VM",
    wants: configuration([a]),
    changes: ["create a"],
    operations: ["a create"],
    consent: [],
  },
  {
    name: "a new VM that shall be on",
    wants: configuration([aOn]),
    changes: ["create a"],
    operations: ["a create", "a on"],
  },
  {
    name: "a new VM, firmware while off, sharing while on",
    wants: configuration([vm("a", { ...on, firmware: "new", share: true })]),
    changes: ["create a"],
    operations: ["a create", "a set-firmware", "a on", "a wait-tools", "a set-share"],
  },
  {
    name: "as it is",
    exists: [existingVm(aOn, "on")],
    wants: configuration([aOn]),
  },
  {
    name: "unset power is left as it is",
    exists: [existingVm(a, "suspended")],
    wants: configuration([a]),
  },
  {
    name: "left the configuration",
    exists: [existingVm(a, "off")],
    changes: ["delete a"],
    operations: ["a delete"],
    consent: ["destroy a"],
  },
  {
    name: "left the configuration while on: hard off first",
    exists: [existingVm(aOn, "on")],
    changes: ["delete a"],
    operations: ["a off", "a delete"],
    consent: ["destroy a"],
  },
  {
    name: "left the configuration and is gone",
    exists: [existingVm(a, "off", {}, "missing")],
    changes: ["forget a"],
  },
  {
    name: "gone outside and still wanted",
    exists: [existingVm(a, "off", {}, "missing")],
    wants: configuration([a]),
    changes: ["create a"],
    operations: ["a create"],
  },
  {
    name: "gone outside, with the power it had",
    exists: [existingVm(a, "on", {}, "missing")],
    wants: configuration([a]),
    changes: ["create a"],
    operations: ["a create", "a on"],
  },
  {
    name: "a key that exists and is recorded nowhere",
    wants: configuration([a]),
    lookups: new Map([
      [vmAddress("a"), { status: "found", identity: "a", attributes: {}, unreadable: {} }],
    ]),
    codes: ["PLN002"],
  },
  {
    name: "could not be read: nothing is planned for it, nor for what depends on it",
    exists: [existingVm(a, "off", {}, "failed"), existingVm(vm("b"), "off")],
    wants: configuration([
      vm("a", { firmware: "new" }),
      vm("b", { firmware: "new", dependsOn: ["a"] }),
    ]),
    codes: ["PLN005"],
  },
];

/** A VM of which one attribute could not be read. */
function hidden(firmware: "failed" | "by rule"): Existing {
  const { record } = existingVm(vm("a", { firmware: "old" }), "off");
  const unreadable = { firmware };
  const reasons = { firmware: "status 500" };
  const { identity } = record;
  return {
    record,
    observation: { status: "found", identity, attributes: {}, unreadable, reasons },
  };
}

test("a wanted attribute whose reading failed is not taken for as wanted", () => {
  const wants = configuration([vm("a", { firmware: "old" })]);
  const plan = planOf({ exists: [hidden("failed")], wants });
  expect(plan.diagnostics).toMatchObject([
    {
      code: "PLN005",
      detail: expect.stringMatching(/^firmware could not be read: status 500\./) as unknown,
    },
  ]);
  expect(codesOf(planOf({ exists: [hidden("by rule")], wants }))).toEqual([]);
  // What nobody wants, and what is left to others, may be as it is.
  const indifferent = configuration([a]);
  expect(codesOf(planOf({ exists: [hidden("failed")], wants: indifferent }))).toEqual([]);
  const edit = lifecycle({ ignoreChanges: ["firmware"] });
  expect(codesOf(planOf({ exists: [hidden("failed")], wants, edit }))).toEqual([]);
});

const powers: readonly Row[] = [
  {
    name: "on to off: a graceful shutdown, a hard off behind it",
    exists: [existingVm(aOn, "on")],
    wants: configuration([vm("a", { power: "off" })]),
    changes: ["update a"],
    operations: ["a shutdown", "a off?"],
    consent: ["power-off a"],
  },
  {
    name: "off to paused by way of on",
    exists: [existingVm(a, "off")],
    wants: configuration([vm("a", { power: "paused" })]),
    changes: ["update a"],
    operations: ["a on", "a pause"],
    consent: ["power-off a"],
  },
  {
    name: "firmware of a running VM: one window, one cycle",
    exists: [existingVm(aOn, "on")],
    wants: configuration([vm("a", { ...on, firmware: "new" })]),
    changes: ["update a"],
    operations: ["a shutdown (open)", "a set-firmware (member)", "a off? (open)", "a on (close)"],
    consent: ["power-cycle a"],
  },
  {
    name: "firmware and off: no window, the VM goes off anyway",
    exists: [existingVm(aOn, "on")],
    wants: configuration([vm("a", { power: "off", firmware: "new" })]),
    changes: ["update a"],
    operations: ["a shutdown", "a set-firmware", "a off?"],
    consent: ["power-off a"],
  },
  {
    name: "firmware of a suspended VM: by way of on, and back",
    exists: [existingVm(vm("a"), "suspended")],
    wants: configuration([vm("a", { firmware: "new" })]),
    changes: ["update a"],
    operations: [
      "a on (open)",
      "a wait-tools (word)",
      "a shutdown (word)",
      "a set-firmware (member)",
      "a off? (word)",
      "a on2 (close)",
      "a suspend (close)",
    ],
    consent: ["power-cycle a"],
  },
  {
    name: "an open restore is planned although power is unset",
    exists: [existingVm(a, "off")],
    wants: configuration([a]),
    restores: [{ address: vmAddress("a"), power: "on" }],
    changes: ["update a"],
    operations: ["a on"],
    consent: [],
  },
  {
    name: "a wanted power overtakes an open restore",
    exists: [existingVm(a, "off")],
    wants: configuration([vm("a", { power: "off" })]),
    restores: [{ address: vmAddress("a"), power: "on" }],
  },
  {
    name: "power that is ignored is left alone",
    exists: [existingVm(a, "off")],
    wants: configuration([aOn]),
    edit: lifecycle({ ignoreChanges: ["power"] }),
  },
  {
    name: "firmware that is ignored is left alone",
    exists: [existingVm(aOn, "on")],
    wants: configuration([vm("a", { ...on, firmware: "new" })]),
    edit: lifecycle({ ignoreChanges: ["firmware"] }),
  },
];

const labelled = (label: string) => vm("a", { ...on, label });
const replaces: readonly Row[] = [
  {
    name: "a force-new attribute that was applied otherwise",
    exists: [existingVm(vm("a", { label: "one" }), "off")],
    wants: configuration([vm("a", { label: "two" })]),
    changes: ["replace a"],
    operations: ["a delete", "a create"],
    consent: ["replace a"],
  },
  {
    name: "a running VM: a way back from a delete that fails",
    exists: [existingVm(labelled("one"), "on")],
    wants: configuration([labelled("two")]),
    changes: ["replace a"],
    operations: ["a off (open)", "a delete (member)", "a on (close)", "a create", "a on2"],
    consent: ["replace a"],
  },
  {
    name: "a paused VM: a way back of two words",
    exists: [existingVm(vm("a", { label: "one" }), "paused")],
    wants: configuration([vm("a", { label: "two" })]),
    changes: ["replace a"],
    operations: [
      "a off (open)",
      "a delete (member)",
      "a on (close)",
      "a pause (close)",
      "a create",
      "a on2",
      "a pause2",
    ],
  },
  {
    name: "drift of a force-new attribute never replaces",
    exists: [existingVm(labelled("one"), "on", {}, { name: "outside" })],
    wants: configuration([labelled("one")]),
  },
  {
    name: "an import knows of no applied value, so nothing differs",
    exists: [existingVm(labelled("one"), "on", { applied: null })],
    wants: configuration([labelled("two")]),
  },
  {
    name: "a force-new attribute that is ignored",
    exists: [existingVm(labelled("one"), "on")],
    wants: configuration([labelled("two")]),
    edit: lifecycle({ ignoreChanges: ["name"] }),
  },
  {
    name: "prevented",
    exists: [existingVm(labelled("one"), "on")],
    wants: configuration([labelled("two")]),
    edit: lifecycle({ preventDestroy: true }),
    codes: ["PLN007"],
  },
  {
    name: "prevented, in a destroy",
    exists: [existingVm(aOn, "on")],
    wants: configuration([aOn]),
    edit: lifecycle({ preventDestroy: true }),
    input: { mode: "destroy" },
    codes: ["PLN007"],
  },
  {
    name: "content is made again with its container, and ends with it without a request",
    exists: [existingVm(labelled("one"), "on"), existingFolder(f)],
    wants: configuration([labelled("two")], [f]),
    changes: ["replace a", "replace f"],
    operations: [
      "a off (open)",
      "a delete (member)",
      "a on (close)",
      "a create",
      "a on2",
      "a wait-tools",
      "f add",
    ],
  },
];

const contents: readonly Row[] = [
  {
    name: "a folder of a new VM waits for its tools",
    wants: configuration([aOn], [f]),
    changes: ["create a", "create f"],
    operations: ["a create", "a on", "a wait-tools", "f add"],
  },
  {
    name: "a folder of a running VM",
    exists: [existingVm(aOn, "on")],
    wants: configuration([aOn], [f]),
    changes: ["create f"],
    operations: ["f add"],
    consent: [],
  },
  {
    name: "a folder that left a running VM",
    exists: [existingVm(aOn, "on"), existingFolder(f)],
    wants: configuration([aOn]),
    changes: ["delete f"],
    operations: ["f remove"],
  },
  {
    name: "a folder goes before the word that leaves on",
    exists: [existingVm(aOn, "on")],
    wants: configuration([vm("a", { power: "off" })], [f]),
    changes: ["update a", "create f"],
    operations: ["f add", "a shutdown", "a off?"],
  },
  {
    name: "a folder of a VM that is off: an echo window, with consent",
    exists: [existingVm(a, "off")],
    wants: configuration([a], [f]),
    changes: ["create f"],
    operations: [
      "a on (open)",
      "a wait-tools (word)",
      "f add (member)",
      "a shutdown (close)",
      "a off? (close)",
    ],
    consent: ["power-cycle a"],
  },
  {
    name: "the same without consent is an error, and the rest is planned",
    exists: [existingVm(a, "off")],
    wants: configuration([a, vm("b")], [f]),
    allowed: [],
    changes: ["create b"],
    operations: ["b create"],
    codes: ["PLN011"],
  },
  {
    name: "two folders share the echo window",
    exists: [existingVm(a, "off")],
    wants: configuration([a], [f, folder("g", "a")]),
    changes: ["create f", "create g"],
    operations: [
      "a on (open)",
      "a wait-tools (word)",
      "f add (member)",
      "g add (member)",
      "a shutdown (close)",
      "a off? (close)",
    ],
  },
  {
    name: "a folder changed: removed, then added, in one window",
    exists: [existingVm(a, "off"), existingFolder(f, {}, "unreadable")],
    wants: configuration([a], [folder("f", "a", { host: "/other" })]),
    changes: ["replace f"],
    operations: [
      "a on (open)",
      "a wait-tools (word)",
      "f remove (member)",
      "f add (member)",
      "a shutdown (close)",
      "a off? (close)",
    ],
  },
  {
    name: "content that cannot be read stands",
    exists: [existingVm(a, "off"), existingFolder(f, {}, "unreadable")],
    wants: configuration([a], [f]),
  },
  {
    name: "content leaves with its container, without a request",
    exists: [existingVm(aOn, "on"), existingFolder(f)],
    changes: ["delete a", "delete f"],
    operations: ["a off", "a delete"],
  },
  {
    name: "content that its own container waits for goes before it changes",
    // b left, the folder in c used it, and c itself is turned on after b is replaced.
    exists: [
      existingVm(vm("b", { label: "one" }), "off"),
      existingVm(vm("c", { dependsOn: ["b"] }), "off"),
      existingFolder(folder("f", "c", { dependsOn: ["b"] }), {}, "unreadable"),
    ],
    wants: configuration(
      [vm("b", { label: "two" }), vm("c", { ...on, dependsOn: ["b"] })],
      [folder("f", "c", { dependsOn: ["b"], host: "/other" })],
    ),
    changes: ["replace b", "update c", "replace f"],
    operations: [
      "c on2 (open)",
      "c wait-tools (word)",
      "f remove (member)",
      "c shutdown (close)",
      "c off? (close)",
      "b delete",
      "b create",
      "c on",
      "c wait-tools2",
      "f add",
    ],
  },
];

const keys: readonly Row[] = [
  {
    name: "a renamed resource: the plan asks for a moved entry, and ends nothing meanwhile",
    exists: [existingVm(vm("old", { id: "kept" }), "off")],
    wants: configuration([vm("new", { id: "kept" })]),
    codes: ["PLN003"],
  },
  {
    name: "a key handed on: the plan asks which object is meant, and touches neither",
    exists: [existingVm(vm("a", { id: "x" }), "off"), existingVm(vm("b", { id: "y" }), "off")],
    wants: configuration([vm("a", { id: "y" }), vm("b", { id: "z" })]),
    codes: ["PLN003", "PLN003"],
  },
  {
    name: "keys swapped: neither is deleted",
    exists: [existingVm(vm("a", { id: "x" }), "off"), existingVm(vm("b", { id: "y" }), "off")],
    wants: configuration([vm("a", { id: "y" }), vm("b", { id: "x" })]),
    codes: ["PLN003", "PLN003"],
  },
];

const copies: readonly Row[] = [
  {
    name: "a clone of a VM that is made here comes before its first power on",
    wants: configuration([vm("base", on), vm("copy", { ...on, parent: "base" })]),
    changes: ["create base", "create copy"],
    operations: ["base create", "copy clone", "base on", "copy on"],
  },
  {
    name: "ten clones of a template that stays off",
    exists: [existingVm(vm("base"), "off")],
    wants: configuration([vm("base"), ...copyNames.map((name) => vm(name, { parent: "base" }))]),
    changes: copyNames.map((name) => `create ${name}`),
    operations: copyNames.map((name) => `${name} clone`),
  },
  {
    name: "a clone of a running VM is tried as it is without consent",
    exists: [existingVm(vm("base", on), "on")],
    wants: configuration([vm("base", on), vm("copy", { parent: "base" })]),
    allowed: [],
    changes: ["create copy"],
    operations: ["copy clone"],
    consent: [],
  },
  {
    name: "a clone of a running VM in a window, with consent",
    exists: [existingVm(vm("base", on), "on")],
    wants: configuration([vm("base", on), vm("copy", { parent: "base" })]),
    changes: ["create copy"],
    operations: [
      "base shutdown (open)",
      "copy clone (member)",
      "base off? (open)",
      "base on (close)",
    ],
    consent: ["power-cycle base"],
  },
  {
    name: "a clone of a VM that is turned off is placed behind that",
    exists: [existingVm(vm("base", on), "on")],
    wants: configuration([vm("base", { power: "off" }), vm("copy", { parent: "base" })]),
    changes: ["update base", "create copy"],
    operations: ["base shutdown", "base off?", "copy clone"],
  },
  {
    name: "a clone of a VM that is turned on is placed before that",
    exists: [existingVm(vm("base"), "off")],
    wants: configuration([vm("base", on), vm("copy", { parent: "base" })]),
    changes: ["update base", "create copy"],
    operations: ["copy clone", "base on"],
  },
];

const groups = { lives, powers, replaces, contents, keys, copies };
for (const [group, rows] of Object.entries(groups)) {
  test.each(rows)(`${group}: $name`, (row) => {
    const made = planOf(row);
    expect({
      changes: changesOf(made),
      operations: operationsOf(made),
      codes: codesOf(made),
      ...(row.consent === undefined ? {} : { consent: consentOf(made) }),
    }).toEqual({
      changes: row.changes ?? [],
      operations: row.operations ?? [],
      codes: row.codes ?? [],
      ...(row.consent === undefined ? {} : { consent: row.consent }),
    });
  });
}

describe("edges", () => {
  const windowed: Scene = {
    exists: [existingVm(aOn, "on")],
    wants: configuration([vm("a", { ...on, firmware: "new" })]),
  };

  test("members need the first word, the closing word only that they have settled", () => {
    const made = planOf(windowed);
    expect(edgeOf(made, "a set-firmware", "a shutdown")).toBe("success");
    expect(edgeOf(made, "a on", "a set-firmware")).toBe("settled");
    const [open, , , close] = made.operations;
    expect([open?.record.restore, open?.record.settlesRestore]).toEqual(["on", undefined]);
    expect([
      close?.record.restore,
      close?.record.settlesRestore,
      close?.request.closing !== undefined,
    ]).toEqual([undefined, true, true]);
  });

  test("a second closing word needs the first, and is not needed where the goal is reached", () => {
    const made = planOf({
      exists: [existingVm(a, "suspended")],
      wants: configuration([vm("a", { firmware: "new" })]),
    });
    expect(edgeOf(made, "a suspend", "a on2")).toBe("success");
    const first = made.operations.find((operation) => operation.id.endsWith("#on.2"));
    expect(first?.request.satisfiedBy).toEqual([{ attribute: "power_state", equals: "suspended" }]);
  });

  test("the way back of a replace runs only when the delete failed", () => {
    const made = planOf({
      exists: [existingVm(vm("a", { label: "one" }), "paused")],
      wants: configuration([vm("a", { label: "two" })]),
    });
    expect(edgeOf(made, "a on", "a delete")).toBe("failure");
    expect(edgeOf(made, "a pause", "a on")).toBe("success");
    expect(edgeOf(made, "a create", "a delete")).toBe("success");
  });

  test("a window opens when what its members wait for outside has settled", () => {
    const made = planOf({
      exists: [existingVm(a, "off"), existingVm(vm("base"), "off")],
      wants: configuration(
        [a, vm("base"), vm("copy", { parent: "base" })],
        [folder("f", "a", { dependsOn: ["copy"] })],
      ),
    });
    expect(edgeOf(made, "f add", "copy clone")).toBe("success");
    expect(edgeOf(made, "a on", "copy clone")).toBe("settled");
  });

  test("deletes go in the reverse order of recorded dependencies", () => {
    const made = planOf({
      exists: [
        existingVm(vm("base"), "off"),
        existingVm(vm("copy", { parent: "base" }), "off"),
        existingVm(vm("last", { dependsOn: ["copy"] }), "off"),
      ],
    });
    expect(operationsOf(made)).toEqual(["last delete", "copy delete", "base delete"]);
    expect(edgeOf(made, "base delete", "copy delete")).toBe("success");
  });

  test("order passes through what stays as it is", () => {
    const made = planOf({
      exists: [existingVm(vm("b", { dependsOn: ["a"] }), "off")],
      wants: configuration([a, vm("b", { dependsOn: ["a"] }), vm("c", { dependsOn: ["b"] })]),
    });
    expect(changesOf(made)).toEqual(["create a", "create c"]);
    expect(isAfter(made, "c create", "a create")).toBe(true);
  });

  test("what no longer depends on an object is updated before that object goes", () => {
    const made = planOf({
      exists: [
        existingVm(vm("used"), "off"),
        existingVm(vm("user", { dependsOn: ["used"] }), "off"),
      ],
      wants: configuration([vm("user", { firmware: "new" })]),
    });
    expect(operationsOf(made)).toEqual(["user set-firmware", "used delete"]);
    expect(isAfter(made, "used delete", "user set-firmware")).toBe(true);
  });

  test("literal ids make the edges that references would make", () => {
    const wants = configuration(
      [vm("base"), vm("copy", { ...on, parent: "base" })],
      [folder("f", "copy")],
    );
    const [literal, named] = [planOf({ wants: { ...wants, literal: true } }), planOf({ wants })];
    const sorted = (made: Plan) => operationsOf(made).toSorted();
    expect(sorted(literal)).toEqual(sorted(named));
    for (const made of [literal, named]) {
      expect(isAfter(made, "copy clone", "base create")).toBe(true);
      expect(isAfter(made, "f add", "copy on")).toBe(true);
    }
  });

  test("clones hold their parent's lock shared and take no slot", () => {
    const made = planOf({
      exists: [existingVm(vm("base"), "off")],
      wants: configuration([vm("base"), vm("copy", { parent: "base" })]),
    });
    const [clone] = made.operations;
    expect(clone?.order.long).toBe(true);
    expect(clone?.order.locks).toEqual([
      { key: "vm copy", mode: "exclusive" },
      { key: "vm base", mode: "shared" },
    ]);
  });
});

describe("waits for an address", () => {
  const ip = { address: vmAddress("a"), attribute: "ip_address" };
  const output: DesiredOutput = {
    name: "ip",
    sensitive: false,
    references: [ip],
    resolve: (lookup) => ({ value: lookup(ip.address)?.ip_address ?? null, diagnostics: [] }),
  };
  const user = (instance: DesiredInstance): DesiredInstance =>
    instance.address === vmAddress("b")
      ? { ...instance, references: [ip], dependencies: [ip.address] }
      : instance;
  const b = vm("b");

  test.each<[string, Scene, readonly string[]]>([
    [
      "of a VM that is turned on, for an output",
      { wants: configuration([aOn]), desired: { outputs: [output] } },
      ["a create", "a on", "a wait-ip_address"],
    ],
    [
      "of a VM that will not be on: none, the output is null",
      { wants: configuration([a]), desired: { outputs: [output] } },
      ["a create"],
    ],
    [
      "of a VM that stays on: none, its last address stands",
      {
        exists: [existingVm(aOn, "on")],
        wants: configuration([aOn]),
        desired: { outputs: [output] },
      },
      [],
    ],
    [
      "for another object, which waits for it",
      { wants: configuration([aOn, b]), edit: user },
      ["a create", "a on", "a wait-ip_address", "b create"],
    ],
    [
      "once for two who want it",
      { wants: configuration([aOn, b]), edit: user, desired: { outputs: [output] } },
      ["a create", "a on", "a wait-ip_address", "b create"],
    ],
    ["for nobody: none", { wants: configuration([aOn, b]) }, ["a create", "a on", "b create"]],
  ])("%s", (_, scene, expected) => {
    // `desired` replaces outputs only; the instances come from the scene's configuration.
    const made = planOf(scene);
    expect(operationsOf(made)).toEqual(expected);
    if (expected.includes("b create") && expected.includes("a wait-ip_address")) {
      expect(edgeOf(made, "b create", "a wait-ip_address")).toBe("success");
    }
  });
});

describe("the brake on objects that vanish at once", () => {
  const estate = (count: number, missing: number): readonly Existing[] =>
    Array.from({ length: count }, (_none, index) =>
      existingVm(vm(`v${index}`), "off", {}, index < missing ? "missing" : {}),
    );
  test.each<[number, number, boolean]>([
    [3, 3, false],
    [4, 4, true],
    [8, 4, false],
    [7, 4, true],
    [100, 50, false],
    [100, 51, true],
  ])("%i recorded, %i missing: stops %s", (count, missing, stops) => {
    const exists = estate(count, missing);
    expect(codesOf(planOf({ exists, allowed: [] })).includes("PLN013")).toBe(stops);
    expect(codesOf(planOf({ exists, allowed: ["vanished"] }))).not.toContain("PLN013");
  });

  test("neither what was never seen counts, nor content", () => {
    const tentative = { status: "tentative", tentativeUntilMs: 2_000_000 } as const;
    const unseen = estate(4, 0).map(({ record }) =>
      existingVm(vm(record.identity), "off", tentative, "missing"),
    );
    const folders = ["f1", "f2", "f3", "f4"].map((name) =>
      existingFolder(folder(name, "a"), {}, "missing"),
    );
    const exists = [existingVm(a, "off"), ...folders];
    expect(codesOf(planOf({ exists: unseen, allowed: [] }))).toEqual([]);
    expect(codesOf(planOf({ exists, wants: configuration([a]), allowed: [] }))).toEqual([]);
  });
});

describe("creates that were never seen", () => {
  const tentative = { status: "tentative", tentativeUntilMs: 2_000_000 } as const;

  test("found: it is ours, and the plan has no change", () => {
    const made = planOf({
      exists: [existingVm(a, "off", tentative)],
      wants: configuration([a]),
    });
    expect(planHasChanges(made)).toBe(false);
    expect(made.observed.map((entry) => entry.existence)).toEqual(["found"]);
  });

  test("missing and wanted: create again", () => {
    const made = planOf({
      exists: [existingVm(a, "off", tentative, "missing")],
      wants: configuration([a]),
    });
    expect(changesOf(made)).toEqual(["create a"]);
  });

  test.each([
    [1_999_999, "kept and listed"],
    [2_000_001, "forgotten"],
  ])("missing and not wanted, at %i: %s", (nowMs, becomes) => {
    const made = planOf({
      exists: [existingVm(a, "off", tentative, "missing")],
      input: { nowMs },
    });
    const notes = made.notes.map((entry) => entry.note.what);
    expect(made.operations).toEqual([]);
    expect([notes, made.notChecked.length]).toEqual(
      becomes === "forgotten" ? [["forget"], 0] : [[], 1],
    );
  });
});

describe("bookkeeping", () => {
  test("new dependencies and inputs are recorded without a request, and are no change", () => {
    const made = planOf({
      exists: [existingVm(vm("b"), "off"), existingVm(a, "off")],
      wants: configuration([vm("b"), vm("a", { dependsOn: ["b"] })]),
    });
    expect(planHasChanges(made)).toBe(false);
    expect(made.closingNotes.map((entry) => entry.note)).toEqual([
      {
        what: "record",
        address: vmAddress("a"),
        applied: {},
        dependencies: [vmAddress("b")],
        timeoutsMs: {},
        preventDestroy: false,
      },
    ]);
  });

  test("a restore that nobody owes any more is cleared", () => {
    const made = planOf({ restores: [{ address: vmAddress("gone"), power: "on" }] });
    const cleared = { what: "clear-restore", address: vmAddress("gone") };
    expect(made.notes.map((entry) => entry.note)).toEqual([cleared]);
  });

  test("a restore that wanted power has overtaken is cleared at the end", () => {
    const made = planOf({
      exists: [existingVm(a, "off")],
      wants: configuration([vm("a", { power: "off" })]),
      restores: [{ address: vmAddress("a"), power: "on" }],
    });
    expect(made.notes).toEqual([]);
    const cleared = { what: "clear-restore", address: vmAddress("a") };
    expect(made.closingNotes.map((entry) => entry.note)).toContainEqual(cleared);
  });
});
