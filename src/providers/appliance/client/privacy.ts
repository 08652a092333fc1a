/** Errors without secrets. */

import type { SecretMask } from "../../../lib/mask.ts";
import { type RemoteError, retold } from "../../../model/remote-error.ts";

/** The error with the secrets of the mask replaced in its message. */
export function withoutSecrets(mask: SecretMask, error: RemoteError): RemoteError {
  const message = mask.mask(error.message);
  return message === error.message ? error : retold(error, message);
}
