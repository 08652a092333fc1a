/**
 * What the cloud's own errors mean. A wrong power state and a busy entity are both status 400, and
 * what is gone is refused like what is forbidden: the minor code and the text decide (wire facts
 * A.6).
 */

import { excerpt, kindOfStatus } from "../../../http/reply.ts";
import { attributeOf, type XmlElement } from "../../../lib/xml/xml.ts";
import type { RemoteErrorKind } from "../../../model/operation/remote-error.ts";

/** An `Error` element, of a reply or of a task. */
export type CloudFault = {
  /** An HTTP status, if it is a number. */
  readonly major?: number;
  /** Such as `BUSY_ENTITY`; empty when the server names none. */
  readonly minor: string;
  /** The server's words on one line, shortened. Its stack trace is left out. */
  readonly message: string;
};

/** Texts of BAD_REQUEST that speak of a state the object is in (wire facts A.6.2). */
const stateTexts: readonly RegExp[] = [
  /\bis (not )?(powered (on|off)|running|suspended|deployed|undeployed)\b/i,
  /\bdoes not have any powered on VMs\b/i,
  /\b(Stop|Power off|Undeploy) the (vApp|VM) and try again\b/i,
  /\bis not supported since the VM is disconnected\b/i,
  /\bVMware Tools is not running\b/i,
  /\b(current|invalid|wrong) (power )?state\b/i,
  /\bquota\b/i,
];

const busyText = /\bis busy(,| completing an operation)/i;
const versionText = /\binvalid accept header\b/i;

/** Reads an `Error` element, of whatever namespace. */
export function readFault(element: XmlElement): CloudFault {
  const major = attributeOf(element, "majorErrorCode") ?? "";
  // Later servers put the id of the request in front (wire facts A.1.6).
  const words = (attributeOf(element, "message") ?? "").replace(/^\s*\[ [^\]]* \]\s*/, "");
  return {
    ...(/^\d{3}$/.test(major) ? { major: Number(major) } : {}),
    minor: attributeOf(element, "minorErrorCode") ?? "",
    message: excerpt(words),
  };
}

/** Kind of a fault; `status` counts where the fault names no code of its own. */
export function kindOfFault(fault: CloudFault, status?: number): RemoteErrorKind {
  const code = status ?? fault.major ?? 0;
  switch (fault.minor) {
    case "BUSY_ENTITY":
      return "busy";
    case "DUPLICATE_NAME":
      return "conflict";
    case "ACCESS_TO_RESOURCE_IS_FORBIDDEN":
      return "forbidden";
    case "NOT_ACCEPTABLE":
      return "invalid";
    case "RESOURCE_NOT_FOUND":
      return "not-found";
    default:
  }
  if (busyText.test(fault.message)) return "busy";
  if (code === 400 && stateTexts.some((text) => text.test(fault.message))) return "precondition";
  // Documented as "the object's state does not allow it".
  return code === 409 ? "precondition" : kindOfStatus(code);
}

/** The way out of a fault, where there is one. */
export function hintOf(fault: CloudFault, status: number): string | undefined {
  // Servers of before 406 was used answered 400.
  if (status === 406 || versionText.test(fault.message)) {
    return "set api_version of the provider to a version it supports";
  }
  if (kindOfFault(fault, status) === "forbidden") {
    return "the object does not exist, or the user has no right to it";
  }
  return undefined;
}
