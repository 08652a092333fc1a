/**
 * The query service (specification, section A, endpoint 2; wire facts A.2): types by role, pages
 * with a cap, filters, fields, and three formats.
 *
 * The door of `query`: `query-record.ts` has the fields of each type, `query-filter.ts` reads
 * filters.
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import type { Answer } from "../../kit/answer.ts";
import { isAtLeast } from "../../kit/version.ts";
import type { UserCall } from "../rest/call.ts";
import { refuse, show } from "../rest/call.ts";
import type { AttributeValues } from "../rest/document.ts";
import { adminType, elementOf, linkTo, mediaType } from "../rest/document.ts";
import type { CloudRefusal } from "../rest/refusal.ts";
import { badRequest, isRefusal, operationDenied, refusalOf } from "../rest/refusal.ts";
import { isAdministrator } from "../world/inventory.ts";
import type { Filter } from "./query-filter.ts";
import { checkFilter, FilterError, parseFilter, passes } from "./query-filter.ts";
import type {
  FieldValue,
  QueryRecord,
  QueryType,
  QueryTypeName,
  Reference,
} from "./query-record.ts";
import { queryTypes } from "./query-record.ts";

type Format = "records" | "references" | "idrecords";
const formats: readonly Format[] = ["records", "references", "idrecords"];

type Query = {
  readonly type: QueryType;
  readonly path: string;
  readonly page: number;
  readonly pageSize: number;
  readonly format: Format;
  readonly filter: Filter | undefined;
  readonly fields: readonly string[] | undefined;
  readonly sort: { readonly field: string; readonly descending: boolean } | undefined;
  /** Parameters that links repeat, raw: all but page, pageSize and format. */
  readonly repeated: string;
};

/** `/api/query`: without a type, the types that the caller may ask for. */
export function runQuery(call: UserCall): Answer {
  const parameters = readParameters(call.request.rawQuery);
  if (isRefusal(parameters)) return refuse(call, parameters);
  const name = parameters.get("type");
  if (name === undefined) return listTypes(call);
  const type = queryTypes.find((each) => each.name === decodeText(name));
  if (type === undefined) return refuse(call, badRequest(`There is no query type ${name}.`));
  return answerQuery(call, type, "/api/query", parameters, "records");
}

/** `/api/vms/query` and the like: the type is in the path. */
export function runPackaged(
  call: UserCall,
  typeName: QueryTypeName,
  path: string,
  format: Format,
): Answer {
  const parameters = readParameters(call.request.rawQuery);
  if (isRefusal(parameters)) return refuse(call, parameters);
  const type = queryTypes.find((each) => each.name === typeName);
  if (type === undefined) throw new RangeError(`no query type ${typeName}`);
  return answerQuery(call, type, path, parameters, format);
}

/** Raw values by decoded name; a parameter given twice is refused. */
function readParameters(rawQuery: string): ReadonlyMap<string, string> | CloudRefusal {
  const parameters = new Map<string, string>();
  for (const pair of rawQuery.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) return badRequest(`The parameter ${name} is given twice.`);
    parameters.set(name, equals < 0 ? "" : pair.slice(equals + 1));
  }
  return parameters;
}

/** A text that is no percent-encoding stands for itself. */
function decodeText(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll("+", " "));
  } catch {
    return raw;
  }
}

function answerQuery(
  call: UserCall,
  type: QueryType,
  path: string,
  parameters: ReadonlyMap<string, string>,
  format: Format,
): Answer {
  if (type.isAdmin && !isAdministrator(call.user)) return refuse(call, operationDenied());
  try {
    const query = readQuery(call, type, path, parameters, format);
    return isRefusal(query) ? refuse(call, query) : showPage(call, query);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const minor = error.status === 400 ? "BAD_REQUEST" : "INTERNAL_SERVER_ERROR";
    return refuse(call, refusalOf(error.status, minor, error.message));
  }
}

function readQuery(
  call: UserCall,
  type: QueryType,
  path: string,
  parameters: ReadonlyMap<string, string>,
  defaultFormat: Format,
): Query | CloudRefusal {
  const page = readPositive(parameters.get("page") ?? "1");
  const pageSize = readPositive(parameters.get("pageSize") ?? "25");
  if (page === undefined || pageSize === undefined) {
    return badRequest("page and pageSize must be whole numbers of at least 1.");
  }
  const written = decodeText(parameters.get("format") ?? defaultFormat);
  const format = formats.find((each) => each === written);
  if (format === undefined) return badRequest(`There is no format ${written}.`);
  const fields = parameters.has("fields")
    ? decodeText(parameters.get("fields") ?? "").split(",")
    : undefined;
  const ascending = parameters.get("sortAsc");
  const sortField = ascending ?? parameters.get("sortDesc");
  for (const name of [...(fields ?? []), ...(sortField === undefined ? [] : [sortField])]) {
    if (!Object.hasOwn(type.schema, name) && name !== "href")
      return badRequest(`There is no field ${name}.`);
  }
  const rawFilter = parameters.get("filter");
  // 1.5 does not know the parameter that announces a second encoding.
  const encodedTwice =
    parameters.get("filterEncoded") === "true" && isAtLeast(call.draft.version, "5.1");
  const filter = rawFilter === undefined ? undefined : parseFilter(rawFilter, { encodedTwice });
  if (filter !== undefined) checkFilter(filter, type.schema);
  const repeated = [...parameters]
    .filter(([name]) => !["page", "pageSize", "format"].includes(name))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  return {
    type,
    path,
    page,
    // A larger size is no error: the maximum is what comes (wire facts A.2.2).
    pageSize: Math.min(pageSize, call.state.rules.page_size_max),
    format,
    filter,
    fields,
    sort:
      sortField === undefined
        ? undefined
        : { field: sortField, descending: ascending === undefined },
    repeated,
  };
}

