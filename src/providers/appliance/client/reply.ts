/**
 * Replies of the appliance as values or errors: status first, then the body. A reply that cannot be
 * read is an error that keeps the status and the first bytes, never "nothing there".
 */

import type { CallClass, HttpReply } from "../../../http/call.ts";
import { isPutOff, readJson, statusError, unreadableReply } from "../../../http/reply.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Value } from "../../../model/value/value.ts";
import { isMap } from "../../../model/value/value.ts";
import { type ApplianceFault, faultOf, kindOfFault, mayHaveActed } from "./fault.ts";
import type { Dialect } from "./release.ts";

export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** What a 2xx reply tells, out of its wrapping. Throws `RemoteError`. */
export function readValue(
  reply: HttpReply,
  callClass: CallClass,
  { wrapped }: Pick<Dialect, "wrapped">,
): Value {
  const body = readJson(reply, callClass);
  if (faultOf(body) !== undefined) throw applianceError(reply, callClass);
  if (!wrapped) return body;
  if (isMap(body) && body.value !== undefined) return body.value;
  if (wrapped === "maybe") return body;
  throw unreadableReply(reply, callClass, "instead of a value");
}

/** The error that a reply means which is no success. */
export function applianceError(reply: HttpReply, callClass: CallClass): RemoteError {
  const fault = ownFault(reply);
  if (fault === undefined) return statusError(reply, callClass);
  const { status, retryAfterMs } = reply;
  const kind = kindOfFault(fault, status);
  // What only reads may be asked again at once.
  const again = kind === "timeout" && callClass !== "mutate";
  const mayHave = callClass === "mutate" && mayHaveActed(fault, status) && !isPutOff(reply);
  return new RemoteError({
    kind: again ? "unavailable" : kind,
    effect: mayHave ? "unknown" : "none",
    status,
    message: `the appliance answered ${status} ${fault.name}: ${fault.message}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The server's clock, milliseconds. */
export function serverDateMs({ headers }: Pick<HttpReply, "headers">): number | undefined {
  const ms = Date.parse(headers.date ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** Undefined when something else answered: a proxy, or a web server without the interface. */
export function ownFault(reply: HttpReply): ApplianceFault | undefined {
  try {
    return faultOf(readJson(reply, "read"));
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}
