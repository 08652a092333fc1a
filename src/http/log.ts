/** Records of the debug log: what went over the wire, without anything secret. */

import type { SecretMask } from "../lib/mask.ts";
import { maskedText } from "../lib/mask.ts";
import type { HttpCall, HttpLogRecord } from "./call.ts";
import type { RawReply } from "./transport.ts";

/** Enough for a diagnosis, not enough to fill a disk. */
const bodyLengthMax = 10_000;
const secretHeader = /authorization|cookie|token|session|ticket|secret|password|api-?key/i;

type Headers = { readonly [name: string]: string };

export type LoggedExchange = {
  readonly atMs: number;
  readonly elapsedMs: number;
  readonly call: HttpCall;
  readonly origin: string;
  /** The path of this hop, which redirects change. */
  readonly path: string;
  readonly headers: Headers;
  readonly reply: RawReply | undefined;
  readonly error: string | undefined;
};

export function logRecord(exchange: LoggedExchange, mask: SecretMask): HttpLogRecord {
  const { call, reply, error } = exchange;
  const { body, redact = (text) => text } = call;
  return {
    atMs: exchange.atMs,
    elapsedMs: exchange.elapsedMs,
    class: call.class,
    method: call.method,
    url: mask.mask(`${exchange.origin}${exchange.path}`),
    requestHeaders: maskHeaders(exchange.headers, mask),
    ...(body === undefined ? {} : { requestBody: maskBody(redact(body), mask) }),
    ...(reply === undefined ? {} : replyFields(reply, call, mask)),
    ...(error === undefined ? {} : { error: mask.mask(error) }),
  };
}

function replyFields(
  reply: RawReply,
  { redact = (body) => body, isPrivate = false }: HttpCall,
  mask: SecretMask,
): Partial<HttpLogRecord> {
  const cookies = reply.setCookies.length === 0 ? {} : { "set-cookie": maskedText };
  return {
    status: reply.status,
    replyHeaders: { ...maskHeaders(reply.headers, mask), ...cookies },
    replyBody: isPrivate ? maskedText : maskBody(redact(reply.body.toString("utf8")), mask),
  };
}

function maskHeaders(headers: Headers, mask: SecretMask): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeader.test(name) ? maskedText : mask.mask(value),
    ]),
  );
}

/** Masked before it is cut: half a secret at the end would not be found. */
function maskBody(body: string, mask: SecretMask): string {
  const masked = mask.mask(body);
  if (masked.length <= bodyLengthMax) return masked;
  return `${masked.slice(0, bodyLengthMax)}… (${masked.length} characters)`;
}
