/** The data source `cloud_vapp`: one vApp and the VMs in it. */

import type { Attributes } from "../../../model/value/value.ts";
import { refusal } from "../../kit/refusal.ts";
import type { CloudClient, QueryRecord } from "../client/client.ts";
import type { CloudQueries } from "../generated/queries.ts";
import { vmQueryType } from "../inventory/inventory.ts";
import { booleanField, hrefField, textField } from "./field.ts";
import type { WithClient } from "./lookup.ts";
import { type LookupKind, lookUp, pathBelow } from "./lookup.ts";

export const vappDataName = "cloud_vapp";

export async function readVappData(
  { client }: WithClient,
  lookup: CloudQueries["cloud_vapp"],
): Promise<Attributes> {
  const kind: LookupKind = {
    noun: "vApp",
    type: client.who.isSystem ? "adminVApp" : "vApp",
    fields: { name: "name", vdc_name: "vdcName" },
    pathOf: pathBelow("/api/vApp/vapp-"),
  };
  const vapp = await lookUp(client, kind, { ...lookup });
  const vms = await vmsIn(client, vapp);
  return {
    href: vapp.href ?? null,
    name: textField(vapp, "name"),
    vdc_name: textField(vapp, "vdcName"),
    status: textField(vapp, "status"),
    deployed: booleanField(vapp, "isDeployed"),
    owner: textField(vapp, "ownerName"),
    vdc_href: hrefField(vapp, "vdc"),
    vm_hrefs: vms.map(({ key }) => key),
    vm_names: vms.map((vm) => textField(vm, "name")),
    vm_count: vms.length,
  };
}

/** By the vApp's name, since hrefs cannot be filtered by; vApps of one name are told apart here. */
async function vmsIn(client: CloudClient, vapp: QueryRecord): Promise<readonly QueryRecord[]> {
  const name = textField(vapp, "name") ?? "";
  const named = await client.query({
    type: vmQueryType(client),
    fields: ["name", "containerName", "container"],
    filter: [{ attribute: "containerName", equals: name }],
  });
  return named.filter((vm) => {
    const container = hrefField(vm, "container");
    if (container !== null) return container === vapp.href;
    throw refusal("protocol", `${vm.element} ${vm.key} does not tell the vApp that it belongs to`);
  });
}
