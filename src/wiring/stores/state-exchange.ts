/** Requests of the http store by our own HTTP client: its proxies, certificates, limits, masks. */

import type { HttpClient, HttpClientFactory, HttpTls } from "../../http/call.ts";
import { excerpt, kindOfStatus, statusError } from "../../http/reply.ts";
import type { SecretMask } from "../../lib/mask.ts";
import { isRetryable, RemoteError } from "../../model/operation/remote-error.ts";
import type { StateExchange, StateReply, StateRequest } from "../../store/document/exchange.ts";

export type StateExchangeOptions = {
  readonly clients: HttpClientFactory;
  readonly mask: SecretMask;
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly tls: HttpTls;
};

/** What is written has to be read again: a server may take more than one of ours gives back. */
const documentBytesMax = 512 * 1024 * 1024;
const requestTimeoutMs = 60_000;
const connectTimeoutMs = 30_000;

/** Clients are opened as they are needed: locking may be done at another origin. */
export function openStateExchange(options: StateExchangeOptions): StateExchange {
  const { clients, mask, login, tls } = options;
  const opened = new Map<string, HttpClient>();
  const clientOf = (origin: string): HttpClient => {
    const known = opened.get(origin);
    if (known !== undefined) return known;
    const client = clients({
      ...{ origin, tls, requestTimeoutMs, connectTimeoutMs, parallelReads: 1 },
      bodyBytesMax: documentBytesMax,
    });
    opened.set(origin, client);
    return client;
  };
  const authorization = login === undefined ? {} : { authorization: basic(login, mask) };
  return {
    // What is wrong with certificates or a proxy is found out when a client is opened.
    send: async (request) => sendBy(clientOf(new URL(request.url).origin), request, authorization),
    excerpt: (text) => excerpt(mask.mask(text)),
    close: async () => {
      await Promise.all([...opened.values()].map((client) => client.close()));
    },
  };
}

async function sendBy(
  client: HttpClient,
  { kind, method, url, headers = {}, body, deadlineMs }: StateRequest,
  authorization: { readonly [name: string]: string },
): Promise<StateReply> {
  const { pathname, search } = new URL(url);
  // A copy that a proxy keeps would tell what was recorded some time ago.
  const fresh = kind === "read" ? { "cache-control": "no-cache" } : {};
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return await client.call(
    {
      class: kind === "read" ? "read" : "mutate",
      method,
      path: `${pathname}${search}`,
      headers: { accept: "application/json", ...fresh, ...type, ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
      deadlineMs,
    },
    (reply) => {
      const { status, headers: told, retryAfterMs } = reply;
      // What says "not now" is asked again by the client, which tells of it.
      const isLater = kind === "read" && retryableStatus(status);
      if (isLater) throw statusError(reply, "read");
      return {
        status,
        contentType: (told["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
        text: reply.text,
        ...(told.etag === undefined ? {} : { etag: told.etag }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      };
    },
  );
}

function retryableStatus(status: number): boolean {
  const kind = kindOfStatus(status);
  return isRetryable(new RemoteError({ kind, effect: "none", message: "" })) && status !== 423;
}

function basic(
  { username, password }: { readonly username: string; readonly password: string },
  mask: SecretMask,
): string {
  const token = Buffer.from(`${username}:${password}`, "utf8").toString("base64");
  mask.add(token);
  return `Basic ${token}`;
}
