/**
 * Looking right before a request is sent whether it is still to be sent: a power word may be
 * satisfied, an object once begun may have appeared, and what a remote task does may take hours, or
 * replace without a word what somebody else has made.
 */

import type { Operation, OperationRequest } from "../../model/operation/operation.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { ProviderSession } from "../../model/provider/provider.ts";
import { likenessOf } from "../../plan/before/recognize.ts";
import type { Ledger } from "../ledger.ts";
import type { EnginePorts } from "../ports.ts";
import { isMet, readSubject } from "../settle.ts";

export type Beforehand =
  | { readonly status: "satisfied"; readonly observation: Observation }
  /** It must not be sent: what is to be made is there, and not by us, or nobody can tell. */
  | { readonly status: "forbidden"; readonly message: string };

type Context = {
  readonly ports: Pick<EnginePorts, "rules" | "clock" | "types">;
  readonly ledger: Pick<Ledger, "object">;
};

/** What is looked at of an operation: its late values may still be unknown. */
type Sendable = Pick<Operation, "subject" | "effect" | "proof"> & {
  readonly request: Pick<OperationRequest, "satisfiedBy">;
};

/** How often what must not be sent blindly is looked for, with growing pauses. */
const readsMax = 6;
const pauseFirstMs = 200;

const taken =
  "there is one already, which somebody else has made since this was planned; it is left alone";
const unreadable =
  "it was not sent, since what is there now could not be read, and might be somebody else's";

/** Undefined when there is no reason not to send it. */
export async function lookBeforehand(
  context: Context,
  session: ProviderSession,
  operation: Sendable,
): Promise<Beforehand | undefined> {
  const begun = isBegun(context, operation);
  if (!isWorthAsking(context, operation, begun)) return undefined;
  const observation = await readOften(context, session, operation);
  if (observation === undefined) {
    return isBlindUnsafe(operation) ? { status: "forbidden", message: unreadable } : undefined;
  }
  if (operation.effect.kind === "create" && !begun && observation.status === "found") {
    return { status: "forbidden", message: taken };
  }
  const another = anotherThere(context, operation, observation);
  if (another !== undefined) return { status: "forbidden", message: another };
  return isSatisfied(operation, observation) ? { status: "satisfied", observation } : undefined;
}

/** Since the plan was made, the id may have become that of another object. */
function anotherThere(
  { ports: { types } }: Context,
  { subject: { type, identity, knownBy } }: Sendable,
  observation: Observation,
): string | undefined {
  const described = types[type];
  if (described === undefined || knownBy === undefined || observation.status !== "found") {
    return undefined;
  }
  const likeness = likenessOf(described, knownBy, observation.attributes);
  if (typeof likeness === "string") return undefined;
  return `${identity} is another object by now: ${likeness.difference}; it is left alone`;
}

/** A remote task that makes or removes something may hit what somebody else has put there. */
function isBlindUnsafe({ effect, proof }: Sendable): boolean {
  const makesOrRemoves = effect.kind === "create" || effect.kind === "delete";
  return proof.requestLimitMs !== undefined && makesOrRemoves;
}

/** One read, or several of what must not be sent blindly. */
async function readOften(
  { ports: { clock } }: Context,
  session: ProviderSession,
  operation: Sendable,
): Promise<Observation | undefined> {
  let pauseMs = pauseFirstMs;
  for (let count = 1; ; count += 1) {
    const observation = await readSubject(session, operation);
    const last = count === readsMax || !isBlindUnsafe(operation);
    if (observation !== undefined || last) return observation;
    await clock.sleep(pauseMs);
    pauseMs *= 2;
  }
}

function isWorthAsking(
  { ports: { rules } }: Context,
  { effect, proof }: Sendable,
  begun: boolean,
): boolean {
  if (effect.kind === "power") return rules.skipSatisfied;
  if (proof.requestLimitMs !== undefined && rules.askFirst) return !proof.unobservable;
  return effect.kind === "create" && begun;
}

/** An earlier create of the object was never seen to take effect. */
function isBegun({ ledger }: Context, { subject }: Sendable): boolean {
  const record = ledger.object(subject.address);
  return record?.status === "tentative" && record.identity === subject.identity;
}

function isSatisfied({ proof, request }: Sendable, observation: Observation): boolean {
  const { satisfiedBy = [] } = request;
  return isMet(proof.expect, observation) || satisfiedBy.some((item) => isMet([item], observation));
}
