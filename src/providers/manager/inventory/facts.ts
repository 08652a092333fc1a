/**
 * What changes need to be known about beyond attributes, for all of them together: one read of the
 * VMs, one of their hosts, one of the tasks on them, and one of all datastores where any VM moves.
 */

import { closestName } from "../../../lib/text.ts";
import { textOf } from "../../../lib/xml/xml.ts";
import type { FactsAnswer, FactsRequest } from "../../../model/provider/provider.ts";
import { once } from "../../kit/once.ts";
import { answerEach } from "../../kit/reading.ts";
import { refusal } from "../../kit/refusal.ts";
import { describeTask } from "../../kit/tasks.ts";
import type { ManagedObject } from "../client/client.ts";
import { booleanIn, refOf } from "../client/element.ts";
import { datastoreOfPath, plainName, vmObjectType, vmRef } from "../client/moref.ts";
import { type ManagerTask, readTasks } from "../client/task.ts";
import type { ChangeFacts } from "../machine/change-facts.ts";
import { diskParts } from "../machine/disk-identity.ts";
import { diskTypeName, vmIn, vmTypeName } from "../machine/names.ts";
import {
  devicesPath,
  parentDisks,
  readVmProperties,
  recentTaskPath,
  snapshotPath,
  type VmProperties,
  vmPaths,
} from "../machine/vm-properties.ts";
import type { ManagerPorts } from "../part.ts";
import { hostObjectType } from "./machines.ts";

type Sources = {
  readonly vms: ReadonlyMap<string, VmProperties>;
  readonly hosts: ReadonlyMap<string, HostFacts>;
  readonly tasks: ReadonlyMap<string, ManagerTask>;
  readonly datastores: () => Promise<readonly Datastore[]>;
};

export type HostFacts = {
  readonly name: string;
  /** Undefined where the host does not tell. */
  readonly nested: boolean | undefined;
};

/** Same order, one answer each. */
export async function askFacts(
  ports: ManagerPorts,
  requests: readonly FactsRequest[],
): Promise<readonly FactsAnswer[]> {
  if (requests.length === 0) return [];
  const sources = await openSources(ports, requests);
  return answerEach(requests, (request) => factsOf(ports, request, sources));
}

async function openSources(
  ports: ManagerPorts,
  requests: readonly FactsRequest[],
): Promise<Sources> {
  const { client } = ports;
  const ids = new Set(requests.flatMap((request) => vmOf(request) ?? []));
  const paths = [...vmPaths, devicesPath, snapshotPath, recentTaskPath];
  const { objects } = await client.read(
    [...ids].map((id) => vmRef(id)),
    { [vmObjectType]: paths },
  );
  const vms = new Map([...objects].map(([id, object]) => [id, readVmProperties(object)]));
  const nests = requests.some(({ changed }) => changed.includes("nested_hv_enabled"));
  const hostIds = new Set([...vms.values()].flatMap(({ host }) => host ?? []));
  return {
    vms,
    hosts: nests ? await readHosts(ports, [...hostIds]) : new Map(),
    tasks: await readTasks(client, [...new Set([...vms.values()].flatMap((vm) => vm.recentTasks))]),
    datastores: once(() => readDatastores(ports)),
  };
}

function vmOf({ type, identity }: FactsRequest): string | undefined {
  if (type === vmTypeName) return identity;
  return type === diskTypeName ? diskParts(identity)?.vm : undefined;
}

