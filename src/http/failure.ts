/** Transport failures in words and kinds: what happened, to which host, with what effect. */

import { RemoteError, type RemoteErrorKind } from "../model/remote-error.ts";
import type { CallClass } from "./call.ts";
import { excerpt } from "./reply.ts";
import type { TransportError } from "./transport.ts";

export type FailureContext = {
  readonly class: CallClass;
  /** The configured origin. */
  readonly origin: string;
  readonly timeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly bodyBytesMax: number;
};

/** Codes of Node.js and undici, and what they say; `%` stands for the host. */
const causes = new Map<string, readonly [RemoteErrorKind, string]>([
  ["ECONNREFUSED", ["unavailable", "connection refused by %"]],
  ["ENOTFOUND", ["unavailable", "host name of % cannot be resolved"]],
  ["EAI_AGAIN", ["unavailable", "host name of % cannot be resolved at the moment"]],
  ["EHOSTUNREACH", ["unavailable", "no route to %"]],
  ["ENETUNREACH", ["unavailable", "no network to %"]],
  ["ECONNRESET", ["unavailable", "connection reset by %"]],
  ["EPIPE", ["unavailable", "connection closed by %"]],
  ["ETIMEDOUT", ["unavailable", "connection to % timed out"]],
  ["UND_ERR_SOCKET", ["unavailable", "connection closed by %"]],
  ["UND_ERR_CLOSED", ["unavailable", "the connection to % was closed here"]],
  ["UND_ERR_DESTROYED", ["unavailable", "the connection to % was closed here"]],
  ["UND_ERR_HEADERS_OVERFLOW", ["protocol", "% sent too many headers"]],
]);

/** Error at the provider boundary for an exchange that failed. */
export function transportFailure(error: TransportError, context: FailureContext): RemoteError {
  const host = new URL(context.origin).host;
  const { kind, text } = describe(error, context, host);
  const partial = error.partial;
  const received =
    partial === undefined
      ? ""
      : ` after status ${partial.status} and ${partial.body.length} bytes of body: ${excerpt(
          partial.body.toString("utf8"),
        )}`;
  return new RemoteError({
    // A reply that began and did not end is no reply, whatever ended it.
    kind: partial !== undefined && error.reason === "failed" ? "protocol" : kind,
    effect: error.sent && context.class !== "read" ? "unknown" : "none",
    message: `${text}${received}`,
    ...(partial === undefined ? {} : { status: partial.status }),
    cause: error.cause,
  });
}

type Description = { readonly kind: RemoteErrorKind; readonly text: string };

function describe(error: TransportError, context: FailureContext, host: string): Description {
  if (error.reason === "too-large") {
    return {
      kind: "protocol",
      text: `reply of ${host} is larger than ${context.bodyBytesMax} bytes`,
    };
  }
  if (error.reason === "deadline") {
    const limit = seconds(context.timeoutMs);
    if (!error.sent) return { kind: "timeout", text: `no connection to ${host} within ${limit}` };
    const what = error.partial === undefined ? "no reply" : "no whole reply";
    return { kind: "timeout", text: `${what} from ${host} within ${limit}` };
  }
  const code = causeCode(error);
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    const limit = seconds(context.connectTimeoutMs);
    return { kind: "unavailable", text: `no connection to ${host} within ${limit}` };
  }
  const known = causes.get(code ?? "");
  if (known !== undefined) {
    const hint =
      code === "UND_ERR_SOCKET" && error.partial === undefined ? closedHint(context) : "";
    return { kind: known[0], text: known[1].replace("%", host) + hint };
  }
  const detail = causeText(error);
  if (code?.startsWith("HPE_") === true) {
    return { kind: "protocol", text: `${host} does not speak HTTP (${detail})` };
  }
  // Certificates among others: not worth repeating, nothing was sent.
  return { kind: "protocol", text: `connection to ${host} failed (${detail})` };
}

/** A server that expects TLS hangs up on plain HTTP without a word. */
function closedHint(context: FailureContext): string {
  return context.origin.startsWith("http:") ? " without a reply (does it expect https?)" : "";
}

/** The code at the bottom of an error, such as `ECONNREFUSED`. */
export function causeCode(error: Error): string | undefined {
  for (let current: unknown = error, depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "string") return current.code;
    // Both families of one host name were tried.
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return undefined;
}

function causeText(error: Error): string {
  const code = causeCode(error);
  const message = error.cause instanceof Error ? error.cause.message : error.message;
  return code === undefined || message.includes(code) ? message : `${code}: ${message}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms) / 1000} s`;
}
