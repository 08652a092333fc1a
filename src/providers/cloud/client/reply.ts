/**
 * Replies of the cloud as documents or errors. Status first, then the body: a reply that cannot be
 * read is an error that keeps the status and the first bytes, never "nothing there".
 */

import type { CallClass, HttpReply } from "../../../http/call.ts";
import { isPutOff, statusError, unreadableReply } from "../../../http/reply.ts";
import { type XmlElement } from "../../../lib/xml/xml.ts";
import { parseXml, XmlError } from "../../../lib/xml/xml-reader.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { CloudDocument } from "./client.ts";
import { hintOf, kindOfFault, readFault } from "./fault.ts";

export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The document of a 2xx reply. Throws `RemoteError`, also for an `Error` in a 2xx reply. */
export function readDocument(reply: HttpReply, callClass: CallClass): CloudDocument {
  const root = readRoot(reply, callClass);
  if (root.local === "Error") throw cloudError(reply, callClass);
  const dateMs = serverDateMs(reply);
  return dateMs === undefined ? { root } : { root, dateMs };
}

/** The error that a reply means which is no success. */
export function cloudError(reply: HttpReply, callClass: CallClass): RemoteError {
  const root = errorRootOf(reply);
  if (root === undefined) return statusError(reply, callClass);
  const fault = readFault(root);
  // An error under a status of success: the server's own number is all there is.
  const status = isOk(reply.status) ? (fault.major ?? reply.status) : reply.status;
  const kind = kindOfFault(fault, status);
  const hint = hintOf(fault, status);
  const code = fault.minor === "" ? `${status}` : `${status} ${fault.minor}`;
  // More follows in the same sentence.
  const words = fault.message === "" ? "no message" : fault.message.replace(/\.$/, "");
  const mayHave = callClass === "mutate" && mayHaveActed(status, kind) && !isPutOff(reply);
  return new RemoteError({
    kind,
    effect: mayHave ? "unknown" : "none",
    status,
    message: `the cloud answered ${code}: ${words}${hint === undefined ? "" : ` (${hint})`}`,
    ...(reply.retryAfterMs === undefined ? {} : { retryAfterMs: reply.retryAfterMs }),
  });
}

/** Whether the reply carries the server's own `Error`: not the answer of something before it. */
export function hasOwnError(reply: HttpReply): boolean {
  return errorRootOf(reply) !== undefined;
}

/** The server's clock, milliseconds: the first of what may be several dates (wire facts A.0.3). */
export function serverDateMs(reply: Pick<HttpReply, "headers">): number | undefined {
  const date = /[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT/.exec(
    reply.headers.date ?? "",
  );
  const ms = Date.parse(date?.[0] ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

/** A refusal with a code below 500 did nothing; busy says so itself, whatever the status. */
function mayHaveActed(status: number, kind: RemoteError["kind"]): boolean {
  return (status >= 500 || status === 408) && kind !== "busy";
}

function errorRootOf(reply: HttpReply): XmlElement | undefined {
  try {
    const root = parseXml(reply.text);
    return root.local === "Error" ? root : undefined;
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

function readRoot(reply: HttpReply, callClass: CallClass): XmlElement {
  try {
    return parseXml(reply.text);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const why = reply.text.trim() === "" ? "" : ` (${error.line}:${error.column})`;
    throw unreadableReply(reply, callClass, `instead of XML${why}`);
  }
}
