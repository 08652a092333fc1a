/** Errors without secrets: bodies that cannot be read are quoted in messages. */

import { maskedText, type SecretMask } from "../../../lib/mask.ts";
import { type RemoteError, retold } from "../../../model/remote-error.ts";

/** The error with the secrets of the mask, tickets and passwords replaced in its message. */
export function withoutSecrets(mask: SecretMask, error: RemoteError): RemoteError {
  const message = withoutTickets(mask.mask(error.message));
  return message === error.message ? error : retold(error, message);
}

/** Tickets of consoles and passwords of guests (wire facts A.3.1, A.4.1). */
export function withoutTickets(message: string): string {
  return message
    .replaceAll(/\bticket=[^\s"'<>&]+/gi, `ticket=${maskedText}`)
    .replaceAll(/(<(?:\w+:)?\w*(?:Password|Ticket)\b[^>]*>)[^<]*/gi, `$1${maskedText}`);
}
