/** Kinds of values, and how a value fits the declared type of the place it stands in. */

import type { AttributeType } from "../../model/value/resource-schema.ts";
import { isUnknown, type PlannedAttributes, type PlannedValue } from "../../model/value/value.ts";

/** `integer` and `number` differ in CEL (int, double) even where the value is the same. */
export type ValueKind = "null" | "string" | "integer" | "number" | "boolean" | "list" | "map";

export type Misfit = { readonly message: string; readonly fix: string };

/** Why a kind does not fit, or undefined when it does. `source` is shown in the fix. */
export function misfitOf(
  kind: ValueKind,
  expected: AttributeType,
  source: string,
): Misfit | undefined {
  if (kind === "null" || expected === "any" || kind === expected) return undefined;
  if (kind === "integer" && (expected === "string" || expected === "number")) return undefined;
  const message = `Expected ${kindWord(expected)}, but the expression gives ${kindWord(kind)}.`;
  return { message, fix: conversionFix(kind, expected, source.trim()) };
}

/** Why a kind cannot stand inside a text, or undefined when it can. */
export function textMisfitOf(kind: ValueKind, source: string): Misfit | undefined {
  const shown = source.trim();
  switch (kind) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return undefined;
    case "null":
      return {
        message: "The value is not set (null) and cannot stand inside a text.",
        fix: `Give a text for this case: \${${shown} == null ? "" : ${shown}}.`,
      };
    case "list":
      return {
        message: "A list cannot stand inside a text.",
        fix: `Join its elements: \${(${shown}).join(", ")}.`,
      };
    case "map":
      return {
        message: "A map cannot stand inside a text.",
        fix: "Name one of its members.",
      };
  }
}

/** A value that `misfitOf` accepted, as its place wants it: an integer becomes text there. */
export function fitValue(
  value: PlannedValue,
  kind: ValueKind,
  expected: AttributeType,
): PlannedValue {
  return kind === "integer" && expected === "string" ? scalarText(value) : value;
}

/** Unlike `Array.isArray`, narrows readonly lists. */
export function isPlannedList(value: unknown): value is readonly PlannedValue[] {
  return Array.isArray(value);
}

export function isPlannedMap(value: PlannedValue): value is PlannedAttributes {
  return typeof value === "object" && value !== null && !isPlannedList(value) && !isUnknown(value);
}

/** Integers print exactly, numbers in their shortest form that reads back the same. */
export function scalarText(value: PlannedValue): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
    default:
      throw new Error("only a scalar has a text");
  }
}

export function kindWord(kind: ValueKind | AttributeType): string {
  switch (kind) {
    case "string":
      return "a text";
    case "integer":
      return "an integer";
    case "any":
      return "a value";
    case "null":
      return "null";
    case "number":
    case "boolean":
    case "list":
    case "map":
      return `a ${kind}`;
  }
}

function conversionFix(kind: ValueKind, expected: AttributeType, source: string): string {
  const isScalar = kind !== "list" && kind !== "map";
  switch (expected) {
    case "string":
      if (isScalar) return `Write \${string(${source})}.`;
      return kind === "list" ? `Write \${(${source}).join(", ")}.` : "Name one of its members.";
    case "integer":
      return isScalar && kind !== "boolean" ? `Write \${int(${source})}.` : "Give an integer.";
    case "number":
      return kind === "string" ? `Write \${double(${source})}.` : "Give a number.";
    case "boolean":
      return kind === "string"
        ? `Write \${bool(${source})}.`
        : "Write a comparison, such as a == b.";
    case "list":
      return isScalar ? `Write \${[${source}]}.` : `Write \${(${source}).values()}.`;
    case "map":
    case "any":
      return "Give a map.";
  }
}
