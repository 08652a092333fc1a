/** What an interface simulator answers to one request, and what it may ask of the server. */

export type SimulatorReply = {
  readonly status: number;
  /** A header with several values is sent so many times. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body: string;
};

export type Answer = {
  readonly reply: SimulatorReply;
  /** The request changed the world. */
  readonly effect: boolean;
  /** What a correct client would not have sent, in words. */
  readonly violation?: string;
};

export type RequestHeaders = { readonly [name: string]: string | undefined };

export type SimulatorRequest = {
  readonly method: string;
  /** Path without query, still percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Text behind the `?`, as sent. */
  readonly rawQuery: string;
  /** By name in lower case; values of a header sent twice are joined with commas. */
  readonly headers: RequestHeaders;
  readonly body: string;
};

export type Exchange = {
  /**
   * Called once, when a request that takes time has begun to change the world: makes the begun work
   * durable before time passes.
   */
  accepted(): Promise<void>;
  /** The client has left: no answer reaches it any more. */
  isGone(): boolean;
};

/** A compact JSON object with its content type. */
export function jsonReply(status: number, value: object): SimulatorReply {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(value),
  };
}

export function textReply(status: number, body: string): SimulatorReply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

export function unchanged(reply: SimulatorReply): Answer {
  return { reply, effect: false };
}

export function changed(reply: SimulatorReply): Answer {
  return { reply, effect: true };
}
