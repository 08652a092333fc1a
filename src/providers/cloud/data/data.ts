/** Data sources of the cloud: their types, and which reader answers which. */

import type { DataSourceType } from "../../../model/provider.ts";
import type { Attributes } from "../../../model/value.ts";
import { loadSchema } from "../../kit/schema-file.ts";
import type { CloudClient } from "../client/client.ts";
import { datastoreDataName, readDatastoreData } from "./datastore-data.ts";
import { queryDataName, readQueryData } from "./query-data.ts";
import { readVappData, vappDataName } from "./vapp-data.ts";
import { readVmData, vmDataName } from "./vm-data.ts";

type Reader = (client: CloudClient, query: Attributes) => Promise<Attributes>;

const readers: ReadonlyMap<string, Reader> = new Map([
  [queryDataName, readQueryData],
  [vmDataName, readVmData],
  [datastoreDataName, readDatastoreData],
  [vappDataName, readVappData],
]);

export const cloudDataTypes: readonly DataSourceType[] = [...readers.keys()].map((name) => ({
  name,
  schema: loadSchema("data", name),
}));

/** Sends read calls only. Throws `RemoteError`. */
export function readCloudData(
  client: CloudClient,
  type: string,
  query: Attributes,
): Promise<Attributes> {
  const read = readers.get(type);
  if (read === undefined) throw new Error(`the cloud has no data source ${type}`);
  return read(client, query);
}
