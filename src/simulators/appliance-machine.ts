/**
 * The appliance as a VM: its disks are those of a VM in the manager's world, so that making one
 * larger there is what a resize makes usable.
 */

import type { ManagerVm } from "./manager/world/inventory.ts";

export type ApplianceMachine = {
  readonly isOn: boolean;
  /** By the number in the label, `Hard disk 8`. */
  readonly disks: readonly { readonly number: number; readonly sizeKb: number }[];
};

/** Undefined where the manager has no such VM. */
export function machineOf(
  vms: Iterable<ManagerVm>,
  key: string | null,
): ApplianceMachine | undefined {
  for (const vm of vms) {
    if (vm.key !== key) continue;
    return {
      isOn: vm.power === "poweredOn",
      disks: vm.disks.map(({ label, capacityKb }) => ({
        number: Number(/\d+$/.exec(label)?.[0] ?? 0),
        sizeKb: capacityKb,
      })),
    };
  }
  return undefined;
}
