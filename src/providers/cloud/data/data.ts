/** Data sources of the cloud: which reader answers which. */

import type { Part } from "../../kit/part.ts";
import { queried } from "../../kit/schema/decode.ts";
import type { InventoryPorts } from "../inventory/inventory.ts";
import { datastoreDataName, readDatastoreData } from "./datastore-data.ts";
import { queryDataName, readQueryData } from "./query-data.ts";
import { readVappData, vappDataName } from "./vapp-data.ts";
import { readVmData, vmDataName } from "./vm-data.ts";

/** They send read calls only, and throw `RemoteError`. */
export const cloudData: NonNullable<Part<InventoryPorts>["data"]> = {
  [queryDataName]: queried(queryDataName, readQueryData),
  [vmDataName]: queried(vmDataName, readVmData),
  [datastoreDataName]: queried(datastoreDataName, readDatastoreData),
  [vappDataName]: queried(vappDataName, readVappData),
};
