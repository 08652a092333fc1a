/** Reading VMs and disks: one pass over all that are wanted, with as few requests as will do. */

import type { Observation, Wanted } from "../../../model/provider/observation.ts";
import { observeEach } from "../../kit/reading.ts";
import { diskTypeName, vmTypeName } from "../machine/names.ts";
import type { ManagerPorts } from "../part.ts";
import { openMachines } from "./machines.ts";
import { observeDisk, wantedDiskVm } from "./observe-disk.ts";
import { isSearch, observeVm, wantedVm } from "./observe-vm.ts";
import type { Pass } from "./pass.ts";

/** Same order, one observation each; a failure concerns only the objects that it hides. */
export async function observe(
  ports: ManagerPorts,
  wanted: readonly Wanted[],
): Promise<readonly Observation[]> {
  const vms = wanted.filter(({ type }) => type === vmTypeName);
  const disks = wanted.filter(({ type }) => type === diskTypeName);
  const ids = [...vms.map(wantedVm), ...disks.map(wantedDiskVm)];
  const machines = openMachines(ports, {
    ids: new Set(ids.filter((id) => id !== undefined)),
    search: vms.some((object) => isSearch(object)),
    devices:
      disks.length > 0 || vms.some(({ attributes }) => attributes.includes("delta_disk_format")),
  });
  const pass: Pass = { ports, machines };
  return observeEach(wanted, {
    [vmTypeName]: (object) => observeVm(pass, object),
    [diskTypeName]: (object) => observeDisk(pass, object),
  });
}
