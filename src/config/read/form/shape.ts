/**
 * The shape a JSON Schema gives a place: what the reader needs to type written texts, and the check
 * of a value once it is known. Schemas stay the single source; nothing is declared twice.
 */

import { wordsOfPattern } from "../../../lib/schema/pattern-words.ts";
import { compileSchema, type SchemaCheck, type SchemaProblem } from "../../../lib/schema/schema.ts";
import { fitsType } from "../../../model/value/fits-type.ts";
import { type AttributeType, attributeTypeOf } from "../../../model/value/resource-schema.ts";
import { isUnknown, type PlannedValue } from "../../../model/value/value.ts";
import { listWords } from "./spelling.ts";

export type JsonSchema = { readonly [keyword: string]: unknown };

export type Shape = {
  readonly type: AttributeType;
  readonly description: string;
  /** Allowed words of a string. */
  readonly values?: readonly string[];
  readonly items?: Shape;
  readonly properties: ReadonlyMap<string, Shape>;
  /** Shape of entries not named in `properties`; `false` refuses them. */
  readonly additional: Shape | false;
  readonly required: readonly string[];
  /** Expressions are evaluated here. */
  readonly expression: boolean;
  readonly sensitive: boolean;
  readonly computed: boolean;
  /** Rules of the schema beyond type, words and members, for a value of this type. */
  readonly check?: SchemaCheck;
};

/** No declared type: literals are typed by how they are written. */
export const anyShape: Shape = {
  type: "any",
  description: "",
  properties: new Map(),
  additional: false,
  required: [],
  expression: true,
  sensitive: false,
  computed: false,
};

/** Keywords the shape itself stands for. The rest are rules, left to the schema check. */
const structural: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "$ref", "title", "description", "default", "definitions", "x-vmform"],
  ...[
    "enum",
    "oneOf",
    "items",
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
  ],
]);

/** `root` holds the definitions that `$ref` names; `expression` is inherited by members. */
export function shapeOf(json: JsonSchema, root: JsonSchema, expression: boolean): Shape {
  const schema = resolveReference(json, root);
  const marks = record(schema["x-vmform"]);
  const inherited = marks.expression === undefined ? expression : marks.expression === true;
  const inner = (member: unknown): Shape => shapeOf(record(member), root, inherited);
  const properties = Object.entries(record(schema.properties));
  const words = schema.enum ?? firstChoice(schema).enum;
  const values = Array.isArray(words) ? words.map(String) : undefined;
  const check = ruleCheck(schema);
  return {
    type: attributeTypeOf(schema.type),
    description: typeof schema.description === "string" ? schema.description : "",
    ...(values === undefined ? {} : { values }),
    ...(schema.items === undefined ? {} : { items: inner(schema.items) }),
    properties: new Map(properties.map(([name, member]) => [name, inner(member)])),
    additional: readAdditional(schema.additionalProperties, inherited, inner),
    required: Array.isArray(schema.required) ? schema.required.map(String) : [],
    expression: inherited,
    sensitive: marks.sensitive === true,
    computed: marks.computed === true,
    ...(check === undefined ? {} : { check }),
  };
}

/** Where a word or something longer may stand, the word comes first. */
function firstChoice({ oneOf }: JsonSchema): JsonSchema {
  return Array.isArray(oneOf) ? record(oneOf[0]) : {};
}

function readAdditional(
  schema: unknown,
  expression: boolean,
  inner: (member: unknown) => Shape,
): Shape | false {
  if (schema === false) return false;
  return isJsonSchema(schema) ? inner(schema) : { ...anyShape, expression };
}

/**
 * Problems of a value, unknown leaves left out. Texts never hold the value itself. `where` is the
 * path inside the attribute, such as `[0].name`, empty at its top.
 */
export function checkValue(value: PlannedValue, shape: Shape, where = ""): readonly string[] {
  if (value === null || isUnknown(value)) return [];
  const prefix = where === "" ? "The value" : `The value at ${where}`;
  if (!fitsType(value, shape.type)) return [`${prefix} must be ${typeName(shape.type)}.`];
  if (typeof value === "string" && shape.values?.includes(value) === false) {
    return [`${prefix} must be one of ${listWords(shape.values)}.`];
  }
  return [...checkRules(value, shape, where), ...checkMembers(value, shape, where)];
}

