/** Conditions that could not be judged while planning: of objects, data sources and outputs. */

import { valuesOfDeferred } from "../../expressions/evaluate/deferred.ts";
import { deferredIn, type LateCondition } from "../../model/operation/condition.ts";
import type { Operation } from "../../model/operation/operation.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Diagnostic } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import { type Attributes, isKnown } from "../../model/value/value.ts";
import { problem } from "../codes.ts";
import type { EnginePorts } from "../ports.ts";
import { attributesOf, readSubject } from "../settle.ts";
import type { Executed, Execution } from "./execution.ts";
import type { LateReferences } from "./late-references.ts";

/** Sends nothing and journals nothing. Throws `RemoteError` for a data source. */
export async function judgeLate(
  execution: Execution,
  operation: Operation,
  conditions: readonly LateCondition[],
): Promise<Executed> {
  const { ports, references } = execution;
  const named = conditions.flatMap(deferredIn).flatMap((one) => one.references);
  const known = await references(named);
  const { address } = operation.subject;
  const own = named.flatMap((it) => (it.address === address ? (it.attribute ?? []) : []));
  const read = own.length === 0 ? {} : await readNow(execution, operation, own);
  if (read === undefined) {
    return { outcome: "failed", message: "the object could not be read to judge it" };
  }
  const message = unmetCondition(ports, conditions, overlaid(known, address, read));
  return message === undefined ? { outcome: "success" } : { outcome: "failed", message };
}

/** The first that does not hold, or cannot be told, as a sentence without its end. */
export function unmetCondition(
  ports: Pick<EnginePorts, "evaluate">,
  conditions: readonly LateCondition[],
  lookup: ReferenceLookup,
): string | undefined {
  for (const condition of conditions) {
    const { kind, source, deferred } = condition;
    const { value, problems } = ports.evaluate(deferred, lookup);
    if (value === true) continue;
    const what = `the ${kind} at ${source.file}:${source.line}:${source.column}`;
    if (!isKnown(value)) {
      const [reason = "a value that it needs is not known."] = problems;
      return `${what} cannot be told: ${reason.replace(/\.$/, "")}`;
    }
    const values = valuesOfDeferred(deferred, lookup).replace(/\.$/, "");
    const said = messageOf(ports, condition, lookup).replace(/\.$/, "");
    return `${what} does not hold: ${said}${values === "" ? "" : ` (${values})`}`;
  }
  return undefined;
}

/** Of a condition or a check that is told while applying. */
export function messageOf(
  ports: Pick<EnginePorts, "evaluate">,
  { message, deferredMessage }: Pick<LateCondition, "message" | "deferredMessage">,
  lookup: ReferenceLookup,
): string {
  if (deferredMessage === undefined) return message;
  const { value } = ports.evaluate(deferredMessage, lookup);
  return typeof value === "string" ? value : message;
}

/** A lookup in which an address has these attributes, over what else is known of it. */
export function overlaid(
  lookup: ReferenceLookup,
  address: Address,
  attributes: Attributes,
): ReferenceLookup {
  return (other) => (other === address ? { ...lookup(other), ...attributes } : lookup(other));
}

/** What is there by now, whatever was recorded on the way. */
async function readNow(
  { sessions, settings, ledger }: Execution,
  { subject: { address, type, provider, identity } }: Operation,
  attributes: readonly string[],
): Promise<Attributes | undefined> {
  const session = await sessions.get(provider, settings.get(provider) ?? null);
  const subject = { address, type, identity: ledger.object(address)?.identity ?? identity };
  const observation = await readSubject(session, {
    subject,
    proof: { expect: [], readBack: attributes },
  });
  return observation === undefined ? undefined : attributesOf(observation);
}

/** What an answer to a data source has to be. Throws `RemoteError` where it is not. */
export function requireConditions(
  ports: Pick<EnginePorts, "evaluate">,
  address: Address,
  conditions: readonly LateCondition[],
  lookup: ReferenceLookup,
): void {
  const unmet = unmetCondition(ports, conditions, lookup);
  if (unmet === undefined) return;
  throw new RemoteError({ kind: "invalid", effect: "none", message: `${address}: ${unmet}` });
}

/** Data sources with conditions that nobody needed so far: read for the sake of these. */
export async function unmetData(
  references: LateReferences,
  { data }: Plan,
): Promise<readonly Diagnostic[]> {
  const told: Diagnostic[] = [];
  for (const { address, conditions, attributes } of data) {
    if (conditions === undefined || attributes !== undefined) continue;
    try {
      await references([{ address }]);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      told.push(problem({ address }, "RUN021", { detail: `${error.message}.` }));
    }
  }
  return told;
}
