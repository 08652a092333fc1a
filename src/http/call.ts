/** What a provider asks of the HTTP client, and what it gets: types only, no behaviour. */

import type { SecretMask } from "../lib/mask.ts";
import type { Clock } from "../model/clock.ts";
import type { EventSink } from "../model/operation/event.ts";

/**
 * `session`: login, logout, version. `read`: changes nothing. `mutate`: changes something; sent at
 * most once, and refused by a client that was opened read-only.
 */
export type CallClass = "session" | "read" | "mutate";

export type HttpCall = {
  readonly class: CallClass;
  readonly method: string;
  /** Encoded path with query, from the root of the client's origin: `/api/vms?tags=a`. */
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
  /**
   * Milliseconds since the epoch; the call, repeats of reads included, ends by then. When given, a
   * mutating call has no other limit; any other attempt also ends after the request timeout.
   */
  readonly deadlineMs?: number;
  /**
   * Hides in both bodies what the interface is known to say and nobody may read, such as console
   * tickets.
   */
  readonly redact?: (body: string) => string;
  /** The reply lets in, as that to a login does: nothing of its body is quoted or logged. */
  readonly isPrivate?: boolean;
};

export type HttpReply = {
  readonly status: number;
  /** By lower-case name; several of one name are joined by `, `, and `set-cookie` is absent. */
  readonly headers: { readonly [name: string]: string };
  readonly setCookies: readonly string[];
  /** The whole body, decoded as UTF-8. */
  readonly text: string;
  /** Nothing of the body may be quoted. */
  readonly isPrivate?: boolean;
  /** `Retry-After` in either form, milliseconds from now, capped. */
  readonly retryAfterMs?: number;
};

/**
 * Turns any reply, of whatever status, into a value, or throws `RemoteError`. Pure: after an error
 * it is called again with the masked body, of which the words of the error are then made.
 */
export type DecodeReply<T> = (reply: HttpReply) => T;

export interface HttpClient {
  /** The configured origin, such as `http://127.0.0.1:8080`; never where it was dialled to. */
  readonly origin: string;
  /**
   * Sends the call and decodes its reply. Reads, and session calls that had no effect, are repeated
   * when the error's kind says "not now"; `decode` is called within, so it decides the kind of a
   * reply. Throws `RemoteError` with a masked message.
   */
  call<T>(call: HttpCall, decode: DecodeReply<T>): Promise<T>;
  /** Ends every connection; calls still in flight fail. */
  close(): Promise<void>;
}

/**
 * How the certificate of an https endpoint is judged. Nothing given: by the roots of Node.js and by
 * host name. Judged before the first byte of a request is sent; never applied to a proxy.
 */
export type HttpTls = {
  /** Certificates trusted besides the roots, as PEM text. */
  readonly ca?: string;
  /**
   * SHA-1 or SHA-256 fingerprint of the server's own certificate, in hex of either case, colons
   * optional. It alone decides then: neither authority nor host name nor validity do.
   */
  readonly thumbprint?: string;
  /** Any certificate will do: whoever stands in between reads and changes everything. */
  readonly allowUnverified?: boolean;
};

/** One endpoint, as the settings of a provider describe it. */
export type HttpTarget = {
  readonly origin: string;
  readonly tls?: HttpTls;
  /** Limit of one attempt of a read or session call, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Limit of connecting: TCP and TLS together; once more where a proxy stands in between. */
  readonly connectTimeoutMs: number;
  /** Reads and session calls in flight at once. */
  readonly parallelReads: number;
  /** A larger reply is an error. Default 64 MiB. */
  readonly bodyBytesMax?: number;
};

/** Throws `RemoteError` of kind invalid for settings of TLS or of a proxy that cannot hold. */
export type HttpClientFactory = (target: HttpTarget) => HttpClient;

/** A read is about to be repeated. `repeat` counts from 1 to `repeatMax`. */
export type RetryNotice = {
  readonly method: string;
  readonly path: string;
  readonly repeat: number;
  readonly repeatMax: number;
  readonly pauseMs: number;
  readonly message: string;
};

/** A request that was really sent: every repeat and every hop of a redirect is one of its own. */
export type SentRequest = {
  readonly class: CallClass;
  readonly method: string;
  /** With its query, masked. */
  readonly path: string;
};

/** One exchange for the debug log; every text in it is masked. */
export type HttpLogRecord = {
  readonly atMs: number;
  readonly elapsedMs: number;
  readonly class: CallClass;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: { readonly [name: string]: string };
  readonly requestBody?: string;
  readonly status?: number;
  readonly replyHeaders?: { readonly [name: string]: string };
  readonly replyBody?: string;
  readonly error?: string;
};

/** What all clients of one run share. */
export type HttpPorts = {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Environment variables, for the proxy settings. */
  readonly environment: { readonly [name: string]: string | undefined };
  readonly mask: SecretMask;
  /** True for plan and drift: `mutate` calls are a programming error. */
  readonly readOnly: boolean;
  /** Configured origin to the origin that is connected to instead (embedded simulator). */
  readonly dial?: ReadonlyMap<string, string>;
  readonly onRetry?: (notice: RetryNotice) => void;
  /** Hears of each reply that is waited for, and of each pause between two attempts. */
  readonly events?: EventSink;
  /** Called as a request is about to be written, once for each. */
  readonly onExchange?: (sent: SentRequest) => void;
  readonly log?: (record: HttpLogRecord) => void;
};
