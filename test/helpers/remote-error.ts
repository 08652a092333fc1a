/** The error that work with a server ends with. */

import { RemoteError } from "../../src/model/operation/remote-error.ts";

/** Throws where the work succeeds, is not there, or ends with another kind of error. */
export async function remoteErrorOf(work: Promise<unknown> | undefined): Promise<RemoteError> {
  const error = await work?.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RemoteError) return error;
  throw new Error(`no RemoteError but ${String(error)}`);
}
