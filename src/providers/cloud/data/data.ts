/** Data sources of the cloud: which reader answers which. */

import type { Part } from "../../kit/part.ts";
import type { InventoryPorts } from "../inventory/inventory.ts";
import { datastoreDataName, readDatastoreData } from "./datastore-data.ts";
import { queryDataName, readQueryData } from "./query-data.ts";
import { readVappData, vappDataName } from "./vapp-data.ts";
import { readVmData, vmDataName } from "./vm-data.ts";

/** They send read calls only, and throw `RemoteError`. */
export const cloudData: NonNullable<Part<InventoryPorts>["data"]> = {
  [queryDataName]: ({ client }, query) => readQueryData(client, query),
  [vmDataName]: ({ client }, query) => readVmData(client, query),
  [datastoreDataName]: ({ client }, query) => readDatastoreData(client, query),
  [vappDataName]: ({ client }, query) => readVappData(client, query),
};
