/** Compares wanted attributes with what is applied and observed: the question "what differs?". */

import type { AttributeChange } from "../model/change.ts";
import type { AttributeSchema, ResourceSchema } from "../model/resource-schema.ts";
import {
  type Attributes,
  equalValues,
  isKnown,
  type PlannedAttributes,
  type PlannedValue,
  type Value,
} from "../model/value.ts";

export type Comparison = {
  /** Force-new attributes whose wanted value differs from the applied one. */
  readonly forceNew: readonly string[];
  /** Attributes that can be changed in place. Power is not among them. */
  readonly updates: readonly string[];
};

export type CompareInput = {
  readonly schema: ResourceSchema;
  readonly wanted: PlannedAttributes;
  /** Null after import: then nothing is known to differ. */
  readonly applied: Attributes | null;
  readonly attributes: Attributes;
  readonly ignore: readonly string[];
  /** Attributes with rules of their own, such as power. */
  readonly except: readonly string[];
  /** Whether a wanted value is as good as the one that is there; equality by default. */
  readonly same?: ((attribute: string, wanted: Value, actual: Value) => boolean) | undefined;
};

/** Not compared: unset attributes, those that steer only this tool, and what finds an object. */
export function compareAttributes(input: CompareInput): Comparison {
  const forceNew: string[] = [];
  const updates: string[] = [];
  for (const schema of Object.values(input.schema.attributes)) {
    if (schema.computed || schema.local || schema.lookup) continue;
    if (input.ignore.includes(schema.name) || input.except.includes(schema.name)) continue;
    const wanted = input.wanted[schema.name] ?? null;
    if (wanted === null || !differs(schema, wanted, input)) continue;
    (schema.forceNew ? forceNew : updates).push(schema.name);
  }
  return { forceNew, updates };
}

/**
 * Replacing compares only what was applied; an attribute never applied by us is unknown, not
 * different. In-place attributes compare with what was read, or with applied where nothing is read.
 */
function differs(schema: AttributeSchema, wanted: PlannedValue, input: CompareInput): boolean {
  if (schema.forceNew) {
    const applied = input.applied?.[schema.name];
    return applied !== undefined && !isSame(schema, wanted, applied, input);
  }
  const base = schema.unreadable ? input.applied?.[schema.name] : input.attributes[schema.name];
  return !isSame(schema, wanted, base ?? null, input);
}

function isSame(
  { name }: AttributeSchema,
  wanted: PlannedValue,
  actual: Value,
  { same }: CompareInput,
): boolean {
  if (equalValues(actual, wanted)) return true;
  return same !== undefined && isKnown(wanted) && same(name, wanted, actual);
}

/** Wanted attributes with the defaults of the schema filled in. */
export function withDefaults(
  schema: ResourceSchema,
  attributes: PlannedAttributes,
): PlannedAttributes {
  const result: { [name: string]: PlannedValue } = { ...attributes };
  for (const attribute of Object.values(schema.attributes)) {
    if (attribute.default === undefined || (result[attribute.name] ?? null) !== null) continue;
    result[attribute.name] = attribute.default;
  }
  return result;
}

/** The attribute table of a change, for people. */
export function attributeChanges(
  schema: ResourceSchema,
  before: Attributes | null,
  after: PlannedAttributes | null,
  forceNew: readonly string[],
): readonly AttributeChange[] {
  const changes: AttributeChange[] = [];
  for (const attribute of Object.values(schema.attributes)) {
    const { name } = attribute;
    const old = before?.[name] ?? null;
    const wanted = after?.[name] ?? null;
    if (isKnown(wanted) && equalValues(old, wanted)) continue;
    if (attribute.local && old === null && equalValues(attribute.default ?? null, wanted)) continue;
    changes.push({
      attribute: name,
      before: old,
      after: wanted,
      sensitive: attribute.sensitive,
      forcesReplace: forceNew.includes(name),
    });
  }
  return changes;
}
