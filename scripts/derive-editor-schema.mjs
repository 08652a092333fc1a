/**
 * The schema for editors, `schemas/vmform.schema.json`, derived from the strict schemas: where
 * expressions are evaluated each place also takes one, sensitive places take a reference to a
 * secret, texts also take numbers (YAML types `0123` itself), and each resource type and provider
 * has its own attributes. Run it after a change of a schema; `--check` only compares.
 *
 *     node scripts/derive-editor-schema.mjs [--check]
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeOrCheck } from "./write-or-check.mjs";

const schemas = new URL("../schemas/", import.meta.url);
const namePattern = "[A-Za-z_][A-Za-z0-9_]*";

const expression = { $ref: "#/definitions/Expression" };
const secret = { $ref: "#/definitions/Secret" };
const own = {
  Expression: {
    title: "Expression",
    description: "A text with ${…}; quote it.",
    type: "string",
    pattern: "\\$\\{",
  },
  Secret: {
    title: "Secret",
    description: "A reference to a secret, which is read when it is used.",
    type: "object",
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: {
      env: { type: "string", description: "Environment variable that holds the secret." },
      file: { type: "string", description: "File that holds the secret." },
    },
  },
};

function deriveEditorSchema() {
  const config = readSchema("config.schema.json");
  const { ResourceBlock, DataBlock, ProviderBlock: _provider, ...blocks } = config.definitions;
  const definitions = { ...own };
  for (const [name, block] of Object.entries(blocks)) definitions[name] = derive(block, false);
  const meta = derive(ResourceBlock, false).properties;
  const properties = {};
  for (const [name, block] of Object.entries(config.properties)) {
    properties[name] = derive(block, false);
  }
  properties.data = byName("data", config, definitions, {
    pattern: (type) => `^${type}\\.${namePattern}$`,
    extra: derive(DataBlock, false).properties,
  });
  properties.resources = byName("resources", config, definitions, {
    pattern: (type) => `^${type}\\.${namePattern}$`,
    extra: meta,
  });
  properties.providers = byName("providers", config, definitions, {
    pattern: (provider) => `^${provider}(\\.${namePattern})?$`,
    extra: {},
  });
  return {
    $schema: config.$schema,
    $id: "vmform:editor",
    title: "vmform configuration",
    description: "A *.vmform.yaml file. Derived from the strict schemas; not for editing by hand.",
    type: "object",
    additionalProperties: false,
    properties,
    definitions,
  };
}

/** A block whose entries are named after the schemas of a folder. */
function byName(folder, config, definitions, { pattern, extra }) {
  const patternProperties = {};
  for (const file of readdirSync(new URL(`${folder}/`, schemas)).toSorted()) {
    const name = file.replace(".schema.json", "");
    const derived = derive(readSchema(`${folder}/${file}`), true);
    const { $schema: _schema, $id: _id, ...schema } = derived;
    definitions[`${folder}.${name}`] = {
      ...schema,
      properties: { ...schema.properties, ...extra },
    };
    patternProperties[pattern(name)] = nullable({ $ref: `#/definitions/${folder}.${name}` });
  }
  const { description } = config.properties[folder];
  return { type: "object", description, additionalProperties: false, patternProperties };
}

/** `inherited`: expressions are evaluated around this place. */
function derive(schema, inherited) {
  const { "x-vmform": marks = {}, properties, items, additionalProperties, ...rest } = schema;
  const evaluated = marks.expression ?? inherited;
  if (marks.sensitive === true) return describe(schema, { anyOf: [secret, expression] });
  const derived = { ...rest };
  if (properties !== undefined) {
    derived.properties = {};
    for (const [name, member] of Object.entries(properties)) {
      if (member["x-vmform"]?.computed === true) continue;
      derived.properties[name] = derive(member, evaluated);
    }
  }
  if (items !== undefined) derived.items = derive(items, evaluated);
  if (additionalProperties !== undefined) {
    const open = typeof additionalProperties === "boolean";
    derived.additionalProperties = open
      ? additionalProperties
      : derive(additionalProperties, evaluated);
  }
  return widen(derived, evaluated);
}

/** What the place also takes beside what its schema says. */
function widen(schema, evaluated) {
  const isText =
    schema.type === "string" && schema.enum === undefined && schema.pattern === undefined;
  const alternatives = [];
  if (isText) alternatives.push({ type: ["number", "boolean"] });
  // Whole resources and providers are maps of attributes, not values.
  const isValue = schema.$schema === undefined;
  if (evaluated && isValue && schema.type !== undefined && schema.type !== "string") {
    alternatives.push(expression);
  }
  if (evaluated && schema.type === "string" && !isText) alternatives.push(expression);
  if (evaluated && isValue && schema.type !== undefined) alternatives.push({ type: "null" });
  if (alternatives.length === 0) return schema;
  const { description: _description, ...strict } = schema;
  return describe(schema, { anyOf: [strict, ...alternatives] });
}

function nullable(schema) {
  return { anyOf: [schema, { type: "null" }] };
}

function describe({ title, description }, schema) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...schema,
  };
}

function readSchema(path) {
  return JSON.parse(readFileSync(new URL(path, schemas), "utf8"));
}

/** As the formatter of the project would write it. */
function format(path, text) {
  const biome = new URL("../node_modules/.bin/biome", import.meta.url);
  const options = ["format", `--stdin-file-path=${path}`];
  return execFileSync(fileURLToPath(biome), options, { input: text, encoding: "utf8" });
}

const path = "schemas/vmform.schema.json";
await writeOrCheck([{ path, text: format(path, JSON.stringify(deriveEditorSchema())) }]);
