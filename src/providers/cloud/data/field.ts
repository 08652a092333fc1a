/**
 * Fields of records as values. Every one is text until its schema says otherwise, and a single
 * space stands for "unknown" (wire facts A.2.5). Fields that are absent or unknown are null.
 */

import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { QueryRecord } from "../client/client.ts";
import { apiPathOf } from "../client/href.ts";

export function textField(record: QueryRecord, name: string): string | null {
  const value = record.attributes[name];
  return value === undefined || value.trim() === "" ? null : value;
}

/** Exact whatever its size. Throws `RemoteError` of kind protocol for what is no whole number. */
export function integerField(record: QueryRecord, name: string): number | bigint | null {
  const written = textField(record, name)?.trim();
  if (written === undefined) return null;
  if (!/^-?\d+$/.test(written)) throw notA(record, name, "a whole number");
  const number = Number(written);
  return Number.isSafeInteger(number) ? number : BigInt(written);
}

/** Throws `RemoteError` of kind protocol for what is neither true nor false. */
export function booleanField(record: QueryRecord, name: string): boolean | null {
  const written = textField(record, name)?.trim().toLowerCase();
  if (written === undefined) return null;
  if (written === "true" || written === "1") return true;
  if (written === "false" || written === "0") return false;
  throw notA(record, name, "true or false");
}

/** The path of an href; null for one outside of the API, too. */
export function hrefField(record: QueryRecord, name: string): string | null {
  return apiPathOf(record.attributes[name] ?? "") ?? null;
}

/** The text with links into the API as paths, whatever host the server printed. */
export function portableText(value: string): string {
  return /^https?:\/\//i.test(value) ? (apiPathOf(value) ?? value) : value;
}

function notA(record: QueryRecord, name: string, what: string): RemoteError {
  const value = JSON.stringify(record.attributes[name]);
  return new RemoteError({
    kind: "protocol",
    effect: "none",
    message: `${record.element} ${record.key}: ${name} is ${value}, not ${what}`,
  });
}
