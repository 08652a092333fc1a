/** The pure half of `daemon_shared_folder`, content of a `daemon_vm`. */

import type { RequestPreview } from "../../model/operation/operation.ts";
import type { LoweredStep, LowerRequest, ResourceType } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import type { PlannedAttributes, Value } from "../../model/value/value.ts";
import { exactSegment, isWhole } from "../kit/path-segment.ts";
import { attributesOf } from "../kit/schema/attributes.ts";
import { loadSchema } from "../kit/schema/schema-file.ts";
import { problem } from "./codes.ts";
import type { DaemonResources } from "./generated/resources.ts";
import { vmEntity, vmTypeName } from "./vm.ts";

/** Specification, section B: `flags` 4 is read/write; without that bit it is read-only. */
export const writableFlag = 4;

const changeLimitMs = 120_000;

export const folderTypeName = "daemon_shared_folder";
export const folderIn = attributesOf<DaemonResources["daemon_shared_folder"]>(folderTypeName);

export const folderType: ResourceType = {
  name: folderTypeName,
  get schema() {
    return loadSchema("resources", folderTypeName);
  },
  ownership: "owned",
  // The folder itself stays on the host, and the guest sees it again in a moment.
  replaceIsHarmless: true,
  container: {
    attribute: "vm_id",
    type: vmTypeName,
    listed: true,
    requires: { attribute: "folder_sharing", equals: true },
  },
  links: [],
  // A share holds nothing: the files are those of the host.
  replacesDrift: true,
  identityOf: (attributes) => {
    const { vm_id: vm, guest_path: name } = folderIn(attributes);
    return vm === undefined || name === undefined ? undefined : `${vm}/${name}`;
  },
  entity: folderEntity,
  lower,
  request,
  limitMs: () => changeLimitMs,
  check,
};

/** The VM and the name of the share; the name holds no slash, so the last one divides. */
export function folderParts(identity: string): { readonly vm: string; readonly name: string } {
  const slash = identity.lastIndexOf("/");
  return { vm: identity.slice(0, Math.max(slash, 0)), name: identity.slice(slash + 1) };
}

function folderEntity(identity: string, settings: Value): string {
  const { vm, name } = folderParts(identity);
  return `${vmEntity(vm, settings)} folder ${name}`;
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  const { vm, name } = folderParts(change.identity);
  switch (change.action) {
    case "create": {
      const { vm_id, guest_path, host_path, writable = true } = change.inputs;
      const given = {
        vm_id: vm_id ?? vm,
        guest_path: guest_path ?? name,
        host_path: host_path ?? null,
        writable: writable ?? true,
      };
      return [
        {
          verb: "add",
          effect: "create",
          summary: `add shared folder ${name} to VM ${vm}`,
          request: { inputs: given, repeat: "unsafe" },
          applied: given,
          order: { needs: "on" },
          proof: { expect: [{ existence: "found" }] },
        },
      ];
    }
    case "update":
      // Every attribute forces a new folder: the interface has no change in place.
      return [];
    case "delete":
      return [
        {
          verb: "remove",
          effect: "delete",
          summary: `remove shared folder ${name} from VM ${vm}`,
          // No disruption: the folder itself stays on the host.
          request: { inputs: {}, repeat: "safe" },
          applied: {},
          order: { needs: "on" },
          proof: { expect: [{ existence: "missing" }] },
        },
      ];
  }
}

/** Specification, section B, endpoints 9 and 12. */
function request(
  verb: string,
  identity: string,
  inputs: PlannedAttributes,
): RequestPreview | undefined {
  const { vm, name } = folderParts(identity);
  const [vmSegment, segment] = [exactSegment(vm), exactSegment(name)];
  if (vmSegment === undefined || segment === undefined) return undefined;
  const folders = `/api/vms/${vmSegment}/folders`;
  switch (verb) {
    case "add":
      return {
        method: "POST",
        path: folders,
        contentType: "application/json",
        body: {
          guestPath: name,
          hostPath: inputs.host_path ?? null,
          flags: folderIn(inputs).writable === false ? 0 : writableFlag,
        },
      };
    case "remove":
      return { method: "DELETE", path: `${folders}/${segment}` };
    default:
      return undefined;
  }
}

function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { guest_path: name } = folderIn(attributes);
  const isDots = name === "." || name === "..";
  if (name === undefined || (!isDots && isWhole(name))) return [];
  const detail = isDots
    ? `${JSON.stringify(name)} changes the meaning of the path it stands in.`
    : `${JSON.stringify(name)} holds half a character, which no path can.`;
  const fix = "Choose another guest_path.";
  return [problem({ address }, "DMN004", { detail, fix })];
}
