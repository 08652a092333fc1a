/** Errors that had no effect, and work that does without what is refused. */

import { RemoteError, type RemoteErrorKind } from "../../model/operation/remote-error.ts";

/** Nothing was done, and nothing will be. */
export function refusal(kind: RemoteErrorKind, message: string): RemoteError {
  return new RemoteError({ kind, effect: "none", message });
}

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
