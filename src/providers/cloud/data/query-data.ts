/** The data source `cloud_query`: what a query finds, as the text it is. */

import type { Attributes } from "../../../model/value/value.ts";
import { orElse, refusal } from "../../kit/refusal.ts";
import type { CloudClient, QueryRecord, QueryRequest, QueryTerm } from "../client/client.ts";
import type { CloudQueries } from "../generated/queries.ts";
import { portableText } from "./field.ts";
import type { WithClient } from "./lookup.ts";

export const queryDataName = "cloud_query";

/** Types that some clouds show tenants alone, by what administrators ask for (wire facts A.2.1). */
const administratorTypes: { readonly [type: string]: string } = {
  vm: "adminVM",
  vApp: "adminVApp",
};

/** Throws `RemoteError`, also for a filter that the server does not understand. */
export async function readQueryData(
  { client }: WithClient,
  { type, filter, fields, where = {}, format }: CloudQueries["cloud_query"],
): Promise<Attributes> {
  const terms: readonly QueryTerm[] = [
    ...(filter === undefined ? [] : [{ raw: filter }]),
    // By field, each exactly.
    ...Object.entries(where).map(([attribute, equals]) => ({ attribute, equals })),
  ];
  const request: QueryRequest = {
    type,
    format,
    ...(fields === undefined ? {} : { fields }),
    ...(terms.length === 0 ? {} : { filter: terms }),
  };
  const records = await client.query(request);
  if (records.length === 0) await requireOwnType(client, request);
  return { results: records.map((record) => resultOf(record)), result_count: records.length };
}

/** "Nothing" of a type that administrators are not shown would be believed. Throws. */
async function requireOwnType(client: CloudClient, request: QueryRequest): Promise<void> {
  const { type } = request;
  const other = administratorTypes[type];
  if (!client.who.isSystem || other === undefined) return;
  const found = await orElse(
    () => client.query({ ...request, type: other }),
    // Fields that only the one type has, for example: then nothing is known better.
    () => [],
  );
  if (found.length === 0) return;
  const message =
    `the cloud shows a system administrator nothing of the query type ${type}, and ` +
    `${found.length} of ${other}: set type: ${other}`;
  throw refusal("invalid", message);
}

function resultOf({ attributes }: QueryRecord): { readonly [name: string]: string } {
  const entries = Object.entries(attributes).map(([name, value]) => [name, portableText(value)]);
  return Object.fromEntries(entries);
}
