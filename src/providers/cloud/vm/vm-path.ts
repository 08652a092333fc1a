/**
 * Identities of VMs: the path from `/api` on, whatever host, scheme or base path a server prints in
 * front of it. Ids are opaque (wire facts A.7), but one that is a UUID is compared in lower case.
 */

import { apiPathOf } from "../client/href.ts";

const vmFolder = "/api/vApp/";
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const vmId = /^vm-[A-Za-z0-9_-]+$/;
const urn = /^urn:[A-Za-z0-9-]+:vm:(.+)$/i;

/**
 * `/api/vApp/vm-…` of what a person may write or a server print: a link, a path, `vm-…`, a UUID or
 * a URN of a VM. Undefined for anything else, VMs of vApp templates among it.
 */
export function vmPathOf(text: string): string | undefined {
  const written = text.trim();
  const named = urn.exec(written)?.[1] ?? written;
  if (uuid.test(named)) return `${vmFolder}vm-${named.toLowerCase()}`;
  if (vmId.test(named)) return `${vmFolder}${plainId(named)}`;
  const path = apiPathOf(written);
  if (path === undefined || !path.startsWith(vmFolder)) return undefined;
  const id = path.slice(vmFolder.length);
  return vmId.test(id) ? `${vmFolder}${plainId(id)}` : undefined;
}

function plainId(id: string): string {
  return uuid.test(id.slice("vm-".length)) ? id.toLowerCase() : id;
}