/** Problems of a value with the rules of its own shape alone, whatever its members are. */
export function checkRules(value: PlannedValue, shape: Shape, where = ""): readonly string[] {
  if (value === null || shape.check === undefined) return [];
  const prefix = where === "" ? "The value" : `The value at ${where}`;
  return shape.check(toChecked(value)).map((problem) => `${prefix} ${wordsOf(problem, value)}.`);
}

/** A pattern explains itself to nobody. */
function wordsOf({ message, pattern }: SchemaProblem, value: PlannedValue): string {
  if (pattern === undefined) return message;
  const isUrl = pattern.startsWith(urlPatternStart) && typeof value === "string";
  return (isUrl ? urlMistake(value) : undefined) ?? wordsOfPattern(pattern) ?? message;
}

function checkMembers(value: PlannedValue, shape: Shape, where: string): readonly string[] {
  if (Array.isArray(value)) {
    const items = shape.items;
    if (items === undefined) return [];
    return value.flatMap((item, index) => checkValue(item, items, `${where}[${index}]`));
  }
  if (shape.type !== "map" || typeof value !== "object" || value === null) return [];
  const missing = shape.required.filter((name) => !Object.hasOwn(value, name));
  const problems = missing.map((name) => {
    return `The value${where === "" ? "" : ` at ${where}`} needs ${name}.`;
  });
  for (const [name, member] of Object.entries(value)) {
    const path = where === "" ? name : `${where}.${name}`;
    const inner = shape.properties.get(name) ?? shape.additional;
    if (inner === false) problems.push(`The value at ${path} has no such member.`);
    else problems.push(...checkValue(member, inner, path));
  }
  return problems;
}

/** `a text`, `an integer`, … for messages. */
export function typeName(type: AttributeType): string {
  switch (type) {
    case "string":
      return "a text";
    case "integer":
      return "an integer";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "list":
      return "a list";
    case "map":
      return "a map";
    case "any":
      return "any value";
  }
}

function ruleCheck(schema: JsonSchema): SchemaCheck | undefined {
  const rules = rulesOf(schema);
  return rules === undefined ? undefined : compileSchema(rules);
}

/** What a schema asks for beyond the shape of a value, itself a schema; undefined for nothing. */
export function rulesOf(schema: JsonSchema): JsonSchema | undefined {
  const rules = Object.entries(schema).filter(([keyword]) => !structural.has(keyword));
  if (rules.every(([keyword]) => keyword === "type")) return undefined;
  return Object.fromEntries(rules);
}

/** The schema library knows no bigint; its rules for numbers are ranges, which survive rounding. */
function toChecked(value: PlannedValue): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

/** What `$ref` names among the definitions of `root`, or the schema itself. */
export function resolveReference(json: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = json.$ref;
  if (typeof reference !== "string") return json;
  const name = reference.replace("#/definitions/", "");
  return record(record(root.definitions)[name]);
}

function record(value: unknown): JsonSchema {
  return isJsonSchema(value) ? value : {};
}

export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The pattern of every `url` of a provider begins so. */
const urlPatternStart = "^https?://";

/**
 * What is wrong with an address that breaks the pattern of one: a sentence without its end, with
 * the address to write instead. Nothing of a login that stands in it is ever part of the words.
 * Undefined where the pattern says it best.
 */
export function urlMistake(written: string): string | undefined {
  const text = written.trim();
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) {
    // A login could stand anywhere in it.
    if (text === "" || text.includes("@") || !URL.canParse(`https://${text}`)) {
      return "must begin with https:// (or http://)";
    }
    return `must begin with https:// (or http://): write https://${text.replace(/[?#].*$/s, "")}`;
  }
  if (!/^https?$/i.test(scheme)) return "must begin with https:// or http://";
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  if (rest.includes("@")) {
    return "must not hold a login: name user and password in settings of their own";
  }
  if (authority === "") return "names no host behind the //";
  if (!/[?#]/.test(rest)) return undefined;
  return (
    "must not hold a ? or #, as the address of a page in a browser does: " +
    `write ${scheme}://${authority}`
  );
}
