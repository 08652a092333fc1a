/**
 * The data source `cloud_datastore`. Names of datastores, and their MoRefs, are unique within one
 * host manager only (wire facts A.3.1).
 */

import type { Attributes } from "../../../model/value/value.ts";
import type { CloudQueries } from "../generated/queries.ts";
import { booleanField, hrefField, integerField, textField } from "./field.ts";
import type { WithClient } from "./lookup.ts";
import { type LookupKind, lookUp, pathBelow } from "./lookup.ts";

export const datastoreDataName = "cloud_datastore";

const datastores: LookupKind = {
  noun: "datastore",
  type: "datastore",
  fields: { name: "name", manager_name: "vcName" },
  pathOf: pathBelow("/api/admin/extension/datastore/"),
};

export async function readDatastoreData(
  { client }: WithClient,
  lookup: CloudQueries["cloud_datastore"],
): Promise<Attributes> {
  const record = await lookUp(client, datastores, { ...lookup });
  return {
    href: record.href ?? null,
    name: textField(record, "name"),
    manager_name: textField(record, "vcName"),
    moref: textField(record, "moref"),
    vc: hrefField(record, "vc"),
    datastore_type: textField(record, "datastoreType"),
    enabled: booleanField(record, "isEnabled"),
    storage_mb: integerField(record, "storageMB"),
    used_mb: integerField(record, "storageUsedMB"),
    provisioned_mb: integerField(record, "provisionedStorageMB"),
    requested_mb: integerField(record, "requestedStorageMB"),
    provider_vdc_count: integerField(record, "numberOfProviderVdcs"),
  };
}
