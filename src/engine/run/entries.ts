/** Begin and end of an operation as journal entries. */

import type { BeginEntry } from "../../model/begin-entry.ts";
import type { EndEntry, OperationOutcome } from "../../model/journal.ts";
import type { Observation } from "../../model/observation.ts";
import type { PreparedOperation } from "../../model/operation.ts";
import type { Attributes, Value } from "../../model/value.ts";
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
  const { container, deposes, endsContentOf, restore, request, requestLimitMs } = operation;
  const { preventDestroy, knownBy } = operation;
  const endpoint = context.endpoints.get(operation.provider);
  const earlierTasks = requestLimitMs === undefined ? [] : context.ledger.tasksOf(operation);
  return {
    kind: "begin",
    planId: context.planId,
    id: operation.id,
    address: operation.address,
    objectKey: operation.objectKey,
    type: operation.type,
    provider: operation.provider,
    settings: context.settings.get(operation.provider) ?? null,
    ...(endpoint === undefined ? {} : { endpoint }),
    identity: operation.identity,
    ...(knownBy === undefined ? {} : { knownBy }),
    verb: operation.verb,
    effect: operation.effect,
    request: request === undefined ? null : `${request.method} ${request.path}`,
    expect: operation.expect,
    unobservable: operation.unobservable,
    repeat: operation.repeat,
    ...(operation.lagging ? { lagging: true } : {}),
    records: operation.records,
    dependencies: operation.dependencies,
    locks: operation.locks,
    ...(container === undefined ? {} : { container }),
    ...(endsContentOf === undefined ? {} : { endsContentOf }),
    ...(deposes === undefined ? {} : { deposes }),
    ...(restore === undefined ? {} : { restore }),
    settlesRestore: operation.settlesRestore ?? false,
    timeoutsMs: operation.timeoutsMs,
    ...(preventDestroy === undefined ? {} : { preventDestroy }),
    readBack: operation.readBack,
    atMs: context.ports.clock.now(),
    limitMs: operation.limitMs,
    ...(requestLimitMs === undefined ? {} : { requestLimitMs }),
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
  wanted: { readonly effect: string; readonly identity: string },
  observation: Observation | undefined,
): { readonly identity?: string } {
  if (wanted.effect !== "create" || observation?.status !== "found") return {};
  return observation.identity === wanted.identity ? {} : { identity: observation.identity };
}
