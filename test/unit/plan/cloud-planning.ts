/** Plans of attached VMs and their snapshots: what exists, what lookups found, what is wanted. */

import { type Disruption, disruptions } from "../../../src/model/operation/disruption.ts";
import type { OperationLock } from "../../../src/model/operation/operation.ts";
import type { DesiredInstance } from "../../../src/model/plan/desired.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import type { Observation } from "../../../src/model/provider/observation.ts";
import type { FactsAnswer } from "../../../src/model/provider/provider.ts";
import type { RecordedObject, RecordedState } from "../../../src/model/recorded/recorded.ts";
import type { Address } from "../../../src/model/value/address.ts";
import type { Attributes } from "../../../src/model/value/value.ts";
import type { PlanInput } from "../../../src/plan/input.ts";
import {
  type CloudConfiguration,
  type CloudSnapshotConfig,
  type CloudVmConfig,
  cloudSnapshotAddress,
  cloudVmAddress,
  emptyCloud,
  toCloudDesired,
} from "../../simulation/cloud-configuration.ts";
import { fakeCloudTypes, snapshotIdentity } from "../../simulation/fake-cloud-types.ts";
import { type Existing, planOf } from "./planning.ts";

export type Found = Extract<Observation, { status: "found" }>;

/** A VM as a read shows it. */
export function foundVm(id: string, attributes: Attributes = {}): Found {
  return {
    status: "found",
    identity: id,
    attributes: {
      href: id,
      name: `name of ${id}`,
      vapp_name: "app",
      vapp_href: "/vapp/app",
      datastore: "ds-1",
      nested_hv_enabled: false,
      power_state: "on",
      ...attributes,
    },
    unreadable: {},
  };
}

export function foundSnapshot(vm: string, created: string): Found {
  const attributes = { vm, created_at: created, vapp_href: "/vapp/app" };
  const identity = snapshotIdentity(vm, created);
  return { status: "found", identity, attributes, unreadable: {} };
}

export const gone: Observation = { status: "missing", proof: "absent from the list" };

/** A VM that was adopted, with what its address was configured with then. */
export function adoptedVm(
  config: CloudVmConfig,
  observation: Observation = foundVm(config.id),
  parts: Partial<RecordedObject> = {},
): Existing {
  const { by, datastore, nested, power, onDestroy, dependsOn } = config;
  const applied = {
    ...by,
    on_destroy: onDestroy ?? "forget",
    ...(datastore === undefined ? {} : { datastore }),
    ...(nested === undefined ? {} : { nested_hv_enabled: nested }),
    ...(power === undefined ? {} : { power }),
  };
  const record = {
    ...recordedAs(cloudVmAddress(config.name), "fake_cloud_vm", config.id),
    applied,
    attributes: foundVm(config.id).attributes,
    dependencies: dependsOn.map(cloudVmAddress),
    ...parts,
  };
  return { record, observation };
}

/** A snapshot of ours, made at `t1`. */
export function madeSnapshot(
  config: CloudSnapshotConfig,
  vm: string,
  observation: Observation = foundSnapshot(vm, "t1"),
): Existing {
  const record = {
    ...recordedAs(
      cloudSnapshotAddress(config.name),
      "fake_cloud_snapshot",
      snapshotIdentity(vm, "t1"),
    ),
    applied: { vm, label: config.label },
    attributes: foundSnapshot(vm, "t1").attributes,
    dependencies: [cloudVmAddress(config.vm)],
    container: { type: "fake_cloud_vm", identity: vm },
  };
  return { record, observation };
}

function recordedAs(
  address: Address,
  type: string,
  identity: string,
): Omit<RecordedObject, "applied" | "attributes" | "dependencies"> {
  const fixed = {
    objectKey: "current",
    status: "ready",
    timeoutsMs: {},
    preventDestroy: false,
  } as const;
  return { ...fixed, address, type, identity, provider: "fakecloud" };
}

export type CloudScene = {
  readonly exists?: readonly Existing[];
  readonly wants?: Partial<CloudConfiguration>;
  /** What lookups found, by address without its type's prefix: `vm.a`, `snapshot.s`. */
  readonly lookups?: { readonly [short: string]: Observation };
  /** Facts of every change, unless they could not be asked. */
  readonly facts?: FactsAnswer;
  readonly restores?: RecordedState["restores"];
  readonly allowed?: readonly Disruption[];
  readonly input?: Partial<PlanInput>;
  readonly edit?: (instance: DesiredInstance) => DesiredInstance;
};

const nothingSpecial: FactsAnswer = {
  status: "read",
  facts: { nested_offered: false, running: false },
};

export function cloudPlanOf(scene: CloudScene): Plan {
  const wants = { ...emptyCloud, ...scene.wants };
  const made = toCloudDesired(wants);
  const desired = { ...made, instances: made.instances.map(scene.edit ?? ((one) => one)) };
  const answer = scene.facts ?? nothingSpecial;
  const lookups = Object.entries(scene.lookups ?? {}).map(([short, observation]) => {
    const [kind = "", name = ""] = short.split(".");
    const address = kind === "vm" ? cloudVmAddress(name) : cloudSnapshotAddress(name);
    return [address, observation] as const;
  });
  return planOf({
    exists: scene.exists ?? [],
    desired,
    restores: scene.restores ?? [],
    allowed: scene.allowed ?? disruptions,
    lookups: new Map(lookups),
    input: {
      types: fakeCloudTypes,
      settings: new Map([["fakecloud", null]]),
      facts: new Map(desired.instances.map(({ address }) => [address, answer])),
      ...scene.input,
    },
  });
}

/** `address identity` of every object that joins recorded state, with what is applied with it. */
export function adoptionsOf({ notes }: Plan): readonly string[] {
  return notes.flatMap(({ note }) => {
    if (note.what !== "adopt") return [];
    const { address, identity, applied } = note.object;
    return [`${address.split(".")[1]} ${identity} ${JSON.stringify(applied)}`];
  });
}

export function locksOf(plan: Plan, id: string): readonly OperationLock[] {
  const operation = plan.operations.find((item) => item.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  return operation.order.locks;
}
