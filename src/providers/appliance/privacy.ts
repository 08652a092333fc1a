/** Errors without secrets, and errors in other words. */

import type { SecretMask } from "../../lib/mask.ts";
import { RemoteError } from "../../model/remote-error.ts";

/** The error with the secrets of the mask replaced in its message. */
export function withoutSecrets(mask: SecretMask, error: RemoteError): RemoteError {
  const message = mask.mask(error.message);
  return message === error.message ? error : retold(error, message);
}

/** The same error in other words. */
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
