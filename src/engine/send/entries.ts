/** Begin and end of an operation as journal entries. */

import type { PreparedOperation } from "../../model/operation/operation.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { BeginEntry } from "../../model/recorded/begin-entry.ts";
import type { EndEntry, OperationOutcome } from "../../model/recorded/journal.ts";
import type { Attributes, Value } from "../../model/value/value.ts";
import type { Endpoints } from "../../plan/before/recognize.ts";
import type { Ledger } from "../ledger.ts";
import type { EnginePorts } from "../ports.ts";
import { attributesOf, existenceOf, type Settled } from "../settle.ts";

export type EntryContext = {
  readonly ports: EnginePorts;
  readonly ledger: Pick<Ledger, "tasksOf">;
  readonly planId: string;
  /** Settings by provider name. */
  readonly settings: ReadonlyMap<string, Value>;
  readonly endpoints: Endpoints;
};

export type Ended = {
  readonly outcome: OperationOutcome;
  readonly observed: Settled;
  /** What the reply or the task told and no read can tell: a new VM's name, while it is off. */
  readonly attributes?: Attributes;
  /** Why it failed, or what a success has to say. */
  readonly message?: string;
};

export function beginEntry(
  context: EntryContext,
  operation: PreparedOperation,
  serverTimeMs?: number,
): BeginEntry {
  const { id, verb, subject, effect, request, order, proof, record } = operation;
  const endpoint = context.endpoints.get(subject.provider);
  const { preview } = request;
  const isTask = proof.requestLimitMs !== undefined;
  const { clock } = context.ports;
  const uptime = clock.uptime?.();
  const earlierTasks = isTask ? context.ledger.tasksOf(subject) : [];
  return {
    kind: "begin",
    planId: context.planId,
    id,
    verb,
    subject,
    settings: context.settings.get(subject.provider) ?? null,
    ...(endpoint === undefined ? {} : { endpoint }),
    effect,
    request: preview === undefined ? null : `${preview.method} ${preview.path}`,
    repeat: request.repeat,
    order: { locks: order.locks },
    proof,
    record,
    atMs: clock.now(),
    ...(uptime === undefined ? {} : { uptime }),
    ...(serverTimeMs === undefined ? {} : { serverTimeMs }),
    ...(earlierTasks.length === 0 ? {} : { earlierTasks }),
  };
}

export function endEntry(
  context: EntryContext,
  operation: PreparedOperation,
  ended: Ended,
): EndEntry {
  const { observation } = ended.observed;
  const existence = existenceOf(observation);
  const read = context.ports.rules.readBack ? attributesOf(observation) : {};
  const attributes = { ...ended.attributes, ...read };
  return {
    kind: "end",
    planId: context.planId,
    id: operation.id,
    outcome: ended.outcome,
    atMs: context.ports.clock.now(),
    ...(existence === undefined ? {} : { existence }),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...chosenIdentity(operation, observation),
    ...(ended.message === undefined || ended.outcome === "success"
      ? {}
      : { message: ended.message }),
  };
}

/** What the server calls a new object, when that is not what it was asked for by. */
export function chosenIdentity(
  { effect, subject }: Pick<BeginEntry, "effect" | "subject">,
  observation: Observation | undefined,
): { readonly identity?: string } {
  if (effect.kind !== "create" || observation?.status !== "found") return {};
  return observation.identity === subject.identity ? {} : { identity: observation.identity };
}
