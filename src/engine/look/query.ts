/** Queries of data sources: sent once, however many data sources ask the same. */

import { stringifyJson } from "../../lib/json.ts";
import { RemoteError } from "../../model/operation/remote-error.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { PlannedData } from "../../model/plan/plan.ts";
import { hasErrors } from "../../model/said/diagnostic.ts";
import type { Address } from "../../model/value/address.ts";
import {
  type Attributes,
  isKnown,
  type PlannedAttributes,
  type Value,
} from "../../model/value/value.ts";
import type { DataAnswer } from "../../plan/input.ts";
import type { Sessions } from "../sessions.ts";

type Query = {
  readonly provider: string;
  readonly type: string;
  readonly query: Attributes;
  /** What is done by then: an equal query of before may have another answer. */
  readonly after: readonly Address[];
};

/** Query and answer together. Throws `RemoteError`. */
export type QueryReader = (query: Query) => Promise<Attributes>;

/**
 * What was asked, with its answers, for as long as nothing is changed: which instances there are
 * and what they are made of must come of one answer.
 */
export type QueryMemory = Map<string, Promise<Attributes>>;

export function createQueryReader(
  sessions: Sessions,
  settings: ReadonlyMap<string, Value>,
  asked: QueryMemory = new Map(),
): QueryReader {
  const ask = async ({ provider, type, query }: Query): Promise<Attributes> => {
    const session = await sessions.get(provider, settings.get(provider) ?? null);
    if (session.readData === undefined) throw new Error(`${provider} has no data source ${type}`);
    return { ...query, ...(await session.readData(type, query)) };
  };
  return (query) => {
    const key = keyOf(query, settings.get(query.provider) ?? null);
    const known = asked.get(key);
    if (known !== undefined) return known;
    const answer = ask(query);
    asked.set(key, answer);
    return answer;
  };
}

/** With the settings, since those of a provider may be known better later. */
function keyOf({ provider, type, query, after }: Query, settings: Value): string {
  const sorted = Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return stringifyJson([provider, settings, type, Object.fromEntries(sorted), after.toSorted()]);
}

/** Data sources that depend on nothing: their queries are known before anything is read. */
export function independentData(desired: Desired): readonly PlannedData[] {
  return desired.data.flatMap((source) => {
    const { address, type, provider, dependencies, data } = source;
    if (dependencies.length > 0 || data.length > 0) return [];
    const { attributes: query, deferred, diagnostics } = source.resolve(() => undefined);
    if (hasErrors(diagnostics)) return [];
    return [{ address, type, provider, query, deferred, waitsFor: [] }];
  });
}

/** Data sources of a plan that can be read at once, and were not. */
export function readyData(data: readonly PlannedData[]): readonly PlannedData[] {
  return data.filter((one) => one.attributes === undefined && one.waitsFor.length === 0);
}

/** Answers by address. A query that fails is an answer, too: it blocks what depends on it. */
export async function answerQueries(
  read: QueryReader,
  ready: readonly PlannedData[],
): Promise<ReadonlyMap<Address, DataAnswer>> {
  const answers = ready.map(async (data): Promise<readonly [Address, DataAnswer]> => {
    const { address, provider, type, query } = data;
    if (!isKnownQuery(query)) throw new Error(`the query of ${address} is not known`);
    try {
      const attributes = await read({ provider, type, query, after: [] });
      return [address, { status: "read", attributes }];
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      return [address, { status: "failed", reason: error.message }];
    }
  });
  return new Map(await Promise.all(answers));
}

function isKnownQuery(query: PlannedAttributes): query is Attributes {
  return isKnown(query);
}
