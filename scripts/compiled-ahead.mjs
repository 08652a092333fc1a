/**
 * Checks of the schemas that the program is shipped with, compiled when it is built: a command that
 * meets no schema of somebody else never loads the compiler. A plugin of the bundler.
 *
 * A check is found by the text of its schema (`schemaKey`), so one that is not here, or is another
 * by now, is compiled when it is needed; a test holds that these are here. They come in parts,
 * most of them a file each, which is loaded when the first check of it is asked for.
 */

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { loadSources } from "./load-sources.mjs";

const standalone = createRequire(import.meta.url)("ajv/dist/standalone").default;
/** @param {string} path */
const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** Where it stands which schemas there are, and how they are compiled. */
const sources = [
  "src/lib/schema/compiler-options.ts",
  "src/lib/schema/schema.ts",
  "src/config/read/form/schemas.ts",
  "src/config/read/form/shape.ts",
  "src/providers/kit/schema/schema-file.ts",
  "src/state/form/state-schema.ts",
];

/** Blocks of a configuration that are checked as a whole. */
const blocks = [
  ...["SettingsBlock", "ImportBlock", "RemovedBlock", "MovedBlock"],
  ...["LifecycleBlock", "TimeoutsBlock"],
];

/** The parts by name; one that fills in defaults has keys of its own. */
const fillsOf = { state: false, blocks: false, rules: false, settings: true };

/** @returns the parts, each with its schemas. */
export async function partsAhead() {
  const source = Object.assign({}, ...(await loadSources(sources)));
  const { blockSchema, configurationSchema, loadSchema, rulesOf, schemasOfState } = source;
  const filled = ["providers", "data"].flatMap((kind) =>
    named(kind).map((name) => loadSchema(kind, name).json),
  );
  const resources = named("resources").map((name) => loadSchema("resources", name).json);
  const rules = new Map();
  const tests = JSON.parse(readFileSync(fromRoot("schemas/test.schema.json"), "utf8"));
  for (const schema of [configurationSchema, tests, ...filled, ...resources]) {
    for (const part of partsOf(schema)) {
      const own = rulesOf(part);
      if (own !== undefined) rules.set(JSON.stringify(own), own);
    }
  }
  const schemasOf = {
    ...{ state: schemasOfState(), blocks: blocks.map(blockSchema) },
    ...{ rules: [...rules.values()], settings: filled },
  };
  const parts = Object.entries(fillsOf).map(([name, fills]) => {
    return { name, fills, schemas: schemasOf[name] };
  });
  return { source, parts };
}

/** @param {string} kind */
function named(kind) {
  const files = readdirSync(fromRoot(`schemas/${kind}`)).filter((file) => file.endsWith(".json"));
  return files.map((file) => file.replace(".schema.json", "")).toSorted();
}

/** The schema itself and all that stands in it, however deep, as the reader of values meets it. */
function* partsOf(schema) {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  yield schema;
  const { properties = {}, definitions = {}, items, additionalProperties } = schema;
  const inner = [...Object.values(properties), ...Object.values(definitions)];
  for (const one of [...inner, items, additionalProperties]) yield* partsOf(one);
}

const prefix = "\0ahead:";

/** Nearly every configuration asks for one of them: a file of its own would cost more. */
const partAtOnce = "rules";

/** Where nothing is recorded yet, none is asked for before something is written. */
const partOfChanges = "state";

const namesOfLate = Object.keys(fillsOf).filter((name) => name !== partAtOnce);

/** For the plugin that loads late: the other parts by the ids of their modules. */
export const lateParts = Object.fromEntries(
  namesOfLate.map((name) => [
    `${prefix}${name}`,
    { callables: [`${name}Check`], isEarly: name !== partOfChanges },
  ]),
);

export function compiledAhead() {
  const module = fromRoot("src/lib/schema/compiled-ahead.ts");
  /** @type {Promise<Map<string, string>> | undefined} */
  let made;
  const texts = () => (made ??= checksModules());
  return {
    name: "compiled-ahead",
    resolveId: {
      filter: { id: /^\0ahead:/ },
      /** @param {string} id */
      handler: (id) => id,
    },
    load: {
      filter: { id: [/^\0ahead:/, /compiled-ahead\.ts$/] },
      /** @param {string} id */
      async handler(id) {
        if (id === module) return (await texts()).get("index");
        return id.startsWith(prefix) ? (await texts()).get(id.slice(prefix.length)) : null;
      },
    },
  };
}

/**
 * Texts of modules by name: one for each part, and `index`, which stands in the place of
 * `src/lib/schema/compiled-ahead.ts`.
 */
export async function checksModules(ahead = partsAhead()) {
  const { source, parts } = await ahead;
  const texts = new Map();
  const partOfKey = new Map();
  const schemaOfKey = new Map();
  for (const { name, fills, schemas } of parts) {
    const keys = schemas.map((schema) => {
      const [key, text] = [source.schemaKey(schema, fills), JSON.stringify(schema)];
      // A key is a sum: two of one key would be checked by the same.
      if ((schemaOfKey.get(key) ?? text) !== text) throw new Error(`two schemas have ${key}`);
      schemaOfKey.set(key, text);
      return key;
    });
    keys.forEach((key) => partOfKey.set(key, name));
    texts.set(name, partModule(source, { name, fills, schemas, keys }));
  }
  texts.set("index", indexModule(partOfKey));
  return texts;
}

function partModule(
  { compilerOptions, fillingOptions, ownKeyword },
  { name, fills, schemas, keys },
) {
  // One part for each definition, which the checks of all places share.
  const code = { esm: true, source: true };
  const options = { ...compilerOptions, ...(fills ? fillingOptions : {}) };
  const compiler = new Ajv({ ...options, inlineRefs: false, code });
  compiler.addKeyword(ownKeyword);
  const names = {};
  schemas.forEach((schema, index) => {
    const at = `vmform:${index}`;
    compiler.addSchema(schema, at);
    names[`check${index}`] = at;
  });
  const entries = keys.map((key, index) => `["${key}", check${index}]`);
  return `${standalone(compiler, names)};
const checks = new Map([${entries.join(", ")}]);
export const ${name}Check = (key) => checks.get(key);`;
}

/** @param {Map<string, string>} partOfKey */
function indexModule(partOfKey) {
  const parts = [...new Set(partOfKey.values())];
  const imports = parts.map((name) => `import { ${name}Check } from "${prefix}${name}";`);
  return `${imports.join("\n")}
const partOf = new Map(${JSON.stringify([...partOfKey])});
const checkIn = { ${parts.map((name) => `${name}: ${name}Check`).join(", ")} };
export const compiledAhead = { get: (key) => checkIn[partOf.get(key)]?.(key) };`;
}
