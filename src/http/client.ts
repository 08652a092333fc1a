/**
 * The one HTTP client. Its rules: a mutating request goes out at most once, on a connection of its
 * own; reads are repeated when the server says "not now"; limits are ours and named; redirects stay
 * within the origin; no error and no log record holds a secret.
 *
 * Absent on purpose: cookies, caching, and any knowledge of a particular interface.
 */

import { type Backoff, backoffMs } from "../lib/backoff.ts";
import { isRetryable, RemoteError, retold } from "../model/operation/remote-error.ts";
import { whileWaiting } from "../model/operation/wait.ts";
import type {
  DecodeReply,
  HttpCall,
  HttpClient,
  HttpClientFactory,
  HttpPorts,
  HttpReply,
  HttpTarget,
} from "./call.ts";
import { causeCode } from "./cause.ts";
import { type Connections, openConnections } from "./connection/connections.ts";
import { proxyFor } from "./connection/proxy.ts";
import { createSlots, type Slots } from "./connection/slots.ts";
import { readTrust } from "./connection/trust.ts";
import { acceptedEncoding, encodingOf, withoutEncoding } from "./content-encoding.ts";
import { misdirected, type Peer, transportFailure } from "./failure.ts";
import { logRecord } from "./log.ts";
import { redirectHopsMax, redirectPath } from "./redirect.ts";
import { excerpt } from "./reply.ts";
import { retryAfterMs } from "./retry-after.ts";
import { exchange, type RawReply, TransportError } from "./transport.ts";

const repeatMax = 4;
/** Of a login whose reply was lost. */
const unclearRepeatMax = 2;
const backoff: Backoff = { baseMs: 500, capMs: 10_000 };
/** Characters of a path in a message. */
const shownPathMax = 120;
const bodyBytesMaxDefault = 64 * 1024 * 1024;

/** Nothing listens, or there is no such host: waiting some seconds does not change that. */
const hopeless: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND"]);

/** A proxy that reads requests answers so when it cannot reach the server; it may be either. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

type Client = {
  readonly ports: HttpPorts;
  readonly target: HttpTarget;
  readonly origin: string;
  readonly peer: Peer;
  readonly reads: Connections;
  /** Apart from the reads: an idle connection that just died must not swallow a change. */
  readonly mutations: Connections;
  readonly slots: Slots;
};

/** A factory of clients that share clock, proxies, masking and log. */
export function createHttpClients(ports: HttpPorts): HttpClientFactory {
  return (target) => openClient(ports, target);
}

function openClient(ports: HttpPorts, target: HttpTarget): HttpClient {
  const origin = new URL(target.origin).origin;
  const dialled = ports.dial?.get(origin) ?? origin;
  const proxy = proxyFor(dialled, ports.environment);
  const connection = {
    origin: dialled,
    proxy,
    trust: readTrust(target.tls ?? {}, origin, ports.environment),
    connectTimeoutMs: target.connectTimeoutMs,
  };
  const client: Client = {
    ports,
    target,
    origin,
    peer: { origin, isTls: dialled.startsWith("https:"), proxy: proxy?.host },
    reads: openConnections(connection),
    mutations: openConnections(connection),
    slots: createSlots(target.parallelReads),
  };
  return {
    origin,
    call: (call, decode) => callWithRepeats(client, call, decode),
    close: async () => {
      await Promise.all([client.reads.destroy(), client.mutations.destroy()]);
    },
  };
}

async function callWithRepeats<T>(
  client: Client,
  call: HttpCall,
  decode: DecodeReply<T>,
): Promise<T> {
  if (call.class === "mutate" && client.ports.readOnly) {
    throw new Error(`${call.method} ${call.path} is a change, and this run only reads`);
  }
  for (let repeat = 1; ; repeat += 1) {
    try {
      const once = async (): Promise<T> =>
        decodeMasked(client, call, await attemptAloud(client, call), decode);
      return await (call.class === "mutate" ? once() : client.slots.run(once));
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      const failure = masked(client, call, error);
      const pauseMs = pauseBefore(client, call, failure, repeat);
      if (pauseMs === undefined) throw failure;
      const { method } = call;
      const { message } = failure;
      const path = shownPath(client, call);
      client.ports.onRetry?.({ method, path, repeat, repeatMax, pauseMs, message });
      const what = `pausing before ${method} ${path} is sent again`;
      await aloud(client, what, () => client.ports.clock.sleep(pauseMs), message);
    }
  }
}

