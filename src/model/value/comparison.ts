/**
 * The one comparison of what is wanted with what is there, for plan and drift alike: the question
 * "what differs, and what would be done about it?".
 */

import type { AttributeSchema, ResourceSchema } from "./resource-schema.ts";
import {
  type Attributes,
  equalValues,
  isKnown,
  type PlannedAttributes,
  type PlannedValue,
  type Value,
} from "./value.ts";

/** What comparing has to know of a type; a `ResourceType` is one. */
export type ComparedType = {
  readonly schema: ResourceSchema;
  /** Whether a wanted value is as good as the one that is there. Default: equality. */
  same?(attribute: string, wanted: Value, actual: Value): boolean;
  /** Identity as recorded, of what a person typed: what finds an object may be written so. */
  parseIdentity?(text: string): string | undefined;
  /** Making an object anew loses nothing, so that what was changed outside replaces it. */
  readonly replacesDrift?: boolean;
};

export type Comparison = {
  /** Attributes that only a new object changes, and for which one is made. */
  readonly forceNew: readonly string[];
  /** Attributes that can be changed in place. Power is not among them. */
  readonly updates: readonly string[];
  /** Attributes that differ from what is there, and for which nothing will be sent. */
  readonly standing: readonly string[];
};

export type CompareInput = {
  readonly type: ComparedType;
  readonly wanted: PlannedAttributes;
  /** Null after import: then nothing was sent by us yet. */
  readonly applied: Attributes | null;
  /** As last read. */
  readonly attributes: Attributes;
  readonly ignore: readonly string[];
  /** Attributes with rules of their own, such as power. */
  readonly except: readonly string[];
};

/** Not compared: unset attributes, computed ones, and those that steer only this tool. */
export function compareWanted(input: CompareInput): Comparison {
  const found = { forceNew: [] as string[], updates: [] as string[], standing: [] as string[] };
  for (const schema of Object.values(input.type.schema.attributes)) {
    if (schema.computed || schema.local) continue;
    if (input.ignore.includes(schema.name) || input.except.includes(schema.name)) continue;
    const wanted = input.wanted[schema.name] ?? null;
    const verdict = wanted === null ? undefined : judge(schema, wanted, input);
    if (verdict !== undefined) found[verdict].push(schema.name);
  }
  return found;
}

/**
 * What was sent says whether the configuration changed, what was read whether the world differs
 * from it. A value that is there already is wanted by nobody in vain: it replaces nothing.
 */
function judge(
  schema: AttributeSchema,
  wanted: PlannedValue,
  { type, applied, attributes }: CompareInput,
): keyof Comparison | undefined {
  const { name } = schema;
  const sent = applied?.[name];
  const read = schema.unreadable ? undefined : attributes[name];
  const isThere = read !== undefined && isSame(type, name, wanted, read);
  if (schema.lookup) {
    // What is not told of an object says nothing against it.
    return (read ?? null) === null || isThere || !isKnown(wanted) ? undefined : "standing";
  }
  if (!schema.forceNew) {
    const base = schema.unreadable ? sent : read;
    return isSame(type, name, wanted, base ?? null) ? undefined : "updates";
  }
  if (isThere) return undefined;
  if (sent !== undefined && !isSame(type, name, wanted, sent)) return "forceNew";
  // A key decides which object is meant; that is judged elsewhere.
  if (read === undefined || schema.key || !isKnown(wanted)) return undefined;
  return type.replacesDrift === true ? "forceNew" : "standing";
}

/** Whether the wanted value is as good as the one that is there. */
export function isSame(
  type: ComparedType | undefined,
  attribute: string,
  wanted: PlannedValue,
  actual: Value,
): boolean {
  if (equalValues(actual, wanted)) return true;
  if (type === undefined || !isKnown(wanted)) return false;
  if (type.same?.(attribute, wanted, actual) === true) return true;
  const isLookup = type.schema.attributes[attribute]?.lookup === true;
  return isLookup && typeof wanted === "string" && type.parseIdentity?.(wanted) === actual;
}
