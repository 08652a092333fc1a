/** The schema for editors: as it is shipped, and with types that a provider package brings. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  deriveEditorSchema,
  type NamedSchemas,
  withMore,
} from "../../../src/config/editor-derive.ts";
import type { JsonSchema } from "../../../src/config/read/shape.ts";

const folder = fileURLToPath(new URL("../../../schemas/", import.meta.url));
const read = (path: string) => JSON.parse(readFileSync(join(folder, path), "utf8")) as JsonSchema;
const config = read("config.schema.json");

function schemasIn(name: string): NamedSchemas {
  const files = readdirSync(join(folder, name)).toSorted();
  return Object.fromEntries(
    files.map((file) => [file.replace(".schema.json", ""), read(join(name, file))]),
  );
}

const strict = {
  config,
  resources: schemasIn("resources"),
  data: schemasIn("data"),
  providers: schemasIn("providers"),
};

test("what is shipped is what is derived", () => {
  expect(deriveEditorSchema(strict)).toEqual(read("vmform.schema.json"));
});

test("types that join later are known as those that were there", () => {
  const isOf = ([name]: readonly [string, unknown]) => /^manager(_|$)/.test(name);
  const parted = (later: boolean) => {
    const some = (schemas: NamedSchemas) =>
      Object.fromEntries(Object.entries(schemas).filter((entry) => isOf(entry) === later));
    const { resources, data, providers } = strict;
    return { config, resources: some(resources), data: some(data), providers: some(providers) };
  };
  const joined = withMore(deriveEditorSchema(parted(false)), parted(true));
  expect(Object.keys(parted(true).resources).length).toBeGreaterThan(2);
  expect(joined).toEqual(deriveEditorSchema(strict));
});
