/** What one pass of reading has learned, shared by the objects that it reads. */

import type { Wanted } from "../../../model/provider/observation.ts";
import type { CloudClient } from "../client/client.ts";
import { vmIn } from "../vm/names.ts";
import { vmPathOf } from "../vm/vm-path.ts";
import type { CloudMemory, Inventory } from "./inventory.ts";
import type { VmSource } from "./vm-source.ts";

export type Pass = {
  readonly client: CloudClient;
  readonly memory: CloudMemory;
  readonly inventory: Inventory;
} & VmSource;

/** Path of the VM: the recorded one, or the one that the lookup gives. */
export function identityOf({ identity, lookup = {} }: Wanted): string | undefined {
  if (identity !== "") return identity;
  return vmPathOf(vmIn(lookup).href ?? "");
}
