/**
 * Documents that people write for the simulators: world files, fault scripts, outside changes. They
 * are held against their schemas, which also fill in what is left out. Every problem is told with
 * its place, and nothing is coerced.
 *
 * The door of `kit`, what all simulators share: `generated/documents.ts` has the types of the
 * documents, `change.ts` makes outside changes; `answer.ts`, `server.ts` and `request-log.ts` are
 * requests and replies; `clock.ts` the time; `sessions.ts`, `task.ts`, `records.ts`, `uuid.ts` and
 * `version.ts` what interfaces have in common.
 */

import { readFileSync } from "node:fs";
import { schemaText } from "../../lib/files/schema-text.ts";
import { wordsOfPattern } from "../../lib/schema/pattern-words.ts";
import { compileFilling, type SchemaCheck, type SchemaProblem } from "../../lib/schema/schema.ts";
import { uncarriedIn } from "../../lib/xml/xml-text.ts";
import type { DataPath } from "../../lib/yaml/plain-yaml.ts";
import { PlainYamlError, parsePlainYaml } from "../../lib/yaml/plain-yaml.ts";
import type { Documents } from "./generated/documents.ts";

/** An input of the simulators that is not acceptable; one line per problem, place first. */
export class SimulatorInputError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.name = "SimulatorInputError";
    this.problems = problems;
  }
}

export type DocumentSource = {
  readonly value: unknown;
  readonly place: (path: DataPath) => string;
};

/** A document as it is written: what has a default may be left out. */
export type Written<T> = T extends readonly (infer Item)[]
  ? readonly Written<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]?: Written<T[Name]> }
    : T;

/** Tells of what a schema cannot see. */
export type Report = (path: DataPath, message: string) => void;

/** Source for data that came from a program, not from a file: places are member paths. */
export function sourceOfData(value: unknown, name: string): DocumentSource {
  return { value, place: (path) => [name, ...path].join(".") };
}

/** Document of a YAML file. Throws `SimulatorInputError`. */
export function readYamlFile(file: string): DocumentSource {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new SimulatorInputError([`${file}: ${cause}`], { cause: error });
  }
  return parseYaml(text, file);
}

/** Document of a YAML text; `file` names it in messages. Throws `SimulatorInputError`. */
export function parseYaml(text: string, file: string): DocumentSource {
  try {
    return parsePlainYaml(text, file);
  } catch (error) {
    if (!(error instanceof PlainYamlError)) throw error;
    throw new SimulatorInputError(error.problems, { cause: error });
  }
}

/**
 * Reads a document by the definition of its schema; `read` sees it with its defaults. Throws
 * `SimulatorInputError` with every problem of its form, or else with every one that `read` reports.
 */
export function decodeDocument<Name extends keyof Documents, Result>(
  source: DocumentSource,
  name: Name,
  read: (document: Documents[Name], report: Report) => Result,
): Result {
  const problems = new Set<string>();
  const report: Report = (path, message) => problems.add(`${source.place(path)}: ${message}`);
  const stop = (): void => {
    if (problems.size > 0) throw new SimulatorInputError([...problems]);
  };
  const value = copyOf(source.value);
  const found = checkOf(name)(value);
  for (const problem of found) tell(problem, source.value, report);
  stop();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type is made of the schema
  const result = read(value as Documents[Name], report);
  stop();
  return result;
}

/** Texts that XML cannot carry, which the interfaces of these parts speak. */
export function reportUncarried(value: unknown, path: DataPath, report: Report): void {
  if (typeof value === "string") {
    const character = uncarriedIn(value);
    if (character !== undefined) report(path, `XML cannot carry the character ${character}`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      reportUncarried(name, [...path, name], report);
      reportUncarried(member, [...path, name], report);
    }
  }
}

/** What the definition gives where only this much is written. */
export function filled<Name extends keyof Documents>(
  name: Name,
  written: Written<Documents[Name]>,
): Documents[Name] {
  return decodeDocument(sourceOfData(written, name), name, (document) => document);
}

