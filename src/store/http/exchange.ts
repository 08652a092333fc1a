/**
 * What the http store asks of whoever sends its requests. Whoever fills this port knows the
 * credentials, proxies and certificates; the store knows none of them.
 */

export type StateRequest = {
  /** `change`: sent at most once. A `read` may be repeated by whoever sends it. */
  readonly kind: "read" | "change";
  readonly method: string;
  /** Absolute, with its query. */
  readonly url: string;
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

/** Where and how state is read, written and locked. */
export type HttpPlace = {
  /** Without credentials, as people are told it. */
  readonly address: string;
  readonly updateMethod: string;
  /** Undefined: nothing is locked, which the settings say. */
  readonly lock: HttpLockPlace | undefined;
  /** Its rules are known: a write without the present lock is refused. */
  readonly isGitLab: boolean;
};

export type HttpLockPlace = {
  readonly lock: { readonly method: string; readonly url: string };
  readonly unlock: { readonly method: string; readonly url: string };
  /** A server that knows no lock is used all the same. */
  readonly optional: boolean;
};
