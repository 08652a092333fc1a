/** Attributes of a resource type as its JSON Schema declares them, with the `x-vmform` marks. */

import type { Value } from "./value.ts";

export type AttributeType = "string" | "integer" | "number" | "boolean" | "list" | "map" | "any";

/** What a change behind our back touches, most pressing first. */
export const severities = ["security", "power", "capacity", "other", "cosmetic"] as const;
export type Severity = (typeof severities)[number];

export type AttributeSchema = {
  readonly name: string;
  readonly type: AttributeType;
  readonly description: string;
  readonly required: boolean;
  readonly values?: readonly string[];
  readonly default?: Value;
  /** A changed value replaces the object. */
  readonly forceNew: boolean;
  /** Set by the remote side, never by the configuration. */
  readonly computed: boolean;
  readonly sensitive: boolean;
  /** The remote side never gives it back. */
  readonly unreadable: boolean;
  /** Must be known while planning, since it decides which operations exist. */
  readonly planTime: boolean;
  /** Part of the caller-chosen key. */
  readonly key: boolean;
  /** Shown, never drift; a reference to it plans a wait. */
  readonly volatile: boolean;
  /** Told only while the VM is on: without it, it is null, and new when it comes on. */
  readonly whileOn: boolean;
  /** Steers this tool only and is never sent. */
  readonly local: boolean;
  /** Finds an object that exists; it counts only until an identity is recorded. */
  readonly lookup: boolean;
  /** Type of the object that it names: one of the same endpoint. */
  readonly names?: string;
  /** Of a computed one: attributes whose change changes it too, so that it is known after apply. */
  readonly follows: readonly string[];
  /** Left unset, the remote side gives it a value, such as the name of a VM that has only an id. */
  readonly completed?: true;
  /** A number that is never made smaller, such as the size of a disk. */
  readonly growsOnly?: true;
  /** How much a change behind our back matters; unmarked ones are judged by their other marks. */
  readonly severity?: Severity;
};

export type ResourceSchema = {
  readonly name: string;
  readonly description: string;
  readonly attributes: { readonly [name: string]: AttributeSchema };
  /** The JSON Schema itself, strict (no expressions), draft-07. */
  readonly json: object;
};

/** The part of a type registry that comparing and rendering need; `TypeRegistry` is one. */
export type SchemaRegistry = {
  readonly [type: string]: {
    readonly schema: ResourceSchema;
    readonly ownership?: "owned" | "attached";
    /** Input attribute with the wanted power, and the computed one with the observed power. */
    readonly power?: { readonly wanted: string; readonly observed: string };
    /** As of a compared type. */
    readonly replacesDrift?: boolean;
    same?(attribute: string, wanted: Value, actual: Value): boolean;
    parseIdentity?(text: string): string | undefined;
  };
};

/** Reads the parts of a JSON Schema that planning needs. Throws on a schema that is not ours. */
export function readResourceSchema(name: string, json: object): ResourceSchema {
  const root = asRecord(json, name);
  const required = Array.isArray(root.required) ? root.required : [];
  const attributes: { [name: string]: AttributeSchema } = {};
  for (const [attribute, raw] of Object.entries(asRecord(root.properties, `${name}.properties`))) {
    attributes[attribute] = readAttribute(attribute, asRecord(raw, attribute), required);
  }
  return { name, description: textOf(root.description), attributes, json };
}

type Raw = { readonly [name: string]: unknown };

function readAttribute(name: string, raw: Raw, required: readonly unknown[]): AttributeSchema {
  const marks = raw["x-vmform"] === undefined ? {} : asRecord(raw["x-vmform"], `${name}.x-vmform`);
  const severity = severities.find((item) => item === marks.severity);
  const values = Array.isArray(raw.enum) ? raw.enum.map(String) : undefined;
  return {
    name,
    type: attributeTypeOf(raw.type),
    description: textOf(raw.description),
    required: required.includes(name),
    ...(values === undefined ? {} : { values }),
    ...(raw.default === undefined ? {} : { default: raw.default as Value }),
    forceNew: marks.forceNew === true,
    computed: marks.computed === true,
    sensitive: marks.sensitive === true,
    unreadable: marks.unreadable === true,
    planTime: marks.planTime === true,
    key: marks.key === true,
    volatile: marks.volatile === true,
    whileOn: marks.whileOn === true,
    local: marks.local === true,
    lookup: marks.lookup === true,
    follows: Array.isArray(marks.follows) ? marks.follows.map(String) : [],
    ...(typeof marks.names === "string" ? { names: marks.names } : {}),
    ...(marks.completed === true ? { completed: true } : {}),
    ...(marks.growsOnly === true ? { growsOnly: true } : {}),
    ...(severity === undefined ? {} : { severity }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Of what a schema names `type`. */
export function attributeTypeOf(type: unknown): AttributeType {
  switch (type) {
    case "string":
    case "integer":
    case "number":
    case "boolean":
      return type;
    case "array":
      return "list";
    case "object":
      return "map";
    default:
      return "any";
  }
}

function asRecord(value: unknown, what: string): Raw {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`${what} is not an object`);
  }
  return value as Raw;
}
