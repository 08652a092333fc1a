/** Replies that cannot be used: classification by status, strict JSON, short excerpts. */

import { JsonError, parseJson } from "../lib/json.ts";
import { RemoteError, type RemoteErrorKind } from "../model/operation/remote-error.ts";
import type { Value } from "../model/value/value.ts";
import type { CallClass, HttpReply } from "./call.ts";

const excerptLengthMax = 200;
/** What is looked at for an excerpt: bodies may be tens of megabytes. */
const excerptSourceMax = 4_000;

/** At most 200 characters of a masked body on one line, without control characters. */
export function excerpt(text: string): string {
  const line = text
    .slice(0, excerptSourceMax)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/ +/g, " ")
    .trim();
  const chars = Array.from(line);
  if (chars.length <= excerptLengthMax) return line;
  return `${chars.slice(0, excerptLengthMax - 1).join("")}…`;
}

/** What is known of a body, for the end of a message: `empty body`, or its beginning. */
function describeBody(reply: Pick<HttpReply, "headers" | "text" | "isPrivate">): string {
  const text = excerpt(reply.text);
  if (text === "") return "empty body";
  const kind = isHtml(reply) ? "an HTML page" : "body";
  if (reply.isPrivate === true) return `${kind} (not shown, it answers a login)`;
  return `${kind}: ${text}`;
}

function isHtml(reply: Pick<HttpReply, "headers" | "text">): boolean {
  const type = reply.headers["content-type"] ?? "";
  return (
    /^\s*(text\/html|application\/xhtml)/i.test(type) ||
    /^\s*<(!doctype html|html)/i.test(reply.text)
  );
}

/**
 * The body as JSON, whatever its Content-Type: servers name the wrong one. Throws `RemoteError` of
 * kind protocol for HTML, an empty body or anything else that is not JSON. For a mutating call the
 * effect is then unknown, since the status alone says that the request arrived.
 */
export function readJson(reply: HttpReply, callClass: CallClass): Value {
  try {
    return parseJson(reply.text, { duplicateKeys: "error" });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const why = reply.text.trim() === "" || isHtml(reply) ? "" : ` (${error.reason})`;
    throw unreadableReply(reply, callClass, `instead of JSON${why}`);
  }
}

/** A reply that was understood as HTTP and not as what was asked for. */
export function unreadableReply(reply: HttpReply, callClass: CallClass, why: string): RemoteError {
  return new RemoteError({
    kind: "protocol",
    effect: callClass === "read" ? "none" : "unknown",
    status: reply.status,
    message: `status ${reply.status}, ${describeBody(reply)} ${why}`,
  });
}

/** Statuses by which a request is turned away before anything is done with it. */
const turnedAway: ReadonlySet<number> = new Set([401, 403, 407, 429]);

/**
 * Error of a status outside 2xx, for replies whose body says nothing more. The reply may come from
 * something between us and the server, so after a mutating call most statuses prove nothing.
 */
export function statusError(reply: HttpReply, callClass: CallClass): RemoteError {
  const { status, retryAfterMs } = reply;
  // A refused login leaves no session behind.
  const noEffect = callClass !== "mutate" || turnedAway.has(status) || isPutOff(reply);
  return new RemoteError({
    kind: kindOfStatus(status),
    effect: noEffect ? "none" : "unknown",
    status,
    message: `status ${status}, ${describeBody(reply)}`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** "Not now, come again then": a server that has begun with the request says no such thing. */
export function isPutOff({ status, retryAfterMs }: HttpReply): boolean {
  return status === 503 && retryAfterMs !== undefined;
}

export function kindOfStatus(status: number): RemoteErrorKind {
  switch (status) {
    case 400:
    case 405:
    case 406:
    case 411:
    case 413:
    case 414:
    case 415:
    case 422:
      return "invalid";
    case 401:
    case 407:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
    case 410:
      return "not-found";
    case 408:
      return "timeout";
    case 409:
      return "conflict";
    case 412:
    case 428:
      return "precondition";
    case 423:
      return "busy";
    case 429:
      return "throttled";
    case 502:
    case 503:
    case 504:
      return "unavailable";
    default:
      return "protocol";
  }
}
