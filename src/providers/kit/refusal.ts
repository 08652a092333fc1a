/** Errors that had no effect, and work that does without what is refused. */

import { RemoteError, type RemoteErrorKind } from "../../model/operation/remote-error.ts";

/** Nothing was done, and nothing will be. */
export function refusal(kind: RemoteErrorKind, message: string): RemoteError {
  return new RemoteError({ kind, effect: "none", message });
}

/** Of an operation that no request can be made of, as a saved plan holds one that was edited. */
export function unsendable(id: string, why: string): RemoteError {
  return refusal("invalid", `${id} ${why}: nothing was sent`);
}

/** Why: its verb is none of its type, or what it needs is not in it. */
export const noRequest = "has no request to send";
export const notKnown = "holds a value that is not known";

/** What the work gives, or what stands for it where it ends in a `RemoteError`. */
export async function orElse<T, U>(
  work: () => Promise<T>,
  otherwise: (error: RemoteError) => U | Promise<U>,
): Promise<T | U> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RemoteError) return otherwise(error);
    throw error;
  }
}
