/**
 * What changes need to be known about beyond attributes: the VMs that change and their vApps, and
 * one query for all datastores that VMs are to be moved to.
 */

import { RemoteError } from "../../../model/operation/remote-error.ts";
import { moveFact, type SpaceMove } from "../../../model/plan/space.ts";
import type { FactsAnswer, FactsRequest } from "../../../model/provider/provider.ts";
import { once } from "../../kit/once.ts";
import { orElse } from "../../kit/refusal.ts";
import { describeTask } from "../../kit/tasks.ts";
import type { CloudClient, QueryRecord } from "../client/client.ts";
import { snapshotTypeName, vmIn } from "../vm/names.ts";
import { snapshotParts } from "../vm/snapshot.ts";
import type { CloudTask } from "../vm/task.ts";
import { powerOfVm, runningTasks, type VmDocument } from "../vm/vm-document.ts";
import type { SpaceFact, VmFacts } from "../vm/vm-facts.ts";
import { type DatastoreFact, datastoreNamed } from "./datastore-fact.ts";
import type { CloudMemory } from "./inventory.ts";
import { openVms, type VmSource } from "./vm-source.ts";

type Asking = VmSource & {
  readonly client: CloudClient;
  readonly datastores: () => Promise<readonly QueryRecord[]>;
};

/** A VM that changes, and the datastore it is to be moved to. */
type Examined = {
  readonly vm: VmDocument;
  /** What runs in its vApp besides. */
  readonly neighbours: readonly CloudTask[];
  readonly datastore?: DatastoreFact;
  /** Where it goes, and where it comes from. */
  readonly move?: Omit<SpaceMove, "toFreeMb" | "ownMb">;
};

/** Same order, one answer each. */
export async function readFacts(
  client: CloudClient,
  memory: CloudMemory,
  requests: readonly FactsRequest[],
): Promise<readonly FactsAnswer[]> {
  const paths = new Set(requests.map((request) => vmOf(request)));
  const asking: Asking = {
    client,
    ...openVms(client, paths, knownVapps(memory, requests)),
    datastores: once(() => client.query({ type: "datastore" })),
  };
  const examined = await Promise.all(
    requests.map((request) =>
      orElse(
        () => examine(asking, request),
        (error) => error,
      ),
    ),
  );
  const needs = needsOf(examined);
  return examined.map((each): FactsAnswer => {
    if (each instanceof RemoteError) return { status: "failed", reason: each.message };
    return { status: "read", facts: factsOf(client, each, needs) };
  });
}

function vmOf({ type, identity }: FactsRequest): string {
  return type === snapshotTypeName ? snapshotParts(identity).vm : identity;
}

function knownVapps(
  { vapps }: CloudMemory,
  requests: readonly FactsRequest[],
): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const request of requests) {
    const path = vmOf(request);
    const { vapp_href: recorded } = vmIn(request.prior);
    const vapp = vapps.get(path) ?? recorded;
    if (vapp !== undefined) known.set(path, vapp);
  }
  return known;
}

async function examine(asking: Asking, request: FactsRequest): Promise<Examined> {
  const { client, datastores } = asking;
  const { type, wanted, changed, prior } = request;
  const vm = await asking.vm(vmOf(request));
  const neighbours = await neighboursOf(asking, vm);
  const { datastore } = vmIn(wanted);
  const moves = changed.includes("datastore") && datastore !== undefined;
  // Nobody else is shown datastores; what stands against the move is an objection of its own.
  const mayAsk = client.who.isSystem || vm.links.includes("relocate");
  if (type === snapshotTypeName || !moves || !mayAsk) return { vm, neighbours };
  const manager = vm.vc ?? vmIn(prior).vc;
  const records = await datastores();
  const { datastore: from } = vmIn(prior);
  const move = { to: datastore, ...(from === undefined ? {} : fromFact(from, manager, records)) };
  return { vm, neighbours, datastore: datastoreNamed(datastore, manager, records), move };
}

function fromFact(
  from: string,
  manager: string | undefined,
  records: readonly QueryRecord[],
): Pick<SpaceMove, "from" | "fromFreeMb"> {
  const { freeMb } = datastoreNamed(from, manager, records);
  return freeMb === undefined ? { from } : { from, fromFreeMb: freeMb };
}

/** Anything that runs in a vApp keeps all of it busy. Whoever may not read it is told nothing. */
async function neighboursOf(asking: Asking, vm: VmDocument): Promise<readonly CloudTask[]> {
  const { vapp } = vm;
  if (vapp === undefined) return [];
  const own = new Set(runningTasks(vm).map(({ key }) => key));
  return orElse(
    async () => (await asking.vapp(vapp)).running.filter(({ key }) => !own.has(key)),
    () => [],
  );
}

type Need = { readonly needMb: number; readonly vmCount: number };

/** What all that is to be moved there takes, at most, by the datastore's link. */
function needsOf(examined: readonly (Examined | RemoteError)[]): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  for (const each of examined) {
    if (each instanceof RemoteError) continue;
    const { vm, datastore } = each;
    if (datastore?.href === undefined) continue;
    const { needMb, vmCount } = needs.get(datastore.href) ?? { needMb: 0, vmCount: 0 };
    needs.set(datastore.href, { needMb: needMb + disksMb(vm), vmCount: vmCount + 1 });
  }
  return needs;
}

function disksMb({ disks }: VmDocument): number {
  return disks.reduce((sum, { capacityMb }) => sum + capacityMb, 0);
}

function factsOf(
  client: CloudClient,
  { vm, neighbours, datastore, move }: Examined,
  needs: ReadonlyMap<string, Need>,
): VmFacts {
  return {
    api_version: client.apiVersion,
    is_system: client.who.isSystem,
    name: vm.name ?? null,
    links: vm.links,
    shows_links: vm.showsLinks,
    tasks: runningTasks(vm).map((task) => describeTask(task)),
    vapp_tasks: neighbours.map((task) => describeTask(task)),
    has_independent_disk: vm.disks.some(({ isIndependent }) => isIndependent),
    power_state: powerOfVm(vm) ?? null,
    hardware_version: vm.hardwareVersion ?? null,
    moref: vm.moref ?? null,
    datastore_href: datastore?.href ?? null,
    datastore_problem: datastore?.problem ?? null,
    space: datastore === undefined ? null : spaceOf(datastore, needs, vm, move),
  };
}

function spaceOf(
  { href, freeMb }: DatastoreFact,
  needs: ReadonlyMap<string, Need>,
  vm: VmDocument,
  move: Examined["move"],
): SpaceFact | null {
  const need = href === undefined ? undefined : needs.get(href);
  if (need === undefined || freeMb === undefined) return null;
  const told = move && { move: moveFact({ ...move, toFreeMb: freeMb, ownMb: disksMb(vm) }) };
  return { free_mb: freeMb, need_mb: need.needMb, vm_count: need.vmCount, ...told };
}
