/** A grown estate of daemon VMs and shared folders, random edits of it, and both as YAML. */

import type { Random } from "../simulation/random.ts";

export type Power = "on" | "off" | "suspended" | "paused";

export type EstateVm = {
  readonly name: string;
  readonly id: string;
  readonly label: string | undefined;
  readonly tag: string | undefined;
  /** Name of the VM it is cloned from. */
  readonly parent: string | undefined;
  readonly power: Power | undefined;
  readonly sharing: boolean | undefined;
  readonly dependsOn: readonly string[];
  readonly createFirst: boolean;
};

export type EstateFolder = {
  readonly name: string;
  readonly vm: string;
  readonly path: string;
  readonly host: string;
  readonly writable: boolean;
};

export type Estate = {
  readonly vms: readonly EstateVm[];
  readonly folders: readonly EstateFolder[];
  readonly moved: readonly { readonly from: string; readonly to: string }[];
};

const powers = ["on", "off", "suspended", "paused", undefined] as const;

/** 12 VMs, clones of clones among them, in every power state, and 20 folders. */
export function createEstate(random: Random): Estate {
  const vms: EstateVm[] = [];
  for (let index = 0; index < 12; index += 1) {
    vms.push({
      name: `v${index}`,
      id: `id-${index}`,
      label: random.chance(0.4) ? `Label ${random.int(3)}` : undefined,
      tag: random.chance(0.4) ? `tag${random.int(3)}` : undefined,
      parent: index > 2 && random.chance(0.6) ? random.pick(vms).name : undefined,
      power: powers[index % powers.length],
      sharing: random.pick([true, true, false, undefined]),
      dependsOn: index > 0 && random.chance(0.3) ? [random.pick(vms).name] : [],
      createFirst: false,
    });
  }
  let estate: Estate = { vms, folders: [], moved: [] };
  for (let count = 0; count < 20; count += 1) estate = addFolder(estate, random);
  return estate;
}

/** The kinds of edit, each by its name. */
const edits = {
  "add a VM": addVm,
  "remove a VM": removeVm,
  "rename with moved": moveVm,
  power: (base, random) => editVm(base, random, () => ({ power: random.pick(powers) })),
  "add a folder": addFolder,
  "remove a folder": (base) => ({ ...base, folders: base.folders.slice(1) }),
  "change a folder": changeFolder,
  "new tag": (base, random) => editVm(base, random, ({ tag }) => ({ tag: `${tag ?? "tag"}+` })),
  "new id": (base, random) => editVm(base, random, ({ id }) => ({ id: `${id}x` })),
  "create before destroy": (base, random) =>
    editVm(base, random, ({ id }) => ({ id: `${id}y`, createFirst: true })),
  "keys that swap": swapIds,
  sharing: changeSharing,
} as const satisfies { readonly [name: string]: (base: Estate, random: Random) => Estate };

export type EditName = keyof typeof edits;
export const editNames = Object.keys(edits) as readonly EditName[];

/** The edit of this name, and now and then another one in the same step. */
export function editEstate(base: Estate, random: Random, name: EditName): Estate {
  const edited = edits[name](base, random);
  return random.chance(0.4) ? edits[random.pick(editNames)](edited, random) : edited;
}

function editVm(base: Estate, random: Random, change: (vm: EstateVm) => Partial<EstateVm>): Estate {
  const chosen = random.pick(base.vms);
  const vms = base.vms.map((vm) => (vm === chosen ? { ...vm, ...change(vm) } : vm));
  return { ...base, vms };
}

function addVm(base: Estate, random: Random): Estate {
  const name = freshName(base, random);
  const others = base.vms.map((vm) => vm.name);
  const vm: EstateVm = {
    name,
    id: `id-${name}`,
    label: random.chance(0.4) ? `Label ${random.int(3)}` : undefined,
    tag: random.chance(0.4) ? `tag${random.int(3)}` : undefined,
    parent: random.chance(0.5) ? random.pick(others) : undefined,
    power: random.pick(powers),
    sharing: random.pick([true, false, undefined]),
    dependsOn: random.chance(0.3) ? [random.pick(others)] : [],
    createFirst: false,
  };
  return { ...base, vms: [...base.vms, vm] };
}

/** A name that no VM has or had. */
function freshName({ vms, moved }: Estate, random: Random): string {
  const used = new Set([
    ...vms.map((vm) => vm.name),
    ...moved.flatMap(({ from, to }) => [from, to]),
  ]);
  for (;;) {
    const name = `w${random.int(100_000)}`;
    if (!used.has(name)) return name;
  }
}

