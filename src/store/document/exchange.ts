/**
 * What stores ask of whoever sends their requests. Whoever fills this port knows proxies and
 * certificates, and the login where there is one; the stores know none of them.
 */

export type StateRequest = {
  /** `change`: sent at most once. A `read` may be repeated by whoever sends it. */
  readonly kind: "read" | "change";
  readonly method: string;
  /** Absolute, with its query. */
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
  /** JSON. */
  readonly body?: string;
  /** Milliseconds since the epoch: nothing is waited for after that. */
  readonly deadlineMs: number;
};

export type StateReply = {
  readonly status: number;
  /** Without parameters, in lower case; empty when there is none. */
  readonly contentType: string;
  readonly text: string;
  /** As the server writes it. */
  readonly etag?: string;
  /** What the server asks to wait, milliseconds. */
  readonly retryAfterMs?: number;
};

export type StateExchange = {
  /** Resolves to any reply, of whatever status. Throws `RemoteError` when none was read. */
  readonly send: (request: StateRequest) => Promise<StateReply>;
  /** At most so many characters of a reply on one line, without anything secret. */
  readonly excerpt: (text: string) => string;
  readonly close: () => Promise<void>;
};