/** Also where all that is known of the host is that it does not tell (wire facts D.6). */
async function readHosts(
  { client }: ManagerPorts,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HostFacts>> {
  const refs = ids.map((id) => ({ type: hostObjectType, id }));
  if (refs.length === 0) return new Map();
  const paths = { [hostObjectType]: hostPaths };
  const { objects } = await client.read(refs, paths);
  return new Map([...objects].map(([id, object]) => [id, hostFacts(object)]));
}

export const hostPaths: readonly string[] = ["name", "capability.nestedHVSupported"];

export function hostFacts({ ref, values }: ManagedObject): HostFacts {
  const name = values.get("name");
  return {
    name: name === undefined ? ref.id : plainName(textOf(name).trim()),
    nested: booleanIn(values.get("capability.nestedHVSupported")),
  };
}

async function factsOf(
  ports: ManagerPorts,
  request: FactsRequest,
  sources: Sources,
): Promise<ChangeFacts> {
  const id = vmOf(request) ?? "";
  const vm = sources.vms.get(id);
  if (vm === undefined) throw refusal("not-found", `VM ${id} is not there any more`);
  const host = vm.host === undefined ? undefined : sources.hosts.get(vm.host);
  const facts: ChangeFacts = {
    api_version: ports.client.content.apiVersion,
    tasks: vm.recentTasks.flatMap((task) => {
      const found = sources.tasks.get(task);
      return found === undefined || found.hasEnded ? [] : [describeTask(found)];
    }),
    power_state: vm.power ?? null,
    hardware_version: vm.hardwareVersion ?? null,
    host: host?.name ?? null,
    host_nested: host?.nested ?? null,
    datastore_moref: null,
    disks: [],
    snapshots: vm.snapshots,
    device: null,
    is_delta: false,
  };
  if (request.type === diskTypeName) return ofDisk(request, vm, facts);
  return ofMove(request, vm, facts, sources);
}

function ofDisk(request: FactsRequest, vm: VmProperties, facts: ChangeFacts): ChangeFacts {
  const key = diskParts(request.identity)?.disk;
  const disk = vm.disks?.find(({ id }) => id === key);
  if (disk === undefined)
    throw refusal("not-found", `VM ${vm.name} does not show disk ${key ?? ""}`);
  return { ...facts, device: disk.device, is_delta: disk.isDelta };
}

async function ofMove(
  { wanted, changed, prior }: FactsRequest,
  vm: VmProperties,
  facts: ChangeFacts,
  { datastores }: Sources,
): Promise<ChangeFacts> {
  const moves = changed.includes("datastore");
  const formats = changed.includes("delta_disk_format");
  if (!moves && !formats) return facts;
  // New deltas stand where the VM's own file is, wherever its disks are.
  const own = (): string | undefined => datastoreOfPath(vm.homePath) ?? vmIn(prior).datastore;
  const name = moves ? vmIn(wanted).datastore : own();
  if (name === undefined) {
    throw refusal("precondition", `the datastore of VM ${vm.name} is not known`);
  }
  const moref = datastoreNamed(name, vm, await datastores());
  if (formats && vm.disks === undefined) {
    throw refusal("forbidden", `VM ${vm.name} does not show its devices`);
  }
  return { ...facts, datastore_moref: moref, disks: parentDisks(vm) };
}

type Datastore = {
  readonly id: string;
  readonly name: string;
  /** Of the datacenter that it belongs to, as far as that can be told. */
  readonly datacenter: string | undefined;
  /** Every folder in that datacenter. */
  readonly folders: ReadonlySet<string>;
};

async function readDatastores({ client }: ManagerPorts): Promise<readonly Datastore[]> {
  const objects = await client.readAll({
    Datastore: ["name", "parent"],
    Folder: ["parent"],
    Datacenter: ["name"],
  });
  const parents = new Map(
    objects.map(({ ref, values }) => [ref.id, refOf(values.get("parent"))?.id]),
  );
  const centers = new Set(objects.flatMap(({ ref }) => (ref.type === "Datacenter" ? ref.id : [])));
  const centerOf = (start: string): string | undefined => {
    let id: string | undefined = start;
    for (let steps = 0; id !== undefined && steps <= parents.size; steps += 1) {
      if (centers.has(id)) return id;
      id = parents.get(id);
    }
    return undefined;
  };
  const folders = new Map<string, Set<string>>();
  for (const id of parents.keys()) {
    const center = centerOf(id);
    if (center !== undefined) folders.set(center, (folders.get(center) ?? new Set()).add(id));
  }
  return objects.flatMap(({ ref, values }) => {
    const name = values.get("name");
    if (ref.type !== "Datastore" || name === undefined) return [];
    const datacenter = centerOf(ref.id);
    const own = folders.get(datacenter ?? "") ?? new Set<string>();
    return [{ id: ref.id, name: plainName(textOf(name).trim()), datacenter, folders: own }];
  });
}

/** Its id. Names are unique within a datacenter at best; a VM stays in the one that it is in. */
function datastoreNamed(
  name: string,
  { parent, name: vm }: VmProperties,
  all: readonly Datastore[],
): string {
  const named = all.filter((datastore) => datastore.name === name);
  const near = named.filter(({ folders }) => parent === undefined || folders.has(parent.id));
  const [match, ...more] = near;
  const quoted = JSON.stringify(name);
  if (match === undefined) {
    if (named.length > 0) {
      throw refusal("not-found", `datastore ${quoted} is in another datacenter than VM ${vm}`);
    }
    const closest = closestName(
      name,
      all.map((datastore) => datastore.name),
    );
    const hint = closest === undefined ? "" : `; there is one named ${JSON.stringify(closest)}`;
    throw refusal("not-found", `no datastore is named ${quoted} among all ${all.length}${hint}`);
  }
  if (more.length === 0) return match.id;
  const ids = near.map(({ id, datacenter }) => `${id} of ${datacenter ?? "no datacenter"}`);
  throw refusal("conflict", `${near.length} datastores are named ${quoted}: ${ids.join("; ")}`);
}
