/**
 * The TypeScript types of the JSON Schemas, in `src/model/generated`. Run it after a change of a
 * schema; `--check` only compares.
 *
 *     node scripts/generate-types.mjs [--check]
 */

import { readFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { writeOrCheck } from "./write-or-check.mjs";

const schemas = new URL("../schemas/", import.meta.url);

/** Only what the program uses: attributes of resources are read by their schemas, not by types. */
const paths = ["config.schema.json"];

async function generateFile(path) {
  const schema = JSON.parse(readFileSync(new URL(path, schemas), "utf8"));
  const stem = path.replace(".schema.json", "");
  const text = await compile(schema, stem, {
    bannerComment: `/** Generated from schemas/${path} by scripts/generate-types.mjs; not for editing by hand. */`,
    additionalProperties: true,
    format: true,
    style: { printWidth: 100 },
  });
  return { path: `src/model/generated/${stem}.ts`, text };
}

writeOrCheck(await Promise.all(paths.map(generateFile)));
