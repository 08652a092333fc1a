/** Random configurations of the fake daemon, and random edits of them. */

import type { PowerState } from "../../src/model/operation/power.ts";
import type { Desired, DesiredInstance } from "../../src/model/plan/desired.ts";
import { type Address, toAddress } from "../../src/model/value/address.ts";
import type { DeferredValue, Reference } from "../../src/model/value/expression.ts";
import { type Attributes, isKnown } from "../../src/model/value/value.ts";
import type { Random } from "./random.ts";

export type VmConfig = {
  readonly name: string;
  readonly id: string;
  readonly label: string | undefined;
  /** Name of the VM it is cloned from. */
  readonly parent: string | undefined;
  readonly power: PowerState | undefined;
  readonly firmware: string | undefined;
  readonly share: boolean | undefined;
  readonly dependsOn: readonly string[];
  readonly createFirst?: boolean;
  /**
   * Name of the VM whose address becomes its label: a value that may be known only while applying.
   */
  readonly echo?: string | undefined;
  /** Name of the VM it is made anew for, or of the attribute of it behind a dot. */
  readonly trigger?: string;
};
export type FolderConfig = {
  readonly name: string;
  readonly vm: string;
  readonly path: string;
  readonly host: string;
  readonly dependsOn: readonly string[];
};
export type Configuration = {
  readonly vms: readonly VmConfig[];
  readonly folders: readonly FolderConfig[];
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  /** Objects name each other by literal ids, without references; folders stand before VMs. */
  readonly literal?: boolean;
};

export const emptyConfiguration: Configuration = { vms: [], folders: [], moved: [] };

const powers = [undefined, undefined, "on", "on", "on", "off", "suspended", "paused"] as const;

export function vmAddress(name: string): Address {
  return addressOf(`fake_vm.${name}`);
}
export function folderAddress(name: string): Address {
  return addressOf(`fake_folder.${name}`);
}
function addressOf(text: string): Address {
  const address = toAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return address;
}

export function randomConfiguration(random: Random): Configuration {
  let configuration = emptyConfiguration;
  const vms = 1 + random.int(4);
  for (let index = 0; index < vms; index += 1) configuration = addVm(configuration, random);
  for (let index = random.int(4); index > 0; index -= 1) {
    configuration = addFolder(configuration, random);
  }
  return configuration;
}

export function editConfiguration(base: Configuration, random: Random): Configuration {
  let edited = base;
  for (let count = 1 + random.int(3); count > 0; count -= 1) edited = edit(edited, random);
  return edited;
}

function edit(base: Configuration, random: Random): Configuration {
  const vm = base.vms.length === 0 ? undefined : random.pick(base.vms);
  const draw = random.int(14);
  if (vm === undefined || draw === 0) return addVm(base, random);
  if (draw === 1) return removeVm(base, vm);
  if (draw === 2) return addFolder(base, random);
  if (draw === 3) return { ...base, folders: base.folders.slice(1) };
  if (draw === 4) return swapIds(base, random);
  if (draw === 5) return moveVm(base, vm, random);
  if (draw === 6) return changeHost(base, random);
  return { ...base, vms: base.vms.map((item) => (item === vm ? editVm(vm, random) : item)) };
}

function editVm(vm: VmConfig, random: Random): VmConfig {
  switch (random.int(7)) {
    case 0:
      return { ...vm, label: `label${random.int(3)}` };
    case 6:
      return { ...vm, id: `${vm.id}y`, createFirst: true };
    case 1:
      return { ...vm, firmware: `fw${random.int(3)}` };
    case 2:
      return { ...vm, share: random.chance(0.5) };
    case 3:
      return { ...vm, id: `${vm.id}x` };
    default:
      return { ...vm, power: random.pick(powers) };
  }
}

