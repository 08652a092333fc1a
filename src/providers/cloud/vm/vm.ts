/** The pure half of `cloud_vm`, a VM that exists already: lowering, wire requests, limits. */

import { isPowerState, type PowerState } from "../../../model/operation/power.ts";
import type {
  ActionType,
  LoweredStep,
  LowerRequest,
  ResourceType,
} from "../../../model/provider/provider.ts";
import type { Diagnostic } from "../../../model/said/diagnostic.ts";
import type { Address } from "../../../model/value/address.ts";
import type { Attributes, PlannedAttributes, Value } from "../../../model/value/value.ts";
import { unknown } from "../../../model/value/value.ts";
import { endpointKeyOf } from "../../kit/endpoint.ts";
import { changing } from "../../kit/schema/attributes.ts";
import { aliasesOfMoref, attachedVm, nestedStep, relocateStep } from "../../kit/vm/attached-vm.ts";
import { urlEnding } from "../client/settings.ts";
import { problem } from "../codes.ts";
import { vmIn, vmTypeName } from "./names.ts";
import { cloudPower } from "./power.ts";
import { readFacts } from "./vm-facts.ts";
import { vmObjections } from "./vm-objections.ts";
import { vmPathOf } from "./vm-path.ts";
import { wireRequest } from "./wire-request.ts";

const minuteMs = 60_000;

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

export const vmType: ResourceType = attachedVm({
  name: vmTypeName,
  power: cloudPower,
  identityOf: (attributes) => vmPathOf(vmIn(attributes).href ?? ""),
  parseIdentity: vmPathOf,
  entity: entityKey,
  aliases: (_path, attributes) => aliasesOfMoref(vmIn(attributes).moref),
  surroundings: (attributes, settings) => {
    const { vapp_href: vapp } = vmIn(attributes);
    return vapp === undefined ? [] : [entityKey(vapp, settings)];
  },
  objections: vmObjections,
  actions: vmActions,
  lower,
  request: (verb, identity, inputs) => wireRequest(verb, identity, inputs),
  limitsMs: { "undeploy-shutdown": 30 * minuteMs, shutdown: 30 * minuteMs },
  check,
});

/** Lock key of an object at a cloud: the same for every provider configuration that names it. */
export function entityKey(path: string, settings: Value): string {
  return `cloud ${endpointKeyOf("cloud", settings, urlEnding)} ${path}`;
}

/** Without its name, a VM is called by the id in its path. */
export function labelOf(path: string, attributes: PlannedAttributes): string {
  return vmIn(attributes).name ?? path.slice(path.lastIndexOf("/") + 1);
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  // It is never made and never deleted: adopting and forgetting send nothing.
  if (change.action !== "update") return [];
  const { identity, inputs, prior } = change;
  const label = labelOf(identity, { ...inputs, ...prior.attributes });
  const steps: LoweredStep[] = [];
  const { datastore, nested_hv_enabled: nested } = vmIn(changing(change));
  if (datastore !== undefined) {
    const { datastore: from } = vmIn(prior.attributes);
    const known = change.facts && readFacts(change.facts);
    const target = { href: known?.datastore_href ?? unknown };
    steps.push(relocateStep({ label, from, to: datastore, target }));
  }
  if (nested !== undefined) {
    const verb = nested ? "enable-nested" : "disable-nested";
    const needs = nestedNeeds(verb, change.facts);
    steps.push(nestedStep({ label, wanted: nested, verb, inputs: {}, needs }));
  }
  return steps;
}

/**
 * The power in which the change is known to be possible: the present one where the VM offers the
 * link (the specification has it on POWERED_ON), else off, as every real server wants it.
 */
function nestedNeeds(verb: string, facts: Attributes | undefined): PowerState {
  if (facts === undefined) return "off";
  const { links, power_state: powerState } = readFacts(facts);
  return links.includes(verb) && isPowerState(powerState) ? powerState : "off";
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { name = null, vapp_name: vapp = null } = attributes;
  if ((attributes.href ?? null) === null && name === null) {
    const detail =
      vapp === null
        ? "A cloud_vm exists already, and nothing here says which one it is."
        : "vapp_name alone does not say which VM of the vApp it is.";
    return [problem({ address }, "CLD001", { detail, fix: "Set name, or href." })];
  }
  const { href } = vmIn(attributes);
  if (href === undefined || vmPathOf(href) !== undefined) return [];
  const isTemplate = href.includes("/vAppTemplate/");
  const detail = isTemplate
    ? `${JSON.stringify(href)} is a VM of a template, which cannot be run.`
    : `${JSON.stringify(href)} is no link of a VM.`;
  const fix = "Use a link that ends in /api/vApp/vm-…, as the cloud prints it.";
  return [problem({ address }, "CLD002", { detail, fix })];
}
