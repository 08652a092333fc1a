/** The pure half of `manager_vm`, a VM that exists already: lowering, wire requests, limits. */

import type { Address } from "../../../model/address.ts";
import type { Diagnostic } from "../../../model/diagnostic.ts";
import type {
  ActionType,
  LoweredStep,
  LowerRequest,
  ResourceType,
} from "../../../model/provider.ts";
import type { Attributes, PlannedAttributes, PlannedValue, Value } from "../../../model/value.ts";
import { unknown } from "../../../model/value.ts";
import { loadSchema } from "../../kit/schema-file.ts";
import { limitOf } from "../../kit/settings-reader.ts";
import { vmIdOf } from "../client/moref.ts";
import { endpointKey } from "../client/settings.ts";
import { readFacts } from "./change-facts.ts";
import { vmTypeName } from "./names.ts";
import { vmObjections } from "./objections.ts";
import { managerPower } from "./power.ts";
import { isSameTerm } from "./vm-terms.ts";
import { wireRequest } from "./wire-request.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A unit of it is used by each move into or out of the datastore. */
const datastorePool = "datastore ";

/** A request that has not shown as a task by then never arrived. */
export const requestLimitMs = 2 * minuteMs;

const vmActions: readonly ActionType[] = [
  { name: "reset", description: "reset hard, without the guest", disrupts: ["power-cycle"] },
  { name: "shutdown", description: "ask the guest to shut down", disrupts: ["power-off"] },
  { name: "suspend", description: "suspend", disrupts: ["power-off"] },
  { name: "cancel-task", description: "ask to cancel the running task", disrupts: [] },
];

export const vmType: ResourceType = {
  name: vmTypeName,
  schema: loadSchema("resources", vmTypeName),
  ownership: "attached",
  links: [],
  power: managerPower,
  identityOf: ({ moref }) => (typeof moref === "string" ? vmIdOf(moref) : undefined),
  parseIdentity: vmIdOf,
  same: isSameTerm,
  // A copy may have the UUID of the BIOS in common with its original.
  identifiers: [["instance_uuid", "bios_uuid"]],
  entity: entityKey,
  aliases: (moref) => [sharedKey(moref)],
  shared: ["power", "nested_hv_enabled", "datastore"],
  movedBy: {
    power_state: ["power_state"],
    nested_hv_enabled: ["nested_hv_enabled"],
    datastore: ["datastore"],
  },
  parting: ({ on_destroy: parting }) => (parting === "power_off" ? "power-off" : "keep"),
  needsFacts: true,
  objections: vmObjections,
  actions: vmActions,
  lower,
  request: wireRequest,
  wordRequestLimitMs: requestLimitMs,
  poolLimit: (pool, settings) =>
    pool.startsWith(datastorePool) ? limitOf(settings, "relocates_per_datastore") : undefined,
  limitMs,
  check,
};

/** Lock key of an object: the same for every provider configuration that names its server. */
export function entityKey(identity: string, settings: Value): string {
  return `manager ${endpointKey(settings)} ${identity}`;
}

/** One VM that is reached through a cloud as well is one lock: both know its id. */
function sharedKey(moref: string): string {
  return `virtual machine ${moref}`;
}

/** What people call a VM: its name where it is known, else its id. */
function vmLabel(identity: string, attributes: PlannedAttributes | Attributes): string {
  const { name } = attributes;
  return typeof name === "string" ? name : identity;
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  // It is never made and never deleted: adopting and forgetting send nothing.
  if (change.action !== "update") return [];
  const { identity, inputs, changed, prior } = change;
  const label = vmLabel(identity, { ...inputs, ...prior.attributes });
  const nested = changed.includes("nested_hv_enabled") ? inputs.nested_hv_enabled : undefined;
  const moves = changed.includes("datastore");
  const format = changed.includes("delta_disk_format") ? inputs.delta_disk_format : undefined;
  return [
    ...(moves ? [relocateStep(change, label)] : []),
    ...(typeof format === "string" ? [deltaStep(change, label, format)] : []),
    ...(typeof nested === "boolean" ? [nestedStep(label, nested)] : []),
  ];
}

