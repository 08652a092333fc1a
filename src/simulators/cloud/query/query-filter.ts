/**
 * The filter language of queries (wire facts A.2.3): `name==web*`, `;` for and, `,` for or, groups
 * in parentheses; operators raw or percent-encoded, values percent-encoded. Pure.
 */

import type { FieldKind, FieldValue, QueryRecord, QuerySchema } from "./query-record.ts";

const operators = ["==", "!=", "=gt=", "=ge=", "=lt=", "=le="] as const;
/** An operator at the start of a text: libraries encode the whole parameter, others only values. */
const operatorAtStart = /^(?:(?:=|%3[Dd])(?:gt|ge|lt|le)?|!|%21)(?:=|%3[Dd])/;
type Operator = (typeof operators)[number];

type Comparison = {
  readonly kind: "comparison";
  readonly name: string;
  readonly operator: Operator;
  readonly value: string;
};

export type Filter =
  | Comparison
  | { readonly kind: "and" | "or"; readonly parts: readonly Filter[] };

/** `status` is that of the reply. */
export class FilterError extends Error {
  readonly status: 400 | 500;

  constructor(message: string, status: 400 | 500 = 400) {
    super(message);
    this.name = "FilterError";
    this.status = status;
  }
}

export type FilterRules = {
  /** `filterEncoded=true`: values are encoded twice. */
  readonly encodedTwice: boolean;
};

/**
 * Parses the raw value of the parameter, as sent. Throws `FilterError`: 400 for what is no filter,
 * 500 for values encoded twice unannounced.
 */
export function parseFilter(raw: string, rules: FilterRules): Filter {
  const cursor = { raw, at: 0, rules };
  const filter = parseOr(cursor);
  if (cursor.at < raw.length) throw bad(cursor);
  return filter;
}

type Cursor = { readonly raw: string; at: number; readonly rules: FilterRules };

function bad({ raw, at }: Cursor): FilterError {
  return new FilterError(`The filter is malformed at position ${at}: ${raw}`);
}

function parseOr(cursor: Cursor): Filter {
  return parseList(cursor, ",", "or", parseAnd);
}

function parseAnd(cursor: Cursor): Filter {
  return parseList(cursor, ";", "and", parseUnit);
}

function parseList(
  cursor: Cursor,
  separator: string,
  kind: "and" | "or",
  parsePart: (cursor: Cursor) => Filter,
): Filter {
  const first = parsePart(cursor);
  const parts = [first];
  while (cursor.raw[cursor.at] === separator) {
    cursor.at += 1;
    parts.push(parsePart(cursor));
  }
  return parts.length === 1 ? first : { kind, parts };
}

function parseUnit(cursor: Cursor): Filter {
  if (cursor.raw[cursor.at] !== "(") return parseComparison(cursor);
  cursor.at += 1;
  const inner = parseOr(cursor);
  if (cursor.raw[cursor.at] !== ")") throw bad(cursor);
  cursor.at += 1;
  return inner;
}

function parseComparison(cursor: Cursor): Comparison {
  const { raw, at } = cursor;
  if (raw.startsWith("metadata:", at)) {
    throw new FilterError("There is no metadata to filter by: this server has none.");
  }
  const name = /^[A-Za-z]+/.exec(raw.slice(at))?.[0];
  if (name === undefined) throw bad(cursor);
  cursor.at += name.length;
  const operatorText = operatorAtStart.exec(raw.slice(cursor.at))?.[0] ?? "";
  const operator = operators.find((each) => each === decodeURIComponent(operatorText));
  if (operator === undefined) throw bad(cursor);
  cursor.at += operatorText.length;
  const written = /^[^;,()]*/.exec(raw.slice(cursor.at))?.[0] ?? "";
  cursor.at += written.length;
  return { kind: "comparison", name, operator, value: decodeValue(written, cursor.rules) };
}