function addVm(base: Configuration, random: Random): Configuration {
  const name = freshName(base, random);
  const others = base.vms.map((vm) => vm.name);
  const parent = others.length > 0 && random.chance(0.3) ? random.pick(others) : undefined;
  // What is on to tell its address cannot be copied at the same time.
  const told = others.filter((other) => other !== parent);
  const vm: VmConfig = {
    name,
    id: `id-${name}-${random.int(100)}`,
    label: random.chance(0.3) ? `label${random.int(3)}` : undefined,
    parent,
    power: random.pick(powers),
    firmware: random.chance(0.3) ? `fw${random.int(2)}` : undefined,
    share: random.chance(0.2) ? random.chance(0.7) : undefined,
    dependsOn: others.length > 0 && random.chance(0.3) ? [random.pick(others)] : [],
    echo: told.length > 0 && random.chance(0.3) ? random.pick(told) : undefined,
  };
  return { ...base, vms: [...base.vms, vm] };
}

function freshName(base: Configuration, random: Random): string {
  const used = new Set([...base.vms.map((vm) => vm.name), ...base.moved.flatMap(namesOf)]);
  for (;;) {
    const name = `v${random.int(1000)}`;
    if (!used.has(name)) return name;
  }
}

function namesOf(move: { readonly from: string; readonly to: string }): readonly string[] {
  return [move.from, move.to];
}

function removeVm(base: Configuration, vm: VmConfig): Configuration {
  const vms = base.vms
    .filter((item) => item !== vm)
    .map((item) => ({
      ...item,
      parent: item.parent === vm.name ? undefined : item.parent,
      echo: item.echo === vm.name ? undefined : item.echo,
      dependsOn: item.dependsOn.filter((name) => name !== vm.name),
    }));
  const folders = base.folders
    .filter((folder) => folder.vm !== vm.name)
    .map((folder) => ({
      ...folder,
      dependsOn: folder.dependsOn.filter((name) => name !== vm.name),
    }));
  return { ...base, vms, folders };
}

function addFolder(base: Configuration, random: Random): Configuration {
  if (base.vms.length === 0) return base;
  const name = `f${random.int(100_000)}`;
  const vm = random.pick(base.vms).name;
  const earlier = base.vms.slice(
    0,
    base.vms.findIndex((item) => item.name === vm),
  );
  const dependsOn = earlier.length > 0 && random.chance(0.2) ? [random.pick(earlier).name] : [];
  const folder = { name, vm, path: `share-${name}`, host: `/srv/${random.int(3)}`, dependsOn };
  return { ...base, folders: [...base.folders, folder] };
}

function changeHost(base: Configuration, random: Random): Configuration {
  const folders = base.folders.map((folder, index) =>
    index === 0 ? { ...folder, host: `/srv/${random.int(5)}` } : folder,
  );
  return { ...base, folders };
}

function swapIds(base: Configuration, random: Random): Configuration {
  if (base.vms.length < 2) return base;
  const left = random.pick(base.vms);
  const right = random.pick(base.vms);
  const swapped = (vm: VmConfig): VmConfig => {
    if (vm === left) return { ...vm, id: right.id };
    return vm === right ? { ...vm, id: left.id } : vm;
  };
  return { ...base, vms: base.vms.map(swapped) };
}

function moveVm(base: Configuration, vm: VmConfig, random: Random): Configuration {
  const to = freshName(base, random);
  const rename = (name: string): string => (name === vm.name ? to : name);
  return {
    vms: base.vms.map((item) => ({
      ...item,
      name: rename(item.name),
      parent: item.parent === undefined ? undefined : rename(item.parent),
      echo: item.echo === undefined ? undefined : rename(item.echo),
      dependsOn: item.dependsOn.map(rename),
    })),
    folders: base.folders.map((folder) => ({
      ...folder,
      vm: rename(folder.vm),
      dependsOn: folder.dependsOn.map(rename),
    })),
    moved: [...base.moved, { from: vm.name, to }],
  };
}

export function toDesired(configuration: Configuration): Desired {
  const ids = new Map(configuration.vms.map((vm) => [vm.name, vm.id]));
  const idOf = (name: string): string => ids.get(name) ?? "";
  const instances = [
    ...configuration.vms.map((vm, order) => vmInstance(vm, order, idOf)),
    ...configuration.folders.map((folder, order) =>
      folderInstance(folder, configuration.vms.length + order, idOf),
    ),
  ];
  return {
    instances: configuration.literal === true ? literal(instances) : instances,
    data: [],
    providers: [{ name: "fake", settings: null }],
    outputs: [],
    removed: [],
    imports: [],
    moved: configuration.moved.map(({ from, to }) => ({
      from: vmAddress(from),
      to: vmAddress(to),
    })),
  };
}

