/** The data source `daemon_vms`: which VMs the daemon has, recorded or not. */

import type { Attributes } from "../../model/value/value.ts";
import type { DaemonQueries } from "./generated/queries.ts";
import { type Get, listVms } from "./observe.ts";

export const vmsDataName = "daemon_vms";

/**
 * Sorted, since the daemon promises no order and a plan is to be the same each time. Throws
 * `RemoteError` for anything that is not a list of VMs.
 */
export async function readVmsData(
  { get }: { readonly get: Get },
  { tags }: DaemonQueries["daemon_vms"],
): Promise<Attributes> {
  const listed = await listVms(get, tags ?? []);
  const ids = listed.toSorted();
  return { ids, vm_count: ids.length };
}
