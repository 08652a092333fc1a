/** The pure half of `manager_vm`, a VM that exists already: lowering, wire requests, limits. */

import type {
  ActionType,
  LoweredStep,
  LowerRequest,
  ResourceType,
} from "../../../model/provider/provider.ts";
import type { Diagnostic } from "../../../model/said/diagnostic.ts";
import type { Address } from "../../../model/value/address.ts";
import type { PlannedAttributes, Value } from "../../../model/value/value.ts";
import { unknown } from "../../../model/value/value.ts";
import { endpointKeyOf } from "../../kit/endpoint.ts";
import { changing } from "../../kit/schema/attributes.ts";
import {
  aliasesOfMoref,
  attachedVm,
  datastorePools,
  type Move,
  nestedStep,
  relocateStep,
  requestLimitMs,
} from "../../kit/vm/attached-vm.ts";
import { vmIdOf } from "../client/moref.ts";
import { urlEnding } from "../client/settings.ts";
import { problem } from "../codes.ts";
import { readFacts } from "./change-facts.ts";
import { vmIn, vmTypeName } from "./names.ts";
import { vmObjections } from "./objections.ts";
import { managerPower } from "./power.ts";
import { isSameTerm } from "./vm-terms.ts";
import { wireRequest } from "./wire-request.ts";

const minuteMs = 60_000;

const vmActions: readonly ActionType[] = [
  { name: "reset", description: "reset hard, without the guest", disrupts: ["power-cycle"] },
  { name: "shutdown", description: "ask the guest to shut down", disrupts: ["power-off"] },
  { name: "suspend", description: "suspend", disrupts: ["power-off"] },
  { name: "cancel-task", description: "ask to cancel the running task", disrupts: [] },
];

export const vmType: ResourceType = attachedVm({
  name: vmTypeName,
  power: managerPower,
  identityOf: (attributes) => vmIdOf(vmIn(attributes).moref ?? ""),
  parseIdentity: vmIdOf,
  same: isSameTerm,
  // A copy may have the UUID of the BIOS in common with its original.
  identifiers: [["instance_uuid", "bios_uuid"]],
  entity: entityKey,
  aliases: aliasesOfMoref,
  objections: vmObjections,
  actions: vmActions,
  lower,
  request: wireRequest,
  limitsMs: { "add-deltas": 24 * 60 * minuteMs, "wait-tools": 5 * minuteMs },
  check,
});

/** Lock key of an object: the same for every provider configuration that names its server. */
export function entityKey(identity: string, settings: Value): string {
  return `manager ${endpointKeyOf("manager", settings, urlEnding)} ${identity}`;
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  // It is never made and never deleted: adopting and forgetting send nothing.
  if (change.action !== "update") return [];
  const { identity, inputs, changed, prior } = change;
  const { name: label = identity } = vmIn({ ...inputs, ...prior.attributes });
  const { nested_hv_enabled: nested, delta_disk_format: format } = vmIn(changing(change));
  const moves = changed.includes("datastore");
  return [
    ...(moves ? [relocateStep(moveOf(change, label))] : []),
    ...(format === undefined ? [] : [deltaStep(change, label, format)]),
    ...(nested === undefined ? [] : [nestingStep(label, nested)]),
  ];
}

type Update = Extract<LowerRequest, { action: "update" }>;

/** All files of the VM, those below its disks as well: nothing is said of how disks are moved. */
function moveOf({ inputs, prior, facts }: Update, label: string): Move {
  const moref = facts === undefined ? undefined : readFacts(facts).datastore_moref;
  const { datastore: from } = vmIn(prior.attributes);
  return { label, from, to: vmIn(inputs).datastore, target: { moref: moref ?? unknown } };
}

/**
 * Another format is one of new deltas on top of the present disks: the interface converts none. A
 * disk that is no delta comes to be the base of one, as in a linked clone. Where the VM is moved as
 * well, that comes first and by itself, since no file is moved with this one; which files there are
 * then is read before it is sent.
 */
function deltaStep(change: Update, label: string, format: string): LoweredStep {
  const { inputs, changed, prior, facts } = change;
  const known = facts === undefined ? undefined : readFacts(facts);
  const moves = changed.includes("datastore");
  const { datastore: at } = vmIn(moves ? inputs : prior.attributes);
  const links = known?.disks.some((disk) => !disk.is_delta) === true;
  const disks = moves ? undefined : known?.disks;
  return {
    verb: "add-deltas",
    effect: "update",
    summary:
      `put new delta disks in ${format} on top of the disks of VM ${label}` +
      (links ? ", which becomes a linked clone of its present disks" : ""),
    request: {
      inputs: {
        datastore: {
          name: at ?? (moves ? unknown : null),
          moref: known?.datastore_moref ?? unknown,
        },
        delta_disk_format: { format, links, ...(disks === undefined ? {} : { disks }) },
      },
      repeat: "unsafe",
    },
    applied: { delta_disk_format: format },
    proof: { expect: [{ attribute: "delta_disk_format", equals: format }], requestLimitMs },
    order: { afterPrevious: moves, pools: datastorePools(at, at) },
    ...(links ? { disrupts: ["linked-clone"] } : {}),
  };
}

/** A running VM takes another value only when it is turned on again, or not at all. */
function nestingStep(label: string, wanted: boolean): LoweredStep {
  const inputs = { nested_hv_enabled: wanted };
  return nestedStep({ label, wanted, verb: "nested", inputs, needs: "off" });
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { moref } = vmIn(attributes);
  const lookups = ["moref", "name", "path", "instance_uuid"];
  if (lookups.every((name) => (attributes[name] ?? null) === null)) {
    const detail = "A manager_vm exists already, and nothing here says which one it is.";
    const fix = "Set name, path, moref or instance_uuid.";
    return [problem({ address }, "MGR001", { detail, fix })];
  }
  if (moref === undefined || vmIdOf(moref) !== undefined) return [];
  const detail = `${JSON.stringify(moref)} is no id of a VM.`;
  const fix = "Use the id, such as vm-12, or the address of the VM in the object browser.";
  return [problem({ address }, "MGR002", { detail, fix })];
}
