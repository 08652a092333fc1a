/** Transport failures in words and kinds: what happened, to which host, with what effect. */

import errors from "undici/lib/core/errors.js";
import { RemoteError, type RemoteErrorKind } from "../model/operation/remote-error.ts";
import type { CallClass } from "./call.ts";
import { causeChain, causeCode } from "./cause.ts";
import { CertificateError } from "./connection/certificate.ts";
import { ProxyError } from "./connection/tunnel.ts";
import type { RawReply, TransportError } from "./transport.ts";

/** Who is at the other end, and in between. */
export type Peer = {
  /** The configured origin. */
  readonly origin: string;
  /** Whether connections really use TLS. */
  readonly isTls: boolean;
  /** Host of the proxy. Without TLS it reads the requests, with TLS it only opens tunnels. */
  readonly proxy: string | undefined;
};

export type Limits = {
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

/** What OpenSSL says of an answer that is no TLS record; which one depends on its first bytes. */
const noTls: ReadonlySet<string> = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_HTTP_REQUEST",
  "ERR_SSL_UNKNOWN_PROTOCOL",
]);

/** An alert record of TLS 1.0 to 1.3, read as text. */
const tlsAlert = /^\u0015\u0003[\u0000-\u0004]/;

/** What web servers answer, with status 400, to plain HTTP on a port for TLS. */
const tlsWanted: readonly RegExp[] = [
  /plain HTTP request was sent to HTTPS port/i,
  /HTTP request to an HTTPS server/i,
  /plain HTTP to an SSL-enabled server port/i,
  /combination of host and port requires TLS/i,
];

const useHttps = "expects TLS; use https:// in its URL";
const useHttp = "does not answer with TLS; if it speaks plain HTTP, use http:// in its URL";
const proxyWaysOut = "NODE_EXTRA_CA_CERTS may name a file with the authority to trust";

/**
 * Error at the provider boundary for an exchange that failed. `quote` makes an excerpt of a body.
 */
export function transportFailure(
  error: TransportError,
  call: { readonly class: CallClass; readonly quote: (body: string) => string },
  peer: Peer,
  limits: Limits,
): RemoteError {
  const { kind, text, proof } = describe(error, peer, limits);
  const partial = error.partial;
  const received =
    partial === undefined
      ? ""
      : ` after status ${partial.status} and ${partial.body.length} bytes of body${call.quote(
          partial.body.toString("utf8"),
        )}`;
  return new RemoteError({
    kind: partial !== undefined && error.reason === "failed" ? kindOfCut(call.class) : kind,
    effect: error.sent && call.class !== "read" && proof !== true ? "unknown" : "none",
    message: `${text}${received}`,
    ...(partial === undefined ? {} : { status: partial.status }),
    cause: error.cause,
  });
}

/** A reply that began and did not end is no reply; what only reads asks again. */
function kindOfCut(callClass: CallClass): RemoteErrorKind {
  return callClass === "read" ? "unavailable" : "protocol";
}

/**
 * Error for a reply that does not come from the interface that was asked: a proxy wants to know who
 * asks, or the port is for TLS. Undefined for every other reply.
 */
export function misdirected(reply: RawReply, peer: Peer): RemoteError | undefined {
  if (peer.isTls) return undefined;
  const invalid = (message: string) =>
    new RemoteError({ kind: "invalid", effect: "none", message });
  if (reply.status === 407 && peer.proxy !== undefined) {
    return invalid(refusal(407, `proxy ${peer.proxy}`, hostOf(peer)).text);
  }
  if (reply.status !== 400) return undefined;
  const text = reply.body.toString("utf8");
  if (!tlsWanted.some((pattern) => pattern.test(text))) return undefined;
  return invalid(`${hostOf(peer)} ${useHttps}`);
}

type Description = {
  readonly kind: RemoteErrorKind;
  readonly text: string;
  /** True: although something was sent, it cannot have been understood. */
  readonly proof?: true;
};

