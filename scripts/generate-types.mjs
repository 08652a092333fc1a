/**
 * The TypeScript types of the JSON Schemas, in a folder `generated` beside who uses them. Run it after
 * a change of a schema; `--check` only compares.
 *
 *     node scripts/generate-types.mjs [--check]
 */

import { readdirSync, readFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { writeOrCheck } from "./write-or-check.mjs";

const schemas = new URL("../schemas/", import.meta.url);

function readSchema(path) {
  return JSON.parse(readFileSync(new URL(path, schemas), "utf8"));
}

const configuration = {
  path: "src/model/generated/config.ts",
  sources: "schemas/config.schema.json",
  name: "config",
  schema: readSchema("config.schema.json"),
};

/** World files, fault scripts and what the control surface is sent, once their defaults are in. */
const simulation = {
  path: "src/simulators/kit/generated/documents.ts",
  sources: "schemas/world.schema.json, faults.schema.json and simulator/*",
  name: "Documents",
  schema: filled(simulatorDocuments()),
};

/** Settings of a provider, once their defaults are in. */
const settings = ["appliance", "cloud", "daemon", "manager"].map((name) => {
  const { $id: _, ...schema } = withDefaults(readSchema(`providers/${name}.schema.json`));
  return {
    path: `src/providers/${name}/generated/settings.ts`,
    sources: `schemas/providers/${name}.schema.json`,
    name: `${name}Block`,
    schema: { ...schema, title: `${name}Block` },
  };
});

/** What data sources are asked for, once defaults are in; what they answer is computed. */
const queries = ["cloud", "daemon", "manager"].map((name) =>
  byTitle(name, "data", "queries", "By the name of the data source.", asked),
);

/** Attributes of resources as `providers/kit/schema/attributes.ts` hands them out: none has to be set. */
const resources = ["cloud", "daemon", "manager", "noop"].map((name) =>
  byTitle(name, "resources", "resources", "By the name of the resource type.", kindsOf),
);

/** One type for each schema of a provider in a folder of schemas, by its title. */
function byTitle(name, folder, file, description, typeOf) {
  const files = readdirSync(new URL(`${folder}/`, schemas)).filter((one) =>
    one.startsWith(`${name}_`),
  );
  const written = files.toSorted().map((one) => readSchema(`${folder}/${one}`));
  const properties = Object.fromEntries(written.map((one) => [one.title, typeOf(one)]));
  const title = `${name}${file[0].toUpperCase()}${file.slice(1)}`;
  return {
    path: `src/providers/${name}/generated/${file}.ts`,
    sources: `schemas/${folder}/${name}_*`,
    name: title,
    schema: {
      title,
      description,
      type: "object",
      additionalProperties: false,
      required: Object.keys(properties),
      properties,
    },
  };
}

/** What is no text, number or boolean is for its reader to look into. */
function kindsOf({ properties }) {
  const kinds = Object.entries(properties).map(([name, { type }]) => {
    const [kind] = [type].flat().filter((one) => one !== "null");
    return [name, ["object", "array", undefined].includes(kind) ? {} : { type: kind }];
  });
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(kinds) };
}

function asked(written) {
  const { $id: _, properties, ...schema } = written;
  const own = Object.entries(properties).filter(([, item]) => !item["x-vmform"]?.computed);
  return withDefaults({ ...schema, properties: Object.fromEntries(own) });
}

/** One schema with all definitions and a member for each document, as `kit/document.ts` has it. */
function simulatorDocuments() {
  const parts = readdirSync(new URL("simulator/", schemas)).map((file) => `simulator/${file}`);
  const files = ["world.schema.json", "faults.schema.json", ...parts.toSorted()];
  const definitions = {};
  for (const file of files) {
    const text = readFileSync(new URL(file, schemas), "utf8");
    const {
      $schema: _,
      definitions: own,
      ...root
    } = JSON.parse(text.replaceAll(/"\$ref": "[^"#]*#/g, '"$ref": "#'));
    Object.assign(definitions, own);
    if (root.properties !== undefined) definitions[root.title] = root;
  }
  delete definitions.SavedWorld;
  const names = Object.keys(definitions);
  const properties = Object.fromEntries(
    names.map((name) => [name, { $ref: `#/definitions/${name}` }]),
  );
  return {
    title: "Documents",
    description: "By the name of its definition.",
    type: "object",
    additionalProperties: false,
    required: names,
    properties,
    definitions,
  };
}

/**
 * What has a default is there; an entry without a value has become an empty map. Members are described
 * by the schemas alone.
 */
function filled({ definitions, ...root }) {
  const inner = Object.entries(definitions).map(([name, { description, ...definition }]) => [
    name,
    { ...withDefaults(definition), description },
  ]);
  return { ...root, definitions: Object.fromEntries(inner) };
}

function withDefaults(schema) {
  if (Array.isArray(schema)) return schema.map(withDefaults);
  if (typeof schema !== "object" || schema === null) return schema;
  if (schema.$ref !== undefined) return { $ref: schema.$ref };
  const { description: _description, default: _default, type, properties, ...rest } = schema;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, withDefaults(value)]),
  );
  if (type !== undefined) inner.type = [type].flat().filter((one) => one !== "null");
  if (properties === undefined) return inner;
  const members = Object.entries(properties);
  const given = members.filter(([, member]) => member.default !== undefined);
  return {
    ...inner,
    properties: Object.fromEntries(members.map(([name, member]) => [name, withDefaults(member)])),
    required: [...(schema.required ?? []), ...given.map(([name]) => name)],
  };
}

async function generateFile({ path, sources, name, schema }) {
  const text = await compile(schema, name, {
    bannerComment: `/** Generated from ${sources} by scripts/generate-types.mjs; not for editing by hand. */`,
    additionalProperties: true,
    format: true,
    style: { printWidth: 100 },
  });
  return { path, text };
}

await writeOrCheck(
  await Promise.all(
    [configuration, simulation, ...settings, ...queries, ...resources].map(generateFile),
  ),
);
