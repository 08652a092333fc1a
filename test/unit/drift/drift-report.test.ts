/** Verdicts, masking, counts and exit codes of drift reports. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DesiredObject } from "../../../src/drift/attribute-comparison.ts";
import {
  buildDriftReport,
  type DriftInput,
  driftExitCode,
} from "../../../src/drift/drift-report.ts";
import { compileSchema } from "../../../src/lib/schema/schema.ts";
import type { DriftReport } from "../../../src/model/plan/drift-report.ts";
import type { Observation } from "../../../src/model/provider/observation.ts";
import type { RecordedObject } from "../../../src/model/recorded/recorded.ts";
import { type PlannedAttributes, unknown } from "../../../src/model/value/value.ts";
import { driftJson } from "../../../src/render/drift/drift-json.ts";
import {
  address,
  beginEntry,
  recordedObject,
  recordedState,
  testTypes,
} from "../../helpers/recorded-builder.ts";

const web = address("daemon_vm.web");

type FoundParts = Partial<Extract<Observation, { status: "found" }>>;

function found(
  attributes: FoundParts["attributes"] = {},
  unreadable: FoundParts["unreadable"] = {},
): Observation {
  return { status: "found", identity: "web", attributes, unreadable };
}

function report(
  object: Partial<RecordedObject>,
  observation: Observation | undefined,
  parts: Partial<DriftInput> = {},
): DriftReport {
  return buildDriftReport({
    recorded: recordedState([recordedObject("daemon_vm.web", object)]),
    observations: new Map(observation === undefined ? [] : [[web, observation]]),
    types: testTypes,
    nowMs: 0,
    configuration: { status: "unreadable", errors: 1 },
    ...parts,
  });
}

/** A configuration that wants one VM. */
function wanting(
  attributes: PlannedAttributes,
  parts: Partial<DesiredObject> = {},
): DriftInput["configuration"] {
  const given = { type: "daemon_vm", provider: "daemon", identity: "web", ignore: [], ...parts };
  return { status: "read", objects: new Map([[web, { ...given, attributes }]]) };
}

type Case = {
  readonly name: string;
  readonly object?: Partial<RecordedObject>;
  readonly observation: Observation | undefined;
  readonly verdict: string;
  readonly exit: number;
  readonly drifted?: readonly string[];
  readonly learned?: readonly string[];
  readonly notChecked?: readonly string[];
  readonly neverRead?: readonly string[];
};

const cases: readonly Case[] = [
  {
    name: "equal attributes",
    object: { attributes: { power_state: "on", name: "web" } },
    observation: found({ power_state: "on", name: "web" }),
    verdict: "in_sync",
    exit: 0,
  },
  {
    name: "powered off outside",
    object: { attributes: { power_state: "on" } },
    observation: found({ power_state: "off" }),
    verdict: "drifted",
    exit: 2,
    drifted: ["power_state"],
  },
  {
    name: "what was sent does not count, only what was read",
    object: { applied: { name: "new" }, attributes: { name: "old" } },
    observation: found({ name: "old" }),
    verdict: "in_sync",
    exit: 0,
  },
  {
    name: "a volatile attribute is never drift",
    object: { attributes: { ip_address: "10.0.0.1" } },
    observation: found({ ip_address: "10.0.0.9" }),
    verdict: "in_sync",
    exit: 0,
  },
  {
    name: "an attribute never read before is learned",
    object: { attributes: { power_state: "on" } },
    observation: found({ power_state: "on", tag: "x" }),
    verdict: "in_sync",
    exit: 0,
    learned: ["tag"],
  },
  {
    name: "read as not set before, and set now",
    object: { attributes: { tag: null } },
    observation: found({ tag: "x" }),
    verdict: "drifted",
    exit: 2,
    drifted: ["tag"],
  },
  {
    name: "a VM that is off: its name is unreadable by rule",
    object: { attributes: { power_state: "off", name: "web", tag: "t" } },
    observation: found({ power_state: "off" }, { name: "by rule", tag: "by rule" }),
    verdict: "in_sync",
    exit: 0,
    notChecked: ["name", "tag"],
  },
  {
    name: "unreadable by rule and never set is not worth a line",
    object: { attributes: { power_state: "off" } },
    observation: found({ power_state: "off" }, { name: "by rule" }),
    verdict: "in_sync",
    exit: 0,
  },
  {
    name: "an attribute the interface never gives back",
    object: { applied: { parent_id: "base" }, attributes: { power_state: "on" } },
    observation: found({ power_state: "on" }),
    verdict: "in_sync",
    exit: 0,
    neverRead: ["parent_id"],
  },
  {
    name: "an attribute that steers this tool only",
    object: { applied: { shutdown_timeout: "9s" }, attributes: { shutdown_timeout: "9s" } },
    observation: found({ shutdown_timeout: "1s" }),
    verdict: "in_sync",
    exit: 0,
  },
  {
    name: "recorded and not asked for",
    object: { attributes: { name: "web" } },
    observation: found({}),
    verdict: "in_sync",
    exit: 0,
    notChecked: ["name"],
  },
  {
    name: "an attribute that failed to be read",
    object: { attributes: { name: "web" } },
    observation: found({}, { name: "failed" }),
    verdict: "unknown",
    exit: 1,
    notChecked: ["name"],
  },
  {
    name: "drift and a failed attribute: the answer is not complete",
    object: { attributes: { name: "web", power_state: "on" } },
    observation: found({ power_state: "off" }, { name: "failed" }),
    verdict: "drifted",
    exit: 1,
    drifted: ["power_state"],
    notChecked: ["name"],
  },
  {
    name: "deleted outside",
    observation: { status: "missing", proof: "absent from the complete list of 2 VMs" },
    verdict: "missing",
    exit: 2,
  },
  {
    name: "hidden by what somebody has switched off",
    observation: { status: "unreadable", rule: "by rule", reason: "shares none", unset: true },
    verdict: "unknown",
    exit: 1,
  },
  {
    name: "unreadable by rule as a whole",
    observation: { status: "unreadable", rule: "by rule", reason: "its VM is off" },
    verdict: "not_checked",
    exit: 0,
  },
  {
    name: "unreadable because the read failed",
    observation: { status: "unreadable", rule: "failed", reason: "connection refused" },
    verdict: "unknown",
    exit: 1,
  },
  { name: "no observation at all", observation: undefined, verdict: "unknown", exit: 1 },
  {
    name: "left over from a replacement",
    object: { objectKey: "deposed-1" },
    observation: undefined,
    verdict: "not_checked",
    exit: 0,
  },
  {
    name: "tentative and still missing",
    object: { status: "tentative", tentativeUntilMs: 5 },
    observation: { status: "missing", proof: "absent from the list" },
    verdict: "not_checked",
    exit: 0,
  },
  {
    name: "tentative and found",
    object: { status: "tentative", tentativeUntilMs: 5 },
    observation: found({ power_state: "off" }),
    verdict: "in_sync",
    exit: 0,
    learned: ["power_state"],
  },
];

