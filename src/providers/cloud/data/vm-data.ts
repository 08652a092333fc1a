/**
 * The data source `cloud_vm`: one VM as a query shows it. System administrators see more of it, by
 * a query type of their own (specification, section A, query parameters).
 */

import type { Attributes } from "../../../model/value/value.ts";
import type { CloudQueries } from "../generated/queries.ts";
import { vmQueryType } from "../inventory/inventory.ts";
import { vmPathOf } from "../vm/vm-path.ts";
import { powerOfRecord, recordAttributes } from "../vm/vm-record.ts";
import { hrefField, textField } from "./field.ts";
import type { WithClient } from "./lookup.ts";
import { type LookupKind, lookUp } from "./lookup.ts";

export const vmDataName = "cloud_vm";

/** What not everybody, and not every version, is shown. */
const unseen: Attributes = { datastore: null, moref: null, vc: null, hardware_version: null };

/** Throws `RemoteError`; of kind not-found or conflict when it is not one VM. */
export async function readVmData(
  { client }: WithClient,
  lookup: CloudQueries["cloud_vm"],
): Promise<Attributes> {
  const kind: LookupKind = {
    noun: "VM",
    type: vmQueryType(client),
    fields: { name: "name", vapp_name: "containerName" },
    pathOf: vmPathOf,
  };
  const record = await lookUp(client, kind, { ...lookup });
  const power = powerOfRecord(record);
  return {
    ...unseen,
    ...recordAttributes(record, record.href ?? record.key),
    // A record of some servers does not tell whether the VM is deployed: no guess then.
    power_state: power === undefined || power === "deployment" ? null : power,
    status: textField(record, "status"),
    vdc_href: hrefField(record, "vdc"),
    storage_profile: textField(record, "storageProfileName"),
    host: textField(record, "hostName"),
    network_name: textField(record, "networkName"),
  };
}