function readPositive(text: string): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value) ? value : undefined;
}

/** Records that pass, in the order wanted: by id unless sorted. */
function matching(call: UserCall, { type, filter, sort }: Query): readonly QueryRecord[] {
  const ignoreCase = !isAtLeast(call.draft.version, "5.1");
  const found = type
    .records(call)
    .filter(
      (record) => filter === undefined || passes(filter, record, type.schema, { ignoreCase }),
    );
  const keyOf = (record: QueryRecord): string | number => {
    if (sort === undefined || sort.field === "href") return record.self.id;
    const value = record.values[sort.field] ?? "";
    if (typeof value === "number") return value;
    return typeof value === "object" ? value.id : String(value);
  };
  const sign = sort?.descending === true ? -1 : 1;
  return [...found].sort((a, b) => sign * compareKeys(keyOf(a), keyOf(b)));
}

function compareKeys(left: string | number, right: string | number): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function showPage(call: UserCall, query: Query): Answer {
  const { draft } = call;
  const { type, page, pageSize, format } = query;
  const all = matching(call, query);
  const start = (page - 1) * pageSize;
  const shown = all.slice(start, start + pageSize);
  const wireType = mediaType(draft, `query.${format}`);
  const attributes = {
    total: all.length,
    pageSize,
    page,
    name: type.name,
    type: wireType,
    href: `${draft.base}${pathOf(query, page, format)}`,
  };
  const children = [
    ...pageLinks(call, query, all.length),
    ...shown.map((record) =>
      format === "references"
        ? referenceElement(call, type, record)
        : recordElement(call, query, record),
    ),
  ];
  const root = format === "references" ? `${type.reference}s` : "QueryResultRecords";
  return show(call, `query.${format}`, elementOf(draft, root, attributes, children));
}

/** Neighbours as far as there are any, then the two other formats (wire facts A.2.4). */
function pageLinks(call: UserCall, query: Query, total: number): readonly XmlElement[] {
  const { page, pageSize, format } = query;
  const last = Math.max(1, Math.ceil(total / pageSize));
  const link = (rel: string, to: number, as: Format): XmlElement =>
    linkTo(call.draft, rel, pathOf(query, to, as), mediaType(call.draft, `query.${as}`));
  return [
    ...(page > 1 ? [link("firstPage", 1, format), link("previousPage", page - 1, format)] : []),
    ...(page < last ? [link("nextPage", page + 1, format), link("lastPage", last, format)] : []),
    ...formats.filter((each) => each !== format).map((each) => link("alternate", page, each)),
  ];
}

function pathOf(query: Query, page: number, format: Format): string {
  const { path, repeated, pageSize } = query;
  const head = repeated === "" ? "" : `${repeated}&`;
  return `${path}?${head}page=${page}&pageSize=${pageSize}&format=${format}`;
}

/** In idrecords every reference is a URN, the record's own too, and there is no href. */
function recordElement(call: UserCall, query: Query, record: QueryRecord): XmlElement {
  const { draft } = call;
  const { type, fields, format } = query;
  const asText = (value: FieldValue): string | number | boolean => {
    if (typeof value !== "object") return value;
    return format === "idrecords" ? urnOf(call, value) : `${draft.base}${value.path}`;
  };
  const attributes: { [name: string]: string | number | boolean } = {};
  for (const name of Object.keys(type.schema)) {
    const value = record.values[name];
    const isWanted = fields === undefined || fields.includes(name);
    if (value !== undefined && isWanted) attributes[name] = asText(value);
  }
  const own: AttributeValues =
    format === "idrecords" ? { id: asText(record.self) } : { href: asText(record.self) };
  return elementOf(draft, type.element, { ...attributes, ...own });
}

function urnOf({ draft }: UserCall, { kind, id }: Reference): string {
  return `${draft.dialect.urnPrefix}${kind}:${id}`;
}

function referenceElement(call: UserCall, type: QueryType, record: QueryRecord): XmlElement {
  const { draft } = call;
  const media = type.media === "datastore" ? adminType : mediaType;
  return elementOf(draft, type.reference, {
    type: media(draft, type.media),
    name: record.name,
    id: urnOf(call, record.self),
    href: `${draft.base}${record.self.path}`,
  });
}

/** Per type and format that the caller may ask for, one link. */
function listTypes(call: UserCall): Answer {
  const { draft } = call;
  const links = queryTypes
    .filter((type) => !type.isAdmin || isAdministrator(call.user))
    .flatMap((type) =>
      formats.map((format) =>
        linkTo(
          draft,
          "down",
          `/api/query?type=${type.name}&format=${format}`,
          mediaType(draft, `query.${format}`),
          type.name,
        ),
      ),
    );
  const attributes = {
    type: mediaType(draft, "query.queryList"),
    href: `${draft.base}/api/query`,
  };
  return show(call, "query.querylist", elementOf(draft, "QueryList", attributes, links));
}
