/** Drift reports as text and data. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { buildDriftReport } from "../../../src/drift/drift-report.ts";
import { stringifyJson } from "../../../src/lib/json.ts";
import { compileSchema } from "../../../src/lib/schema.ts";
import type { Address } from "../../../src/model/address.ts";
import type { DriftReport } from "../../../src/model/drift-report.ts";
import type { Observation } from "../../../src/model/observation.ts";
import { driftJson, driftSummaryText, driftText } from "../../../src/render/drift-text.ts";
import {
  address,
  recordedObject,
  recordedState,
  testTypes,
} from "../../helpers/recorded-builder.ts";

type Given = {
  readonly [address: string]: readonly [
    Parameters<typeof recordedObject>[1],
    Observation | undefined,
  ];
};

function report(given: Given): DriftReport {
  const observations = new Map<Address, Observation>();
  for (const [text, [, observation]] of Object.entries(given)) {
    if (observation !== undefined) observations.set(address(text), observation);
  }
  return buildDriftReport({
    recorded: recordedState(
      Object.entries(given).map(([text, [object]]) => recordedObject(text, object)),
    ),
    observations,
    types: testTypes,
    nowMs: Date.UTC(2026, 0, 2),
    desired: new Map([[address("daemon_vm.web"), { power: "on" }]]),
    discovered: [{ provider: "daemon", type: "daemon_vm", identity: "stray\u001b[2J" }],
  });
}

function found(
  attributes: Extract<Observation, { status: "found" }>["attributes"],
  unreadable: Extract<Observation, { status: "found" }>["unreadable"] = {},
): Observation {
  return { status: "found", identity: "x", attributes, unreadable };
}

const mixed = report({
  "daemon_vm.web": [
    { attributes: { power_state: "on", name: "web", tag: "t" }, applied: { parent_id: "base" } },
    found({ power_state: "off" }, { name: "by rule", tag: "by rule" }),
  ],
  "daemon_vm.db": [{}, { status: "missing", proof: "absent from the complete list of 2 VMs" }],
  "daemon_vm.same": [{ attributes: { power_state: "on" } }, found({ power_state: "on" })],
  "test_vault.v": [
    { type: "test_vault", attributes: { password: "s3cr&t-a", bytes: 1 } },
    found({ password: "s3cr&t-b", bytes: 9007199254740993n }, { note: "failed" }),
  ],
  "daemon_shared_folder.src": [
    {},
    { status: "unreadable", rule: "by rule", reason: "its VM web is off" },
  ],
  "daemon_vm.far": [{}, { status: "unreadable", rule: "failed", reason: "connection refused\n" }],
  "daemon_vm.kept": [{ objectKey: "deposed-1" }, undefined],
});

const golden = new URL("../../golden/render/drift/", import.meta.url).pathname;

test.each([
  ["drift.txt", undefined],
  ["drift-40.txt", 40],
])("%s", async (file, width) => {
  const options = width === undefined ? { color: false } : { color: false, width };
  const text = driftText(mixed, options);
  expect(text).not.toContain("s3cr");
  await expect(`${text}\n`).toMatchFileSnapshot(`${golden}${file}`);
});

test("the data form fits the schema and holds no secret", async () => {
  const data = driftJson(mixed);
  const url = new URL("../../../schemas/drift-report.schema.json", import.meta.url);
  expect(compileSchema(JSON.parse(readFileSync(url, "utf8")) as object)(data)).toEqual([]);
  const text = stringifyJson(data, { indent: 2 });
  expect(text).not.toContain("s3cr");
  await expect(`${text}\n`).toMatchFileSnapshot(`${golden}drift.json`);
});

test.each<readonly [string, Given]>([
  [
    "No drift. 1 object in sync, 1 unmanaged.",
    { "daemon_vm.a": [{ attributes: { tag: "t" } }, found({ tag: "t" })] },
  ],
  [
    "No drift. 0 objects in sync, 1 not checked, 1 unmanaged.",
    { "daemon_vm.a": [{}, { status: "unreadable", rule: "by rule", reason: "off" }] },
  ],
  [
    "No drift found: 0 objects in sync, 1 could not be checked, 1 unmanaged. The report is incomplete.",
    { "daemon_vm.a": [{}, undefined] },
  ],
  [
    "Drift: 1 drifted, 0 missing, 0 in sync, 1 unmanaged. The report is incomplete.",
    {
      "daemon_vm.a": [{ attributes: { tag: "t" } }, found({ tag: "u" }, { name: "failed" })],
    },
  ],
])("%s", (summary, given) => {
  expect(driftSummaryText(report(given))).toBe(summary);
});
