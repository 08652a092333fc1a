/**
 * Looking right before a request is sent whether it is still to be sent: a power word may be
 * satisfied, an object once begun may have appeared, and what a remote task does may take hours, or
 * replace without a word what somebody else has made.
 */

import type { Observation } from "../model/observation.ts";
import type { Operation } from "../model/operation.ts";
import type { ProviderSession } from "../model/provider.ts";
import type { Ledger } from "./ledger.ts";
import type { EnginePorts } from "./ports.ts";
import { isMet, readSubject } from "./settle.ts";

export type Beforehand =
  | { readonly status: "satisfied"; readonly observation: Observation }
  /** What is to be made is there, and not by us. */
  | { readonly status: "taken"; readonly message: string };

type Context = {
  readonly ports: Pick<EnginePorts, "rules">;
  readonly ledger: Pick<Ledger, "object">;
};

/** Undefined when there is no reason not to send it, or nothing could be read. */
export async function lookBeforehand(
  context: Context,
  session: ProviderSession,
  operation: Omit<Operation, "inputs" | "records" | "deferred">,
): Promise<Beforehand | undefined> {
  const begun = isBegun(context, operation);
  if (!isWorthAsking(context, operation, begun)) return undefined;
  const observation = await readSubject(session, operation);
  if (observation === undefined) return undefined;
  if (operation.effect === "create" && !begun && observation.status === "found") {
    const message =
      "there is one already, which somebody else has made since this was planned; " +
      "it is left alone";
    return { status: "taken", message };
  }
  return isSatisfied(operation, observation) ? { status: "satisfied", observation } : undefined;
}

function isWorthAsking(
  { ports: { rules } }: Context,
  {
    effect,
    requestLimitMs,
    unobservable,
  }: Pick<Operation, "effect" | "requestLimitMs" | "unobservable">,
  begun: boolean,
): boolean {
  if (effect === "power") return rules.skipSatisfied;
  if (requestLimitMs !== undefined && rules.askFirst) return !unobservable;
  return effect === "create" && begun;
}

/** An earlier create of the object was never seen to take effect. */
function isBegun(
  { ledger }: Context,
  { address, identity }: Pick<Operation, "address" | "identity">,
): boolean {
  const record = ledger.object(address);
  return record?.status === "tentative" && record.identity === identity;
}

function isSatisfied(
  { expect, satisfiedBy = [] }: Pick<Operation, "expect" | "satisfiedBy">,
  observation: Observation,
): boolean {
  return isMet(expect, observation) || satisfiedBy.some((item) => isMet([item], observation));
}
