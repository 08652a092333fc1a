/** What the default export of a package gives back, held against the contract before it is used. */

import { compileSchema, type SchemaCheck, schemaFaults } from "../../lib/schema/schema.ts";
import { disruptions } from "../../model/operation/disruption.ts";
import type { PackageSchema, ProviderPackage } from "../../model/provider/package.ts";
import { isMap } from "../../model/value/value.ts";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const flag = { type: "boolean" };

/** Members that are functions are checked beside it. */
const typeData = {
  name: text,
  schema: { type: "object" },
  ownership: { enum: ["owned", "attached"] },
  replaceIsHarmless: flag,
  replacesDrift: flag,
  needsFacts: flag,
  tasks: { const: true },
  identifiers: { type: "array", items: texts },
  links: {
    type: "array",
    items: {
      type: "object",
      additionalProperties: false,
      required: ["attribute", "type", "lock"],
      properties: { attribute: text, type: text, lock: { enum: ["shared", "exclusive"] } },
    },
  },
  container: {
    type: "object",
    additionalProperties: false,
    required: ["attribute", "type"],
    properties: {
      ...{ attribute: text, type: text, listed: flag, askedEach: flag, of: {} },
      requires: {
        type: "object",
        additionalProperties: false,
        required: ["attribute", "equals"],
        properties: { attribute: text, equals: { type: ["string", "boolean"] } },
      },
    },
  },
  actions: {
    type: "array",
    items: {
      type: "object",
      additionalProperties: false,
      required: ["name", "description", "disrupts"],
      properties: {
        name: text,
        description: text,
        disrupts: { type: "array", items: { enum: disruptions } },
      },
    },
  },
};
const neededFunctions = ["identityOf", "entity", "lower", "request", "limitMs"];
const otherFunctions = [
  ...["parseIdentity", "aliases", "otherKind", "surroundings", "same", "due", "remarks"],
  ...["objections", "poolLimit", "check"],
];

function members(names: readonly string[]): { readonly [name: string]: object } {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

const definitionCheck: SchemaCheck = compileSchema({
  type: "object",
  additionalProperties: false,
  required: ["name", "settings", "types", "open"],
  properties: {
    name: { type: "string", pattern: "^[a-z][a-z0-9]*$" },
    settings: { type: "object" },
    callLimitMs: { type: "integer", minimum: 1, maximum: 3_600_000 },
    open: {},
    simulate: {},
    types: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name", "schema", "ownership", "links", ...neededFunctions],
        properties: { ...typeData, ...members([...neededFunctions, ...otherFunctions]) },
      },
    },
    dataTypes: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name", "schema"],
        properties: { name: text, schema: { type: "object" } },
      },
    },
  },
});

/** Why it is no provider, a clause each; none when it is one. */
export function definitionFaults(raw: unknown): readonly string[] {
  const faults = definitionCheck(raw).map(({ path, message, params }) => {
    const name = params["additionalProperty"];
    const at = path === "" ? "what it gives back" : path.slice(1).replaceAll("/", ".");
    return `${at} ${message}${typeof name === "string" ? `: ${name}` : ""}`;
  });
  if (faults.length > 0 || !isDefinition(raw)) return faults;
  return [...functionFaults(raw), ...nameFaults(raw), ...schemasFaults(raw)];
}

export function isDefinition(raw: unknown): raw is ProviderPackage {
  return definitionCheck(raw).length === 0;
}

function functionFaults({ types, open, simulate }: ProviderPackage): readonly string[] {
  const faults = typeof open === "function" ? [] : ["open is no function"];
  if (simulate !== undefined && typeof simulate !== "function") {
    faults.push("simulate is no function");
  }
  for (const type of types) {
    for (const [name, member] of Object.entries(type)) {
      const isNamed = [...neededFunctions, ...otherFunctions].includes(name);
      if (isNamed && typeof member !== "function")
        faults.push(`${type.name}.${name} is no function`);
    }
  }
  return faults;
}

