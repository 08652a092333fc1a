/** The data source `cloud_query`: what a query finds, as the text it is. */

import type { Attributes, Value } from "../../../model/value.ts";
import { orElse, refusal } from "../../kit/refusal.ts";
import type {
  CloudClient,
  QueryFormat,
  QueryRecord,
  QueryRequest,
  QueryTerm,
} from "../client/client.ts";
import { portableText } from "./field.ts";

export const queryDataName = "cloud_query";

const formats: readonly QueryFormat[] = ["records", "references", "idrecords"];

/** Types that some clouds show tenants alone, by what administrators ask for (wire facts A.2.1). */
const administratorTypes: { readonly [type: string]: string } = {
  vm: "adminVM",
  vApp: "adminVApp",
};

/** Throws `RemoteError`, also for a filter that the server does not understand. */
export async function readQueryData(client: CloudClient, query: Attributes): Promise<Attributes> {
  const { type, filter, fields, where } = query;
  if (typeof type !== "string") throw new TypeError("a query without a type");
  const format = formats.find((each) => each === query.format);
  const terms: readonly QueryTerm[] = [
    ...(typeof filter === "string" ? [{ raw: filter }] : []),
    ...exactTerms(where),
  ];
  const request: QueryRequest = {
    type,
    ...(format === undefined ? {} : { format }),
    ...(Array.isArray(fields)
      ? { fields: fields.filter((field) => typeof field === "string") }
      : {}),
    ...(terms.length === 0 ? {} : { filter: terms }),
  };
  const records = await client.query(request);
  if (records.length === 0) await requireOwnType(client, request);
  return { results: records.map((record) => resultOf(record)), result_count: records.length };
}

/** By field, each exactly. */
function exactTerms(where: Value | undefined): readonly QueryTerm[] {
  if (typeof where !== "object" || where === null || Array.isArray(where)) return [];
  return Object.entries(where).flatMap(([attribute, equals]) =>
    typeof equals === "string" ? [{ attribute, equals }] : [],
  );
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
