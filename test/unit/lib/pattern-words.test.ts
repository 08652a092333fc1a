/** No schema has a pattern that a user would be shown as a regular expression. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { wordsOfPattern } from "../../../src/lib/schema/pattern-words.ts";

const folder = new URL("../../../schemas/", import.meta.url);

function patternsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "pattern" && typeof member === "string" ? [member] : patternsIn(member),
  );
}

const patterns = ["providers", "resources", "data", "simulator"].flatMap((kind) =>
  readdirSync(new URL(`${kind}/`, folder)).flatMap((name) =>
    patternsIn(JSON.parse(readFileSync(new URL(`${kind}/${name}`, folder), "utf8"))),
  ),
);

test.each([...new Set(patterns)])("%s has words", (pattern) => {
  expect(wordsOfPattern(pattern)).toMatch(/^must /);
});

test("there are patterns", () => {
  expect(patterns.length).toBeGreaterThan(20);
});
