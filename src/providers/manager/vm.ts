/** The pure half of `manager_vm`, a VM that exists already: lowering, wire requests, limits. */

import type { Address } from "../../model/address.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { ActionType, LoweredStep, LowerRequest, ResourceType } from "../../model/provider.ts";
import type { Attributes, PlannedAttributes, PlannedValue, Value } from "../../model/value.ts";
import { unknown } from "../../model/value.ts";
import { loadSchema } from "../schema-file.ts";
import { limitOf } from "../settings-reader.ts";
import { readFacts } from "./change-facts.ts";
import { vmIdOf } from "./moref.ts";
import { vmTypeName } from "./names.ts";
import { vmObjections } from "./objections.ts";
import { managerPower } from "./power.ts";
import { endpointKey } from "./settings.ts";
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
  aliases: ({ moref }) => (typeof moref === "string" ? [sharedKey(moref)] : []),
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
  const moves = ["datastore", "delta_disk_format"].some((name) => changed.includes(name));
  return [
    ...(moves ? [relocateStep(change, label)] : []),
    ...(typeof nested === "boolean" ? [nestedStep(label, nested)] : []),
  ];
}

type Update = Extract<LowerRequest, { action: "update" }>;

/**
 * One relocation for a new datastore, a new format of delta disks, or both: the format is one of
 * the disks below the present ones, which a relocation makes (wire facts D.4).
 */
function relocateStep({ inputs, changed, prior, facts }: Update, label: string): LoweredStep {
  const from = prior.attributes.datastore;
  const to = changed.includes("datastore") ? inputs.datastore : undefined;
  const format = changed.includes("delta_disk_format") ? inputs.delta_disk_format : undefined;
  const known = facts === undefined ? undefined : readFacts(facts);
  const goals = [
    ...(typeof to === "string" ? [["datastore", to] as const] : []),
    ...(typeof format === "string" ? [["delta_disk_format", format] as const] : []),
  ];
  const texts = goals.map(([name, value]) =>
    name === "datastore" ? `move VM ${label} to datastore ${value}` : `delta disks in ${value}`,
  );
  const datastore: PlannedValue = {
    name: to ?? from ?? null,
    moref: known?.datastoreMoref ?? unknown,
  };
  const target = typeof to === "string" ? known?.datastoreMoref : undefined;
  const disks = known?.disks.map((disk) => ({
    ...disk,
    datastore_moref: target ?? disk.datastore_moref,
  }));
  return {
    verb: "relocate",
    effect: "update",
    summary: typeof to === "string" ? texts.join(", ") : `relocate VM ${label}: ${texts.join()}`,
    inputs: {
      datastore,
      ...(typeof format === "string"
        ? { delta_disk_format: { format, disks: disks ?? unknown } }
        : {}),
    },
    records: Object.fromEntries(goals),
    expect: goals.map(([attribute, equals]) => ({ attribute, equals })),
    repeat: "unsafe",
    pools: [from, to ?? from].flatMap((name) =>
      typeof name === "string" ? [`${datastorePool}${name}`] : [],
    ),
    requestLimitMs,
  };
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
