/** Reading an object right after something failed: what has come of it all the same? */

import type { PreparedOperation } from "../../model/operation/operation.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import type { EnginePorts } from "../ports.ts";
import { isChanging, isMet, readSubject, type Settled } from "../settle.ts";
import { settleAloud } from "./settling.ts";

export type FailedAttempt = {
  readonly ports: EnginePorts;
  readonly session: ProviderSession;
  readonly operation: PreparedOperation;
  readonly deadlineMs: number;
};

/** A guest that is stopping all the same is waited for, or the hard word would come on top. */
export async function readAfterFailure(attempt: FailedAttempt): Promise<Settled> {
  const { ports, session, operation, deadlineMs } = attempt;
  const once = await readOnce(session, operation);
  const { observation } = once;
  const isStopping = observation !== undefined && isChanging(observation);
  if (!operation.proof.lagging || !isStopping || !ports.rules.waitForGuest) return once;
  return settleAloud(ports, session, operation, {
    what: "waiting for the guest, which is stopping all the same",
    id: operation.id,
    untilMs: deadlineMs,
    endsOn: (read) => read.observation !== undefined && !isChanging(read.observation),
  });
}

export async function readOnce(
  session: ProviderSession,
  operation: PreparedOperation,
): Promise<Settled> {
  const observation = await readSubject(session, operation);
  const met = observation !== undefined && isMet(operation.proof.expect, observation);
  return { met, observation };
}
