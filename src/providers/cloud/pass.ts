/** What one pass of reading has learned, shared by the objects that it reads. */

import type { Observation, Wanted } from "../../model/observation.ts";
import type { CloudClient } from "./client.ts";
import type { CloudMemory, Inventory } from "./inventory.ts";
import type { VmDocument } from "./vm-document.ts";
import { vmPathOf } from "./vm-path.ts";

export type Pass = {
  readonly client: CloudClient;
  readonly memory: CloudMemory;
  readonly inventory: Inventory;
  /** The VM itself. Throws `RemoteError`. */
  readonly vm: (path: string) => Promise<VmDocument>;
  /** Paths of the VMs in a vApp. Throws `RemoteError`. */
  readonly vapp: (path: string) => Promise<ReadonlySet<string>>;
};

/** Path of the VM: the recorded one, or the one that the lookup gives. */
export function identityOf({ identity, lookup = {} }: Wanted): string | undefined {
  if (identity !== "") return identity;
  return typeof lookup.href === "string" ? vmPathOf(lookup.href) : undefined;
}

export function failed(reason: string): Observation {
  return { status: "unreadable", rule: "failed", reason };
}