function decodeValue(written: string, rules: FilterRules): string {
  try {
    const once = decodeURIComponent(written.replaceAll("+", " "));
    if (rules.encodedTwice) return decodeURIComponent(once);
    if (/%[0-9A-Fa-f]{2}/.test(once)) throw new FilterError("Internal Server Error", 500);
    return once;
  } catch (error) {
    if (error instanceof FilterError) throw error;
    throw new FilterError(`The value ${written} is not percent-encoded.`);
  }
}

export type Comparing = {
  /** 1.5 compares text without case; 5.1 only with a wildcard. */
  readonly ignoreCase: boolean;
};

/** True when a record passes; the filter has been checked. What it does not have never passes. */
export function passes(
  filter: Filter,
  record: Pick<QueryRecord, "self" | "values">,
  schema: QuerySchema,
  comparing: Comparing,
): boolean {
  switch (filter.kind) {
    case "and":
      return filter.parts.every((part) => passes(part, record, schema, comparing));
    case "or":
      return filter.parts.some((part) => passes(part, record, schema, comparing));
    case "comparison": {
      const { name } = filter;
      const value = name === "href" ? record.self : record.values[name];
      const kind = name === "href" ? "reference" : schema[name];
      return value !== undefined && kind !== undefined && compares(filter, kind, value, comparing);
    }
  }
}

/** Throws `FilterError` for fields that the type does not have, and for operators they do not. */
export function checkFilter(filter: Filter, schema: QuerySchema): void {
  if (filter.kind !== "comparison") {
    for (const part of filter.parts) checkFilter(part, schema);
    return;
  }
  const kind = filter.name === "href" ? "reference" : schema[filter.name];
  if (kind === undefined) throw new FilterError(`There is no field ${filter.name} to filter by.`);
  const isOrder = filter.operator !== "==" && filter.operator !== "!=";
  if (isOrder && kind !== "integer" && kind !== "date") {
    throw new FilterError(`${filter.operator} does not apply to the field ${filter.name}.`);
  }
  if (kind === "integer" && !/^-?\d+$/.test(filter.value)) {
    throw new FilterError(`${filter.value} is no number for the field ${filter.name}.`);
  }
  if (kind === "boolean" && filter.value !== "true" && filter.value !== "false") {
    throw new FilterError(`${filter.value} is neither true nor false.`);
  }
  if (kind === "date" && Number.isNaN(Date.parse(filter.value))) {
    throw new FilterError(`${filter.value} is no time.`);
  }
}

function compares(
  { operator, value }: Comparison,
  kind: FieldKind,
  actual: FieldValue,
  { ignoreCase }: Comparing,
): boolean {
  const shown = typeof actual === "object" ? actual.path : String(actual);
  switch (kind) {
    case "integer":
      return orders(operator, Number(shown), Number(value));
    case "date":
      return orders(operator, Date.parse(shown), Date.parse(value));
    case "reference":
      return (pathOf(value) === shown) === (operator === "==");
    case "boolean":
      return (shown === value) === (operator === "==");
    case "text":
      if (operator === "!=") return shown !== value;
      return equals(shown, value, ignoreCase);
  }
}

/** `*` is a wildcard in values of `==` only. */
function equals(text: string, value: string, ignoreCase: boolean): boolean {
  if (!value.includes("*")) {
    return ignoreCase ? text.toLowerCase() === value.toLowerCase() : text === value;
  }
  const source = value
    .split("*")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"))
    .join("[^]*");
  return new RegExp(`^${source}$`, "iu").test(text);
}

function orders(operator: Operator, left: number, right: number): boolean {
  switch (operator) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "=gt=":
      return left > right;
    case "=ge=":
      return left >= right;
    case "=lt=":
      return left < right;
    case "=le=":
      return left <= right;
  }
}

/** References are compared by path: the origin of an href depends on who looks. */
function pathOf(href: string): string {
  return href.replace(/^[a-z]+:\/\/[^/]*/, "");
}
