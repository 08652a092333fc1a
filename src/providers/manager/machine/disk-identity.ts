/** Identities of disks: the VM, and the key of the device within it, as `vm-12/2000`. */

import { vmIdOf } from "../client/moref.ts";

export type DiskParts = { readonly vm: string; readonly disk: string };

export function diskIdentity(vm: string, disk: string): string {
  return `${vm}/${disk}`;
}

/** Undefined for a text that is no identity of a disk. */
export function diskParts(identity: string): DiskParts | undefined {
  const at = identity.lastIndexOf("/");
  const vm = vmIdOf(identity.slice(0, Math.max(0, at)));
  const disk = identity.slice(at + 1);
  return vm === undefined || !/^\d{1,9}$/.test(disk) ? undefined : { vm, disk };
}
