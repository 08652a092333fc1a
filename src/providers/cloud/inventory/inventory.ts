/**
 * VMs as queries list them: a few by a filter, many by the whole inventory, each page asked for
 * once in a pass. VMs are filtered by name where it is known. A filter by href is not documented,
 * so what it misses is looked for in the complete list, and a server that cannot filter so is not
 * asked again.
 */

import { RemoteError, retold } from "../../../model/operation/remote-error.ts";
import { once } from "../../kit/once.ts";
import type { CloudClient, QueryRecord, QueryTerm } from "../client/client.ts";
import { isGone } from "../vm/task.ts";
import { vmPathOf } from "../vm/vm-path.ts";

/** More than this many links in one filter make its URL too long for some servers. */
const fewMax = 20;

/** So many VMs are worth reading the list of all. */
export function isMany(count: number): boolean {
  return count > fewMax;
}

/** What one session learns for its later passes. */
export type CloudMemory = {
  /** False once a server did not find by href what it lists. */
  filtersByHref: boolean;
  /** Name of each VM seen, by path. */
  readonly names: Map<string, string>;
  /** Link of the vApp of each VM seen, by path of the VM. */
  readonly vapps: Map<string, string>;
};

export type InventoryPorts = {
  readonly client: CloudClient;
  /** Origin and base path of the settings, before `/api`. */
  readonly baseUrl: string;
  readonly memory: CloudMemory;
};

export type Inventory = {
  /** Undefined only when the complete list does not hold it. */
  byPath(path: string): Promise<QueryRecord | undefined>;
  /** All that carry the name; none only when the complete list holds none. */
  byName(name: string): Promise<readonly QueryRecord[]>;
  /** The complete list, by path. */
  all(): Promise<VmList>;
};

/** What a session knows at its start. */
export function newMemory(): CloudMemory {
  return { filtersByHref: true, names: new Map(), vapps: new Map() };
}

export type VmList = ReadonlyMap<string, QueryRecord>;

/** The query type that shows a session what it may see (wire facts A.2.1). */
export function vmQueryType(client: CloudClient): "adminVM" | "vm" {
  return client.who.isSystem ? "adminVM" : "vm";
}

/** All VMs that the session sees, without those of templates. */
export async function listVms(client: CloudClient): Promise<VmList> {
  return indexed(await queryVms(client, []));
}

/** Throws `RemoteError`. Not every user of the system organization is its administrator. */
async function queryVms(
  client: CloudClient,
  filter: readonly QueryTerm[],
): Promise<readonly QueryRecord[]> {
  try {
    return await client.query({ type: vmQueryType(client), filter });
  } catch (error) {
    const { user, org, isSystem } = client.who;
    if (!isGone(error) || !isSystem) throw error;
    const way = `${user}@${org} may not list VMs as a system administrator; log in as one`;
    throw retold(error, `${way} (${error.message})`);
  }
}

/** What a pass will ask for: VMs by path, with their names where they are known, and by name. */
export type InventoryNeeds = {
  readonly paths: ReadonlyMap<string, string | undefined>;
  readonly names: ReadonlySet<string>;
};

export function openInventory(ports: InventoryPorts, needs: InventoryNeeds): Inventory {
  const { client, memory } = ports;
  const isFew =
    !isMany(needs.paths.size + needs.names.size) && !client.isListed(vmQueryType(client));
  const names = new Set(needs.names);
  const unnamed = new Set<string>();
  for (const [path, recorded] of needs.paths) {
    const name = memory.names.get(path) ?? recorded;
    if (name === undefined) unnamed.add(path);
    else names.add(name);
  }
  const all = once(async () => learn(memory, await listVms(client)));
  const byHref = once(async () => learn(memory, await queryPaths(ports, unnamed)));
  const named = once(async () => {
    const filter = [{ attribute: "name", oneOf: [...names] }];
    return learn(memory, indexed(await queryVms(client, filter)));
  });
  const few = async (path: string): Promise<QueryRecord | undefined> => {
    if (!unnamed.has(path)) return (await named()).get(path);
    return memory.filtersByHref ? (await byHref()).get(path) : undefined;
  };
  return {
    all,
    byPath: async (path) => {
      const found = isFew ? await few(path) : undefined;
      if (found !== undefined) return found;
      const listed = (await all()).get(path);
      if (isFew && listed !== undefined && unnamed.has(path)) memory.filtersByHref = false;
      return listed;
    },
    byName: async (name) => {
      const found = isFew ? withName(await named(), name) : [];
      return found.length > 0 ? found : withName(await all(), name);
    },
  };
}

async function queryPaths(
  { client, baseUrl, memory }: InventoryPorts,
  paths: ReadonlySet<string>,
): Promise<VmList> {
  const raw = [...paths].map((path) => `href==${baseUrl}${path}`).join(",");
  try {
    return indexed(await queryVms(client, [{ raw }]));
  } catch (error) {
    // A server that refuses the filter, as against the query, still has its complete list.
    const refused = error instanceof RemoteError && [400, 500].includes(error.status ?? 0);
    if (!refused) throw error;
    memory.filtersByHref = false;
    return new Map();
  }
}

function indexed(records: readonly QueryRecord[]): VmList {
  const list = new Map<string, QueryRecord>();
  for (const record of records) {
    const path = vmPathOf(record.href ?? "");
    if (path !== undefined && record.attributes.isDeleted !== "true") list.set(path, record);
  }
  return list;
}

function learn(memory: CloudMemory, list: VmList): VmList {
  for (const [path, { attributes }] of list) {
    if (attributes.name !== undefined) memory.names.set(path, attributes.name);
    if (attributes.container !== undefined) memory.vapps.set(path, attributes.container);
  }
  return list;
}

function withName(list: VmList, name: string): readonly QueryRecord[] {
  return [...list.values()].filter(({ attributes }) => attributes.name === name);
}
