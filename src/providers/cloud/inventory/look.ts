/**
 * A client for one look at the cloud: nothing is asked twice, and a query that the complete list of
 * its type answers is not sent once that list is known. What failed is asked for again.
 */

import type { View } from "../../../model/provider/provider.ts";
import { onceDone } from "../../kit/once.ts";
import type { CloudClient, QueryRecord, QueryRequest } from "../client/client.ts";
import { answeredBy, isAnswerable } from "../query/query.ts";
import { vmTypeName } from "../vm/names.ts";
import { isMany, vmQueryType } from "./inventory.ts";

/** What is changed through `send` is not seen by it: a look ends before. */
export function lookWith(client: CloudClient, view: View): CloudClient {
  const gets = memory<Awaited<ReturnType<CloudClient["get"]>>>();
  const queries = memory<readonly QueryRecord[]>();
  const listed = new Set<string>();
  const list = (type: string): Promise<readonly QueryRecord[]> => {
    listed.add(type);
    return queries(type, () => client.query({ type })).catch((error: unknown) => {
      listed.delete(type);
      throw error;
    });
  };
  // Datastores are few, and whatever moves a VM asks for all of them.
  const worthListing = (type: string): boolean =>
    type === "datastore" || (type === vmQueryType(client) && isMany(view.expected(vmTypeName)));
  const isListed = (type: string): boolean => listed.has(type) || worthListing(type);
  const query = async (request: QueryRequest): Promise<readonly QueryRecord[]> => {
    const { type, filter = [], fields } = request;
    const isWhole = filter.length === 0 && fields === undefined;
    if (isAnswerable(request) && (isWhole || isListed(type))) {
      const answer = answeredBy(await list(type), request);
      if (answer !== undefined) return answer;
    }
    return queries(JSON.stringify(request), () => client.query(request));
  };
  return {
    ...client,
    get dialect() {
      return client.dialect;
    },
    get: (path, options) => gets(JSON.stringify([path, options]), () => client.get(path, options)),
    query,
    isListed,
  };
}

/** The work of a key is done by the first caller, and by the next one if it failed. */
function memory<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const known = new Map<string, () => Promise<T>>();
  return (key, work) => {
    const started = known.get(key) ?? onceDone(work);
    known.set(key, started);
    return started();
  };
}