function attemptAloud(client: Client, call: HttpCall): Promise<HttpReply> {
  const what = `waiting for the reply to ${call.method} ${shownPath(client, call)}`;
  return aloud(client, what, () => attempt(client, call));
}

function aloud<T>(
  { ports: { events } }: Client,
  what: string,
  work: () => Promise<T>,
  words?: string,
): Promise<T> {
  if (events === undefined) return work();
  return whileWaiting(events, { rank: "request", what, words: () => words }, work);
}

/**
 * What an error says of a reply is said of its masked text: what is quoted of it is cut and folded,
 * and half a secret is not found any more. What the error is, the true text decides.
 */
function decodeMasked<T>(
  client: Client,
  call: HttpCall,
  reply: HttpReply,
  decode: DecodeReply<T>,
): T {
  try {
    return decode(reply);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const text = maskBody(client, call, reply.text);
    if (text === reply.text) throw error;
    throw retold(error, wordsOf(decode, { ...reply, text }));
  }
}

function wordsOf(decode: DecodeReply<unknown>, reply: HttpReply): string {
  try {
    decode(reply);
  } catch (error) {
    if (error instanceof RemoteError) return error.message;
    throw error;
  }
  return `status ${reply.status}, a body that cannot be used`;
}

function maskBody({ ports }: Client, { redact = (body) => body }: HttpCall, body: string): string {
  return ports.mask.mask(redact(body));
}

/** The end of a sentence about a body that was cut on the wire. */
function quoteOf(client: Client, call: HttpCall): (body: string) => string {
  return (body) =>
    call.isPrivate === true
      ? ", not shown since it answers a login"
      : `: ${excerpt(maskBody(client, call, body))}`;
}

/** Masked and shortened: queries may be thousands of characters long. The log has them whole. */
function shownPath({ ports }: Client, call: HttpCall): string {
  const path = ports.mask.mask(call.path);
  return path.length <= shownPathMax ? path : `${path.slice(0, shownPathMax - 1)}…`;
}

/** Milliseconds until repeat number `repeat`, or undefined when the error stands. */
function pauseBefore(
  client: Client,
  call: HttpCall,
  error: RemoteError,
  repeat: number,
): number | undefined {
  if (call.class === "mutate" || repeat > repeatMax || !isRetryable(error)) return undefined;
  // A login of unknown outcome may have left a session behind; many of them fill the server.
  const isUnclear = call.class === "session" && error.effect === "unknown";
  if (isUnclear && repeat > unclearRepeatMax) return undefined;
  if (hopeless.has(causeCode(error) ?? "")) return undefined;
  const pauseMs = error.retryAfterMs ?? backoffMs(repeat - 1, backoff, client.ports.random);
  const endMs = client.ports.clock.now() + pauseMs;
  return call.deadlineMs !== undefined && endMs >= call.deadlineMs ? undefined : pauseMs;
}

/** One attempt, with the hops of its redirects. Throws `RemoteError`. */
async function attempt(client: Client, call: HttpCall): Promise<HttpReply> {
  let path = call.path;
  for (let hop = 0; hop <= redirectHopsMax; hop += 1) {
    const reply = await sendOnce(client, call, path);
    const elsewhere = misdirected(reply, client.peer);
    if (elsewhere !== undefined) throw elsewhere;
    const next = redirectPath(reply, call, { origin: client.origin, path });
    if (next === undefined) return decodeReply(client, call, reply);
    path = next;
  }
  throw new RemoteError({
    kind: "protocol",
    effect: "none",
    message: `more than ${redirectHopsMax} redirects`,
  });
}

