/** The pure half of `appliance_storage`: what is due, what stands against it, what it becomes. */

import { describe, expect, test } from "vitest";
import type { LoweredStep, LowerRequest } from "../../../../../src/model/provider/provider.ts";
import type { RecordedObject } from "../../../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../../../src/model/value/address.ts";
import {
  type Attributes,
  type PlannedAttributes,
  unknown,
} from "../../../../../src/model/value/value.ts";
import { storageType } from "../../../../../src/providers/appliance/storage/storage.ts";
import { shown65 } from "../scripted-appliance.ts";

const address = "appliance_storage.a" as Address;
const read: Attributes = { release: "6.5", disks: {}, health: "green", filesystems_gb: shown65 };
const unread: Attributes = { ...read, filesystems_gb: null };

function recorded(applied: Attributes | null, attributes: Attributes = read): RecordedObject {
  return {
    address,
    objectKey: "current",
    type: "appliance_storage",
    provider: "appliance",
    identity: "storage",
    status: "ready",
    applied,
    attributes,
    dependencies: [],
    timeoutsMs: {},
  };
}

type Sizes = { readonly [key: string]: number };
type Given = {
  readonly applied?: Sizes;
  /** Facts; default: what is read. */
  readonly facts?: Attributes;
};

function update(sizes: Sizes, { applied, facts = read }: Given = {}): LowerRequest {
  const prior = recorded(applied === undefined ? null : { sizes_gb: applied });
  const inputs: PlannedAttributes = { sizes_gb: sizes };
  return { action: "update", identity: "storage", inputs, changed: ["sizes_gb"], prior, facts };
}

function due(sizes: Sizes, applied: Sizes | undefined, attributes: Attributes = read) {
  const record = recorded(applied === undefined ? null : { sizes_gb: applied }, attributes);
  return storageType.due?.(record, { sizes_gb: sizes }, 0);
}

function onlyStep(change: LowerRequest): LoweredStep {
  const steps = storageType.lower(change);
  const [step] = steps;
  if (step === undefined || steps.length > 1) throw new Error(`${steps.length} steps`);
  return step;
}

const codes = (change: LowerRequest) =>
  storageType.objections?.(change).map(({ severity, code }) => `${severity} ${code}`);

test("there is one for each appliance, whatever its configuration", () => {
  expect(storageType.identityOf({})).toBe("storage");
  expect(storageType.parseIdentity?.(" storage ")).toBe("storage");
  expect(storageType.parseIdentity?.("disk")).toBeUndefined();
  const key = (url: string) => storageType.entity("storage", { url });
  expect(key("https://vcsa.example.com/rest")).toBe(key("https://VCSA.example.com"));
  expect(key("https://vcsa.example.com")).not.toBe(key("https://east.example.com"));
});

describe("check", () => {
  test.each<[PlannedAttributes, readonly string[]]>([
    [{}, []],
    [{ sizes_gb: null }, []],
    [{ sizes_gb: unknown }, []],
    [{ sizes_gb: { core: 50, "5": 20, vmdk6: 20, root: 20 } }, []],
    // Not known here: the appliance decides.
    [{ sizes_gb: { lifecycle: 100, "13": 50, "2": 5 } }, []],
    [{ sizes_gb: { cores: 50 } }, ["APL001"]],
    [{ sizes_gb: { "stats, events and tasks": 50 } }, ["APL001"]],
    [{ sizes_gb: { package_store: 5 } }, ["APL002"]],
    [{ sizes_gb: { "4": 50, vmdk4: 60 } }, ["APL003"]],
    [{ sizes_gb: { core: unknown, log: 20 } }, ["APL005"]],
  ])("of %j", (attributes, expected) => {
    expect(storageType.check?.(attributes, address).map(({ code }) => code)).toEqual(expected);
  });

  test("says what was meant", () => {
    const [problem] = storageType.check?.({ sizes_gb: { cores: 50 } }, address) ?? [];
    expect(problem).toMatchObject({ severity: "error", address });
    expect(problem?.detail).toContain("did you mean core?");
  });
});

