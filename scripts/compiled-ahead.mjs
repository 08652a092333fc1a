/**
 * Checks of recorded state and its journal, compiled when the program is built: nearly every command
 * reads both, and compiling took a third of a short one. A plugin of the bundler.
 *
 * A check is found by the text of its schema (`schemaKey`), so one that is not here, or is another
 * by now, is compiled when it is needed; a test holds that these are here.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { rolldown } from "rolldown";

const standalone = createRequire(import.meta.url)("ajv/dist/standalone").default;
/** @param {string} path */
const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** As `state/form/state-schema.ts` puts them together, and where their check stands. */
export function schemasAhead() {
  const state = JSON.parse(readFileSync(fromRoot("schemas/state.schema.json"), "utf8"));
  const { definitions } = state;
  const journalEntry = "#/definitions/journalEntry";
  return /** @type {const} */ ([
    { schema: state, at: state.$id },
    { schema: { allOf: [{ $ref: journalEntry }], definitions }, at: `${state.$id}${journalEntry}` },
  ]);
}

/**
 * As `schemaKey` of `lib/schema.ts` has it.
 * @param {object} schema
 */
export const keyOf = (schema) => createHash("sha256").update(JSON.stringify(schema)).digest("hex");

export function compiledAhead() {
  const module = fromRoot("src/lib/compiled-ahead.ts");
  return {
    name: "compiled-ahead",
    /** @param {string} id */
    load: (id) => (id === module ? checksModule() : null),
  };
}

/** What stands in the place of `src/lib/compiled-ahead.ts`. */
export async function checksModule() {
  const { compilerOptions, ownKeyword } = await sourceModule("src/lib/compiler-options.ts");
  // One part for each definition, which the checks of all places share.
  const code = { esm: true, source: true };
  const compiler = new Ajv({ ...compilerOptions, inlineRefs: false, code });
  compiler.addKeyword(ownKeyword);
  const [state] = schemasAhead();
  compiler.addSchema(state.schema);
  const named = schemasAhead().map((one, index) => ({ ...one, name: `check${index}` }));
  const text = standalone(compiler, Object.fromEntries(named.map(({ name, at }) => [name, at])));
  const entries = named.map(({ schema, name }) => `["${keyOf(schema)}", ${name}]`);
  return `${text};\nexport const compiledAhead = new Map([${entries.join(", ")}]);`;
}

/** @param {string} path */
async function sourceModule(path) {
  const bundle = await rolldown({ input: fromRoot(path), logLevel: "warn" });
  const { output } = await bundle.generate({ format: "esm" });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}
