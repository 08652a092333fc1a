/**
 * What changes need to be known about beyond attributes, for all of them together: one read of the
 * VMs, one of their hosts, one of the tasks on them, and one of all datastores where any VM moves.
 */

import { closestName } from "../../../lib/text.ts";
import { textOf } from "../../../lib/xml/xml.ts";
import type { FactsAnswer, FactsRequest } from "../../../model/provider.ts";
import { RemoteError } from "../../../model/remote-error.ts";
import type { ManagedObject } from "../client/client.ts";
import { booleanOf, refOf } from "../client/element.ts";
import { datastoreOfPath, plainName, vmObjectType, vmRef } from "../client/moref.ts";
import { once } from "../client/once.ts";
import { hasEnded, type RemoteTask, readTasks } from "../client/task.ts";
import { type ChangeFacts, writeFacts } from "../machine/change-facts.ts";
import { diskParts } from "../machine/disk-identity.ts";
import { diskTypeName, vmTypeName } from "../machine/names.ts";
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
  readonly tasks: ReadonlyMap<string, RemoteTask>;
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
  return Promise.all(
    requests.map(async (request): Promise<FactsAnswer> => {
      try {
        return await answer(ports, request, sources);
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        return { status: "failed", reason: error.message };
      }
    }),
  );
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
    nested: booleanOf(values.get("capability.nestedHVSupported")),
  };
}

async function answer(
  ports: ManagerPorts,
  request: FactsRequest,
  sources: Sources,
): Promise<FactsAnswer> {
  const id = vmOf(request) ?? "";
  const vm = sources.vms.get(id);
  if (vm === undefined) return failed(`VM ${id} is not there any more`);
  const host = vm.host === undefined ? undefined : sources.hosts.get(vm.host);
  const facts: ChangeFacts = {
    apiVersion: ports.client.content.apiVersion,
    tasks: vm.recentTasks.flatMap((task) => {
      const found = sources.tasks.get(task);
      return found === undefined || hasEnded(found) ? [] : [found];
    }),
    powerState: vm.power,
    hardwareVersion: vm.hardwareVersion,
    host: host?.name,
    hostNested: host?.nested,
    datastoreMoref: undefined,
    disks: [],
    snapshots: vm.snapshots,
    device: undefined,
    isDelta: false,
  };
  if (request.type === diskTypeName) return diskAnswer(request, vm, facts);
  return moveAnswer(request, vm, facts, sources);
}

function diskAnswer(request: FactsRequest, vm: VmProperties, facts: ChangeFacts): FactsAnswer {
  const key = diskParts(request.identity)?.disk;
  const disk = vm.disks?.find(({ id }) => id === key);
  if (disk === undefined) return failed(`VM ${vm.name} does not show disk ${key ?? ""}`);
  return {
    status: "read",
    facts: writeFacts({ ...facts, device: disk.device, isDelta: disk.isDelta }),
  };
}

async function moveAnswer(
  { wanted, changed, prior }: FactsRequest,
  vm: VmProperties,
  facts: ChangeFacts,
  { datastores }: Sources,
): Promise<FactsAnswer> {
  const moves = changed.includes("datastore");
  const formats = changed.includes("delta_disk_format");
  if (!moves && !formats) return { status: "read", facts: writeFacts(facts) };
  // New deltas stand where the VM's own file is, wherever its disks are.
  const name = moves ? wanted.datastore : (datastoreOfPath(vm.homePath) ?? prior.datastore);
  if (typeof name !== "string") return failed(`the datastore of VM ${vm.name} is not known`);
  const found = datastoreNamed(name, vm, await datastores());
  if ("reason" in found) return failed(found.reason);
  if (formats && vm.disks === undefined) return failed(`VM ${vm.name} does not show its devices`);
  const disks = parentDisks(vm);
  return { status: "read", facts: writeFacts({ ...facts, datastoreMoref: found.id, disks }) };
}

function failed(reason: string): FactsAnswer {
  return { status: "failed", reason };
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

/** Names are unique within a datacenter at best; a VM stays in the one that it is in. */
function datastoreNamed(
  name: string,
  { parent, name: vm }: VmProperties,
  all: readonly Datastore[],
): { readonly id: string } | { readonly reason: string } {
  const named = all.filter((datastore) => datastore.name === name);
  const near = named.filter(({ folders }) => parent === undefined || folders.has(parent.id));
  const [match, ...more] = near;
  const quoted = JSON.stringify(name);
  if (match === undefined) {
    if (named.length > 0) {
      return { reason: `datastore ${quoted} is in another datacenter than VM ${vm}` };
    }
    const closest = closestName(
      name,
      all.map((datastore) => datastore.name),
    );
    const hint = closest === undefined ? "" : `; did you mean ${JSON.stringify(closest)}?`;
    return { reason: `no datastore is named ${quoted} among all ${all.length}${hint}` };
  }
  if (more.length === 0) return match;
  const ids = near.map(({ id, datacenter }) => `${id} of ${datacenter ?? "no datacenter"}`);
  return { reason: `${near.length} datastores are named ${quoted}: ${ids.join("; ")}` };
}
