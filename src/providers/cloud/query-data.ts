/** The data source `cloud_query`: what a query finds, as the text it is. */

import type { Attributes } from "../../model/value.ts";
import type { CloudClient, QueryFormat, QueryRecord, QueryRequest } from "./client.ts";
import { portableText } from "./field.ts";

export const queryDataName = "cloud_query";

const formats: readonly QueryFormat[] = ["records", "references", "idrecords"];

/** Throws `RemoteError`, also for a filter that the server does not understand. */
export async function readQueryData(client: CloudClient, query: Attributes): Promise<Attributes> {
  const { type, filter, fields } = query;
  if (typeof type !== "string") throw new TypeError("a query without a type");
  const format = formats.find((each) => each === query.format);
  const request: QueryRequest = {
    type,
    ...(format === undefined ? {} : { format }),
    ...(Array.isArray(fields)
      ? { fields: fields.filter((field) => typeof field === "string") }
      : {}),
    ...(typeof filter === "string" ? { filter: [{ raw: filter }] } : {}),
  };
  const records = await client.query(request);
  return { results: records.map((record) => resultOf(record)), result_count: records.length };
}

function resultOf({ attributes }: QueryRecord): { readonly [name: string]: string } {
  const entries = Object.entries(attributes).map(([name, value]) => [name, portableText(value)]);
  return Object.fromEntries(entries);
}
