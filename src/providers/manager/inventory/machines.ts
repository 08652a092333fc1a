/**
 * VMs of one pass of reading: a few by their ids in one request, many, or those that are looked
 * for, by one read of everything below the root folder. Gone is what the server says is gone and
 * what the complete list does not hold: either alone may be a matter of rights.
 */

import { textOf } from "../../../lib/xml/xml.ts";
import { once, oncePer, together } from "../../kit/once.ts";
import { unlistedAmong } from "../../kit/reading.ts";
import type { ManagedObject, PropertyPaths } from "../client/client.ts";
import { describeFault } from "../client/fault.ts";
import { plainName, vmObjectType, vmRef } from "../client/moref.ts";
import {
  devicesPath,
  readVmProperties,
  type VmProperties,
  vmPaths,
} from "../machine/vm-properties.ts";
import type { ManagerPorts } from "../part.ts";
import { type PlaceOf, pathOfVm, placePaths, placesIn, placesOf } from "./places.ts";

/** More than this many are cheaper, or as cheap, with everything else. */
const fewMax = 20;

export const hostObjectType = "HostSystem";
const datastoreObjectType = "Datastore";

export type MachineNeeds = {
  readonly ids: ReadonlySet<string>;
  /** Some are looked for by what is no id. */
  readonly search: boolean;
  readonly devices: boolean;
  /** Paths beyond the usual ones. */
  readonly more?: readonly string[];
};

export type Machine =
  | { readonly status: "found"; readonly vm: VmProperties }
  | { readonly status: "gone"; readonly proof: string }
  | { readonly status: "hidden"; readonly reason: string };

export type Machines = {
  /** Throws `RemoteError`. */
  readonly byId: (id: string) => Promise<Machine>;
  readonly all: () => Promise<MachineList>;
  /**
   * With its devices where they were not asked for: of all VMs whose turn it is, by one request.
   * Throws `RemoteError`.
   */
  readonly withDevices: (vm: VmProperties) => Promise<VmProperties>;
  /** As `pathOfVm`; of a few VMs, by some small requests. Throws `RemoteError`. */
  readonly pathOf: (vm: VmProperties) => Promise<string | undefined>;
};

export type MachineList = {
  /** By id, in order of ids. */
  readonly vms: ReadonlyMap<string, VmProperties>;
  readonly places: PlaceOf;
};

export function openMachines(ports: ManagerPorts, needs: MachineNeeds): Machines {
  const paths = [...vmPaths, ...(needs.devices ? [devicesPath] : []), ...(needs.more ?? [])];
  const isFew = !needs.search && needs.ids.size <= fewMax;
  const all = once(() => readList(ports, paths));
  const some = once(() => readSome(ports, [...needs.ids], paths));
  const alone = oncePer((id) => readSome(ports, [id], paths));
  const asked = placesOf(ports.client);
  const devicesOf = together((ids: readonly string[]) => readDevices(ports, ids));
  return {
    all,
    withDevices: async (vm) => {
      if (vm.disks !== undefined || vm.refused.has(devicesPath)) return vm;
      const { disks, refused } = (await devicesOf(vm.id)).get(vm.id) ?? vm;
      return { ...vm, disks, refused: new Map([...vm.refused, ...refused]) };
    },
    pathOf: async (vm) => {
      const places = isFew ? asked : (await all()).places;
      return pathOfVm(vm, ports.client.content.rootFolder, places);
    },
    byId: async (id) => {
      const listed = isFew ? undefined : (await all()).vms.get(id);
      if (listed !== undefined) return { status: "found", vm: listed };
      const { vms, gone } = await (isFew ? some() : alone(id));
      const vm = vms.get(id);
      if (vm !== undefined) return shown(vm);
      if (!gone.has(id)) return { status: "hidden", reason: `the host manager shows no VM ${id}` };
      const list = await all();
      const late = list.vms.get(id);
      if (late !== undefined) return { status: "found", vm: late };
      const listing = unlistedAmong(list.vms.size);
      const proof = `${listing}, and a read of ${id} is answered ManagedObjectNotFound`;
      return { status: "gone", proof };
    },
  };
}

/** A VM of which nothing may be read has lost its rights, not its name. */
function shown(vm: VmProperties): Machine {
  const refusal = vm.refused.get("name");
  if (vm.name !== "" || refusal === undefined) return { status: "found", vm };
  const reason = `VM ${vm.id} exists and may not be read: ${describeFault(refusal)}`;
  return { status: "hidden", reason };
}

type SomeMachines = {
  readonly vms: ReadonlyMap<string, VmProperties>;
  readonly gone: ReadonlySet<string>;
};

async function readSome(
  ports: ManagerPorts,
  ids: readonly string[],
  paths: readonly string[],
): Promise<SomeMachines> {
  const refs = ids.map((id) => vmRef(id));
  const { objects, gone } = await ports.client.read(refs, { [vmObjectType]: paths });
  const vms = new Map([...objects].map(([id, object]) => [id, readVmProperties(object)]));
  await learnNames(ports, [...vms.values()]);
  return { vms, gone };
}

async function readDevices(
  { client }: ManagerPorts,
  ids: readonly string[],
): Promise<ReadonlyMap<string, VmProperties>> {
  const refs = ids.map((id) => vmRef(id));
  const { objects } = await client.read(refs, { [vmObjectType]: [devicesPath] });
  return new Map([...objects].map(([id, object]) => [id, readVmProperties(object)]));
}

/** Hosts and datastores that this session has not seen yet, by one request. */
export async function learnNames(ports: ManagerPorts, vms: readonly VmProperties[]): Promise<void> {
  const hosts = vms.flatMap(({ host }) => host ?? []).filter((id) => !ports.hostNames.has(id));
  const stores = vms
    .flatMap(({ datastores }) => datastores)
    .filter((id) => !ports.datastoreNames.has(id));
  if (hosts.length + stores.length === 0) return;
  const refs = [
    ...hosts.map((id) => ({ type: hostObjectType, id })),
    ...stores.map((id) => ({ type: datastoreObjectType, id })),
  ];
  const { objects } = await ports.client.read(refs, namePaths);
  for (const object of objects.values()) learnName(ports, object);
}

const namePaths: PropertyPaths = { [hostObjectType]: ["name"], [datastoreObjectType]: ["name"] };

function learnName(ports: ManagerPorts, { ref, values }: ManagedObject): void {
  const { hostNames, datastoreNames } = ports;
  const names = new Map([
    [hostObjectType, hostNames],
    [datastoreObjectType, datastoreNames],
  ]).get(ref.type);
  const name = values.get("name");
  if (name !== undefined) names?.set(ref.id, plainName(textOf(name).trim()));
}

async function readList(ports: ManagerPorts, paths: readonly string[]): Promise<MachineList> {
  const objects = await ports.client.readAll({
    [vmObjectType]: paths,
    ...namePaths,
    ...placePaths,
  });
  const vms: VmProperties[] = [];
  for (const object of objects) {
    if (object.ref.type === vmObjectType) vms.push(readVmProperties(object));
    else learnName(ports, object);
  }
  vms.sort((left, right) => (left.id < right.id ? -1 : 1));
  return { vms: new Map(vms.map((vm) => [vm.id, vm])), places: placesIn(objects) };
}
