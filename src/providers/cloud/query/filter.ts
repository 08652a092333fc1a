/**
 * The filter language of queries, and its encoding in a URL. Attribute names and operators stand
 * raw, values percent-encoded, a space as `%20`; characters that servers read as language even when
 * encoded are asked for as a wildcard, and the answer is compared here (wire facts A.2.3).
 */

import type { QueryRecord, QueryTerm } from "../client/client.ts";

/** Characters of a value that mean something to some server, encoded once or twice. */
const language = /[(),;=!<>~*%\\]/g;

/** A condition in its URL form; undefined when the language cannot carry it at all. */
export function filterText(term: QueryTerm): string | undefined {
  if ("raw" in term) return term.raw.trim() === "" ? undefined : `(${encodeRaw(term.raw.trim())})`;
  if ("equals" in term) return comparison(term.attribute, term.equals);
  if ("like" in term) return `${term.attribute}==${encodeLike(term.like)}`;
  const parts = term.oneOf.map((value) => comparison(term.attribute, value));
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return parts.length === 1 ? parts[0] : `(${parts.join(",")})`;
}

/** All conditions at once, joined by `;`; empty when the server is to return everything. */
export function filterOf(terms: readonly QueryTerm[]): string {
  return terms
    .map((term) => filterText(term))
    .filter((text) => text !== undefined)
    .join(";");
}

/**
 * Whether a record fulfils the conditions that ask for exact values. An attribute the record does
 * not show counts as fulfilled if the server could be asked for exactly that value.
 */
export function fulfils(record: QueryRecord, terms: readonly QueryTerm[]): boolean {
  return terms.every((term) => {
    const values = exactValues(term);
    if (values === undefined) return true;
    const shown = "attribute" in term ? record.attributes[term.attribute] : undefined;
    if (shown !== undefined) return values.includes(shown);
    return values.length > 0 && values.every((value) => isExact(value));
  });
}

/** Attributes whose values must be seen to compare them here. */
export function comparedAttributes(terms: readonly QueryTerm[]): readonly string[] {
  return terms.flatMap((term) => ("equals" in term || "oneOf" in term ? [term.attribute] : []));
}

/** True when a condition can match nothing, so that nothing need be asked. */
export function isImpossible(term: QueryTerm): boolean {
  return "oneOf" in term && term.oneOf.length === 0;
}

function exactValues(term: QueryTerm): readonly string[] | undefined {
  if ("equals" in term) return [term.equals];
  return "oneOf" in term ? term.oneOf : undefined;
}

function isExact(value: string): boolean {
  return value !== "" && value.search(language) === -1;
}

function comparison(attribute: string, value: string): string | undefined {
  if (value === "") return undefined;
  const widened = value.replace(language, "*").replaceAll(/\*{2,}/g, "*");
  return `${attribute}==${encodeLike(widened)}`;
}

/** `*` stays a wildcard. */
function encodeLike(value: string): string {
  return encode(value.replaceAll(language, (found) => (found === "*" ? "*" : "\u0000")))
    .replaceAll("%00", "*")
    .replaceAll(/\*{2,}/g, "*");
}

/** Everything but the language itself; people write it unencoded. */
function encodeRaw(text: string): string {
  return text.replaceAll(/[^=!;,()*<>:/]+/gu, (part) => encode(part));
}

/** A lone half of a surrogate pair has no URL form. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\ufffd")).replaceAll("'", "%27");
}