describe("what differs", () => {
  test.each([
    [{ core: 50 }, { core: 50 }, true],
    [{ "4": 50 }, { vmdk4: 50 }, true],
    [{ core: 50 }, { core: 25 }, false],
    [{ core: 20 }, { core: 25 }, false],
    // Left to `due`, and left out.
    [{ core: 50, log: 20 }, { core: 50 }, true],
    [{ core: 50 }, { core: 50, log: 20 }, true],
    [{ core: 50 }, null, true],
  ])("%j from applied %j: same %s", (wanted, applied, same) => {
    expect(storageType.same?.("sizes_gb", wanted, applied)).toBe(same);
  });

  test("of another attribute is everything", () => {
    expect(storageType.same?.("release", "6.5", "6.7")).toBe(false);
  });
});

describe("what is due although nothing differs", () => {
  test.each<[Sizes, Sizes | undefined, Attributes, readonly string[]]>([
    [{ core: 25, root: 12, "9": 1 }, undefined, read, []],
    [{ core: 50 }, undefined, read, ["sizes_gb"]],
    [{ "4": 50 }, undefined, read, ["sizes_gb"]],
    [{ core: 20 }, undefined, read, ["sizes_gb"]],
    [{ core: 25 }, undefined, unread, ["sizes_gb"]],
    [{ core: 25 }, { core: 25 }, unread, []],
    [{ core: 50 }, { core: 50 }, read, ["sizes_gb"]],
    [{ core: 25, log: 20 }, { core: 25 }, read, ["sizes_gb"]],
    [{ lifecycle: 100 }, { lifecycle: 100 }, read, ["sizes_gb"]],
    [{ lifecycle: 100 }, { lifecycle: 100 }, { ...unread, disks: { "13": ["lifecycle"] } }, []],
  ])("%j, applied %j", (sizes, applied, attributes, expected) => {
    expect(due(sizes, applied, attributes)).toEqual(expected);
  });
});

describe("objections", () => {
  test.each<[Sizes, Given, readonly string[]]>([
    [{ core: 50 }, { applied: { core: 25 } }, []],
    [{ core: 20 }, { applied: { core: 25 } }, ["error APL004"]],
    [{ core: 20 }, {}, ["error APL004"]],
    [{ core: 20, log: 20 }, {}, ["error APL004"]],
    [{ lifecycle: 100 }, {}, ["error APL001"]],
    [{ core: 50, "4": 60 }, {}, ["error APL003"]],
    [{ root: 20, boot: 20 }, { facts: unread }, ["error APL003", "warning APL006"]],
    [{ core: 50 }, { facts: unread }, ["warning APL006"]],
    [{ core: 50 }, { facts: { ...read, health: "red" } }, ["warning APL007"]],
    [{ core: 50 }, { facts: { ...read, health: "gray" } }, []],
    [{ core: 50 }, { facts: { ...read, disks: { "1": ["root"] } } }, ["error APL001"]],
    [{ "2": 5 }, {}, ["error APL002"]],
    [{ "2": 5 }, { facts: { ...read, disks: { "1": ["root"] } } }, ["error APL002"]],
  ])("to %j, %j", (sizes, given, expected) => {
    expect(codes(update(sizes, given))).toEqual(expected);
  });

  test("name both numbers, and the way out", () => {
    const applied = storageType.objections?.(update({ core: 20 }, { applied: { core: 25 } }))?.[0];
    expect(applied?.detail).toBe("core is to have 20 GB, and it was asked to have 25 GB.");
    expect(applied?.fix).toContain("vmform state rm");
    const shown = storageType.objections?.(update({ core: 20 }))?.[0];
    expect(shown?.detail).toBe("core is to have 20 GB, and its filesystem shows 24.48 GB already.");
  });

  test("name what there is, and say plainly what is not seen", () => {
    const facts = { ...unread, disks: { "4": ["core"], "13": ["archive"] } };
    const texts = storageType.objections?.(update({ cor: 20, core: 50 }, { facts })) ?? [];
    expect(texts[0]?.detail).toContain("did you mean core? there are 4 (core), 13 (archive).");
    expect(texts[1]?.detail).toMatch(/does not show the size of core.* tells nothing but/);
  });

  test("are none to what adopts or forgets", () => {
    const prior = recorded(null);
    expect(codes({ action: "delete", identity: "storage", prior })).toEqual([]);
    expect(codes({ action: "create", identity: "storage", inputs: {} })).toEqual([]);
  });
});

