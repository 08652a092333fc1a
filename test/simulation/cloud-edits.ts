/** Random clouds, random configurations of them, random edits, and what others do meanwhile. */

import type { PowerState } from "../../src/model/operation/power.ts";
import {
  type CloudConfiguration,
  type CloudSnapshotConfig,
  type CloudVmConfig,
  cloudSnapshot,
  cloudVm,
  emptyCloud,
} from "./cloud-configuration.ts";
import type { CloudVm } from "./fake-cloud-objects.ts";
import type { Random } from "./random.ts";

const datastores = ["ds-1", "ds-2", "ds-3"] as const;
const powers = [undefined, undefined, "on", "on", "off", "suspended"] as const;
const found: readonly PowerState[] = ["on", "on", "on", "off", "suspended", "off-deployed"];

export function randomVms(random: Random): readonly CloudVm[] {
  const vapps = 1 + random.int(3);
  return Array.from({ length: 2 + random.int(6) }, (_none, index): CloudVm => {
    const power = random.pick(found);
    const hasSnapshot = random.chance(0.2);
    return {
      id: `/vm/${index}`,
      // Names are unique within a vApp alone.
      name: `n${Math.floor(index / vapps)}`,
      vapp: `app${index % vapps}`,
      datastore: random.pick(datastores),
      power,
      nested: random.chance(0.3),
      shelved: power === "suspended" && random.chance(0.5),
      offersNested: random.chance(0.3),
      hasTools: random.chance(0.7),
      snapshot: hasSnapshot
        ? { created: "t1", owner: "others", label: "theirs", madeMs: 0 }
        : undefined,
    };
  });
}

type Vms = ReadonlyMap<string, CloudVm>;

export function randomCloud(vms: Vms, random: Random): CloudConfiguration {
  let configuration = emptyCloud;
  for (let count = 1 + random.int(6); count > 0; count -= 1) {
    configuration = addVm(configuration, vms, random);
  }
  for (let count = random.int(4); count > 0; count -= 1) {
    configuration = addSnapshot(configuration, vms, random);
  }
  return configuration;
}

export function editCloud(base: CloudConfiguration, vms: Vms, random: Random): CloudConfiguration {
  let edited = base;
  for (let count = 1 + random.int(4); count > 0; count -= 1) edited = edit(edited, vms, random);
  return edited;
}

function edit(base: CloudConfiguration, vms: Vms, random: Random): CloudConfiguration {
  const vm = base.vms.length === 0 ? undefined : random.pick(base.vms);
  const draw = random.int(16);
  if (vm === undefined || draw === 0) return addVm(base, vms, random);
  if (draw === 1) return removeVm(base, vm, random);
  if (draw <= 3) return addSnapshot(base, vms, random);
  if (draw === 4) return { ...base, snapshots: base.snapshots.slice(1) };
  if (draw === 5) return swapSnapshots(base);
  if (draw === 6) return moveVm(base, vm, random);
  if (draw === 7) return relabel(base, random);
  if (draw === 8) return readopt(base, vm, vms, random);
  const edited = editVm(vm, vms, random);
  return { ...base, vms: base.vms.map((item) => (item === vm ? edited : item)) };
}

function editVm(vm: CloudVmConfig, vms: Vms, random: Random): CloudVmConfig {
  switch (random.int(8)) {
    case 0:
      return { ...vm, by: lookupOf(vms, vm.id, random) };
    case 1:
      return { ...vm, onDestroy: random.pick(["forget", "power_off", undefined] as const) };
    case 2:
    case 3:
      return { ...vm, nested: random.chance(0.5) };
    case 4:
    case 5:
      return { ...vm, datastore: random.pick(datastores) };
    default:
      return { ...vm, power: random.pick(powers) };
  }
}

function lookupOf(vms: Vms, id: string, random: Random): CloudVmConfig["by"] {
  const vm = vms.get(id);
  if (vm === undefined || random.chance(0.4)) return { href: id };
  return { name: vm.name, vapp_name: vm.vapp };
}

function addVm(base: CloudConfiguration, vms: Vms, random: Random): CloudConfiguration {
  const taken = new Set(base.vms.map((vm) => vm.id));
  const free = [...vms.keys()].filter((id) => !taken.has(id));
  if (free.length === 0) return base;
  const id = random.pick(free);
  const others = base.vms.map((vm) => vm.name);
  const vm = cloudVm(freshName(base, random), id, {
    by: lookupOf(vms, id, random),
    datastore: random.chance(0.4) ? random.pick(datastores) : undefined,
    power: random.pick(powers),
    nested: random.chance(0.3) ? random.chance(0.5) : undefined,
    onDestroy: random.chance(0.3) ? "power_off" : undefined,
    dependsOn: others.length > 0 && random.chance(0.3) ? [random.pick(others)] : [],
  });
  return { ...base, vms: [...base.vms, vm] };
}

function freshName(base: CloudConfiguration, random: Random): string {
  const used = new Set([
    ...base.vms.map((vm) => `fake_cloud_vm.${vm.name}`),
    ...base.moved.flatMap(({ from, to }) => [from, to]),
  ]);
  for (;;) {
    const name = `v${random.int(1_000)}`;
    if (!used.has(`fake_cloud_vm.${name}`)) return name;
  }
}