function nameFaults({ name, types, dataTypes = [] }: ProviderPackage): readonly string[] {
  const faults: string[] = [];
  for (const list of [types, dataTypes]) {
    const seen = new Set<string>();
    for (const type of list) {
      if (!new RegExp(`^${name}_[a-z0-9_]+$`).test(type.name)) {
        faults.push(`the type ${type.name} does not begin with ${name}_`);
      }
      if (seen.has(type.name)) faults.push(`the type ${type.name} stands twice`);
      seen.add(type.name);
    }
  }
  const own = new Set(types.map((type) => type.name));
  for (const { name: of, container, links } of types) {
    for (const other of [...(container === undefined ? [] : [container]), ...links]) {
      if (!own.has(other.type)) faults.push(`${of} names ${other.type}, which is no type of it`);
    }
  }
  return faults;
}

const markWords = [
  ...["forceNew", "computed", "sensitive", "unreadable", "planTime", "key", "volatile"],
  ...["local", "lookup", "follows", "names", "completed", "growsOnly", "severity"],
];

function schemasFaults(definition: ProviderPackage): readonly string[] {
  const { settings, types, dataTypes = [] } = definition;
  return [
    ...schemaProblems("settings", settings),
    ...types.flatMap(({ name, schema }) => [
      ...schemaProblems(name, schema),
      ...secretProblems(name, schema, isKept),
    ]),
    ...dataTypes.flatMap(({ name, schema }) => [
      ...schemaProblems(name, schema),
      ...secretProblems(name, schema, () => true),
    ]),
  ];
}

function schemaProblems(name: string, schema: PackageSchema): readonly string[] {
  const faults = schemaFaults(schema).map((fault) => `the schema of ${name} ${fault}`);
  if (faults.length > 0) return faults;
  const { type, additionalProperties, properties } = schema;
  if (type !== "object" || additionalProperties !== false || !isMap(properties)) {
    return [`the schema of ${name} needs type: object, properties, additionalProperties: false`];
  }
  if (JSON.stringify(schema).includes('"$ref"')) {
    return [`the schema of ${name} holds a $ref: what it names has to be written out`];
  }
  return Object.entries(properties).flatMap(([attribute, member]) => {
    if (!/^[a-z][a-z0-9_]*$/.test(attribute)) {
      return [`the schema of ${name} has ${attribute}: letters, digits and _ alone make a name`];
    }
    if (reserved.has(attribute)) return [`the schema of ${name} has ${attribute}, a reserved name`];
    const marks = isMap(member) ? (member["x-vmform"] ?? {}) : {};
    const unknown = Object.keys(marks).find((mark) => !markWords.includes(mark));
    return unknown === undefined ? [] : [`${attribute} of ${name} has an unknown mark ${unknown}`];
  });
}

type Marks = { readonly [mark: string]: unknown };

/** What is read, or decides which object is meant, is recorded as it is. */
function isKept({ unreadable, computed, key, lookup, volatile }: Marks): boolean {
  return unreadable !== true || [computed, key, lookup, volatile].includes(true);
}

/** Of a secret nothing but a reference is ever recorded. */
function secretProblems(
  name: string,
  { properties }: PackageSchema,
  keeps: (marks: Marks) => boolean,
): readonly string[] {
  if (!isMap(properties)) return [];
  return Object.entries(properties).flatMap(([attribute, member]) => {
    const marks = isMap(member) ? member["x-vmform"] : undefined;
    if (!isMap(marks) || marks["sensitive"] !== true || !keeps(marks)) return [];
    return [
      `${attribute} of ${name} is sensitive, and what is read would be recorded: ` +
        "in a resource type it has to be unreadable too, and a data source has none",
    ];
  });
}

/** What stands beside attributes in a configuration, and which package a provider is of. */
const reserved: ReadonlySet<string> = new Set([
  ...["count", "for_each", "depends_on", "provider", "lifecycle", "timeouts", "package"],
]);
