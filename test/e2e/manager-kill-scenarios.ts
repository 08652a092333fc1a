/**
 * What the kill loop of host management and the appliance runs: configuration A is applied
 * undisturbed to a new world, the run of B is killed, and the next run applies B, or an edit of it,
 * to the end.
 */

import type { OutsideChange } from "../../src/simulators/core.ts";
import type { Written } from "../../src/simulators/kit/document.ts";
import type {
  AppliancePart,
  ManagerVmEntry,
} from "../../src/simulators/kit/generated/documents.ts";
import type { ManagerAlarm } from "../../src/simulators/manager/world/alarm.ts";
import type { ManagerVm } from "../../src/simulators/manager/world/inventory.ts";
import type { World, WorldDocument } from "../../src/simulators/world.ts";
import { limitsOf } from "./type-limits.ts";

/** Attributes by address. */
export type Resources = {
  readonly [address: string]: { readonly [attribute: string]: unknown };
};

/** What there is at the end, as far as it is told. */
export type End = {
  readonly vms?: { readonly [key: string]: VmEnd };
  /** Users by the names of login alarms. */
  readonly alarms?: { readonly [name: string]: string };
  /** Sizes by partition, GB rounded up. */
  readonly partitions?: { readonly [name: string]: number };
};
export type VmEnd = {
  readonly power?: ManagerVm["power"];
  readonly nested?: boolean;
  readonly datastore?: string;
  /** Size and used space by the key of the disk, GB. */
  readonly disks?: { readonly [key: string]: readonly [size: number, used: number] };
};

export type ManagerEdit = {
  readonly resources: Resources;
  readonly end: End;
  /** What the edit asks for once more. */
  readonly again?: RegExp;
};

export type ManagerKillScenario = {
  readonly name: string;
  readonly vms: { readonly [key: string]: Written<ManagerVmEntry> };
  readonly appliance?: Written<AppliancePart>;
  /** None: the killed run is the first one. */
  readonly a?: Resources;
  /** What others do between A and B. */
  readonly between?: readonly OutsideChange[];
  readonly b: Resources;
  /** After B. */
  readonly end: End;
  /** Effects that may come again, since nobody can see whether they came. */
  readonly unseen?: RegExp;
  /** Edits of B, each with what it is. */
  readonly edits: { readonly [what: string]: ManagerEdit };
};

/** Tasks take so long that a kill meets them running, and a second poll too. */
export function worldOf({ vms, appliance }: ManagerKillScenario): WorldDocument {
  return {
    seed: 5,
    manager: {
      durations_ms: {
        ...{ wipe: 350, shrink: 300, reconfigure: 250, relocate: 300 },
        ...{ power_on: 200, guest_shutdown: 250, tools: 100 },
      },
      datastores: { hdd: {}, ssd: {} },
      vms,
    },
    ...(appliance === undefined ? {} : { appliance }),
  };
}

export function endOf({ manager, appliance }: World): End {
  const gb = (kb: number): number => Math.ceil(kb / 1024 / 1024);
  const nameOf = (id: string): string | undefined =>
    manager.datastores.find((each) => each.id === id)?.key;
  const vmEnd = ({ power, nested, datastoreId, disks }: ManagerVm): VmEnd => ({
    power,
    nested: nested === true,
    datastore: nameOf(datastoreId) ?? "none",
    disks: Object.fromEntries(
      disks.map(({ key, capacityKb, allocatedKb }) => [key, [gb(capacityKb), gb(allocatedKb)]]),
    ),
  });
  return {
    vms: Object.fromEntries(manager.vms.map((vm) => [vm.key, vmEnd(vm)])),
    alarms: Object.fromEntries(manager.alarms.flatMap(loginAlarm)),
    partitions: Object.fromEntries(
      appliance.partitions.map(({ name, sizes }) => [name, gb(sizes.at(-1)?.kb ?? 0)]),
    ),
  };
}

function loginAlarm({ spec }: ManagerAlarm): readonly (readonly [string, string])[] {
  const { name } = spec;
  const user = /"userName".*?"value":"([^"]*)"/.exec(JSON.stringify(spec))?.[1];
  return user === undefined || typeof name !== "string" ? [] : [[name, user]];
}

/** A request that a killed run began shows within this time, or was never sent. */
export const requestLimitMs = 2_000;
const limit = `${requestLimitMs}ms`;
const limits = { request: limit, power: limit, create: limit, delete: limit };
const killedLimits: { readonly [type: string]: { readonly [group: string]: string } } = {
  // No task tells of its work.
  appliance_storage: { update: limit },
  manager_login_alarm: { ...limits, update: limit },
  manager_disk_reclaim: { request: limit },
};

export type Origins = { readonly manager: string; readonly appliance: string };

/** The configuration as YAML; resources of a run that will be killed have short time limits. */
export function managerYaml(
  { manager, appliance }: Origins,
  secretFile: string,
  resources: Resources,
  isKilled: boolean,
): string {
  const password = { file: secretFile };
  const providers = {
    manager: { url: manager, user: "admin", password },
    appliance: { url: appliance, user: "root", password },
  };
  const entries = Object.entries(resources).map(([address, attributes]) => {
    const type = address.split(".")[0] ?? "";
    const timeouts = limitsOf(type, isKilled ? (killedLimits[type] ?? limits) : {});
    return [address, { ...attributes, timeouts }];
  });
  return JSON.stringify({ providers, resources: Object.fromEntries(entries) }, undefined, 1);
}

const sparse = (size_gb: number, used_gb: number, stale_gb: number) =>
  ({ size_gb, used_gb, stale_gb, format: "sesparse" }) as const;

