/** The pure half of `cloud_vm`, a VM that exists already: lowering, wire requests, limits. */

import type { Address } from "../../../model/address.ts";
import type { Diagnostic } from "../../../model/diagnostic.ts";
import { isPowerState, type PowerState } from "../../../model/power.ts";
import type {
  ActionType,
  LoweredStep,
  LowerRequest,
  ResourceType,
} from "../../../model/provider.ts";
import type { Attributes, PlannedAttributes, Value } from "../../../model/value.ts";
import { unknown } from "../../../model/value.ts";
import { loadSchema } from "../../kit/schema-file.ts";
import { limitOf } from "../../kit/settings-reader.ts";
import { endpointKey } from "../client/settings.ts";
import { cloudPower } from "./power.ts";
import { readFacts } from "./vm-facts.ts";
import { vmObjections } from "./vm-objections.ts";
import { vmPathOf } from "./vm-path.ts";
import { wireRequest } from "./wire-request.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const vmTypeName = "cloud_vm";
/** A unit of it is used by each move into or out of the datastore. */
const datastorePool = "datastore ";

/** A request that has not shown as a task by then never arrived. */
export const requestLimitMs = 2 * minuteMs;

const vmActions: readonly ActionType[] = [
  { name: "reset", description: "reset hard, without the guest", disrupts: ["power-cycle"] },
  { name: "reboot", description: "ask the guest to restart", disrupts: ["power-cycle"] },
  { name: "shutdown", description: "ask the guest to shut down", disrupts: ["power-off"] },
  {
    name: "power-off",
    description: "turn off hard, without the guest; it stays deployed",
    disrupts: ["power-off"],
  },
  { name: "suspend", description: "suspend", disrupts: ["power-off"] },
  { name: "discard", description: "throw the suspended memory away", disrupts: ["discard-state"] },
  {
    name: "revert",
    description: "go back to the current snapshot; everything since is lost",
    disrupts: ["discard-state"],
  },
  { name: "cancel-task", description: "ask the cloud to cancel the task that runs", disrupts: [] },
];

export const vmType: ResourceType = {
  name: vmTypeName,
  schema: loadSchema("resources", vmTypeName),
  ownership: "attached",
  links: [],
  power: cloudPower,
  identityOf: ({ href }) => (typeof href === "string" ? vmPathOf(href) : undefined),
  parseIdentity: vmPathOf,
  entity: (identity, settings) => entityKey(identity, settings),
  // One VM that is reached through its host manager as well is one lock: both know its id.
  aliases: (_path, { moref }) => aliasesOfMoref(moref),
  shared: ["power", "nested_hv_enabled", "datastore"],
  movedBy: {
    power_state: ["power_state"],
    nested_hv_enabled: ["nested_hv_enabled"],
    datastore: ["datastore"],
  },
  surroundings: ({ vapp_href: vapp }, settings) =>
    typeof vapp === "string" ? [entityKey(vapp, settings)] : [],
  parting: ({ on_destroy: parting }) => (parting === "power_off" ? "power-off" : "keep"),
  needsFacts: true,
  objections: vmObjections,
  actions: vmActions,
  lower,
  request: (verb, identity, inputs) => wireRequest(verb, identity, inputs),
  wordRequestLimitMs: requestLimitMs,
  poolLimit: (pool, settings) =>
    pool.startsWith(datastorePool) ? limitOf(settings, "relocates_per_datastore") : undefined,
  limitMs,
  check,
};

export function aliasesOfMoref(moref: Value | undefined): readonly string[] {
  return typeof moref === "string" ? [`virtual machine ${moref}`] : [];
}

/** Lock key of an object at a cloud: the same for every provider configuration that names it. */
export function entityKey(path: string, settings: Value): string {
  return `cloud ${endpointKey(settings)} ${path}`;
}

