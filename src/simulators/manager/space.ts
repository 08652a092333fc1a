/** Space on datastores. */

import type { ManagerDatastore, ManagerVm } from "./inventory.ts";

/** Space on a datastore that nothing takes, KB. */
export function freeKb(
  { vms }: { readonly vms: ReadonlyMap<string, ManagerVm> },
  datastore: ManagerDatastore,
): number {
  let free = datastore.capacityKb - datastore.usedKb;
  for (const vm of vms.values()) {
    for (const disk of vm.disks) if (disk.datastoreId === datastore.id) free -= disk.allocatedKb;
  }
  return Math.max(0, free);
}
