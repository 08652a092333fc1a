/** Small builders of recorded state, schemas and reports for tests. */

import { readFileSync } from "node:fs";
import type { BeginEntry } from "../../src/model/recorded/begin-entry.ts";
import type { RecordedObject, RecordedState } from "../../src/model/recorded/recorded.ts";
import { type Address, toAddress } from "../../src/model/value/address.ts";
import { readResourceSchema, type SchemaRegistry } from "../../src/model/value/resource-schema.ts";
import { type Parts, withParts } from "./parts.ts";

export function address(text: string): Address {
  const parsed = toAddress(text);
  if (parsed === undefined) throw new Error(`not an address: ${text}`);
  return parsed;
}

export function recordedObject(text: string, parts: Partial<RecordedObject> = {}): RecordedObject {
  return {
    address: address(text),
    objectKey: "current",
    type: "daemon_vm",
    provider: "daemon",
    identity: text.replace(/^.*\./, ""),
    status: "ready",
    applied: {},
    attributes: {},
    dependencies: [],
    timeoutsMs: {},
    ...parts,
  };
}

export function recordedState(
  objects: readonly RecordedObject[],
  parts: Partial<RecordedState> = {},
): RecordedState {
  return {
    formatVersion: 1,
    lineage: "6c1e4a2f-0000-4000-8000-000000000001",
    serial: 7,
    journal: { id: "j1", position: 40 },
    simulated: false,
    objects,
    restores: [],
    open: [],
    providers: [],
    outputs: [],
    ...parts,
  };
}

export function beginEntry(parts: Parts<BeginEntry> = {}): BeginEntry {
  const base: BeginEntry = {
    kind: "begin",
    planId: "p1",
    id: "daemon_vm.web#shutdown.1",
    subject: {
      address: address("daemon_vm.web"),
      objectKey: "current",
      type: "daemon_vm",
      provider: "daemon",
      identity: "web",
    },
    settings: {},
    verb: "shutdown",
    effect: { kind: "power" },
    request: null,
    proof: { expect: [], unobservable: false, lagging: false, readBack: [], limitMs: 1000 },
    repeat: "safe",
    order: { locks: [] },
    record: { applied: {}, dependencies: [], timeoutsMs: {} },
    atMs: 0,
  };
  return withParts(base, parts);
}

function shippedSchema(name: string): object {
  const path = new URL(`../../schemas/resources/${name}.schema.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")) as object;
}

/** A type with a secret, nested values and numbers, which the shipped ones have not. */
const vaultSchema = {
  description: "A type made for tests.",
  type: "object",
  required: ["id"],
  properties: {
    id: { type: "string", "x-vmform": { key: true, forceNew: true } },
    password: { type: "string", "x-vmform": { sensitive: true } },
    note: { type: "string" },
    sizes: { type: "array" },
    labels: { type: "object" },
    bytes: { type: "integer" },
  },
};

/** The shipped daemon types with their power model's names, and the test type `test_vault`. */
export const testTypes: SchemaRegistry = {
  daemon_vm: {
    schema: readResourceSchema("daemon_vm", shippedSchema("daemon_vm")),
    power: { wanted: "power", observed: "power_state" },
  },
  daemon_shared_folder: {
    schema: readResourceSchema("daemon_shared_folder", shippedSchema("daemon_shared_folder")),
  },
  test_vault: { schema: readResourceSchema("test_vault", vaultSchema) },
};
