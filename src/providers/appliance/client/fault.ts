/**
 * What the appliance's own errors mean. Their name is the last segment of `type` below `/rest`, and
 * `error_type` below `/api`; texts are for people (wire facts C.4).
 */

import { excerpt, kindOfStatus } from "../../../http/reply.ts";
import type { RemoteErrorKind } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { isList, memberOf } from "../../../model/value/value.ts";

export type ApplianceFault = {
  /** Such as `resource_busy`, in lower case. */
  readonly name: string;
  /** The server's words on one line, each message with its id. */
  readonly message: string;
};

const kinds: ReadonlyMap<string, RemoteErrorKind> = new Map<string, RemoteErrorKind>([
  ["already_exists", "conflict"],
  ["already_in_desired_state", "precondition"],
  ["concurrent_change", "busy"],
  ["feature_in_use", "precondition"],
  ["invalid_argument", "invalid"],
  ["invalid_element_configuration", "invalid"],
  ["invalid_element_type", "invalid"],
  ["invalid_request", "invalid"],
  ["not_allowed", "precondition"],
  ["not_found", "not-found"],
  ["httpnotfound", "not-found"],
  ["operation_not_found", "not-found"],
  ["resource_busy", "busy"],
  ["resource_in_use", "busy"],
  ["resource_inaccessible", "precondition"],
  ["service_unavailable", "unavailable"],
  ["timed_out", "timeout"],
  ["unable_to_allocate_resource", "precondition"],
  ["unauthenticated", "unauthorized"],
  ["unauthorized", "forbidden"],
  ["unexpected_input", "invalid"],
  ["unsupported", "not-found"],
]);

/** Names after which the work may go on, or has been half done for all anybody knows. */
const openEnded: ReadonlySet<string> = new Set(["timed_out", "internal_server_error", "canceled"]);

/** The fault in a body, or undefined when it is none in the appliance's own words. */
export function faultOf(body: Value): ApplianceFault | undefined {
  const type = memberOf(body, "type");
  const value = memberOf(body, "value");
  // Below `/rest` the type stands outside, and its value holds the messages.
  const given = typeof type === "string" && type.includes(".") ? type : undefined;
  const name = given ?? memberOf(body, "error_type") ?? undefined;
  if (typeof name !== "string" || name === "") return undefined;
  const messages = memberOf(value, "messages") ?? memberOf(body, "messages") ?? [];
  const words = isList(messages) ? messages.flatMap(messageText) : [];
  const message = words.length === 0 ? "no message" : excerpt(words.join("; "));
  return { name: lastSegment(name), message };
}

/** The one long name is cut to what tells it from the others. */
function lastSegment(type: string): string {
  const name = type.slice(type.lastIndexOf(".") + 1).toLowerCase();
  return name.startsWith("not_allowed_") ? "not_allowed" : name;
}

export function kindOfFault({ name }: ApplianceFault, status: number): RemoteErrorKind {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  // Without a kind of its own: the resize that failed is status 400 with `error`.
  return name === "error" ? "protocol" : kindOfStatus(status);
}

/** Whether a change that was answered so may have taken effect, or may still do so. */
export function mayHaveActed({ name }: ApplianceFault, status: number): boolean {
  if (openEnded.has(name)) return true;
  return status >= 500 && !kinds.has(name) && name !== "error";
}

function messageText(message: Value): readonly string[] {
  const text = memberOf(message, "default_message");
  const id = memberOf(message, "id");
  if (typeof text !== "string" || text === "") return typeof id === "string" ? [id] : [];
  return [typeof id === "string" && id !== "" ? `${text} (${id})` : text];
}