/** Whom a failure is about. */
type End = { readonly name: string; readonly isProxy: boolean; readonly isTls: boolean };

function describe(error: TransportError, peer: Peer, limits: Limits): Description {
  const proxy: End = { name: `proxy ${peer.proxy ?? ""}`, isProxy: true, isTls: false };
  const server: End = { name: hostOf(peer), isProxy: false, isTls: peer.isTls };
  const end = peer.isTls || peer.proxy === undefined ? server : proxy;
  if (error.reason === "too-large") {
    const text = `reply of ${end.name} is larger than ${limits.bodyBytesMax} bytes`;
    return { kind: "protocol", text };
  }
  if (error.reason === "deadline") {
    const within = `${end.name} within ${seconds(limits.timeoutMs)}`;
    if (!error.sent) return { kind: "timeout", text: `no connection to ${within}` };
    const what = error.partial === undefined ? "no reply" : "no whole reply";
    return { kind: "timeout", text: `${what} from ${within}` };
  }
  const refused = findCause(error, ProxyError);
  if (refused === undefined) return describeCause(error, end, limits, error.partial !== undefined);
  if (refused.status === undefined) return describeCause(refused, proxy, limits, false);
  return refusal(refused.status, proxy.name, server.name);
}

/** The proxy's status is not the server's: a provider must not take it for an answer. */
function refusal(status: number, proxy: string, host: string): Description {
  if (status === 407) {
    const text = `${proxy} asks for a user and password (status 407); write them into its URL`;
    return { kind: "invalid", text };
  }
  const text = `${proxy} did not connect to ${host} (status ${status})`;
  return { kind: status >= 500 ? "unavailable" : "invalid", text };
}

function describeCause(error: Error, end: End, limits: Limits, hasReply: boolean): Description {
  const certificate = findCause(error, CertificateError);
  if (certificate !== undefined) {
    const waysOut = end.isProxy ? proxyWaysOut : certificate.waysOut;
    return {
      kind: "invalid",
      text: `certificate of ${end.name} ${certificate.problem}; ${waysOut}`,
    };
  }
  const code = causeCode(error) ?? "";
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "UND_ERR_HEADERS_TIMEOUT") {
    const what = code === "UND_ERR_CONNECT_TIMEOUT" ? "connection to" : "tunnel from";
    const text = `no ${what} ${end.name} within ${seconds(limits.connectTimeoutMs)}`;
    return { kind: "unavailable", text };
  }
  const known = causes.get(code);
  if (known !== undefined) {
    const hint = code === "UND_ERR_SOCKET" && !end.isTls && !hasReply ? closedHint : "";
    return { kind: known[0], text: known[1].replace("%", end.name) + hint };
  }
  if (noTls.has(code)) return { kind: "invalid", text: `${end.name} ${useHttp}` };
  const detail = causeText(error);
  // Not by its code: undici leaves that away.
  const parser = findCause(error, errors.HTTPParserError);
  if (parser !== undefined) {
    // A port for TLS cannot have understood what was sent.
    if (isTlsAlert(parser))
      return { kind: "invalid", text: `${end.name} ${useHttps}`, proof: true };
    return { kind: "protocol", text: `${end.name} does not speak HTTP (${detail})` };
  }
  // No version or cipher in common among others: not worth repeating, nothing was sent.
  return { kind: "protocol", text: `connection to ${end.name} failed (${detail})` };
}

/** A server that expects TLS may hang up on plain HTTP without a word. */
const closedHint = " without a reply (if it expects TLS, use https:// in its URL)";

/** The parser keeps the bytes it stopped at, as text. */
function isTlsAlert(parser: object): boolean {
  return "data" in parser && tlsAlert.test(String(parser.data));
}

function hostOf(peer: Peer): string {
  return new URL(peer.origin).host;
}

function findCause<T extends Error>(
  error: Error,
  kind: abstract new (...given: never[]) => T,
): T | undefined {
  for (const one of causeChain(error)) if (one instanceof kind) return one;
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
