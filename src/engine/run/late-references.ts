/**
 * References of deferred values while applying: recorded objects, and data sources, of which those
 * that had to wait are read when they are first needed.
 */

import { type ConditionKind, deferredIn } from "../../model/operation/condition.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Plan, PlannedData } from "../../model/plan/plan.ts";
import type { RecordedObject } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import type { Reference, ReferenceLookup } from "../../model/value/expression.ts";
import { type Attributes, isKnown, type Value } from "../../model/value/value.ts";
import type { Ledger } from "../ledger.ts";
import { createQueryReader, type QueryReader } from "../look/query.ts";
import type { EnginePorts } from "../ports.ts";
import type { Sessions } from "../sessions.ts";
import { overlaid, requireConditions } from "./conditions.ts";

/**
 * A lookup that knows these references. Whoever asks comes after what a data source waits for,
 * since it depends on the same. Throws `RemoteError` when a data source cannot be read.
 */
export type LateReferences = (references: readonly Reference[]) => Promise<ReferenceLookup>;

export function createLateReferences(
  ports: EnginePorts,
  sessions: Sessions,
  ledger: Ledger,
  plan: Plan,
): LateReferences {
  const settings = new Map(plan.providers.map((item) => [item.name, item.settings]));
  const query = createQueryReader(sessions, settings);
  const sources = new Map(plan.data.map((data) => [data.address, data]));
  const known = new Map<Address, Attributes>();
  for (const { address, attributes } of plan.data) {
    if (attributes !== undefined) known.set(address, attributes);
  }
  const lookup: ReferenceLookup = (address) => {
    const object = ledger.object(address);
    return known.get(address) ?? (object && lastRead(object));
  };
  const reading = new Map<Address, Promise<void>>();
  const read = async (data: PlannedData): Promise<void> => {
    const { address, conditions = [] } = data;
    const late = [...Object.values(data.deferred), ...conditions.flatMap(deferredIn)];
    const named = late.flatMap(({ references }) => references);
    await ready(named.filter((reference) => reference.address !== address));
    const of = (kind: ConditionKind) => conditions.filter((one) => one.kind === kind);
    requireConditions(ports, address, of("precondition"), lookup);
    const attributes = await readLate(ports, query, data, lookup);
    const answered = overlaid(lookup, address, attributes);
    requireConditions(ports, address, of("postcondition"), answered);
    known.set(address, attributes);
  };
  const ready: LateReferences = async (references) => {
    const needed = new Set(references.map(({ address }) => address));
    const waiting = [...needed].flatMap((address) => {
      const data = known.has(address) ? undefined : sources.get(address);
      if (data === undefined) return [];
      const started = reading.get(address) ?? read(data);
      reading.set(address, started);
      return [started];
    });
    await Promise.all(waiting);
    return lookup;
  };
  return ready;
}

/** As planning saw it: also what changed outside and is not accepted. */
function lastRead({ applied, attributes, unaccepted }: RecordedObject): Attributes {
  return { ...applied, ...attributes, ...unaccepted };
}

async function readLate(
  ports: EnginePorts,
  query: QueryReader,
  data: PlannedData,
  lookup: ReferenceLookup,
): Promise<Attributes> {
  const { address, type, provider, waitsFor } = data;
  const given: { [name: string]: Value } = {};
  for (const [name, planned] of Object.entries(data.query)) {
    const deferred = data.deferred[name];
    const { value, problems } =
      deferred === undefined ? { value: planned, problems: [] } : ports.evaluate(deferred, lookup);
    if (problems.length > 0) throw invalid(`${address}: ${name}: ${problems.join("; ")}`);
    if (!isKnown(value)) throw invalid(`${address}: ${name} is still unknown`);
    if (value !== null) given[name] = value;
  }
  try {
    return await query({ provider, type, query: given, after: waitsFor });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { kind, message, cause } = error;
    throw new RemoteError({ kind, effect: "none", message: `${address}: ${message}`, cause });
  }
}

function invalid(message: string): RemoteError {
  return new RemoteError({ kind: "invalid", effect: "none", message });
}
