/**
 * Writes the schema for editors, `schemas/vmform.schema.json`, which `src/config/editor-derive.ts`
 * derives from the strict schemas. Run it after a change of a schema; `--check` only compares.
 *
 *     node scripts/derive-editor-schema.mjs [--check]
 */

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadSources } from "./load-sources.mjs";
import { writeOrCheck } from "./write-or-check.mjs";

const schemas = new URL("../schemas/", import.meta.url);

function readSchema(path) {
  return JSON.parse(readFileSync(new URL(path, schemas), "utf8"));
}

/** The schemas of a folder by name. */
function readSchemas(folder) {
  const files = readdirSync(new URL(`${folder}/`, schemas)).toSorted();
  const named = files.map((file) => [
    file.replace(".schema.json", ""),
    readSchema(`${folder}/${file}`),
  ]);
  return Object.fromEntries(named);
}

/** As the formatter of the project would write it. */
function format(path, text) {
  const biome = new URL("../node_modules/.bin/biome", import.meta.url);
  const options = ["format", `--stdin-file-path=${path}`];
  return execFileSync(fileURLToPath(biome), options, { input: text, encoding: "utf8" });
}

const [{ deriveEditorSchema }, { withWaySettings }] = await loadSources([
  "src/config/editor-derive.ts",
  "src/providers/kit/schema/way-settings.ts",
]);
const way = readSchema("way.schema.json");
const providers = Object.entries(readSchemas("providers")).map(([name, schema]) => [
  name,
  withWaySettings(schema, way),
]);
const derived = deriveEditorSchema({
  config: readSchema("config.schema.json"),
  resources: readSchemas("resources"),
  data: readSchemas("data"),
  providers: Object.fromEntries(providers),
});
const path = "schemas/vmform.schema.json";
await writeOrCheck([{ path, text: format(path, JSON.stringify(derived)) }]);
