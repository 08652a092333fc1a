/** Redirects, followed by hand: only reads, only within the origin. Pure. */

import { RemoteError } from "../model/operation/remote-error.ts";
import type { HttpCall } from "./call.ts";
import type { RawReply } from "./transport.ts";

export const redirectHopsMax = 5;

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** "The same request, elsewhere": nothing was done here. 302 and 303 may be an answer. */
const provesNoEffect: ReadonlySet<number> = new Set([301, 307, 308]);

/**
 * Path to ask next, or undefined when the reply is no redirect. Throws `RemoteError` for a redirect
 * that must not be followed: credentials would go to another origin, or a change be sent twice.
 */
export function redirectPath(
  reply: Pick<RawReply, "status" | "headers">,
  call: Pick<HttpCall, "class" | "method">,
  from: { readonly origin: string; readonly path: string },
): string | undefined {
  const location = reply.headers.location;
  if (!redirects.has(reply.status) || location === undefined) return undefined;
  const target = resolve(location, from);
  if (target?.origin === from.origin && call.method === "GET" && call.class !== "mutate") {
    return `${target.pathname}${target.search}`;
  }
  // Queries and user names of a location may hold tokens.
  const where = target === undefined ? "an unreadable location" : target.origin + target.pathname;
  throw new RemoteError({
    kind: "protocol",
    effect: call.class === "read" || provesNoEffect.has(reply.status) ? "none" : "unknown",
    status: reply.status,
    message: `server moved to ${where} (status ${reply.status}); set url`,
  });
}

function resolve(
  location: string,
  from: { readonly origin: string; readonly path: string },
): URL | undefined {
  try {
    return new URL(location, `${from.origin}${from.path}`);
  } catch {
    return undefined;
  }
}
