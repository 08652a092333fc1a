/** Drift reports for tests of their forms, built as the command builds them. */

import type { DesiredObject } from "../../../src/drift/attribute-comparison.ts";
import { buildDriftReport, type DriftInput } from "../../../src/drift/drift-report.ts";
import type { DriftReport, IgnoreRule } from "../../../src/model/plan/drift-report.ts";
import type { Observation } from "../../../src/model/provider/observation.ts";
import type { OpenRestore, RecordedObject } from "../../../src/model/recorded/recorded.ts";
import { type Address, toSelector } from "../../../src/model/value/address.ts";
import type { PlannedAttributes } from "../../../src/model/value/value.ts";
import {
  address,
  recordedObject,
  recordedState,
  testTypes,
} from "../../helpers/recorded-builder.ts";

export type Sample = {
  readonly [address: string]: {
    readonly object?: Partial<RecordedObject>;
    readonly observation?: Observation;
    readonly desired?: PlannedAttributes;
  };
};

export function driftReport(
  sample: Sample,
  parts: Partial<DriftInput> = {},
  restores: readonly OpenRestore[] = [],
): DriftReport {
  const observations = new Map<Address, Observation>();
  const objects = new Map<Address, DesiredObject>();
  const records: RecordedObject[] = [];
  for (const [text, { object, observation, desired }] of Object.entries(sample)) {
    const record = recordedObject(text, object);
    records.push(record);
    if (observation !== undefined) observations.set(record.address, observation);
    if (desired === undefined) continue;
    const { type, provider, identity } = record;
    objects.set(record.address, { type, provider, identity, attributes: desired, ignore: [] });
  }
  return buildDriftReport({
    recorded: recordedState(records, { restores }),
    observations,
    types: testTypes,
    nowMs: Date.UTC(2026, 0, 2),
    configuration: { status: "read", objects },
    discovered: [{ provider: "daemon", type: "daemon_vm", identity: "stray\u001b[2J" }],
    ...parts,
  });
}

export function found(
  attributes: Extract<Observation, { status: "found" }>["attributes"],
  unreadable: Extract<Observation, { status: "found" }>["unreadable"] = {},
): Observation {
  return { status: "found", identity: "x", attributes, unreadable };
}

const gone: Observation = { status: "missing", proof: "absent from the complete list of 2 VMs" };
const stopped = {
  object: { attributes: { power_state: "on", name: "n" }, applied: { parent_id: "base" } },
  observation: found({ power_state: "off" }, { name: "by rule" }),
  desired: { power: "on" },
};

/** Everything that a report can say, with a secret and characters that would move a cursor. */
const mixedSample: Sample = {
  "daemon_vm.web": {
    object: { attributes: { power_state: "on", name: "web", tag: "t" } },
    observation: found({ power_state: "off", name: "web|`", tag: "<b>@all</b>" }),
    desired: { power: "off", name: "site", tag: "t" },
  },
  "daemon_vm.db": { observation: gone, desired: {} },
  "daemon_vm.same": {
    object: { attributes: { power_state: "on" } },
    observation: found({ power_state: "on" }),
    desired: { power: "suspended" },
  },
  "daemon_vm.left": {
    object: { attributes: { power_state: "off" } },
    observation: found({ power_state: "off" }),
  },
  "test_vault.v": {
    object: { type: "test_vault", attributes: { password: "s3cr&t-a", bytes: 1 } },
    observation: found({ password: "s3cr&t-b", bytes: 9007199254740993n }, { note: "failed" }),
    desired: {},
  },
  "daemon_shared_folder.src": {
    observation: { status: "unreadable", rule: "by rule", reason: "its VM web is off" },
    desired: {},
  },
  "daemon_vm.far": {
    observation: { status: "unreadable", rule: "failed", reason: "connection refused\n" },
    desired: {},
  },
  "daemon_vm.kept": { object: { objectKey: "deposed-1" } },
};

/** Many objects, few causes; more of one than a list shows. */
const fleetSample: Sample = Object.fromEntries([
  ...Array.from({ length: 14 }, (_, index) => [`daemon_vm.web[${index}]`, stopped]),
  ...Array.from({ length: 3 }, (_, index) => [
    `daemon_vm.db[${index}]`,
    { observation: gone, desired: {} },
  ]),
]);

/** Two rules: of an attribute everywhere, and of all of one module; and what they leave. */
const ignoredSample: Sample = {
  ...Object.fromEntries(
    Array.from({ length: 14 }, (_, index) => [`daemon_vm.web[${index}]`, stopped]),
  ),
  "daemon_vm.web[14]": {
    object: { attributes: { power_state: "on", name: "n" } },
    observation: found({ power_state: "off", name: "other" }),
    desired: { power: "on", name: "n" },
  },
  "module.lab.daemon_vm.gone": { observation: gone, desired: {} },
  "module.lab.test_vault.v": {
    object: { type: "test_vault", attributes: { password: "s3cr&t-a" } },
    observation: found({ password: "s3cr&t-b" }),
    desired: {},
  },
};

function ignoring(at: string, attribute: string | undefined, reason: string): IgnoreRule {
  const selector = toSelector(at);
  if (selector === undefined) throw new Error(at);
  const source = { file: "main.vmform.yaml", line: 3, column: 5, text: "" };
  const named = attribute === undefined ? {} : { attribute };
  return { selector, ...named, owner: "ada", reason, until: "2026-12-31", endMs: 1e15, source };
}

export const driftReports: { readonly [name: string]: DriftReport } = {
  ignored: driftReport(ignoredSample, {
    ignore: [
      ignoring("daemon_vm.web", "power_state", "off for <b>\u001b[2J\nmaintenance|`"),
      ignoring("module.lab", undefined, "it is being rebuilt"),
    ],
  }),
  mixed: driftReport(mixedSample, {
    unlisted: [{ provider: "daemon.east", reason: "no route to host" }],
    diagnostics: [
      {
        severity: "error",
        code: "PLN013",
        summary: "Most recorded objects are missing at once",
        detail: "More likely the endpoint is not the right one.",
        fix: "Check the provider's `url`.",
      },
    ],
  }),
  fleet: driftReport(fleetSample, { discovered: [] }),
  "broken-configuration": driftReport(
    { "daemon_vm.web": stopped },
    { configuration: { status: "unreadable", errors: 2 }, partial: true, discovered: [] },
  ),
  // `on` is owed to two of them; a third one is seen to have what it was owed.
  "open-restore": driftReport(
    {
      "daemon_vm.web": { ...stopped, object: { attributes: { power_state: "off" } } },
      "daemon_vm.done": {
        object: { attributes: { power_state: "on" } },
        observation: found({ power_state: "on" }),
      },
    },
    { discovered: [] },
    [
      { address: address("daemon_vm.web"), power: "on" },
      { address: address("daemon_vm.gone"), power: "suspended" },
      { address: address("daemon_vm.done"), power: "on" },
    ],
  ),
  "in-sync": driftReport(
    {
      "daemon_vm.web": {
        object: { attributes: { power_state: "on" }, applied: { parent_id: "base" } },
        observation: found({ power_state: "on" }),
        desired: { power: "on" },
      },
    },
    { discovered: [] },
  ),
};