/** What people call a VM: its name where it is known, else the id in its path. */
export function vmLabel(identity: string, attributes: PlannedAttributes | Attributes): string {
  const { name } = attributes;
  return typeof name === "string" ? name : identity.slice(identity.lastIndexOf("/") + 1);
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  // It is never made and never deleted: adopting and forgetting send nothing.
  if (change.action !== "update") return [];
  const { identity, inputs, changed, prior } = change;
  const label = vmLabel(identity, { ...inputs, ...prior.attributes });
  const steps: LoweredStep[] = [];
  const { datastore, nested_hv_enabled: nested } = inputs;
  if (changed.includes("datastore") && typeof datastore === "string") {
    const from = prior.attributes.datastore;
    steps.push(relocateStep(label, [from, datastore], change.facts));
  }
  if (changed.includes("nested_hv_enabled") && typeof nested === "boolean") {
    steps.push(nestedStep(label, nested, change.facts));
  }
  return steps;
}

/** Works whatever the power is (wire facts A.4); may take hours. */
function relocateStep(
  label: string,
  [from, datastore]: readonly [Value | undefined, string],
  facts: Attributes | undefined,
): LoweredStep {
  const href = facts?.datastore_href;
  return {
    verb: "relocate",
    effect: "update",
    summary: `move VM ${label} to datastore ${datastore}`,
    inputs: { datastore: { name: datastore, href: typeof href === "string" ? href : unknown } },
    records: { datastore },
    expect: [{ attribute: "datastore", equals: datastore }],
    repeat: "unsafe",
    pools: [from, datastore].flatMap((name) =>
      typeof name === "string" ? [`${datastorePool}${name}`] : [],
    ),
    requestLimitMs,
  };
}

function nestedStep(label: string, wanted: boolean, facts: Attributes | undefined): LoweredStep {
  const verb = wanted ? "enable-nested" : "disable-nested";
  return {
    verb,
    effect: "update",
    summary: `${wanted ? "enable" : "disable"} nested virtualization of VM ${label}`,
    inputs: {},
    records: { nested_hv_enabled: wanted },
    needs: nestedNeeds(verb, facts),
    expect: [{ attribute: "nested_hv_enabled", equals: wanted }],
    repeat: "safe",
    requestLimitMs,
  };
}

/**
 * The power in which the change is known to be possible: the present one where the VM offers the
 * link (the specification has it on POWERED_ON), else off, as every real server wants it.
 */
function nestedNeeds(verb: string, facts: Attributes | undefined): PowerState {
  if (facts === undefined) return "off";
  const { links, powerState } = readFacts(facts);
  return links.includes(verb) && isPowerState(powerState) ? powerState : "off";
}

function limitMs(verb: string): number {
  switch (verb) {
    case "relocate":
      return 24 * hourMs;
    // Memory is written to, or read from, a datastore.
    case "suspend":
      return hourMs;
    case "power-on":
    case "undeploy-shutdown":
    case "shutdown":
      return 30 * minuteMs;
    default:
      return 15 * minuteMs;
  }
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { href = null, name = null, vapp_name: vapp = null } = attributes;
  const report = (code: string, summary: string, detail: string, fix: string): Diagnostic[] => [
    { severity: "error", code, summary, detail, fix, address },
  ];
  if (href === null && name === null) {
    const detail =
      vapp === null
        ? "A cloud_vm exists already, and nothing here says which one it is."
        : "vapp_name alone does not say which VM of the vApp it is.";
    return report("CLD001", "VM is not named", detail, "Set name, or href.");
  }
  if (typeof href !== "string" || vmPathOf(href) !== undefined) return [];
  const isTemplate = href.includes("/vAppTemplate/");
  const detail = isTemplate
    ? `${JSON.stringify(href)} is a VM of a template, which cannot be run.`
    : `${JSON.stringify(href)} is no link of a VM.`;
  const fix = "Use a link that ends in /api/vApp/vm-…, as the cloud prints it.";
  return report("CLD002", "Link of the VM cannot be used", detail, fix);
}
