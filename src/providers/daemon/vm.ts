/** The pure half of `daemon_vm`: schema, power, lowering, wire requests, time limits. */

import { parseDurationMs } from "../../lib/time/duration.ts";
import type { RequestPreview } from "../../model/operation/operation.ts";
import type { LoweredStep, LowerRequest, ResourceType } from "../../model/provider/provider.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import type { PlannedAttributes, PlannedValue, Value } from "../../model/value/value.ts";
import { endpointKeyOf } from "../kit/endpoint.ts";
import { exactSegment } from "../kit/path-segment.ts";
import { attributesOf, changing } from "../kit/schema/attributes.ts";
import { loadSchema } from "../kit/schema/schema-file.ts";
import { type daemonCodes, problem } from "./codes.ts";
import type { DaemonResources } from "./generated/resources.ts";
import { daemonPower, powerWords } from "./power.ts";
import { urlEnding } from "./settings.ts";

const minuteMs = 60_000;

export const vmTypeName = "daemon_vm";
export const vmIn = attributesOf<DaemonResources["daemon_vm"]>(vmTypeName);

export const vmType: ResourceType = {
  name: vmTypeName,
  get schema() {
    return loadSchema("resources", vmTypeName);
  },
  ownership: "owned",
  links: [{ attribute: "parent_id", type: vmTypeName, lock: "shared", needs: "off" }],
  power: daemonPower,
  identityOf: (attributes) => vmIn(attributes).id,
  entity: vmEntity,
  lower,
  request,
  limitMs,
  check,
};

/** Lock key of a VM: the same for every provider configuration that names this daemon. */
export function vmEntity(identity: string, settings: Value): string {
  return `daemon ${endpointKeyOf("daemon", settings, urlEnding)} vm ${identity}`;
}

function lower(change: LowerRequest): readonly LoweredStep[] {
  const { identity } = change;
  switch (change.action) {
    case "create":
      return lowerCreate(identity, change.inputs);
    case "update": {
      const { folder_sharing: sharing } = vmIn(changing(change));
      return sharing === undefined ? [] : [sharingStep(identity, sharing)];
    }
    case "delete":
      return [
        {
          verb: "delete",
          effect: "delete",
          summary: `delete VM ${identity}`,
          request: { inputs: {}, repeat: "safe" },
          applied: {},
          proof: { expect: [{ existence: "missing" }] },
          disrupts: ["destroy"],
        },
      ];
  }
}

function lowerCreate(identity: string, inputs: PlannedAttributes): readonly LoweredStep[] {
  const given = pick(inputs, ["id", "name", "parent_id", "tag"]);
  const parent = given.parent_id;
  const { folder_sharing: sharing, parent_id: parentId = "its parent" } = vmIn(inputs);
  // A VM from the default template shares nothing, so `false` is true of it without a request. A
  // clone may bring the setting of its parent along, and there is no way to read it.
  const sharesNothing = sharing === false && parent === undefined;
  const create: LoweredStep = {
    verb: parent === undefined ? "create" : "clone",
    effect: "create",
    summary:
      parent === undefined ? `create VM ${identity}` : `clone VM ${identity} from ${parentId}`,
    request: { inputs: given, repeat: "unsafe" },
    applied: sharesNothing ? { ...given, folder_sharing: false } : given,
    proof: { expect: [{ existence: "found" }] },
    // Wire facts B.4: a clone is a full copy of files inside the one request.
    order: { long: parent !== undefined },
  };
  if (sharing === undefined || sharesNothing) return [create];
  return [create, sharingStep(identity, sharing)];
}

function sharingStep(identity: string, sharing: boolean): LoweredStep {
  return {
    verb: sharing ? "share" : "unshare",
    effect: "update",
    summary: `${sharing ? "enable" : "disable"} shared folders of VM ${identity}`,
    request: { inputs: {}, repeat: "safe" },
    applied: { folder_sharing: sharing },
    order: { needs: "on" },
    // No endpoint answers whether sharing is enabled.
    proof: { expect: [], unobservable: true },
  };
}

/** Specification, section B, endpoints 1, 2, 5, 8 and 13. Waits have no request. */
function request(
  verb: string,
  identity: string,
  inputs: PlannedAttributes,
): RequestPreview | undefined {
  const id = exactSegment(identity);
  if (id === undefined) return undefined;
  if (powerWords.has(verb)) return textRequest(`/api/vms/power/${id}`, verb);
  switch (verb) {
    case "create":
    case "clone":
      return {
        method: "POST",
        path: "/api/vms",
        contentType: "application/json",
        body: {
          id: identity,
          ...pick(inputs, ["name"]),
          ...(verb === "clone" ? { parentid: inputs.parent_id ?? null } : {}),
          ...pick(inputs, ["tag"]),
        },
      };
    case "share":
      return textRequest(`/api/vms/${id}/folders`, "true");
    case "unshare":
      return textRequest(`/api/vms/${id}/folders`, "false");
    case "delete":
      return { method: "DELETE", path: `/api/vms/${id}` };
    default:
      return undefined;
  }
}

/** The daemon takes the bare word, without quotes, whatever the content type (wire facts B.1). */
function textRequest(path: string, body: string): RequestPreview {
  return { method: "PATCH", path, contentType: "text/plain", body };
}

/** Waits (for the guest's tools, for an address) are named `wait-…` and have no request. */
function limitMs(verb: string, attributes: PlannedAttributes): number {
  if (verb.startsWith("wait-")) return 5 * minuteMs;
  switch (verb) {
    case "create":
    case "clone":
      return 60 * minuteMs;
    case "delete":
      return 10 * minuteMs;
    case "off":
      return minuteMs;
    case "shutdown": {
      const { shutdown_timeout: wanted = "" } = vmIn(attributes);
      return parseDurationMs(wanted) ?? 2 * minuteMs;
    }
    default:
      return 2 * minuteMs;
  }
}

/** Ids that would change the meaning of a path, or of the files they become. */
function check(attributes: PlannedAttributes, address: Address): readonly Diagnostic[] {
  const { id, parent_id: parent } = vmIn(attributes);
  const diagnostics: Diagnostic[] = [];
  const report = (code: keyof typeof daemonCodes, detail: string, fix: string) =>
    diagnostics.push(problem({ address }, code, { detail, fix }));
  if (id !== undefined && (/[/\\\p{Cc}\p{Cs}]/u.test(id) || id === "." || id === "..")) {
    const detail = `${JSON.stringify(id)} becomes part of a path, and the name of a folder.`;
    report("DMN001", detail, "Use an id without slashes or control characters.");
  }
  if (id === "power") {
    const detail = "The daemon takes the path of this id for the power of another VM.";
    report("DMN001", detail, "Choose another id.");
  }
  if (id !== undefined && id === parent) {
    report("DMN002", `parent_id names the VM itself (${id}).`, "Name the VM to clone.");
  }
  for (const name of ["name", "tag"]) {
    if (attributes[name] !== "") continue;
    report("DMN003", `The daemon cannot tell an empty ${name} from none.`, `Leave ${name} out.`);
  }
  return diagnostics;
}

/** Attributes that are set, known or not, in the order of `names`. */
function pick(attributes: PlannedAttributes, names: readonly string[]): PlannedAttributes {
  const picked: { [name: string]: PlannedValue } = {};
  for (const name of names) {
    const value = attributes[name] ?? null;
    if (value !== null) picked[name] = value;
  }
  return picked;
}
