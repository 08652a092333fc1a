/**
 * The pure half of `cloud_snapshot`, content of a `cloud_vm`. The interface keeps at most one per
 * VM, replaces it silently, and gives neither name nor description back (wire facts A.3.1, A.4), so
 * what tells one snapshot from the next is the instant of its creation.
 */

import type { LoweredStep, LowerRequest, ResourceType } from "../../../model/provider/provider.ts";
import type { Diagnostic } from "../../../model/said/diagnostic.ts";
import type { Address } from "../../../model/value/address.ts";
import type { PlannedAttributes, PlannedValue } from "../../../model/value/value.ts";
import { loadSchema } from "../../kit/schema/schema-file.ts";
import { aliasesOfMoref, requestLimitMs } from "../../kit/vm/attached-vm.ts";
import { uncarriedText } from "../../kit/xml-texts.ts";
import { problem } from "../codes.ts";
import { snapshotIn, snapshotTypeName, vmTypeName } from "./names.ts";
import { entityKey, labelOf } from "./vm.ts";
import { readFacts } from "./vm-facts.ts";
import { snapshotObjections } from "./vm-objections.ts";
import { vmPathOf } from "./vm-path.ts";
import { wireRequest } from "./wire-request.ts";

const hourMs = 3_600_000;
const separator = "/snapshot";

export const snapshotType: ResourceType = {
  name: snapshotTypeName,
  get schema() {
    return loadSchema("resources", snapshotTypeName);
  },
  ownership: "owned",
  tasks: true,
  container: {
    attribute: "vm",
    type: vmTypeName,
    listed: true,
    askedEach: true,
    of: (identity) => snapshotParts(identity).vm,
  },
  links: [],
  identityOf: (attributes) => {
    const path = vmPathOf(snapshotIn(attributes).vm ?? "");
    return path === undefined ? undefined : snapshotIdentity(path);
  },
  parseIdentity,
  entity: (identity, settings) => entityKey(snapshotIdentity(snapshotParts(identity).vm), settings),
  // Of a VM that is not recorded itself, too.
  aliases: (_identity, attributes, facts) =>
    aliasesOfMoref((facts && readFacts(facts).moref) ?? snapshotIn(attributes).vm_moref),
  needsFacts: true,
  objections: snapshotObjections,
  lower,
  request: (verb, identity, inputs) => wireRequest(verb, snapshotParts(identity).vm, inputs),
  limitMs: (verb) => (verb === "remove" ? 12 * hourMs : 4 * hourMs),
  check,
};

/** Of the snapshot made at an instant, or of whatever snapshot the VM has. */
export function snapshotIdentity(vm: string, createdAt?: string): string {
  return `${vm}${separator}${createdAt === undefined ? "" : `/${createdAt}`}`;
}

/** `createdAt` is absent in an identity that was made before the snapshot. */
export function snapshotParts(identity: string): {
  readonly vm: string;
  readonly createdAt?: string;
} {
  const at = identity.lastIndexOf(separator);
  if (at === -1) return { vm: identity };
  const createdAt = identity.slice(at + separator.length + 1);
  return { vm: identity.slice(0, at), ...(createdAt === "" ? {} : { createdAt }) };
}

/** A VM in any of its forms stands for the snapshot it has. */
function parseIdentity(text: string): string | undefined {
  const { vm, createdAt } = snapshotParts(text.trim());
  const path = vmPathOf(vm);
  return path === undefined ? undefined : snapshotIdentity(path, createdAt);
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  const { vm } = snapshotParts(change.identity);
  const known = change.action === "delete" ? change.container : change.facts;
  const label = labelOf(vm, known ?? {});
  switch (change.action) {
    case "create": {
      const given = givenInputs(change.inputs, vm);
      return [
        {
          verb: "create",
          effect: "create",
          summary: `make a snapshot of VM ${label}`,
          request: { inputs: given, repeat: "unsafe" },
          applied: given,
          proof: { expect: [{ existence: "found" }], requestLimitMs },
        },
      ];
    }
    case "update":
      // Every attribute forces a new snapshot: the interface has no change in place.
      return [];
    case "delete":
      return [
        {
          verb: "remove",
          effect: "delete",
          summary: `remove the snapshot of VM ${label}`,
          // "All" of them: sent twice, it might take one that somebody made meanwhile.
          request: { inputs: {}, repeat: "unsafe" },
          applied: {},
          proof: { expect: [{ existence: "missing" }], requestLimitMs },
          // The way back to what the VM was is lost.
          disrupts: ["destroy"],
        },
      ];
  }
}

function givenInputs(inputs: PlannedAttributes, vm: string): PlannedAttributes {
  const { name = null, description = null, memory = null, quiesce = null } = inputs;
  const given: { [attribute: string]: PlannedValue } = {
    vm: inputs.vm ?? vm,
    memory: memory ?? false,
    quiesce: quiesce ?? false,
  };
  if (name !== null) given.name = name;
  if (description !== null) given.description = description;
  return given;
}

/** The VM's record is found by its path, so another spelling would belong to nothing. */
function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const uncarried = uncarriedText(attributes);
  if (uncarried !== undefined) {
    return [problem({ address }, "CLD019", { detail: uncarried, fix: "Take that character out." })];
  }
  const { vm } = snapshotIn(attributes);
  if (vm === undefined || vmPathOf(vm) === vm) return [];
  const path = vmPathOf(vm);
  const detail = `${JSON.stringify(vm)} is not the path of a VM.`;
  const fix = `Write vm: \${cloud_vm.NAME.href}${path === undefined ? "" : `, or vm: ${path}`}.`;
  return [problem({ address }, "CLD003", { detail, fix })];
}
