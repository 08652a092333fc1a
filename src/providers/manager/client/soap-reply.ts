/** Replies of the SOAP interface (wire facts D.3). */

import type { CallClass, HttpReply } from "../../../http/call.ts";
import { statusError, unreadableReply } from "../../../http/reply.ts";
import type { XmlElement } from "../../../lib/xml/xml.ts";
import { parseXml, XmlError } from "../../../lib/xml/xml-reader.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import { childIn } from "./element.ts";
import { faultError, readSoapFault } from "./fault.ts";
import { soapNamespace } from "./soap.ts";

/**
 * The response element of a reply. Throws `RemoteError`: for a fault, with the fault as its cause;
 * for what is no SOAP at all, with status and first bytes, and never of kind not-found.
 */
export function readResponse(reply: HttpReply, method: string, callClass: CallClass): XmlElement {
  const content = contentOf(reply);
  if (content instanceof XmlError || content === undefined) {
    if (reply.status !== 200) throw wrongStatus(reply, callClass);
    const { line, column } = content ?? {};
    const isEmpty = content === undefined || reply.text.trim() === "";
    const why = isEmpty ? "instead of SOAP" : `instead of SOAP (${line}:${column})`;
    throw unreadableReply(reply, callClass, why);
  }
  if (content.namespace === soapNamespace && content.local === "Fault") {
    throw faultError(readSoapFault(content), { status: reply.status, callClass });
  }
  if (reply.status !== 200) throw wrongStatus(reply, callClass);
  if (content.local === `${method}Response`) return content;
  throw unreadableReply(reply, callClass, `instead of ${method}Response`);
}

/** What stands in the body of the envelope; undefined for other XML. */
function contentOf(reply: HttpReply): XmlElement | XmlError | undefined {
  let root: XmlElement;
  try {
    root = parseXml(reply.text);
  } catch (error) {
    if (error instanceof XmlError) return error;
    throw error;
  }
  if (root.namespace !== soapNamespace || root.local !== "Envelope") return undefined;
  const body = childIn(root, "Body");
  return body?.children.find((child): child is XmlElement => typeof child !== "string");
}

/** A status without a fault says nothing of any object: a 404 is about the address. */
function wrongStatus(reply: HttpReply, callClass: CallClass): RemoteError {
  const error = statusError(reply, callClass);
  if (!["not-found", "invalid", "conflict", "precondition"].includes(error.kind)) return error;
  return new RemoteError({
    kind: "protocol",
    effect: error.effect,
    status: reply.status,
    message: `${error.message} (is url a host manager's?)`,
  });
}
