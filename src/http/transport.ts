/**
 * One exchange on the wire: a request goes out once, the bytes of its reply come back, or a failure
 * that knows whether anything was sent. No repeats, no redirects, no decoding.
 */

import type { Dispatcher } from "undici";

/** `setTimeout` turns a longer delay into none. */
const timerMaxMs = 2 ** 31 - 1;

export type ExchangeRequest = {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | undefined;
  /** The whole exchange ends after this, milliseconds. */
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  /** Take no connection that served another request, and leave none behind. */
  readonly freshConnection: boolean;
  /** Called at most once, as the request is about to be written to a connection. */
  readonly onSent: () => void;
};

export type RawReply = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly setCookies: readonly string[];
  readonly body: Buffer;
};

export type TransportReason = "deadline" | "too-large" | "failed";

/** The exchange ended without a whole reply. */
export class TransportError extends Error {
  readonly reason: TransportReason;
  /** False: not one byte of the request was handed to a connection, so it had no effect. */
  readonly sent: boolean;
  /** What had arrived, when at least the head of a reply had. */
  readonly partial: RawReply | undefined;

  constructor(
    reason: TransportReason,
    sent: boolean,
    partial: RawReply | undefined,
    cause: unknown,
  ) {
    super(`exchange ended: ${reason}`, { cause });
    this.name = "TransportError";
    this.reason = reason;
    this.sent = sent;
    this.partial = partial;
  }
}

type Exchange = {
  sent: boolean;
  ended: boolean;
  head: Omit<RawReply, "body"> | undefined;
  readonly chunks: Buffer[];
  bytes: number;
  controller: Dispatcher.DispatchController | undefined;
};

/**
 * Sends one request. Throws `TransportError`.
 *
 * undici's own `request` is not used: it cannot say whether the request had been written when it
 * failed, and a signal does not end it while it waits for a connection.
 */
export function exchange(dispatcher: Dispatcher, request: ExchangeRequest): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const state: Exchange = {
      sent: false,
      ended: false,
      head: undefined,
      chunks: [],
      bytes: 0,
      controller: undefined,
    };
    const settle = (finish: () => void) => {
      if (state.ended) return;
      state.ended = true;
      clearTimeout(timer);
      finish();
    };
    const fail = (reason: TransportReason, cause: unknown) => {
      settle(() => reject(new TransportError(reason, state.sent, partialReply(state), cause)));
    };
    const abort = (reason: "deadline" | "too-large") => {
      const error = new Error(reason);
      fail(reason, error);
      state.controller?.abort(error);
    };
    const timer = setTimeout(() => abort("deadline"), Math.min(request.timeoutMs, timerMaxMs));
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        state.controller = controller;
        // The deadline passed while waiting for a connection: stop before the first byte.
        if (state.ended) return controller.abort(new Error("deadline"));
        state.sent = true;
        request.onSent();
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) state.head = readHead(status, headers);
      },
      onResponseData(_controller, chunk) {
        state.bytes += chunk.length;
        if (state.bytes > request.bodyBytesMax) abort("too-large");
        else state.chunks.push(chunk);
      },
      onResponseEnd() {
        const reply = partialReply(state);
        settle(() => {
          if (reply !== undefined) resolve(reply);
          else reject(new TransportError("failed", true, undefined, new Error("no reply")));
        });
      },
      onResponseError(_controller, error) {
        fail("failed", error);
      },
    };
    dispatcher.dispatch(dispatchOptions(request), handler);
  });
}

function dispatchOptions(request: ExchangeRequest): Dispatcher.DispatchOptions {
  return {
    origin: request.origin,
    path: request.path,
    method: request.method,
    headers: { ...request.headers },
    body: request.body ?? null,
    // undici's defaults are five minutes each; the only limit is our own.
    headersTimeout: 0,
    bodyTimeout: 0,
    reset: request.freshConnection,
  };
}

function partialReply(state: Exchange): RawReply | undefined {
  return state.head === undefined
    ? undefined
    : { ...state.head, body: Buffer.concat(state.chunks) };
}

type Headers = { readonly [name: string]: string | readonly string[] | undefined };

function readHead(status: number, headers: Headers): Omit<RawReply, "body"> {
  const joined: { [name: string]: string } = {};
  let setCookies: readonly string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const values = typeof value === "string" ? [value] : value;
    if (name.toLowerCase() === "set-cookie") setCookies = values;
    else joined[name.toLowerCase()] = values.join(", ");
  }
  return { status, headers: joined, setCookies };
}