function literal(instances: readonly DesiredInstance[]): readonly DesiredInstance[] {
  return instances.toReversed().map((item, order) => ({
    ...item,
    order,
    references: [],
    dependencies: item.explicitDependencies,
  }));
}

function vmInstance(vm: VmConfig, order: number, idOf: (name: string) => string): DesiredInstance {
  const attributes: { [name: string]: Attributes[string] } = { id: vm.id };
  if (vm.label !== undefined) attributes.name = vm.label;
  if (vm.parent !== undefined) attributes.parent_id = idOf(vm.parent);
  if (vm.power !== undefined) attributes.power = vm.power;
  if (vm.firmware !== undefined) attributes.firmware = vm.firmware;
  if (vm.share !== undefined) attributes.share = vm.share;
  const references = [
    ...(vm.parent === undefined ? [] : [reference(vm.parent)]),
    ...(vm.echo === undefined ? [] : [{ address: vmAddress(vm.echo), attribute: "ip_address" }]),
  ];
  const address = vmAddress(vm.name);
  const made = instance(address, "fake_vm", order, attributes, references, vm.dependsOn);
  const createBeforeDestroy = vm.createFirst === true;
  const created = { ...made, lifecycle: { ...made.lifecycle, createBeforeDestroy } };
  const whole = vm.trigger === undefined ? created : triggered(created, vm.trigger);
  return vm.echo === undefined ? whole : echoing(whole, attributes, vmAddress(vm.echo));
}

function triggered(made: DesiredInstance, trigger: string): DesiredInstance {
  const [name = "", attribute] = trigger.split(".");
  const address = vmAddress(name);
  return {
    ...made,
    explicitDependencies: [...made.explicitDependencies, address],
    dependencies: [...new Set([...made.dependencies, address])],
    triggers: [{ address, ...(attribute === undefined ? {} : { attribute }) }],
  };
}

/** Its label is the address of another VM. */
function echoing(made: DesiredInstance, attributes: Attributes, of: Address): DesiredInstance {
  const deferred: DeferredValue = {
    template: `\${${of}.ip_address}`,
    scope: {},
    pending: {},
    type: "string",
    references: [{ address: of, attribute: "ip_address" }],
  };
  return {
    ...made,
    resolve: (lookup) => {
      const name = lookup(of)?.ip_address ?? null;
      return isKnown(name)
        ? { attributes: { ...attributes, name }, deferred: {}, diagnostics: [] }
        : { attributes: { ...attributes, name }, deferred: { name: deferred }, diagnostics: [] };
    },
  };
}

function folderInstance(
  folder: FolderConfig,
  order: number,
  idOf: (name: string) => string,
): DesiredInstance {
  const attributes = {
    vm_id: idOf(folder.vm),
    guest_path: folder.path,
    host_path: folder.host,
  };
  const address = folderAddress(folder.name);
  const references = [reference(folder.vm)];
  return instance(address, "fake_folder", order, attributes, references, folder.dependsOn);
}

function reference(name: string): Reference {
  return { address: vmAddress(name), attribute: "id" };
}

function instance(
  address: Address,
  type: string,
  order: number,
  attributes: Attributes,
  references: readonly Reference[],
  dependsOn: readonly string[],
): DesiredInstance {
  const explicitDependencies = dependsOn.map(vmAddress);
  const all = [...references.map((item) => item.address), ...explicitDependencies];
  return {
    address,
    type,
    provider: "fake",
    order,
    references,
    data: [],
    explicitDependencies,
    dependencies: [...new Set(all)].filter((other) => other !== address),
    lifecycle: { preventDestroy: false, createBeforeDestroy: false, ignoreChanges: [] },
    timeoutsMs: {},
    resolve: () => ({ attributes, deferred: {}, diagnostics: [] }),
  };
}
