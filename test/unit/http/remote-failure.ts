/** The error of a call that must fail. */

import { RemoteError } from "../../../src/model/operation/remote-error.ts";

/** Throws when the call succeeds, or fails with anything but a `RemoteError`. */
export async function failure(call: Promise<unknown>): Promise<RemoteError> {
  const error: unknown = await call.then(
    () => new Error("the call succeeded"),
    (cause: unknown) => cause,
  );
  if (error instanceof RemoteError) return error;
  throw error;
}