function removeVm(base: CloudConfiguration, vm: CloudVmConfig, random: Random): CloudConfiguration {
  const vms = base.vms
    .filter((item) => item !== vm)
    .map((item) => ({ ...item, dependsOn: item.dependsOn.filter((name) => name !== vm.name) }));
  const snapshots = base.snapshots.filter((snapshot) => snapshot.vm !== vm.name);
  const kept = random.chance(0.2) ? [`fake_cloud_vm.${vm.name}`] : [];
  return { ...base, vms, snapshots, removed: [...(base.removed ?? []), ...kept] };
}

/** On a VM without one, as far as the configuration knows. */
function addSnapshot(base: CloudConfiguration, vms: Vms, random: Random): CloudConfiguration {
  const taken = new Set(base.snapshots.map((snapshot) => snapshot.vm));
  const free = base.vms.filter(
    (vm) => !taken.has(vm.name) && vms.get(vm.id)?.snapshot?.owner !== "others",
  );
  if (free.length === 0) return base;
  const name = `s${random.int(100_000)}`;
  const label = `label${random.int(3)}`;
  const snapshot = cloudSnapshot(name, random.pick(free).name, { label });
  return { ...base, snapshots: [...base.snapshots, snapshot] };
}

function relabel(base: CloudConfiguration, random: Random): CloudConfiguration {
  const snapshots = base.snapshots.map((snapshot, index) =>
    index === 0 ? { ...snapshot, label: `label${random.int(5)}` } : snapshot,
  );
  return { ...base, snapshots };
}

/** Two snapshots change places. */
function swapSnapshots(base: CloudConfiguration): CloudConfiguration {
  const [first, second, ...rest] = base.snapshots;
  if (first === undefined || second === undefined) return base;
  const swapped: readonly CloudSnapshotConfig[] = [
    { ...first, vm: second.vm },
    { ...second, vm: first.vm },
  ];
  return { ...base, snapshots: [...swapped, ...rest] };
}

function moveVm(base: CloudConfiguration, vm: CloudVmConfig, random: Random): CloudConfiguration {
  const to = freshName(base, random);
  const rename = (name: string): string => (name === vm.name ? to : name);
  const move = { from: `fake_cloud_vm.${vm.name}`, to: `fake_cloud_vm.${to}` };
  return {
    ...base,
    vms: base.vms.map((item) => ({
      ...item,
      name: rename(item.name),
      dependsOn: item.dependsOn.map(rename),
    })),
    snapshots: base.snapshots.map((snapshot) => ({ ...snapshot, vm: rename(snapshot.vm) })),
    moved: [...base.moved, move],
  };
}

/** The address means another VM from now on. */
function readopt(
  base: CloudConfiguration,
  vm: CloudVmConfig,
  vms: Vms,
  random: Random,
): CloudConfiguration {
  const taken = new Set(base.vms.map((item) => item.id));
  const holds = base.snapshots.some((snapshot) => snapshot.vm === vm.name);
  const free = [...vms.values()].filter(
    ({ id, snapshot }) => !taken.has(id) && !(holds && snapshot?.owner === "others"),
  );
  if (free.length === 0) return base;
  const { id } = random.pick(free);
  const edited = { ...vm, id, by: lookupOf(vms, id, random) };
  return { ...base, vms: base.vms.map((item) => (item === vm ? edited : item)) };
}

/**
 * What somebody else does to the cloud between two runs. A VM that is made anew under its old name
 * has another identity; whoever finds it by name means the new one.
 */
export function meddle(
  vms: Map<string, CloudVm>,
  configuration: CloudConfiguration,
  random: Random,
): CloudConfiguration {
  const vm = random.pick([...vms.values()]);
  switch (random.int(8)) {
    case 0:
      vm.power = random.pick(found);
      vm.shelved = vm.power === "suspended";
      return configuration;
    case 1:
      vm.datastore = random.pick(datastores);
      return configuration;
    case 2:
      vm.name = `renamed${random.int(100)}`;
      return configuration;
    case 3:
      vm.vapp = `app${random.int(3)}`;
      vm.name = `moved${random.int(100)}`;
      return configuration;
    case 4:
      vm.nested = !vm.nested;
      return configuration;
    case 5:
      // Ours is gone.
      if (vm.snapshot?.owner === "us") vm.snapshot = undefined;
      return configuration;
    case 6:
      // Another one in the place of ours.
      if (vm.snapshot?.owner === "us") {
        vm.snapshot = { created: "t2", owner: "others", label: "theirs", madeMs: 0 };
      }
      return configuration;
    default:
      return remake(vms, vm, configuration, random);
  }
}

function remake(
  vms: Map<string, CloudVm>,
  vm: CloudVm,
  configuration: CloudConfiguration,
  random: Random,
): CloudConfiguration {
  const id = `${vm.id}-${random.int(1_000)}`;
  vms.delete(vm.id);
  vms.set(id, { ...vm, id, snapshot: undefined });
  const edited = configuration.vms.map((item) => {
    if (item.id !== vm.id) return item;
    const by = item.by.href === undefined ? item.by : { href: id };
    return { ...item, id, by };
  });
  return { ...configuration, vms: edited };
}