type Update = Extract<LowerRequest, { action: "update" }>;

/** All files of the VM, those below its disks as well: nothing is said of how disks are moved. */
function relocateStep({ inputs, prior, facts }: Update, label: string): LoweredStep {
  const { datastore: to = null } = inputs;
  const moref = facts === undefined ? undefined : readFacts(facts).datastoreMoref;
  return {
    verb: "relocate",
    effect: "update",
    summary: `move VM ${label} to datastore ${typeof to === "string" ? to : "(not known yet)"}`,
    inputs: { datastore: { name: to, moref: moref ?? unknown } },
    records: { datastore: to },
    expect: [{ attribute: "datastore", equals: to }],
    repeat: "unsafe",
    pools: datastorePools(prior.attributes.datastore, to),
    requestLimitMs,
  };
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
  const at = (moves ? inputs.datastore : undefined) ?? prior.attributes.datastore ?? null;
  const links = known?.disks.some((disk) => !disk.is_delta) === true;
  const disks = moves ? undefined : known?.disks.map((disk) => ({ ...disk }));
  return {
    verb: "add-deltas",
    effect: "update",
    summary:
      `put new delta disks in ${format} on top of the disks of VM ${label}` +
      (links ? ", which becomes a linked clone of its present disks" : ""),
    inputs: {
      datastore: { name: at, moref: known?.datastoreMoref ?? unknown },
      delta_disk_format: { format, links, ...(disks === undefined ? {} : { disks }) },
    },
    records: { delta_disk_format: format },
    ...(moves ? { afterPrevious: true } : {}),
    expect: [{ attribute: "delta_disk_format", equals: format }],
    repeat: "unsafe",
    pools: datastorePools(at, at),
    ...(links ? { disrupts: ["linked-clone"] } : {}),
    requestLimitMs,
  };
}

/** A unit of the one it leaves, and of the one it comes to. */
function datastorePools(...names: readonly (PlannedValue | undefined)[]): readonly string[] {
  return names.flatMap((name) => (typeof name === "string" ? [`${datastorePool}${name}`] : []));
}

/** A running VM takes another value only when it is turned on again, or not at all. */
function nestedStep(label: string, wanted: boolean): LoweredStep {
  return {
    verb: "nested",
    effect: "update",
    summary: `${wanted ? "enable" : "disable"} nested virtualization of VM ${label}`,
    inputs: { nested_hv_enabled: wanted },
    records: { nested_hv_enabled: wanted },
    needs: "off",
    expect: [{ attribute: "nested_hv_enabled", equals: wanted }],
    repeat: "safe",
    requestLimitMs,
  };
}

function limitMs(verb: string): number {
  switch (verb) {
    case "relocate":
    case "add-deltas":
      return 24 * hourMs;
    // Memory is written to, or read from, a datastore.
    case "suspend":
      return hourMs;
    case "power-on":
      return 30 * minuteMs;
    case "wait-tools":
      return 5 * minuteMs;
    default:
      return 15 * minuteMs;
  }
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { moref = null } = attributes;
  const lookups = ["moref", "name", "path", "instance_uuid"];
  const report = (code: string, summary: string, detail: string, fix: string): Diagnostic[] => [
    { severity: "error", code, summary, detail, fix, address },
  ];
  if (lookups.every((name) => (attributes[name] ?? null) === null)) {
    const detail = "A manager_vm exists already, and nothing here says which one it is.";
    return report("MGR001", "VM is not named", detail, "Set name, path, moref or instance_uuid.");
  }
  if (typeof moref !== "string" || vmIdOf(moref) !== undefined) return [];
  const detail = `${JSON.stringify(moref)} is no id of a VM.`;
  const fix = "Use the id, such as vm-12, or the address of the VM in the object browser.";
  return report("MGR002", "Id of the VM cannot be used", detail, fix);
}
