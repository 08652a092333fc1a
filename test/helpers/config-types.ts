/**
 * Resource types for tests of the configuration: the real schemas with types that do nothing, and
 * one type `trial_item` with an attribute of every kind.
 */

import { readFileSync } from "node:fs";
import type {
  DataRegistry,
  ResourceType,
  TypeRegistry,
} from "../../src/model/provider/provider.ts";
import { type ResourceSchema, readResourceSchema } from "../../src/model/value/resource-schema.ts";
import type { PlannedAttributes } from "../../src/model/value/value.ts";
import { typeRegistry } from "../../src/providers/registry.ts";

const schemas = new URL("../../schemas/", import.meta.url);

const trialItem = {
  description: "A thing with an attribute of every kind.",
  type: "object",
  additionalProperties: false,
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 1, "x-vmform": { key: true } },
    text: { type: "string", description: "Any text." },
    size: { type: "integer", minimum: 1, description: "Size in GB." },
    ratio: { type: "number" },
    enabled: { type: "boolean" },
    words: { type: "array", items: { type: "string" } },
    labels: { type: "object", additionalProperties: { type: "string" } },
    disk: {
      type: "object",
      additionalProperties: false,
      required: ["size_gb"],
      properties: {
        size_gb: { type: "integer" },
        format: { type: "string", enum: ["thin", "thick"] },
      },
    },
    extra: {},
    password: { type: "string", "x-vmform": { sensitive: true } },
    href: { type: "string", description: "Where it is.", "x-vmform": { computed: true } },
    token: { type: "string", "x-vmform": { computed: true, sensitive: true } },
    load: { type: "number", "x-vmform": { computed: true } },
  },
};

const trialSettings = {
  description: "An endpoint that wants a login.",
  type: "object",
  additionalProperties: false,
  required: ["url", "password"],
  properties: {
    url: { type: "string", pattern: "^https?://" },
    api_version: { type: "string" },
    retries: { type: "integer", default: 3 },
    password: { type: "string", "x-vmform": { sensitive: true } },
  },
};

export const configTypes: TypeRegistry = Object.fromEntries(
  [
    schemaOf("daemon_vm", "resources/daemon_vm"),
    schemaOf("daemon_shared_folder", "resources/daemon_shared_folder"),
    schemaOf("noop_resource", "resources/noop_resource"),
    readResourceSchema("trial_item", trialItem),
  ].map((schema) => [schema.name, inertType(schema)]),
);

const trialQuery = {
  description: "Things that were asked for.",
  type: "object",
  additionalProperties: false,
  required: ["kind"],
  properties: {
    kind: { type: "string", minLength: 1, description: "Kind of the things." },
    near: { type: "string" },
    limit: { type: "integer", default: 10 },
    found: { type: "array", items: { type: "string" }, "x-vmform": { computed: true } },
  },
};

export const configDataTypes: DataRegistry = Object.fromEntries(
  [schemaOf("daemon_vms", "data/daemon_vms"), readResourceSchema("trial_query", trialQuery)].map(
    (schema) => [schema.name, { name: schema.name, schema }],
  ),
);

export const configSettings: { readonly [provider: string]: ResourceSchema } = {
  daemon: schemaOf("daemon", "providers/daemon"),
  noop: schemaOf("noop", "providers/noop"),
  trial: readResourceSchema("trial", trialSettings),
};

function schemaOf(name: string, path: string): ResourceSchema {
  const text = readFileSync(new URL(`${path}.schema.json`, schemas), "utf8");
  return readResourceSchema(name, JSON.parse(text) as object);
}

function powerOf(type: string): Pick<ResourceType, "power"> {
  const power = typeRegistry()[type]?.power;
  return power === undefined ? {} : { power };
}

function inertType(schema: ResourceSchema): ResourceType {
  const keys = Object.values(schema.attributes).filter((attribute) => attribute.key);
  return {
    name: schema.name,
    schema,
    ownership: "owned",
    ...powerOf(schema.name),
    links: [],
    identityOf: (attributes: PlannedAttributes) => {
      const values = keys.map(({ name }) => attributes[name]);
      return values.every((value) => typeof value === "string") ? values.join("/") : undefined;
    },
    entity: () => unused("entity"),
    lower: () => unused("lower"),
    request: () => unused("request"),
    limitMs: () => 60_000,
  };
}

function unused(what: string): never {
  throw new Error(`${what} is not for loading a configuration`);
}
