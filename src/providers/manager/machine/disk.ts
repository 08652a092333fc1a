/** The pure half of `manager_disk`, a disk of a `manager_vm`: it exists already, and only grows. */

import type { LoweredStep, LowerRequest, ResourceType } from "../../../model/provider/provider.ts";
import type { Diagnostic } from "../../../model/said/diagnostic.ts";
import type { Address } from "../../../model/value/address.ts";
import { type PlannedAttributes, unknown, type Value } from "../../../model/value/value.ts";
import { changing } from "../../kit/schema/attributes.ts";
import { loadSchema } from "../../kit/schema/schema-file.ts";
import { requestLimitMs } from "../../kit/vm/attached-vm.ts";
import { vmIdOf } from "../client/moref.ts";
import { problem } from "../codes.ts";
import { readFacts } from "./change-facts.ts";
import { diskIdentity, diskParts } from "./disk-identity.ts";
import { diskIn, diskTypeName, vmTypeName } from "./names.ts";
import { diskObjections, sizeTolerance } from "./objections.ts";
import { entityKey } from "./vm.ts";
import { wireRequest } from "./wire-request.ts";

const hourMs = 3_600_000;

export const diskType: ResourceType = {
  name: diskTypeName,
  get schema() {
    return loadSchema("resources", diskTypeName);
  },
  ownership: "attached",
  tasks: true,
  container: { attribute: "vm", type: vmTypeName, listed: true },
  links: [],
  identityOf: (attributes) => {
    const { vm = "", disk_id: disk } = diskIn(attributes);
    const id = vmIdOf(vm);
    return id === undefined || disk === undefined ? undefined : diskIdentity(id, disk);
  },
  parseIdentity: (text) => {
    const parts = diskParts(text.trim());
    return parts === undefined ? undefined : diskIdentity(parts.vm, parts.disk);
  },
  // A key is given again when a disk is removed, and a VM may be another one.
  identifiers: [["vm_instance_uuid"], ["disk_uuid"]],
  // A move of the VM, or new deltas on its disks.
  movedBy: {
    datastore: ["datastore"],
    file_name: ["datastore", "delta_disk_format"],
    format: ["datastore", "delta_disk_format"],
  },
  entity: (identity, settings) => entityKey(diskParts(identity)?.vm ?? identity, settings),
  same: isSameSize,
  needsFacts: true,
  objections: diskObjections,
  lower,
  request: (verb, identity, inputs) =>
    verb === "grow" ? wireRequest(verb, diskParts(identity)?.vm ?? identity, inputs) : undefined,
  // Blocks of a disk that is zeroed eagerly are written first.
  limitMs: () => 4 * hourMs,
  check,
};

function isSameSize(attribute: string, wanted: Value, actual: Value): boolean {
  if (attribute !== "size_gb" || typeof wanted !== "number") return false;
  return typeof actual === "number" && Math.abs(wanted - actual) <= sizeTolerance;
}

/** Works whatever the power is. The size that is there afterwards is rounded up. */
function lower(change: LowerRequest): readonly LoweredStep[] {
  if (change.action !== "update") return [];
  const { prior, facts } = change;
  const { size_gb: wanted } = diskIn(changing(change));
  if (wanted === undefined) return [];
  const { label, size_gb: present } = diskIn(prior.attributes);
  const what = label === undefined ? change.identity : JSON.stringify(label);
  const device = facts === undefined ? undefined : readFacts(facts).device;
  const from = present === undefined ? "" : ` from ${present}`;
  return [
    {
      verb: "grow",
      effect: "update",
      summary: `grow disk ${what}${from} to ${wanted} GB`,
      request: { inputs: { size_gb: { gb: wanted, device: device ?? unknown } }, repeat: "safe" },
      applied: { size_gb: wanted },
      proof: {
        expect: [{ attribute: "size_gb", atLeast: wanted }],
        readBack: ["capacity_bytes"],
        requestLimitMs,
      },
      disrupts: ["grow"],
    },
  ];
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { disk_id: disk = null, label = null } = attributes;
  if (disk === null && label === null) {
    const detail =
      "A manager_disk exists already, and nothing here says which one of the VM it is.";
    return [problem({ address }, "MGR003", { detail, fix: "Set disk_id, or label." })];
  }
  const { vm } = diskIn(attributes);
  if (vm === undefined || vmIdOf(vm) === vm) return [];
  const detail = `${JSON.stringify(vm)} is no id of a VM.`;
  return [problem({ address }, "MGR002", { detail, fix: "Use ${manager_vm.NAME.moref}." })];
}
