/**
 * One request to the cloud, as its route hands it on, and what every handler needs.
 *
 * The door of `rest`, the wire: `document.ts` makes XML documents and links, `dialect.ts` has the
 * words that dialects differ in, `refusal.ts` says no in the API's form.
 */

import { type XmlElement } from "../../../lib/xml/xml.ts";
import { parseXml, XmlError } from "../../../lib/xml/xml-reader.ts";
import { type Answer, type SimulatorRequest, unchanged } from "../../kit/answer.ts";
import type { CloudState } from "../world/cloud-state.ts";
import { type CloudUser, isDenied, maySee, type Target } from "../world/inventory.ts";
import type { CloudTaskPlan } from "../world/task.ts";
import { dialectOf } from "./dialect.ts";
import { adminType, type Draft, documentReply, mediaType, type ReplyOptions } from "./document.ts";
import {
  badRequest,
  type CloudRefusal,
  isViolation,
  noAccess,
  refusalOf,
  refusalReply,
} from "./refusal.ts";

export type CloudCall = {
  readonly state: CloudState;
  /** Simulated time of the request, milliseconds. */
  readonly nowMs: number;
  readonly draft: Draft;
  /** Variable path segments, in order. */
  readonly segments: readonly string[];
  readonly request: SimulatorRequest;
  /** How a fault wants the task to end that this request begins. */
  readonly plan: CloudTaskPlan | undefined;
};

/** A call within a session. */
export type UserCall = CloudCall & { readonly user: CloudUser };

export function draftOf(state: CloudState, request: SimulatorRequest, version: string): Draft {
  const host = request.headers.host ?? "cloud.example";
  return {
    dialect: dialectOf(state.rules.dialect),
    version,
    base: state.rules.public_url ?? `http://${host}`,
    prefixed: state.rules.xml === "prefixed",
  };
}

export function refuse(call: Pick<CloudCall, "draft">, refusal: CloudRefusal): Answer {
  const answer = unchanged(refusalReply(call.draft, refusal));
  return isViolation(refusal) ? { ...answer, violation: refusal.message } : answer;
}

/** An answer without effect: a document of the API, or of what only administrators manage. */
export function show(
  { draft }: Pick<CloudCall, "draft">,
  typeName: string | { readonly admin: string },
  root: XmlElement,
  options?: ReplyOptions,
): Answer {
  const type =
    typeof typeName === "string" ? mediaType(draft, typeName) : adminType(draft, typeName.admin);
  return unchanged(documentReply(draft, type, root, options));
}

/** The variable path segment at `index`; the route's pattern says how many there are. */
export function segmentOf(call: CloudCall, index: number): string {
  const segment = call.segments[index];
  if (segment === undefined) throw new RangeError(`the route has no segment ${index}`);
  return segment;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Refusal of an id that is no UUID (wire facts A.6.2). */
export function checkUuid(id: string): CloudRefusal | undefined {
  if (uuid.test(id)) return undefined;
  const cause = "String value has invalid format or length";
  return badRequest(`validation error on field 'id': ${cause}`);
}

/**
 * What the first segment names: `vm-<uuid>` or `vapp-<uuid>`. One refusal for what is gone, never
 * was, or is not this user's: 403 (wire facts A.6.2).
 */
export function findTarget(call: UserCall): Target | CloudRefusal {
  const match = /^(vm|vapp)-(.*)$/.exec(segmentOf(call, 0));
  if (match === null) return badRequest("validation error on field 'id': not a VM or vApp");
  const [, kind, id = ""] = match;
  const bad = checkUuid(id);
  if (bad !== undefined) return bad;
  const { state } = call;
  const vm = kind === "vm" ? state.vms.get(id) : undefined;
  const vapp = state.vapps.get(kind === "vm" ? (vm?.vappId ?? "") : id);
  const isHidden = vapp === undefined || vapp.template || !maySee(call.user, vapp);
  const isTaken = vm !== undefined && isDenied(call.user, vm);
  if (isHidden || isTaken || (kind === "vm" && vm === undefined)) {
    return noAccess(call.draft, kind ?? "vm", id);
  }
  if (vm !== undefined) return { kind: "vm", vm, vapp };
  const vms = [...state.vms.values()].filter((each) => each.vappId === vapp.id);
  return { kind: "vApp", vapp, vms };
}

/**
 * Root element of a request body of the given media type. Refused: another content type (415), a
 * body that is no XML or has another root (400). Types are compared without case or parameters.
 */
export function readBody(
  call: CloudCall,
  typeName: string,
  local: string,
): XmlElement | CloudRefusal {
  const given = (call.request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  const wanted = mediaType(call.draft, typeName);
  if (given.toLowerCase() !== wanted.toLowerCase()) {
    return refusalOf(415, "UNSUPPORTED_MEDIA_TYPE", `The content type must be ${wanted}.`);
  }
  let root: XmlElement;
  try {
    root = parseXml(call.request.body, { size: 65_536, depth: 16 });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return badRequest(`Bad request: ${error.message}`);
  }
  if (root.local !== local || root.namespace !== call.draft.dialect.namespace) {
    return badRequest(`Unexpected element {${root.namespace}}${root.local}.`);
  }
  return root;
}
