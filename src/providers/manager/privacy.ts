/** Errors in other words: of the method that failed, and without secrets. */

import { RemoteError } from "../../model/remote-error.ts";

/** The same error, told otherwise. */
export function retold(error: RemoteError, message: string): RemoteError {
  const { kind, effect, status, retryAfterMs, cause } = error;
  return new RemoteError({
    kind,
    effect,
    message,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(cause === undefined ? {} : { cause }),
  });
}
