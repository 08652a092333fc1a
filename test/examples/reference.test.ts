/**
 * The language reference shows everything that there is: each member that the schemas of the
 * configuration and of its tests know stands in an example of a page, which is read by a test, or in
 * a shipped example, which is run by one.
 */

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readProjectFile, readProjectFiles } from "../architecture/project-files.ts";

type Schema = { readonly [name: string]: unknown };

/** As `Block.member`. */
type Members = Set<string>;

function isMap(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function rootOf(path: string): Schema {
  const schema: unknown = JSON.parse(readProjectFile(path));
  if (!isMap(schema)) throw new Error(`${path} is no schema`);
  return schema;
}

/** A member's schema, and what it is called: by its definition, else by where it stands. */
function resolved(schema: unknown, root: Schema, at: string): { schema: Schema; at: string } {
  const reference = isMap(schema) ? schema["$ref"] : undefined;
  if (typeof reference !== "string") return { schema: isMap(schema) ? schema : {}, at };
  const name = reference.replace("#/definitions/", "");
  const definitions = isMap(root["definitions"]) ? root["definitions"] : {};
  // Of another file: it has pages and tests of its own.
  return { schema: isMap(definitions[name]) ? definitions[name] : {}, at: name };
}

function choicesOf(schema: Schema): readonly unknown[] {
  return Array.isArray(schema["oneOf"]) ? schema["oneOf"] : [];
}

/** All members that a schema knows, of all that it refers to. */
function declared(root: Schema): Members {
  const all: Members = new Set();
  const seen = new Set<string>();
  const walk = (given: unknown, where: string): void => {
    if (!isMap(given)) return;
    const { schema, at } = resolved(given, root, where);
    if ("$ref" in given && seen.has(at)) return;
    seen.add(at);
    for (const [name, member] of Object.entries(
      isMap(schema["properties"]) ? schema["properties"] : {},
    )) {
      all.add(`${at}.${name}`);
      walk(member, `${at}.${name}`);
    }
    for (const inner of [schema["items"], schema["additionalProperties"], ...choicesOf(schema)]) {
      walk(inner, at);
    }
  };
  walk(root, "root");
  return all;
}

/** Adds what a document has of them. */
function gather(
  document: unknown,
  given: unknown,
  root: Schema,
  where: string,
  found: Members,
): void {
  if (!isMap(given)) return;
  const { schema, at } = resolved(given, root, where);
  for (const choice of choicesOf(schema)) gather(document, choice, root, at, found);
  if (Array.isArray(document)) {
    for (const item of document) gather(item, schema["items"], root, at, found);
    return;
  }
  if (!isMap(document)) return;
  const properties = isMap(schema["properties"]) ? schema["properties"] : {};
  for (const [name, value] of Object.entries(document)) {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (member === undefined) gather(value, schema["additionalProperties"], root, at, found);
    else {
      found.add(`${at}.${name}`);
      gather(value, member, root, `${at}.${name}`, found);
    }
  }
}

/** Those of the pages are held by `docs.test.ts`, those of the folder by `testing.test.ts`. */
function documents(): readonly Schema[] {
  const pages = readProjectFiles("docs").flatMap(({ text }) =>
    [...text.matchAll(/\n```yaml\n([^]*?)\n```\n/g)].map((match) => match[1] ?? ""),
  );
  const shipped = readProjectFiles("examples")
    .filter(({ path }) => /\.vmform(?:test|policy)?\.yaml$/.test(path))
    .map(({ text }) => text);
  const read = [...pages, ...shipped].map((text): unknown => parse(text, { merge: true }));
  return read.filter(isMap);
}

function shown(root: Schema, isMeant: (document: Schema) => boolean): Members {
  const found: Members = new Set();
  for (const document of documents().filter(isMeant)) gather(document, root, root, "root", found);
  return found;
}

describe("every member has an example that a test reads", () => {
  it.each([
    ["of a configuration", "schemas/config.schema.json", (one: Schema) => !("runs" in one)],
    ["of a file of tests", "schemas/test.schema.json", (one: Schema) => "runs" in one],
  ])("%s", (_what, path, isMeant) => {
    const root = rootOf(path);
    const all = declared(root);
    expect(all.size).toBeGreaterThan(20);
    const found = shown(root, isMeant);
    expect([...all].filter((member) => !found.has(member)).toSorted()).toEqual([]);
  });
});
