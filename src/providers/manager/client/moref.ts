/** Ids of managed objects as people have them: bare, or in an address of the object browser. */

import type { ManagedRef } from "./client.ts";

export const vmObjectType = "VirtualMachine";

/** A manager's is `vm-12`, a single host's a number. */
const vmId = /^(vm-)?\d{1,15}$/;

/** `vm-12` of itself or of `https://…/mob/?moid=vm-12`; undefined for what names no VM. */
export function vmIdOf(written: string): string | undefined {
  const text = written.trim();
  const id = text.includes("moid=") ? moidOf(text) : text;
  return id !== undefined && vmId.test(id) ? id : undefined;
}

export function vmRef(id: string): ManagedRef {
  return { type: vmObjectType, id };
}

/** The hyphen may be written as `%2d` (wire facts D.1). */
function moidOf(address: string): string | undefined {
  const at = address.indexOf("?");
  return new URLSearchParams(address.slice(at + 1)).get("moid") ?? undefined;
}

/** Names of objects as people know them: the server writes three characters as references. */
export function plainName(written: string): string {
  return written.replaceAll(/%(2f|5c|25)/gi, (code) => decodeURIComponent(code));
}

/** Name of the datastore in a path such as `[ssd-01] web/web.vmx`. */
export function datastoreOfPath(path: string | undefined): string | undefined {
  const name = /^\[([^\]]+)\]/.exec(path?.trim() ?? "")?.[1];
  return name === undefined ? undefined : plainName(name);
}