async function sendOnce(client: Client, call: HttpCall, path: string): Promise<RawReply> {
  const { clock, log, mask } = client.ports;
  const atMs = clock.now();
  const timeoutMs = timeLeftMs(client, call, atMs);
  const { host } = new URL(client.origin);
  const headers = { "user-agent": "vmform", ...acceptedEncoding, ...call.headers, host };
  const record = (reply: RawReply | undefined, error: string | undefined) => {
    const elapsedMs = clock.now() - atMs;
    const { origin } = client;
    log?.(logRecord({ atMs, elapsedMs, call, origin, path, headers, reply, error }, mask));
  };
  const mutating = call.class === "mutate";
  const connections = mutating ? client.mutations : client.reads;
  const bodyBytesMax = client.target.bodyBytesMax ?? bodyBytesMaxDefault;
  try {
    const raw = await exchange(connections.dispatcher, {
      origin: connections.origin,
      path: `${connections.pathPrefix}${path}`,
      method: call.method,
      headers: { ...headers, ...connections.headers },
      body: call.body,
      timeoutMs,
      bodyBytesMax,
      freshConnection: mutating,
      onSent: () => {
        client.ports.onExchange?.({
          class: call.class,
          method: call.method,
          path: mask.mask(path),
        });
      },
    });
    const reply = withoutEncoding(raw, bodyBytesMax);
    record(reply, undefined);
    return reply;
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { connectTimeoutMs } = client.target;
    const limits = { timeoutMs, connectTimeoutMs, bodyBytesMax };
    const failure = transportFailure(
      error,
      { class: call.class, quote: quoteOf(client, call) },
      client.peer,
      limits,
    );
    record(error.partial, failure.message);
    throw failure;
  }
}

/** Time for one attempt. Throws when the deadline has passed: nothing is sent then. */
function timeLeftMs(client: Client, call: HttpCall, nowMs: number): number {
  const { requestTimeoutMs } = client.target;
  if (call.deadlineMs === undefined) return requestTimeoutMs;
  const leftMs = call.deadlineMs - nowMs;
  if (leftMs <= 0) {
    const message = "not sent, its time limit had passed";
    throw new RemoteError({ kind: "timeout", effect: "none", message });
  }
  return call.class === "mutate" ? leftMs : Math.min(requestTimeoutMs, leftMs);
}

function decodeReply(client: Client, call: HttpCall, reply: RawReply): HttpReply {
  const { status, headers, setCookies } = reply;
  const afterMs = retryAfterMs(headers["retry-after"], client.ports.clock.now());
  return {
    status,
    headers,
    setCookies,
    text: decodeText(call, reply),
    ...(call.isPrivate === true ? { isPrivate: true } : {}),
    ...(afterMs === undefined ? {} : { retryAfterMs: afterMs }),
  };
}

function decodeText(call: HttpCall, reply: RawReply): string {
  const encoding = encodingOf(reply);
  let why = `content encoding ${encoding}, which was declined and cannot be decoded`;
  if (encoding === undefined) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(reply.body);
    } catch {
      why = "body that is not UTF-8";
    }
  }
  throw new RemoteError({
    kind: "protocol",
    effect: call.class === "read" ? "none" : "unknown",
    status: reply.status,
    message: `status ${reply.status}, ${why}`,
  });
}

/** The error with method, path and masked text. */
function masked(client: Client, call: HttpCall, error: RemoteError): RemoteError {
  const { mask } = client.ports;
  const { isTls, proxy } = client.peer;
  const isGateway = !isTls && proxy !== undefined && gatewayStatuses.has(error.status ?? 0);
  const by = isGateway ? ` (by way of proxy ${proxy})` : "";
  const text = mask.mask(`${error.message}${by}`);
  return retold(error, `${call.method} ${shownPath(client, call)}: ${text}`);
}
