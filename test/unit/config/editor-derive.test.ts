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
import type { JsonSchema } from "../../../src/config/read/form/shape.ts";
import { withWaySettings } from "../../../src/providers/kit/schema/way-settings.ts";

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
  providers: Object.fromEntries<JsonSchema>(
    Object.entries(schemasIn("providers")).map(([name, schema]) => [
      name,
      withWaySettings(schema, read("way.schema.json")),
    ]),
  ),
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

test("every member of every branch has a text to hover over", () => {
  const schema = read("vmform.schema.json");
  const definitions = schema["definitions"] as { readonly [name: string]: JsonSchema };
  const isSchema = (value: unknown): value is JsonSchema =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const branches = (node: JsonSchema): readonly JsonSchema[] =>
    ["anyOf", "oneOf", "allOf"].flatMap((word) =>
      ((node[word] ?? []) as unknown[]).filter(isSchema),
    );
  const isTold = (node: JsonSchema): boolean => {
    if (typeof node["description"] === "string") return true;
    const reference = node["$ref"];
    const name = typeof reference === "string" ? reference.replace("#/definitions/", "") : "";
    const named = definitions[name];
    return (named !== undefined && isTold(named)) || branches(node).some(isTold);
  };
  let seen = 0;
  const untold: string[] = [];
  const walk = (node: JsonSchema, path: string): void => {
    for (const word of ["properties", "patternProperties"]) {
      for (const [name, member] of Object.entries(isSchema(node[word]) ? node[word] : {})) {
        if (!isSchema(member)) continue;
        seen += 1;
        if (!isTold(member)) untold.push(`${path}/${name}`);
        walk(member, `${path}/${name}`);
      }
    }
    for (const word of ["items", "additionalProperties"]) {
      const inner = node[word];
      if (isSchema(inner)) walk(inner, `${path}/${word}`);
    }
    for (const branch of branches(node)) walk(branch, path);
  };
  walk(schema, "");
  for (const [name, definition] of Object.entries(definitions)) walk(definition, name);
  expect(untold).toEqual([]);
  expect(seen).toBeGreaterThan(300);
});
