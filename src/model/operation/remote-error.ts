/** Errors at the provider boundary: a closed set of kinds, with what is known about the effect. */

import type { Attributes } from "../value/value.ts";

export type RemoteErrorKind =
  | "not-found"
  | "conflict"
  | "busy"
  | "unauthorized"
  | "forbidden"
  | "precondition"
  | "invalid"
  | "throttled"
  | "unavailable"
  | "timeout"
  | "protocol";

/**
 * `none`: the reply, or its absence, proves that the server did nothing (connection refused, a
 * definite refusal). `unknown`: the request may have taken effect, or may still do so.
 */
export type RemoteEffect = "none" | "unknown";

export type RemoteErrorDetail = {
  readonly kind: RemoteErrorKind;
  readonly effect: RemoteEffect;
  /** The server's own words, or the transport's cause; already masked. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
  /** What a refused change tells of its object, recorded as what a reply tells is. */
  readonly attributes?: Attributes;
};

/** Thrown inside providers and the HTTP client, caught in the engine. */
export class RemoteError extends Error {
  readonly kind: RemoteErrorKind;
  readonly effect: RemoteEffect;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attributes: Attributes | undefined;

  constructor(detail: RemoteErrorDetail) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "RemoteError";
    this.kind = detail.kind;
    this.effect = detail.effect;
    this.status = detail.status;
    this.retryAfterMs = detail.retryAfterMs;
    this.attributes = detail.attributes;
  }
}

/** The same error in other words, or with what more is known of it. */
export function retold(
  error: RemoteError,
  message: string,
  known: Partial<Pick<RemoteErrorDetail, "effect" | "attributes">> = {},
): RemoteError {
  const { kind, effect, status, retryAfterMs, cause, attributes } = error;
  return new RemoteError({
    kind,
    effect,
    message,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
    ...(attributes === undefined ? {} : { attributes }),
    ...known,
  });
}

/** Kinds that say "not now": the same request may be sent again after a pause. */
export function isRetryable(error: RemoteError): boolean {
  return error.kind === "busy" || error.kind === "throttled" || error.kind === "unavailable";
}
