/** An operation that no request can be made of, as a saved plan holds one that somebody edited. */

import { RemoteError } from "../../model/operation/remote-error.ts";

/** Thrown before anything is sent, so it fails that operation and nothing else. */
export function unsendable(id: string, why: string): RemoteError {
  const message = `${id} ${why}: nothing was sent`;
  return new RemoteError({ kind: "invalid", effect: "none", message });
}

/** Why: its verb is none of its type, or what it needs is not in it. */
export const noRequest = "has no request to send";
export const notKnown = "holds a value that is not known";