/** Wiped, then shrunk. */
const reclaim: ManagerKillScenario = (() => {
  const vm = { "manager_vm.desk": { name: "desk" } };
  const of = (more: Resources[string]): Resources => ({
    ...vm,
    "manager_disk_reclaim.desk": { vm: "${manager_vm.desk.moref}", ...more },
  });
  const end: End = {
    vms: { desk: { power: "poweredOn", disks: { 2000: [40, 18], 2001: [20, 6] } } },
  };
  return {
    name: "reclaim",
    vms: { desk: { power: "on", disks: [sparse(40, 30, 12), sparse(20, 10, 4)] } },
    b: of({ triggers: { round: 1 } }),
    end,
    edits: {
      "triggered again": {
        resources: of({ triggers: { round: 2 } }),
        end,
        // Once more is what it asks for.
        again: /wipeDisk|shrinkDisk/,
      },
      "not wanted": { resources: vm, end: { vms: { desk: { power: "poweredOn" } } } },
    },
  };
})();

/** Wiped again, in the window's wake: the VM is off for a moment, and a wipe needs it on. */
const window: ManagerKillScenario = (() => {
  const of = (vm: Resources[string], round: number, every?: string): Resources => ({
    "manager_vm.lab": { name: "lab", ...vm },
    "manager_disk_reclaim.lab": {
      vm: "${manager_vm.lab.moref}",
      disk_id: "2000",
      triggers: { round },
      ...(every === undefined ? {} : { every }),
    },
  });
  const end: End = {
    vms: { lab: { power: "poweredOn", nested: true, disks: { 2000: [40, 10], 2001: [20, 10] } } },
  };
  return {
    name: "window",
    vms: { lab: { power: "on", disks: [sparse(40, 30, 12), sparse(20, 10, 4)] } },
    a: of({}, 1),
    between: [{ change_manager_disk: { vm: "lab", disk: 2000, stale_gb: 8 } }],
    b: of({ nested_hv_enabled: true }, 2),
    end,
    edits: {
      "also every month": { resources: of({ nested_hv_enabled: true }, 2, "30d"), end },
      "moved besides": {
        resources: of({ nested_hv_enabled: true, datastore: "ssd" }, 2),
        end: { vms: { lab: { ...end.vms?.["lab"], datastore: "ssd" } } },
      },
    },
  };
})();

function chainOf(sizes: { readonly [disk: string]: number }): Resources {
  const numbers: { readonly [name: string]: number } = { log: 5, seat: 8 };
  const disks = Object.entries(sizes).map(([name, size_gb]) => [
    `manager_disk.${name}`,
    { vm: "${manager_vm.vc.moref}", label: `Hard disk ${numbers[name]}`, size_gb },
  ]);
  const wanted = Object.keys(sizes).map((name) => [name, `\${manager_disk.${name}.size_gb}`]);
  return {
    "manager_vm.vc": { name: "vcsa" },
    ...Object.fromEntries(disks),
    "appliance_storage.this": { sizes_gb: Object.fromEntries(wanted) },
  };
}

/** Disks grow, then the partitions on them. */
const chain: ManagerKillScenario = {
  name: "chain",
  vms: { vcsa: { power: "on", disks: "appliance" } },
  appliance: { durations_ms: { resize: 400, sample: 200 }, vm: "vcsa" },
  b: chainOf({ log: 25, seat: 40 }),
  end: {
    vms: { vcsa: { power: "poweredOn", disks: { 2004: [25, 25], 2008: [40, 40] } } },
    partitions: { log: 25, seat: 40, db: 10 },
  },
  edits: {
    "larger still": {
      resources: chainOf({ log: 25, seat: 60 }),
      end: { partitions: { log: 25, seat: 60 } },
      again: /storage.*resize/,
    },
    "without the storage": {
      resources: { "manager_vm.vc": { name: "vcsa" } },
      end: { vms: { vcsa: { power: "poweredOn" } } },
    },
  },
};

/** The same where the appliance tells no sizes: whether it has resized is for nobody to see. */
const blind: ManagerKillScenario = {
  ...chain,
  name: "blind",
  appliance: { durations_ms: { resize: 400 }, rules: { monitoring: "empty" }, vm: "vcsa" },
  unseen: /storage.*resize/,
};

/** A later release, which tells what has grown in its reply. */
const later: ManagerKillScenario = {
  ...chain,
  name: "later",
  vms: { vcsa: { power: "on", disks: "appliance-7.0" } },
  appliance: { durations_ms: { resize: 400, sample: 200 }, rules: { release: "7.0" }, vm: "vcsa" },
};

/** Changes without a task. */
const alarm: ManagerKillScenario = (() => {
  const of = (user_name: string): Resources => ({
    "manager_login_alarm.a": { name: "a", user_name },
  });
  return {
    name: "alarm",
    vms: {},
    b: of("adm"),
    end: { alarms: { a: "adm" } },
    edits: {
      "of another user": { resources: of("root"), end: { alarms: { a: "root" } } },
      "not wanted": { resources: {}, end: {} },
    },
  };
})();

/** Moved and turned off. */
const move: ManagerKillScenario = (() => {
  const of = (more: Resources[string]): Resources => ({
    "manager_vm.web": { name: "web", ...more },
  });
  return {
    name: "move",
    vms: { web: { power: "on", disks: [{ size_gb: 10 }] } },
    b: of({ datastore: "ssd", power: "off" }),
    end: { vms: { web: { datastore: "ssd", power: "poweredOff" } } },
    edits: {
      "left on": {
        resources: of({ datastore: "ssd", power: "on" }),
        end: { vms: { web: { datastore: "ssd", power: "poweredOn" } } },
      },
    },
  };
})();

export const managerKillScenarios: readonly ManagerKillScenario[] = [
  reclaim,
  chain,
  window,
  blind,
  later,
  alarm,
  move,
];
