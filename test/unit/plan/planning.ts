/** Plans of fake VMs and folders: what exists, what is wanted, and the plan as short lines. */

import { type Disruption, disruptions } from "../../../src/model/operation/disruption.ts";
import type { Operation } from "../../../src/model/operation/operation.ts";
import type { PowerState } from "../../../src/model/operation/power.ts";
import type { Desired, DesiredInstance } from "../../../src/model/plan/desired.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { allRules } from "../../../src/model/plan/rules.ts";
import type { Observation } from "../../../src/model/provider/observation.ts";
import type { RecordedObject, RecordedState } from "../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../src/model/value/address.ts";
import type { Attributes } from "../../../src/model/value/value.ts";
import { type PlanInput, selectAll } from "../../../src/plan/input.ts";
import { plan } from "../../../src/plan/plan.ts";
import { initialState } from "../../../src/state/initial.ts";
import { objectKeyOf } from "../../../src/state/working.ts";
import {
  type Configuration,
  emptyConfiguration,
  type FolderConfig,
  folderAddress,
  toDesired,
  type VmConfig,
  vmAddress,
} from "../../simulation/configuration.ts";
import { fakeTypes } from "../../simulation/fake-types.ts";

export function vm(name: string, parts: Partial<VmConfig> = {}): VmConfig {
  return {
    name,
    id: name,
    label: undefined,
    parent: undefined,
    power: undefined,
    firmware: undefined,
    share: undefined,
    dependsOn: [],
    ...parts,
  };
}

export function folder(
  name: string,
  inVm: string,
  parts: Partial<FolderConfig> = {},
): FolderConfig {
  return { name, vm: inVm, path: name, host: "/srv", dependsOn: [], ...parts };
}

export function configuration(
  vms: readonly VmConfig[],
  folders: readonly FolderConfig[] = [],
): Configuration {
  return { ...emptyConfiguration, vms, folders };
}

/** An object that is recorded, and what a refresh saw of it: as recorded, when nothing is said. */
export type Existing = {
  readonly record: RecordedObject;
  readonly observation: Observation | undefined;
};

type Seen = "missing" | "unreadable" | "unset" | "failed" | Attributes;

/** A recorded VM; `seen` says what differs from the record. */
export function existingVm(
  config: VmConfig,
  power: PowerState,
  parts: Partial<RecordedObject> = {},
  seen: Seen = {},
): Existing {
  const { id, label, parent, firmware, share } = config;
  const applied = defined({
    id,
    name: label,
    parent_id: parent,
    power: config.power,
    firmware,
    share,
  });
  const attributes = {
    id,
    power_state: power,
    firmware: firmware ?? null,
    ...(label === undefined ? {} : { name: label }),
    ...(power === "on" ? { ip_address: "10.0.0.1" } : {}),
  };
  const dependencies = [
    ...new Set([...(parent === undefined ? [] : [parent]), ...config.dependsOn]),
  ];
  return existing(
    {
      address: vmAddress(config.name),
      objectKey: "current",
      type: "fake_vm",
      provider: "fake",
      identity: id,
      status: "ready",
      applied,
      attributes,
      dependencies: dependencies.map(vmAddress),
      timeoutsMs: {},
      preventDestroy: false,
      ...parts,
    },
    seen,
  );
}

export function existingFolder(
  config: FolderConfig,
  parts: Partial<RecordedObject> = {},
  seen: Seen = {},
): Existing {
  const attributes = { vm_id: config.vm, guest_path: config.path, host_path: config.host };
  return existing(
    {
      address: folderAddress(config.name),
      objectKey: "current",
      type: "fake_folder",
      provider: "fake",
      identity: `${config.vm}/${config.path}`,
      status: "ready",
      applied: attributes,
      attributes,
      dependencies: [config.vm, ...config.dependsOn].map(vmAddress),
      container: { type: "fake_vm", identity: config.vm },
      timeoutsMs: {},
      preventDestroy: false,
      ...parts,
    },
    seen,
  );
}

function existing(record: RecordedObject, seen: Seen): Existing {
  if (seen === "missing")
    return { record, observation: { status: "missing", proof: "not listed" } };
  if (seen === "unreadable" || seen === "unset" || seen === "failed") {
    const rule = seen === "failed" ? "failed" : "by rule";
    const why = seen === "unset" ? { reason: "none is told", unset: true as const } : {};
    return { record, observation: { status: "unreadable", rule, reason: "its VM is off", ...why } };
  }
  const attributes = { ...record.attributes, ...seen };
  const { identity } = record;
  return { record, observation: { status: "found", identity, attributes, unreadable: {} } };
}