describe("verdicts", () => {
  test.each(cases)("$name", (given) => {
    const result = report(given.object ?? {}, given.observation);
    const [object] = result.objects;
    expect(object).toMatchObject({ verdict: given.verdict, learned: given.learned ?? [] });
    expect(object?.drifted.map(({ attribute }) => attribute)).toEqual(given.drifted ?? []);
    expect(object?.notChecked.map(({ attribute }) => attribute)).toEqual(given.notChecked ?? []);
    expect(result.neverRead.flatMap(({ attributes }) => attributes)).toEqual(given.neverRead ?? []);
    expect(driftExitCode({ ...result, configuration: soundConfiguration })).toBe(given.exit);
  });
});

const soundConfiguration = { status: "read", notRecorded: [] } as const;

test("a configuration that cannot be read leaves the report incomplete, whatever it finds", () => {
  const on = { attributes: { power_state: "on" } };
  expect(driftExitCode(report(on, found({ power_state: "on" })))).toBe(1);
  expect(driftExitCode(report(on, found({ power_state: "off" })))).toBe(1);
});

test("what the configuration wants stands beside recorded and observed", () => {
  const result = report({ attributes: { power_state: "on" } }, found({ power_state: "off" }), {
    configuration: wanting({ power: "on", name: unknown }),
  });
  expect(result.objects[0]).toMatchObject({ configured: true, unapplied: [] });
  expect(result.objects[0]?.drifted).toEqual([
    {
      attribute: "power_state",
      class: "drift",
      severity: "power",
      desired: "on",
      recorded: "on",
      observed: "off",
      sensitive: false,
      fingerprint: "3bc2ababf5286c81",
    },
  ]);
});

test("why an attribute could not be read is told where the provider says it", () => {
  const failed = { name: "failed", tag: "failed" } as const;
  const observation = { ...found({}, failed), reasons: { name: "status 501" } };
  const result = report({ attributes: { name: "web", tag: "a" } }, observation);
  expect(result.objects[0]?.notChecked).toEqual([
    { attribute: "name", rule: "failed", reason: "status 501" },
    { attribute: "tag", rule: "failed", reason: "could not be read" },
  ]);
});

test("an open operation hides whose change it was", () => {
  const object = recordedObject("daemon_vm.web", { attributes: { power_state: "on" } });
  const recorded = recordedState([object], { open: [beginEntry()] });
  const result = report({}, found({ power_state: "off" }), { recorded });
  expect(result.objects[0]).toMatchObject({ verdict: "unknown", drifted: [] });
  expect(driftExitCode(result)).toBe(1);
  expect(result.counts.open).toBe(0);
});

