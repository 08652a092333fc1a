/**
 * Strict reading of untyped documents (world files, fault scripts, outside changes): each part is
 * read through a cursor that knows its path, every problem is collected, and nothing is coerced.
 */

import type { DataPath } from "../lib/yaml/plain-yaml.ts";

/** An input of the simulators that is not acceptable; one line per problem, place first. */
export class SimulatorInputError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.name = "SimulatorInputError";
    this.problems = problems;
  }
}

/** One part of a document. `value` is undefined where the part is not written down. */
export type Cursor = {
  readonly value: unknown;
  readonly path: DataPath;
  readonly report: (path: DataPath, message: string) => void;
};

export type DocumentSource = {
  readonly value: unknown;
  readonly place: (path: DataPath) => string;
};

/** Source for data that came from a program, not from a file: places are member paths. */
export function sourceOfData(value: unknown, name: string): DocumentSource {
  return {
    value,
    place: (path) => [name, ...path].join("."),
  };
}

/** Reads a whole document. Throws `SimulatorInputError` with every problem that was reported. */
export function decodeDocument<T>(source: DocumentSource, read: (root: Cursor) => T): T {
  const problems: string[] = [];
  const result = read({
    value: source.value,
    path: [],
    report: (path, message) => problems.push(`${source.place(path)}: ${message}`),
  });
  if (problems.length > 0) throw new SimulatorInputError(problems);
  return result;
}

/**
 * Members of an object, all of which must be in `known`. An absent object has no members. The
 * returned function gives the cursor of one member.
 */
export function readMembers(cursor: Cursor, known: readonly string[]): (name: string) => Cursor {
  const members = objectOf(cursor);
  for (const name of Object.keys(members)) {
    if (!known.includes(name)) {
      cursor.report(
        [...cursor.path, name],
        `unknown key ${JSON.stringify(name)}; known here: ${known.join(", ")}`,
      );
    }
  }
  return (name) => memberOf(cursor, members, name);
}

/** Cursors of a map with free keys, in the order of the document. */
export function readEntries(cursor: Cursor): readonly (readonly [string, Cursor])[] {
  const members = objectOf(cursor);
  return Object.keys(members).map((name) => [name, memberOf(cursor, members, name)]);
}

/** Cursors of a list; an absent list is empty. */
export function readItems(cursor: Cursor): readonly Cursor[] {
  if (cursor.value === undefined) return [];
  if (!Array.isArray(cursor.value)) {
    cursor.report(cursor.path, `a list is expected, not ${describe(cursor.value)}`);
    return [];
  }
  const items: readonly unknown[] = cursor.value;
  return items.map((value, index) => ({ ...cursor, value, path: [...cursor.path, index] }));
}

/** Text; required when no fallback is given. */
export function readText(cursor: Cursor, fallback?: string): string {
  if (typeof cursor.value === "string") return cursor.value;
  return reportOr(cursor, "text", fallback) ?? "";
}

export function readFlag(cursor: Cursor, fallback?: boolean): boolean {
  if (typeof cursor.value === "boolean") return cursor.value;
  return reportOr(cursor, "true or false", fallback) ?? false;
}

/** A whole number of at least `min`; required when no fallback is given. */
export function readCount(cursor: Cursor, min: number, fallback?: number): number {
  const value = cursor.value;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min) return value;
  return reportOr(cursor, `a whole number of at least ${min}`, fallback) ?? min;
}

/** One of the given words or numbers; required when no fallback is given. */
export function readChoice<T extends string | number>(
  cursor: Cursor,
  choices: readonly T[],
  fallback?: T,
): T {
  const found = choices.find((choice) => choice === cursor.value);
  if (found !== undefined) return found;
  const value = reportOr(cursor, `one of ${choices.join(", ")}`, fallback) ?? choices[0];
  if (value === undefined) throw new RangeError("a choice needs at least one word");
  return value;
}

/** A map with text values; an absent map is empty. */
export function readTexts(cursor: Cursor): { readonly [name: string]: string } {
  const texts: { [name: string]: string } = {};
  for (const [name, member] of readEntries(cursor)) texts[name] = readText(member);
  return texts;
}

export function isAbsent(cursor: Cursor): boolean {
  return cursor.value === undefined;
}

function reportOr<T>(cursor: Cursor, expected: string, fallback: T | undefined): T | undefined {
  if (cursor.value === undefined && fallback !== undefined) return fallback;
  const found = cursor.value === undefined ? "it is missing" : `not ${describe(cursor.value)}`;
  cursor.report(cursor.path, `${expected} is expected, ${found}`);
  return fallback;
}

function objectOf(cursor: Cursor): { readonly [name: string]: unknown } {
  const value = cursor.value;
  if (value === undefined) return {};
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  cursor.report(cursor.path, `a map is expected, not ${describe(value)}`);
  return {};
}

function memberOf(
  cursor: Cursor,
  members: { readonly [name: string]: unknown },
  name: string,
): Cursor {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return { ...cursor, value, path: [...cursor.path, name] };
}

function describe(value: unknown): string {
  if (value === null) return "nothing (null)";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : JSON.stringify(value);
}
