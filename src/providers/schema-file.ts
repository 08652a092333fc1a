/** Loads the JSON Schemas of this package; they are the single source of what attributes exist. */

import { createRequire } from "node:module";
import { type ResourceSchema, readResourceSchema } from "../model/resource-schema.ts";

const require = createRequire(import.meta.url);

/** `kind` is a folder of `schemas`, which stands beside `src` and beside the built files alike. */
export function loadSchema(kind: "resources" | "providers", name: string): ResourceSchema {
  const contents: unknown = require(`../../schemas/${kind}/${name}.schema.json`);
  if (typeof contents !== "object" || contents === null) {
    throw new TypeError(`schema of ${name} is not an object`);
  }
  return readResourceSchema(name, contents);
}
