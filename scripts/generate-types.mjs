/**
 * The TypeScript types of the JSON Schemas, for `src/model/generated`. Run it after a change of a
 * schema; a test fails while the files are not up to date.
 *
 *     node scripts/generate-types.mjs
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { compile } from "json-schema-to-typescript";

const schemas = new URL("../schemas/", import.meta.url);
const target = new URL("../src/model/generated/", import.meta.url);

/** @returns {Promise<readonly { name: string; text: string }[]>} files by name, in order */
export async function generateTypes() {
  const resources = readdirSync(new URL("resources/", schemas)).toSorted();
  const files = ["config.schema.json", ...resources.map((name) => `resources/${name}`)];
  return Promise.all(files.map(generateFile));
}

async function generateFile(path) {
  const schema = JSON.parse(readFileSync(new URL(path, schemas), "utf8"));
  const stem = path.replace("resources/", "").replace(".schema.json", "");
  const text = await compile(schema, stem, {
    bannerComment: `/** Generated from schemas/${path} by scripts/generate-types.mjs; not for editing by hand. */`,
    additionalProperties: true,
    format: true,
    style: { printWidth: 100 },
  });
  return { name: `${stem.replaceAll("_", "-")}.ts`, text };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  mkdirSync(target, { recursive: true });
  for (const { name, text } of await generateTypes()) {
    writeFileSync(new URL(name, target), text);
    process.stdout.write(`src/model/generated/${name}\n`);
  }
}