/** With its folders; what was cloned from it stays. */
function removeVm(base: Estate, random: Random): Estate {
  if (base.vms.length < 4) return base;
  const gone = random.pick(base.vms);
  const vms = base.vms
    .filter((vm) => vm !== gone)
    .map((vm) => ({
      ...vm,
      parent: vm.parent === gone.name ? undefined : vm.parent,
      dependsOn: vm.dependsOn.filter((name) => name !== gone.name),
    }));
  const folders = base.folders.filter((folder) => folder.vm !== gone.name);
  return { vms, folders, moved: withoutStepsTo(base.moved, gone.name) };
}

/** An entry may not lead to a name that is not there. Entries are in the order of their steps. */
function withoutStepsTo(moved: Estate["moved"], name: string): Estate["moved"] {
  const gone = new Set([name]);
  for (const { from, to } of moved.toReversed()) if (gone.has(to)) gone.add(from);
  return moved.filter(({ to }) => !gone.has(to));
}

function moveVm(base: Estate, random: Random): Estate {
  const from = random.pick(base.vms).name;
  const to = freshName(base, random);
  const renamed = (name: string): string => (name === from ? to : name);
  return {
    vms: base.vms.map((vm) => ({
      ...vm,
      name: renamed(vm.name),
      parent: vm.parent === undefined ? undefined : renamed(vm.parent),
      dependsOn: vm.dependsOn.map(renamed),
    })),
    folders: base.folders.map((folder) => ({ ...folder, vm: renamed(folder.vm) })),
    moved: [...base.moved, { from, to }],
  };
}

/** Into a VM that shares, or shares from now on. */
function addFolder(base: Estate, random: Random): Estate {
  const { name: vm } = random.pick(base.vms);
  const number = random.int(1_000_000);
  const folder = {
    name: `f${number}`,
    vm,
    path: `share ${number}`,
    host: `/srv/${random.int(3)}`,
    writable: random.chance(0.7),
  };
  const vms = base.vms.map((item) => (item.name === vm ? { ...item, sharing: true } : item));
  return { ...base, vms, folders: [...base.folders, folder] };
}

function changeFolder(base: Estate, random: Random): Estate {
  if (base.folders.length === 0) return base;
  const chosen = random.pick(base.folders);
  const changed = random.chance(0.5)
    ? { ...chosen, host: `${chosen.host}/more` }
    : { ...chosen, writable: !chosen.writable };
  return { ...base, folders: base.folders.map((item) => (item === chosen ? changed : item)) };
}

function swapIds(base: Estate, random: Random): Estate {
  const left = random.pick(base.vms);
  const right = random.pick(base.vms);
  const vms = base.vms.map((vm) => {
    if (vm === left) return { ...vm, id: right.id };
    return vm === right ? { ...vm, id: left.id } : vm;
  });
  return { ...base, vms };
}

/** Of a VM without folders, since those need it. */
function changeSharing(base: Estate, random: Random): Estate {
  const free = base.vms.filter((vm) => base.folders.every((folder) => folder.vm !== vm.name));
  if (free.length === 0) return base;
  const chosen = random.pick(free);
  const sharing = chosen.sharing !== true;
  return { ...base, vms: base.vms.map((vm) => (vm === chosen ? { ...vm, sharing } : vm)) };
}

/** What stands under `resources:`. */
export function resourcesYaml({ vms, folders }: Estate): string {
  return [...vms.flatMap(vmLines), ...folders.flatMap(folderLines)].join("\n");
}

export function movedYaml({ moved }: Estate): string {
  const entries = moved.map(({ from, to }) => `{ from: daemon_vm.${from}, to: daemon_vm.${to} }`);
  return entries.length === 0 ? "" : `moved: [${entries.join(", ")}]`;
}

function vmLines(vm: EstateVm): readonly string[] {
  const { name, id, label, tag, parent, power, sharing, dependsOn, createFirst } = vm;
  return [
    `  daemon_vm.${name}:`,
    `    id: ${id}`,
    ...(label === undefined ? [] : [`    name: ${label}`]),
    ...(tag === undefined ? [] : [`    tag: ${tag}`]),
    ...(parent === undefined ? [] : [`    parent_id: \${daemon_vm.${parent}.id}`]),
    ...(power === undefined ? [] : [`    power: ${power}`]),
    ...(sharing === undefined ? [] : [`    folder_sharing: ${sharing}`]),
    ...(dependsOn.length === 0 ? [] : [`    depends_on: [daemon_vm.${dependsOn.join(", ")}]`]),
    ...(createFirst ? ["    lifecycle: { create_before_destroy: true }"] : []),
    "    timeouts: { create: 5m, update: 5m, delete: 5m, power: 5m, wait: 5m }",
  ];
}

function folderLines({ name, vm, path, host, writable }: EstateFolder): readonly string[] {
  return [
    `  daemon_shared_folder.${name}:`,
    `    vm_id: \${daemon_vm.${vm}.id}`,
    `    guest_path: ${path}`,
    `    host_path: ${host}`,
    ...(writable ? [] : ["    writable: false"]),
  ];
}