describe("lowering", () => {
  test("is one resize that names what must be seen", () => {
    expect(onlyStep(update({ core: 50, log: 10 }, { applied: { core: 25 } }))).toEqual({
      verb: "resize",
      effect: "update",
      summary: "grow all partitions to their disks: core to 50 GB",
      request: { inputs: { release: "6.5", filesystems_gb: { core: 46.9 } }, repeat: "safe" },
      applied: { sizes_gb: { core: 50, log: 10 } },
      proof: {
        expect: [{ attribute: "filesystems_gb", atLeast: { core: 46.9 } }],
        lagMs: 660_000,
        unmetAdvice: expect.stringMatching(/^is VMDK4 \(core\) as large as wanted\?/),
      },
      order: { long: true },
    });
  });

  test("without sizes it cannot be observed, and still asks its reply", () => {
    const facts = { ...unread, release: "6.7" };
    expect(onlyStep(update({ core: 50, "5": 20 }, { facts }))).toMatchObject({
      request: { inputs: { release: "6.7", filesystems_gb: { core: 46.9, log: 18.7 } } },
      proof: { expect: [], unobservable: true },
    });
  });

  test("expects nothing of what alone is not shown", () => {
    const facts = { ...read, filesystems_gb: { core: 24.48 } };
    const step = onlyStep(update({ core: 50, log: 20 }, { facts }));
    expect(step.proof.expect).toEqual([{ attribute: "filesystems_gb", atLeast: { core: 46.9 } }]);
    expect(step.request.inputs.filesystems_gb).toEqual({ core: 46.9, log: 18.7 });
    expect(step).not.toHaveProperty("unobservable");
  });

  test("takes the attributes where no facts were asked yet", () => {
    const { facts: _facts, ...first } = update({ core: 50 }) as Extract<
      LowerRequest,
      { action: "update" }
    >;
    expect(onlyStep(first).request.inputs).toEqual({
      release: "6.5",
      filesystems_gb: { core: 46.9 },
    });
  });

  test("sends nothing where nothing grows", () => {
    const settled = { ...update({ core: 25 }), changed: [] };
    expect(storageType.lower(settled)).toEqual([]);
    expect(storageType.lower(update({ core: 20 }))).toEqual([]);
    const prior = recorded(null);
    expect(storageType.lower({ action: "delete", identity: "storage", prior })).toEqual([]);
    const create = { action: "create", identity: "storage", inputs: {} } as const;
    expect(storageType.lower(create)).toEqual([]);
  });
});

test("grows on where sizes are due though they are met: the disk grows in the same plan", () => {
  const {
    verb,
    proof: { expect: expected },
  } = onlyStep(update({ core: 25 }));
  expect(verb).toBe("resize");
  expect(expected).toHaveLength(1);
});

test.each([
  ["6.5", "/rest/appliance/system/storage/resize"],
  ["6.7", "/rest/appliance/system/storage?action=resize-ex"],
  ["7.0", "/api/appliance/system/storage?action=resize-ex"],
  [undefined, "/rest/appliance/system/storage/resize"],
])("request of release %s", (release, path) => {
  const inputs = release === undefined ? {} : { release };
  const contentType = "application/json";
  expect(storageType.request("resize", "storage", inputs)).toEqual({
    method: "POST",
    path,
    contentType,
  });
  expect(storageType.request("shrink", "storage", inputs)).toBeUndefined();
});

test("a resize has half an hour", () => {
  expect(storageType.limitMs("resize", {})).toBe(1_800_000);
});
