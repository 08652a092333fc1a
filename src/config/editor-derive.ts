/**
 * The schema for editors, derived from strict schemas: where expressions are evaluated each place
 * also takes one, sensitive places take a reference to a secret, texts also take numbers (YAML
 * types `0123` itself), and each resource type and provider has its own attributes.
 */

import { isJsonSchema, type JsonSchema } from "./read/form/shape.ts";

/** Strict schemas by name. */
export type NamedSchemas = { readonly [name: string]: JsonSchema };

export type StrictSchemas = {
  readonly config: JsonSchema;
  readonly resources: NamedSchemas;
  readonly data: NamedSchemas;
  readonly providers: NamedSchemas;
};

type Folder = "resources" | "data" | "providers";
type Members = { readonly [name: string]: JsonSchema };
type Derived = { [keyword: string]: unknown };

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
      command: {
        type: "array",
        minItems: 1,
        items: { type: "string" },
        description: "Program that prints the secret, and its arguments; no shell is used.",
      },
      vault: {
        type: "object",
        description: "Field of an entry in a KV store, version 2, of Vault or OpenBao.",
        additionalProperties: false,
        required: ["path", "field"],
        properties: {
          path: {
            type: "string",
            description: "Mount and path, as vault kv get takes them: secret/lab/cloud.",
          },
          field: { type: "string", description: "Name of the field." },
          mount: {
            type: "string",
            description: "Where the store is mounted, when that is not the first part of the path.",
          },
        },
      },
    },
  },
};

/** The whole schema of a configuration file. */
export function deriveEditorSchema(strict: StrictSchemas): JsonSchema {
  const { config } = strict;
  const { ResourceBlock, DataBlock, ProviderBlock: _provider, ...blocks } = membersOf(config, true);
  const definitions: Derived = { ...own };
  for (const [name, block] of Object.entries(blocks)) definitions[name] = derive(block, false);
  const properties: Derived = {};
  for (const [name, block] of Object.entries(membersOf(config))) {
    properties[name] = derive(block, false);
  }
  for (const folder of ["data", "resources", "providers"] as const) {
    const { added, block } = blockByName(folder, strict[folder], {
      description: membersOf(config)[folder]?.description,
      extra: extraOf(folder, { ResourceBlock, DataBlock }),
    });
    Object.assign(definitions, added);
    properties[folder] = block;
  }
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

/** The schema for editors with more types and providers. */
export function withMore(editor: JsonSchema, { config, ...more }: StrictSchemas): JsonSchema {
  const definitions: Derived = { ...membersOf(editor, true) };
  const properties: Derived = { ...membersOf(editor) };
  const { ResourceBlock, DataBlock } = membersOf(config, true);
  for (const folder of ["data", "resources", "providers"] as const) {
    const present = membersOf(editor)[folder] ?? {};
    const { added, block } = blockByName(folder, more[folder], {
      description: present.description,
      extra: extraOf(folder, { ResourceBlock, DataBlock }),
    });
    Object.assign(definitions, added);
    const patternProperties = {
      ...record(present.patternProperties),
      ...record(block.patternProperties),
    };
    properties[folder] = { ...present, patternProperties };
  }
  return { ...editor, properties, definitions };
}

function extraOf(
  folder: Folder,
  { ResourceBlock = {}, DataBlock = {} }: { [name: string]: JsonSchema | undefined },
): JsonSchema {
  if (folder === "providers") return {};
  return record(derive(folder === "data" ? DataBlock : ResourceBlock, false).properties);
}

/** A block whose entries are named after schemas. */
function blockByName(
  folder: Folder,
  schemas: NamedSchemas,
  { description, extra }: { readonly description: unknown; readonly extra: JsonSchema },
): { readonly added: Derived; readonly block: JsonSchema } {
  const patternProperties: Derived = {};
  const added: Derived = {};
  for (const name of Object.keys(schemas).toSorted()) {
    const {
      $schema: _schema,
      $id: _id,
      ...schema
    } = derive({ $schema: "draft-07", ...schemas[name] }, true);
    added[`${folder}.${name}`] = {
      ...schema,
      properties: { ...record(schema.properties), ...extra },
    };
    const pattern =
      folder === "providers" ? `^${name}(\\.${namePattern})?$` : `^${name}\\.${namePattern}$`;
    patternProperties[pattern] = nullable({ $ref: `#/definitions/${folder}.${name}` });
  }
  return {
    added,
    block: { type: "object", description, additionalProperties: false, patternProperties },
  };
}

/** `inherited`: expressions are evaluated around this place. */
function derive(schema: JsonSchema, inherited: boolean): JsonSchema {
  const { "x-vmform": marked, properties, items, additionalProperties, ...rest } = schema;
  const marks = record(marked);
  const evaluated = typeof marks.expression === "boolean" ? marks.expression : inherited;
  if (marks.sensitive === true) return describe(schema, { anyOf: [secret, expression] });
  const derived: Derived = { ...rest };
  if (properties !== undefined) {
    const members: Derived = {};
    for (const [name, member] of Object.entries(record(properties))) {
      if (record(record(member)["x-vmform"]).computed === true) continue;
      members[name] = derive(record(member), evaluated);
    }
    derived.properties = members;
  }
  if (items !== undefined) derived.items = derive(record(items), evaluated);
  if (additionalProperties !== undefined) {
    const open = typeof additionalProperties === "boolean";
    derived.additionalProperties = open
      ? additionalProperties
      : derive(record(additionalProperties), evaluated);
  }
  return widen(derived, evaluated);
}

/** What the place also takes beside what its schema says. */
function widen(schema: JsonSchema, evaluated: boolean): JsonSchema {
  const isText =
    schema.type === "string" && schema.enum === undefined && schema.pattern === undefined;
  const alternatives: object[] = [];
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

function nullable(schema: object): object {
  return { anyOf: [schema, { type: "null" }] };
}

function describe({ title, description }: JsonSchema, schema: object): JsonSchema {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...schema,
  };
}

/** Properties of a schema, or its definitions. */
function membersOf(schema: JsonSchema, definitions = false): Members {
  const members = record(definitions ? schema.definitions : schema.properties);
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, record(one)]));
}

function record(value: unknown): JsonSchema {
  return isJsonSchema(value) ? value : {};
}