function defined(attributes: {
  readonly [name: string]: Attributes[string] | undefined;
}): Attributes {
  const kept = Object.entries(attributes).filter((entry) => entry[1] !== undefined);
  return Object.fromEntries(kept) as Attributes;
}

export type Scene = {
  readonly exists?: readonly Existing[];
  readonly wants?: Configuration;
  /** Changes wanted instances after they were made. */
  readonly edit?: (instance: DesiredInstance) => DesiredInstance;
  readonly desired?: Partial<Desired>;
  readonly restores?: RecordedState["restores"];
  readonly allowed?: readonly Disruption[];
  readonly lookups?: ReadonlyMap<Address, Observation>;
  readonly input?: Partial<PlanInput>;
};

export function inputOf(scene: Scene): PlanInput {
  const { exists = [], wants = emptyConfiguration, edit = (instance) => instance } = scene;
  const made = toDesired(wants);
  const desired = { ...made, instances: made.instances.map(edit), ...scene.desired };
  const observations = new Map<string, Observation>();
  for (const { record, observation } of exists) {
    if (observation === undefined) continue;
    observations.set(objectKeyOf(record.address, record.objectKey), observation);
  }
  return {
    planId: "plan",
    mode: "apply",
    select: selectAll,
    desired,
    recorded: {
      ...initialState("lineage", "journal", false),
      objects: exists.map(({ record }) => record),
      restores: scene.restores ?? [],
    },
    observations,
    endpoints: new Map(),
    lookups: scene.lookups ?? new Map(),
    data: new Map(),
    facts: new Map(),
    named: new Map(),
    types: fakeTypes,
    settings: new Map([["fake", null]]),
    nowMs: 1_000_000,
    simulated: false,
    allowed: scene.allowed ?? disruptions,
    rules: allRules,
    moveNotes: [],
    imported: new Set(),
    diagnostics: [],
    withheld: new Set(),
    interrupted: [],
    ...scene.input,
  };
}

export function planOf(scene: Scene): Plan {
  return plan(inputOf(scene));
}

/** `action name`, in plan order, without what stays as it is. */
export function changesOf({ changes }: Plan): readonly string[] {
  return changes
    .filter((change) => change.action !== "no-op")
    .map((change) => `${change.action} ${shortName(change.address)}`);
}

/** `name verb`, fallbacks marked by `?`, and the role in a window, in plan order. */
export function operationsOf({ operations }: Plan): readonly string[] {
  return operations.map((operation) => {
    const role =
      operation.order.window?.role === undefined ? "" : ` (${operation.order.window?.role})`;
    const mark = operation.order.fallbackFor === undefined ? "" : "?";
    return `${shortId(operation)}${mark}${role}`;
  });
}

export function codesOf({ diagnostics }: Plan): readonly string[] {
  return diagnostics.map((diagnostic) => diagnostic.code);
}

export function consentOf({ consent }: Plan): readonly string[] {
  return consent.map((need) => `${need.disruption} ${shortName(need.address)}`);
}

function shortName(address: Address): string {
  return address.split(".")[1] ?? "";
}

/** `name verb`, with a number from the second on. */
function shortId({ subject: { address }, id, verb }: Operation): string {
  const count = id.split(".").at(-1) ?? "1";
  return `${shortName(address)} ${verb}${count === "1" ? "" : count}`;
}

/** True when an operation comes after another one, directly or not. */
export function isAfter(made: Plan, later: string, earlier: string): boolean {
  const byShort = new Map(made.operations.map((operation) => [shortId(operation), operation]));
  const [from, to] = [byShort.get(later), byShort.get(earlier)];
  if (from === undefined || to === undefined) throw new Error(`no ${later} or no ${earlier}`);
  const byId = new Map(made.operations.map((operation) => [operation.id, operation]));
  const stack = [from];
  const seen = new Set<string>();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.id === to.id) return true;
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    for (const edge of next.order.after) {
      const before = byId.get(edge.id);
      if (before !== undefined) stack.push(before);
    }
  }
  return false;
}

/** The kind of a direct edge, or undefined. */
export function edgeOf(made: Plan, later: string, earlier: string): string | undefined {
  const byShort = new Map(made.operations.map((operation) => [shortId(operation), operation]));
  const [from, to] = [byShort.get(later), byShort.get(earlier)];
  if (from === undefined || to === undefined) throw new Error(`no ${later} or no ${earlier}`);
  return from.order.after.find((edge) => edge.id === to.id)?.on;
}