test.each([
  [false, 1],
  [true, 0],
])("one whose object is not recorded is no complete answer (partial: %s)", (partial, open) => {
  const recorded = recordedState([], { open: [beginEntry()] });
  const result = report({}, undefined, { recorded, partial });
  expect(result.counts).toMatchObject({ objects: 0, open });
  expect(driftExitCode({ ...result, configuration: soundConfiguration })).toBe(open);
});

test.each([["test_vault"], ["type_without_schema"]])("secrets of a %s never enter it", (type) => {
  const result = report(
    { type, attributes: { password: "s3cr&t-old" } },
    {
      status: "found",
      identity: "web",
      attributes: { password: "s3cr&t-new" },
      unreadable: {},
    },
  );
  expect(result.objects[0]?.drifted).toEqual([
    expect.objectContaining({
      attribute: "password",
      class: "drift",
      recorded: null,
      observed: null,
      sensitive: true,
    }),
  ]);
  expect(driftExitCode({ ...result, configuration: soundConfiguration })).toBe(2);
  expect(JSON.stringify(result)).not.toContain("s3cr");
});

test("objects are sorted, instance numbers by value, and counted", () => {
  const names = ["daemon_vm.web[10]", "daemon_vm.web[2]", "daemon_vm.a"];
  const observations = new Map([
    [address("daemon_vm.web[10]"), found({ power_state: "off" })],
    [address("daemon_vm.web[2]"), found({ power_state: "on" }, { name: "by rule" })],
  ]);
  const attributes = { power_state: "on", name: "n" };
  const recorded = recordedState(names.map((name) => recordedObject(name, { attributes })));
  const discovered = ["z", "b"].map((identity) => ({
    provider: "daemon",
    type: "daemon_vm",
    identity,
    ...(identity === "z" ? { name: "a zebra" } : {}),
  }));
  const result = report({}, undefined, { recorded, observations, discovered });
  expect(result.objects.map((object) => object.address)).toEqual([
    "daemon_vm.a",
    "daemon_vm.web[2]",
    "daemon_vm.web[10]",
  ]);
  expect(result.unmanaged?.map(({ identity, name }) => [identity, name])).toEqual([
    ["b", undefined],
    ["z", "a zebra"],
  ]);
  expect(result.counts).toEqual({
    objects: 3,
    inSync: 1,
    drifted: 1,
    differing: 0,
    missing: 0,
    unknown: 1,
    notChecked: 0,
    unmanaged: 2,
    open: 0,
    attributesCompared: 2,
    attributesDrifted: 1,
    attributesStanding: 0,
    attributesIgnored: 0,
    ignored: 0,
    attributesUnapplied: 0,
    attributesNotChecked: 2,
    attributesFailed: 0,
  });
});

const schemaUrl = new URL("../../../schemas/drift-report.schema.json", import.meta.url);
const check = compileSchema(JSON.parse(readFileSync(schemaUrl, "utf8")) as object);

const attributesArbitrary = fc.dictionary(
  fc.constantFrom("name", "tag", "power_state", "ip_address", "parent_id", "constructor"),
  fc.constantFrom(null, "a", "b", true),
);
const unreadableArbitrary = fc.dictionary(
  fc.constantFrom("name", "tag", "power_state"),
  fc.constantFrom("by rule" as const, "failed" as const),
);
const observationArbitrary: fc.Arbitrary<Observation> = fc.oneof(
  fc.tuple(attributesArbitrary, unreadableArbitrary).map(([read, unread]) => found(read, unread)),
  fc.constant({ status: "missing" as const, proof: "p" }),
  fc.constant({ status: "unreadable" as const, rule: "failed" as const, reason: "r" }),
);

const configurationArbitrary = fc.option(
  fc.tuple(attributesArbitrary, fc.subarray(["name", "tag", "power"])),
);

test("every report fits its schema, and reading once more finds no drift", () => {
  fc.assert(
    fc.property(
      attributesArbitrary,
      observationArbitrary,
      configurationArbitrary,
      (attributes, observation, wanted) => {
        const parts =
          wanted === null ? {} : { configuration: wanting(wanted[0], { ignore: wanted[1] }) };
        const first = report({ attributes }, observation, parts);
        expect(check(driftJson(first))).toEqual([]);
        if (observation.status !== "found") return;
        // Folding what was read is how drift is accepted.
        const folded = { ...attributes, ...observation.attributes };
        expect(report({ attributes: folded }, observation, parts).counts.drifted).toBe(0);
      },
    ),
  );
});

test("the schema refuses a report that is not one", () => {
  const good = driftJson(report({}, found()));
  expect(check({ ...good, extra: 1 })).not.toEqual([]);
  expect(check({ ...good, objects: [{ verdict: "fine" }] })).not.toEqual([]);
});
