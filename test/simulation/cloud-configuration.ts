/** Configurations of the fake cloud: which of its VMs are attached, what is wanted of them. */

import type { PowerState } from "../../src/model/operation/power.ts";
import type { Desired, DesiredInstance } from "../../src/model/plan/desired.ts";
import { type Address, toAddress } from "../../src/model/value/address.ts";
import type { Reference, ReferenceLookup } from "../../src/model/value/expression.ts";
import { type PlannedAttributes, unknown } from "../../src/model/value/value.ts";

export type CloudVmConfig = {
  /** Name of its address. */
  readonly name: string;
  /** The VM that is meant: for the test alone, the configuration finds it by `by`. */
  readonly id: string;
  readonly by: { readonly href?: string; readonly name?: string; readonly vapp_name?: string };
  readonly datastore: string | undefined;
  readonly power: PowerState | undefined;
  readonly nested: boolean | undefined;
  readonly onDestroy: "forget" | "power_off" | undefined;
  readonly dependsOn: readonly string[];
};

export type CloudSnapshotConfig = {
  readonly name: string;
  /** Name of the VM's address. */
  readonly vm: string;
  readonly label: string;
  readonly createFirst?: boolean;
};

export type CloudConfiguration = {
  readonly vms: readonly CloudVmConfig[];
  readonly snapshots: readonly CloudSnapshotConfig[];
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  /** Addresses that left and whose object is to be kept as it is. */
  readonly removed?: readonly string[];
  /** Ids by address, as an `imports` entry has them. */
  readonly imports?: readonly { readonly to: string; readonly id: string }[];
};

export const emptyCloud: CloudConfiguration = { vms: [], snapshots: [], moved: [] };

export function cloudVm(
  name: string,
  id: string,
  parts: Partial<CloudVmConfig> = {},
): CloudVmConfig {
  return {
    name,
    id,
    by: { href: id },
    datastore: undefined,
    power: undefined,
    nested: undefined,
    onDestroy: undefined,
    dependsOn: [],
    ...parts,
  };
}

export function cloudSnapshot(
  name: string,
  vm: string,
  parts: Partial<CloudSnapshotConfig> = {},
): CloudSnapshotConfig {
  return { name, vm, label: "one", ...parts };
}

export function cloudVmAddress(name: string): Address {
  return addressOf(`fake_cloud_vm.${name}`);
}

export function cloudSnapshotAddress(name: string): Address {
  return addressOf(`fake_cloud_snapshot.${name}`);
}

function addressOf(text: string): Address {
  const address = toAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return address;
}

export function toCloudDesired(configuration: CloudConfiguration): Desired {
  const { vms, snapshots, moved, removed = [], imports = [] } = configuration;
  return {
    instances: [
      ...vms.map(vmInstance),
      ...snapshots.map((snapshot, order) => snapshotInstance(snapshot, vms.length + order)),
    ],
    data: [],
    providers: [{ name: "fakecloud", settings: null }],
    outputs: [],
    moved: moved.map(({ from, to }) => ({ from: addressOf(from), to: addressOf(to) })),
    removed: removed.map((from) => ({ from: addressOf(from), destroy: false })),
    imports: imports.map(({ to, id }) => ({ to: addressOf(to), id })),
  };
}

function vmInstance(vm: CloudVmConfig, order: number): DesiredInstance {
  const { by, datastore, power, nested, onDestroy } = vm;
  const attributes = {
    ...by,
    ...(datastore === undefined ? {} : { datastore }),
    ...(power === undefined ? {} : { power }),
    ...(nested === undefined ? {} : { nested_hv_enabled: nested }),
    ...(onDestroy === undefined ? {} : { on_destroy: onDestroy }),
  };
  const address = cloudVmAddress(vm.name);
  return instance({ address, type: "fake_cloud_vm", order }, () => attributes, [], vm.dependsOn);
}

function snapshotInstance(snapshot: CloudSnapshotConfig, order: number): DesiredInstance {
  const container = cloudVmAddress(snapshot.vm);
  const attributes = (lookup: ReferenceLookup): PlannedAttributes => ({
    vm: lookup(container)?.href ?? unknown,
    label: snapshot.label,
  });
  const address = cloudSnapshotAddress(snapshot.name);
  const references = [{ address: container, attribute: "href" }];
  const made = instance(
    { address, type: "fake_cloud_snapshot", order },
    attributes,
    references,
    [],
  );
  const createBeforeDestroy = snapshot.createFirst === true;
  return { ...made, lifecycle: { ...made.lifecycle, createBeforeDestroy } };
}

function instance(
  what: Pick<DesiredInstance, "address" | "type" | "order">,
  attributes: (lookup: ReferenceLookup) => PlannedAttributes,
  references: readonly Reference[],
  dependsOn: readonly string[],
): DesiredInstance {
  const explicitDependencies = dependsOn.map(cloudVmAddress);
  const all = [...references.map((item) => item.address), ...explicitDependencies];
  return {
    ...what,
    provider: "fakecloud",
    references,
    data: [],
    explicitDependencies,
    dependencies: [...new Set(all)].filter((other) => other !== what.address),
    lifecycle: { preventDestroy: false, createBeforeDestroy: false, ignoreChanges: [] },
    timeoutsMs: {},
    resolve: (lookup) => ({ attributes: attributes(lookup), deferred: {}, diagnostics: [] }),
  };
}