/** Problems of a persisted world in one line; fills in settings that it does not know. */
export function checkSavedWorld(value: unknown): string | undefined {
  const [problem] = checkOf("SavedWorld")(value);
  if (problem === undefined) return undefined;
  return `${pathOf(problem.path).join(".")} ${problem.message}`.trim();
}

type Json = { readonly [keyword: string]: unknown };

const checks = new Map<string, SchemaCheck>();

function checkOf(name: string): SchemaCheck {
  let check = checks.get(name);
  if (check === undefined) {
    definitions ??= readDefinitions();
    check = compileFilling({ $ref: `#/definitions/${name}`, definitions });
    checks.set(name, check);
  }
  return check;
}

let definitions: Json | undefined;

/** Of all files together: their names are different ones. */
function readDefinitions(): Json {
  const parts = ["daemon", "cloud", "manager", "appliance", "control"];
  const all: { [name: string]: unknown } = {};
  for (const file of ["world", "faults", ...parts.map((part) => `simulator/${part}`)]) {
    const text = schemaText(`${file}.schema.json`);
    const schema: unknown = JSON.parse(text.replaceAll(/"\$ref": "[^"#]*#/g, '"$ref": "#'));
    const { $schema: _, definitions: own, ...root } = mapOf(schema);
    Object.assign(all, mapOf(own));
    if (root["properties"] !== undefined) all[String(root["title"])] = root;
  }
  return all;
}

/** A copy to fill; a key without a value is an empty map, and so is an empty file. */
function copyOf(value: unknown): unknown {
  if (value === null) return {};
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== "object") return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copyOf(member)]));
}

function tell(problem: SchemaProblem, root: unknown, report: Report): void {
  const { keyword, params, pattern } = problem;
  const path = pathOf(problem.path);
  const schema = mapOf(problem.schema);
  const properties = mapOf(schema["properties"]);
  const names = Object.keys(properties).join(", ");
  switch (keyword) {
    case "propertyNames":
      // What does not fit about a name is told by itself.
      return;
    case "additionalProperties": {
      const name = String(params["additionalProperty"]);
      report([...path, name], `unknown key ${JSON.stringify(name)}; known here: ${names}`);
      return;
    }
    case "required": {
      const name = String(params["missingProperty"]);
      const expected = expectedOf(mapOf(properties[name]));
      report([...path, name], `${expected === "" ? "" : `${expected}, `}it is missing`);
      return;
    }
    case "minProperties":
    case "maxProperties":
      report(path, `exactly one of ${names} is expected`);
      return;
    default: {
      // Where there are several types, the pattern has words for all of them.
      const asked = Array.isArray(schema["type"]) ? (schema["pattern"] ?? pattern) : pattern;
      const words = typeof asked === "string" ? wordsOfPattern(asked) : undefined;
      const expected = expectedOf(schema);
      const found = `${expected}, not ${describe(valueAt(root, path))}`;
      report(path, words ?? (expected === "" ? problem.message : found));
    }
  }
}

/** `text is expected`, `one of a, b is expected`; empty where the schema says nothing of it. */
function expectedOf(schema: Json): string {
  const { enum: values, type, minimum, maximum } = schema;
  if (Array.isArray(values)) {
    return `${values.length > 1 ? "one of " : ""}${values.join(", ")} is expected`;
  }
  const kinds = [type].flat().filter((kind) => kind !== undefined && kind !== "null");
  if (kinds.length === 0) return "";
  const words = kinds.map((kind) => kindWords[String(kind)] ?? String(kind)).join(" or ");
  const bounds =
    typeof maximum === "number"
      ? ` from ${Number(minimum)} to ${maximum}`
      : typeof minimum === "number"
        ? ` of at least ${minimum}`
        : "";
  return `${words}${bounds} is expected`;
}

const kindWords: { readonly [type: string]: string } = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
};

/** Steps of a JSON pointer. */
function pathOf(pointer: string): readonly string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== "object" || value === null) return undefined;
    return new Map(Object.entries(value)).get(step);
  }, root);
}

function describe(value: unknown): string {
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : JSON.stringify(value);
}

function mapOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
