/**
 * One object's attributes: what was last read against what is observed now. Nothing here looks at
 * what was sent (`applied`): a wish that never took effect is a planned change, not drift.
 */

import type {
  AttributeDrift,
  AttributeNotChecked,
  DriftSuggestion,
} from "../model/drift-report.ts";
import type { Observation, UnreadableReason } from "../model/observation.ts";
import type { RecordedObject } from "../model/recorded.ts";
import type { AttributeSchema, SchemaRegistry } from "../model/resource-schema.ts";
import { equalValues, isKnown, type PlannedAttributes } from "../model/value.ts";

export type AttributeComparison = {
  readonly drifted: readonly AttributeDrift[];
  readonly learned: readonly string[];
  readonly notChecked: readonly AttributeNotChecked[];
  readonly comparedCount: number;
};

type FoundObservation = Extract<Observation, { status: "found" }>;
type TypeEntry = SchemaRegistry[string];

/**
 * Compares every attribute that was recorded, observed or reported unreadable, sorted by name.
 * Volatile attributes and those that only steer this tool are left out. An attribute never read
 * before is learned. One recorded but neither observed nor reported was not asked for, and is
 * listed so.
 */
export function compareAttributes(
  object: RecordedObject,
  observation: FoundObservation,
  type: TypeEntry | undefined,
  desired: PlannedAttributes | undefined,
): AttributeComparison {
  const drifted: AttributeDrift[] = [];
  const learned: string[] = [];
  const notChecked: AttributeNotChecked[] = [];
  let comparedCount = 0;
  for (const attribute of attributeNames(object, observation)) {
    const schema = schemaOf(type, attribute);
    if (schema?.volatile === true || schema?.local === true) continue;
    const recorded = own(object.attributes, attribute);
    const observed = own(observation.attributes, attribute);
    const unread = unreadRule(object, observation, attribute, schema);
    if (unread !== undefined) {
      notChecked.push({ attribute, ...unread });
    } else if (observed === undefined) {
      if ((recorded ?? null) === null) continue;
      notChecked.push({ attribute, rule: "by rule", reason: "not asked for in this read" });
    } else if (recorded === undefined) {
      if (observed !== null) learned.push(attribute);
    } else {
      comparedCount += 1;
      if (equalValues(recorded, observed)) continue;
      drifted.push(attributeDrift(attribute, recorded, observed, { type, schema, desired }));
    }
  }
  return { drifted, learned, notChecked, comparedCount };
}

/** `accept` when the outside change made every differing attribute what the configuration wants. */
export function driftPurpose(drifted: readonly AttributeDrift[]): DriftSuggestion["purpose"] {
  const wanted = drifted.every(
    ({ desired, observed }) => desired !== undefined && equalValues(desired, observed),
  );
  return wanted ? "accept" : "restore";
}

function attributeNames(object: RecordedObject, observation: FoundObservation): string[] {
  const names = new Set([
    ...Object.keys(object.attributes),
    ...Object.keys(observation.attributes),
    ...Object.keys(observation.unreadable),
    ...Object.keys(object.applied ?? {}),
  ]);
  return [...names].sort();
}

/** Why this attribute cannot be compared, or undefined when it can be or nobody ever set it. */
function unreadRule(
  object: RecordedObject,
  observation: FoundObservation,
  attribute: string,
  schema: AttributeSchema | undefined,
): { readonly rule: UnreadableReason; readonly reason: string } | undefined {
  const rule = own(observation.unreadable, attribute);
  if (rule === "failed") return { rule, reason: "could not be read" };
  const isSet =
    (own(object.attributes, attribute) ?? own(object.applied ?? {}, attribute) ?? null) !== null;
  if (!isSet) return undefined;
  if (rule === "by rule") {
    return { rule, reason: "not readable while the object is as it is now" };
  }
  if (schema?.unreadable === true && own(observation.attributes, attribute) === undefined) {
    return { rule: "by rule", reason: "the interface never gives it back" };
  }
  return undefined;
}

function attributeDrift(
  attribute: string,
  recorded: AttributeDrift["recorded"],
  observed: AttributeDrift["observed"],
  context: {
    readonly type: TypeEntry | undefined;
    readonly schema: AttributeSchema | undefined;
    readonly desired: PlannedAttributes | undefined;
  },
): AttributeDrift {
  // Without a schema nobody can say that the value is harmless.
  if (context.schema === undefined || context.schema.sensitive) {
    return { attribute, recorded: null, observed: null, sensitive: true };
  }
  const power = context.type?.power;
  const input = power?.observed === attribute ? power.wanted : attribute;
  const desired = context.desired === undefined ? undefined : own(context.desired, input);
  const plain = { attribute, recorded, observed, sensitive: false };
  return desired === undefined || !isKnown(desired) ? plain : { ...plain, desired };
}

function schemaOf(type: TypeEntry | undefined, attribute: string): AttributeSchema | undefined {
  return type === undefined ? undefined : own(type.schema.attributes, attribute);
}

/** An own member only: an attribute may be called `constructor`. */
function own<T>(map: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}
