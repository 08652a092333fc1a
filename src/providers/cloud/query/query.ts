/**
 * Queries: what is asked, page by page, and what of the answer counts (specification, section A,
 * endpoint 2; wire facts A.2).
 */

import type { QueryRecord, QueryRequest, QueryTerm } from "../client/client.ts";
import { comparedAttributes, filterOf, fulfils, isImpossible } from "./filter.ts";
import { type PageWindow, readPages } from "./paging.ts";
import { isTemplate, type QueryPage } from "./records.ts";

/** Characters of a path with its query; what servers and those before them take at least. */
const pathLengthMax = 4000;

/** Types whose records are VMs, those of vApp templates among them. */
const vmTypes: ReadonlySet<string> = new Set(["vm", "adminVM"]);

/** Asks for one page; `path` is rooted at the API. */
export type FetchPath = (path: string) => Promise<QueryPage>;

/** All records, each once, sorted by key. Throws `RemoteError`. */
export async function readQuery(
  fetch: FetchPath,
  request: QueryRequest,
  pageSize: number,
): Promise<readonly QueryRecord[]> {
  const terms = request.filter ?? [];
  if (terms.some((term) => isImpossible(term))) return [];
  const found = new Map<string, QueryRecord>();
  for (const part of partsOf(request)) {
    const records = await readPages((window) => fetch(queryPath(part, window)), pageSize);
    for (const record of records) found.set(record.key, record);
  }
  return [...found.values()]
    .filter((record) => fulfils(record, terms) && !(leavesOut(request) && isTemplate(record)))
    .map((record) => narrowed(record, request))
    .toSorted((left, right) => (left.key < right.key ? -1 : Number(left.key > right.key)));
}

/**
 * What a query would find, of the complete list of its type; undefined where only the server can
 * tell: for its own filter language, other forms of records, and attributes that the list does not
 * show.
 */
export function answeredBy(
  list: readonly QueryRecord[],
  request: QueryRequest,
): readonly QueryRecord[] | undefined {
  const { filter = [], fields = [] } = request;
  const compared = comparedAttributes(filter);
  const isShown = (name: string): boolean =>
    list.some(({ attributes }) => attributes[name] !== undefined);
  const tells =
    isAnswerable(request) &&
    fields.every((name) => isShown(name)) &&
    list.every(({ attributes }) => compared.every((name) => attributes[name] !== undefined));
  if (!tells) return undefined;
  return list
    .filter((record) => fulfils(record, filter))
    .map((record) => narrowed(record, request));
}

/** Whether the complete list of its type could answer a query. */
export function isAnswerable({ format, withTemplates, filter = [] }: QueryRequest): boolean {
  const isPlain = (format ?? "records") === "records" && withTemplates !== true;
  return isPlain && filter.every((term) => "equals" in term || "oneOf" in term);
}

/** Path of one page. */
export function queryPath(request: QueryRequest, { page, size }: PageWindow): string {
  const { type, format = "records" } = request;
  const filter = filterOf(serverTerms(request));
  const fields = shownFields(request);
  return [
    `/api/query?type=${encodeURIComponent(type)}`,
    `format=${format}`,
    ...(fields === undefined ? [] : [`fields=${fields.map(encodeField).join(",")}`]),
    ...(filter === "" ? [] : [`filter=${filter}`]),
    `pageSize=${size}`,
    `page=${page}`,
  ].join("&");
}

/** Queries that together ask for what one too long query would. */
function partsOf(request: QueryRequest): readonly QueryRequest[] {
  if (lengthOf(request) <= pathLengthMax) return [request];
  const terms = request.filter ?? [];
  const [longest] = terms
    .filter((term) => "oneOf" in term)
    .toSorted((left, right) => right.oneOf.join().length - left.oneOf.join().length);
  if (longest === undefined) return [request];
  const withValues = (values: readonly string[]): QueryRequest => {
    const term: QueryTerm = { attribute: longest.attribute, oneOf: values };
    return { ...request, filter: terms.map((each) => (each === longest ? term : each)) };
  };
  const parts: string[][] = [];
  for (const value of new Set(longest.oneOf)) {
    const last = parts.at(-1);
    const isFull = last === undefined || lengthOf(withValues([...last, value])) > pathLengthMax;
    if (isFull) parts.push([value]);
    else last.push(value);
  }
  return parts.map(withValues);
}

function lengthOf(request: QueryRequest): number {
  return queryPath(request, { page: 100_000, size: 1000 }).length;
}

function leavesOut({ type, withTemplates }: QueryRequest): boolean {
  return vmTypes.has(type) && withTemplates !== true;
}

/** What the server is asked for; it is asked to leave templates out, and they are looked for. */
function serverTerms(request: QueryRequest): readonly QueryTerm[] {
  const terms = request.filter ?? [];
  return leavesOut(request) ? [...terms, { attribute: "isVAppTemplate", equals: "false" }] : terms;
}

/** Fields to ask for: the wanted ones, and those that records are judged by. */
function shownFields(request: QueryRequest): readonly string[] | undefined {
  const { fields, filter = [] } = request;
  if (fields === undefined || request.format === "references") return undefined;
  const judged = leavesOut(request) ? ["isVAppTemplate"] : [];
  return [...new Set([...fields, ...comparedAttributes(filter), ...judged])];
}

function encodeField(field: string): string {
  return encodeURIComponent(field).replaceAll("%3A", ":");
}

/** Fields that were asked for here alone, or that the server adds, are nobody's business. */
function narrowed(record: QueryRecord, { fields, format }: QueryRequest): QueryRecord {
  if (fields === undefined || format === "references") return record;
  const wanted = new Set([...fields, "href", "id"]);
  const entries = Object.entries(record.attributes).filter(([name]) => wanted.has(name));
  return { ...record, attributes: Object.fromEntries(entries) };
}
