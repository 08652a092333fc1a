/**
 * What changes need to be known about beyond attributes: one read of each VM that changes, and one
 * query for all datastores that VMs are to be moved to.
 */

import { closestName } from "../../lib/text.ts";
import type { FactsAnswer, FactsRequest } from "../../model/provider.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { CloudClient, QueryRecord } from "./client.ts";
import { apiPathOf } from "./href.ts";
import { once, oncePer } from "./inventory.ts";
import { snapshotParts, snapshotTypeName } from "./snapshot.ts";
import { factOf } from "./task.ts";
import { powerOfVm, readVm, runningTasks, type VmDocument } from "./vm-document.ts";
import { type VmFacts, writeFacts } from "./vm-facts.ts";

/** Same order, one answer each. */
export async function readFacts(
  client: CloudClient,
  requests: readonly FactsRequest[],
): Promise<readonly FactsAnswer[]> {
  const vm = oncePer((path) => readVm(client, path));
  const datastores = once(() => client.query({ type: "datastore" }));
  return Promise.all(
    requests.map(async (request): Promise<FactsAnswer> => {
      try {
        return await answer(client, request, { vm, datastores });
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        return { status: "failed", reason: error.message };
      }
    }),
  );
}

type Sources = {
  readonly vm: (path: string) => Promise<VmDocument>;
  readonly datastores: () => Promise<readonly QueryRecord[]>;
};

async function answer(
  client: CloudClient,
  request: FactsRequest,
  { vm, datastores }: Sources,
): Promise<FactsAnswer> {
  const { type, identity, wanted, changed, prior } = request;
  const path = type === snapshotTypeName ? snapshotParts(identity).vm : identity;
  const document = await vm(path);
  const facts = factsOf(client, document);
  const { datastore } = wanted;
  const moves = changed.includes("datastore") && typeof datastore === "string";
  // Nobody else is shown datastores; what stands against the move is an objection of its own.
  const mayAsk = client.who.isSystem || document.links.includes("relocate");
  if (type === snapshotTypeName || !moves || !mayAsk) {
    return { status: "read", facts: writeFacts(facts) };
  }
  const manager = document.vc ?? (typeof prior.vc === "string" ? prior.vc : undefined);
  const found = datastoreNamed(datastore, manager, await datastores());
  if ("reason" in found) return { status: "failed", reason: found.reason };
  return { status: "read", facts: writeFacts({ ...facts, datastoreHref: found.href }) };
}

function factsOf(client: CloudClient, vm: VmDocument): VmFacts {
  const power = powerOfVm(vm);
  const { hardwareVersion, moref } = vm;
  return {
    apiVersion: client.apiVersion,
    isSystem: client.who.isSystem,
    links: vm.links,
    tasks: runningTasks(vm).map((task) => factOf(task)),
    ...(power === undefined ? {} : { powerState: power }),
    ...(hardwareVersion === undefined ? {} : { hardwareVersion }),
    ...(moref === undefined ? {} : { moref }),
  };
}

/** Names are unique within one host manager at best; a VM stays with the manager that runs it. */
function datastoreNamed(
  name: string,
  manager: string | undefined,
  records: readonly QueryRecord[],
): { readonly href: string } | { readonly reason: string } {
  const known = records.filter(({ attributes }) => attributes.isDeleted !== "true");
  const named = known.filter(({ attributes }) => attributes.name === name);
  const matches = named.filter(({ attributes }) => {
    const vc = apiPathOf(attributes.vc ?? "");
    return manager === undefined || vc === undefined || vc === manager;
  });
  const [match, ...more] = matches;
  const quoted = JSON.stringify(name);
  if (match === undefined) {
    if (named.length > 0) {
      const others = named.map((record) => describe(record)).join("; ");
      return { reason: `datastore ${quoted} belongs to another host manager: ${others}` };
    }
    const names = known.flatMap(({ attributes }) => attributes.name ?? []);
    const closest = closestName(name, names);
    const hint = closest === undefined ? "" : `; did you mean ${JSON.stringify(closest)}?`;
    return { reason: `no datastore is named ${quoted} among all ${known.length}${hint}` };
  }
  if (more.length > 0) {
    const all = matches.map((record) => describe(record)).join("; ");
    return { reason: `${matches.length} datastores are named ${quoted}: ${all}` };
  }
  const href = match.attributes.href ?? match.href;
  return href === undefined ? { reason: `datastore ${quoted} is listed without href` } : { href };
}

function describe({ href, key, attributes }: QueryRecord): string {
  const { vcName } = attributes;
  return `${href ?? key}${vcName === undefined ? "" : ` of ${vcName}`}`;
}
