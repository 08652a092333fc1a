/**
 * Bodies that come compressed although none was asked for, as some proxies do it: they are taken as
 * what they stand for. Anything else is left, for the caller to refuse.
 */

import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { RawReply } from "./transport.ts";

/** Sent with every request: what is not compressed can be read in any log. */
export const acceptedEncoding = { "accept-encoding": "identity" } as const;

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

const decoders: { readonly [encoding: string]: Decoder } = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** The encoding of a body in lower case; undefined for one that stands as it is. */
export function encodingOf({ headers }: Pick<RawReply, "headers">): string | undefined {
  const encoding = (headers["content-encoding"] ?? "").trim().toLowerCase();
  return encoding === "" || encoding === "identity" ? undefined : encoding;
}

/** The reply with its body decoded; the same one where that is not possible. */
export function withoutEncoding(reply: RawReply, bodyBytesMax: number): RawReply {
  const encoding = encodingOf(reply);
  if (encoding === undefined) return reply;
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decoder === undefined) return reply;
  try {
    const body = decoder(reply.body, { maxOutputLength: bodyBytesMax });
    const { "content-encoding": _decoded, ...headers } = reply.headers;
    return { ...reply, headers, body };
  } catch {
    // Not what it says, cut, or too large.
    return reply;
  }
}
