/** Checks that the build compiles: they are found, and say what those say that a run compiles. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ValidateFunction } from "ajv";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checksModule, keyOf, schemasAhead } from "../../../../scripts/compiled-ahead.mjs";
import { type SchemaCheck, schemaKey, toProblem } from "../../../../src/lib/schema.ts";
import {
  checkJournalEntry,
  checkState,
  schemasOfState,
} from "../../../../src/state/form/state-schema.ts";
import { amount } from "../../../helpers/amount.ts";
import { emptyState, everyEntry, objectAt } from "../samples.ts";

let folder: string;
let checks: ReadonlyMap<string, ValidateFunction>;

beforeAll(async () => {
  folder = mkdtempSync(join(process.cwd(), "node_modules", ".compiled-ahead-"));
  const file = join(folder, "checks.mjs");
  const required = 'import { createRequire } from "node:module";\n';
  const require = "const require = createRequire(import.meta.url);\n";
  writeFileSync(file, `${required}${require}${await checksModule()}`);
  const loaded: unknown = await import(pathToFileURL(file).href);
  checks = (loaded as { compiledAhead: typeof checks }).compiledAhead;
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("they are found by the schemas that a run has", () => {
  const keys = schemasOfState.map(schemaKey);
  expect(schemasAhead().map(({ schema }) => keyOf(schema))).toEqual(keys);
  expect([...checks.keys()]).toEqual(keys);
});

const state = { ...emptyState, objects: [objectAt("daemon_vm.web"), objectAt("daemon_vm.db")] };

test.each([
  ["recorded state", 0, checkState, [state, emptyState]],
  ["an entry of the journal", 1, checkJournalEntry, everyEntry],
] as const)("%s has the same faults", (_, index, check: SchemaCheck, sound) => {
  const ahead = [...checks.values()][index];
  const rounds = sound.map((value) => JSON.parse(JSON.stringify(value, bigintsAsText)) as unknown);
  let faulty = 0;
  fc.assert(
    fc.property(fc.constantFrom(...rounds), fc.infiniteStream(fc.nat()), (value, picks) => {
      const broken = structuredClone(value);
      damage(broken, picks);
      const isSound = ahead?.(broken);
      const problems = (ahead?.errors ?? []).map(toProblem);
      const expected = check(broken);
      expect(isSound).toBe(expected.length === 0);
      expect(problems.map(told).toSorted()).toEqual(expected.map(told).toSorted());
      if (expected.length > 0) faulty += 1;
    }),
    { numRuns: amount(100, 3000) },
  );
  expect(faulty).toBeGreaterThan(10);
});

const bigintsAsText = (_: string, value: unknown): unknown =>
  typeof value === "bigint" ? Number(value) : value;

const told = (problem: object): string => JSON.stringify(problem);

/** Puts something else in the place of a member, takes it away, or adds one. */
function damage(value: unknown, picks: Iterator<number>): void {
  const pick = (below: number): number => (picks.next().value as number) % below;
  if (typeof value !== "object" || value === null) return;
  const members = Object.keys(value);
  const name = members[pick(Math.max(1, members.length))] ?? "none";
  const member: unknown = Reflect.get(value, name);
  if (typeof member === "object" && member !== null && pick(4) > 0) {
    damage(member, picks);
    return;
  }
  const others = [null, "", -1, 1.5, {}, [], "x", true];
  if (pick(3) === 0) Reflect.deleteProperty(value, name);
  else Reflect.set(value, pick(3) === 0 ? "another" : name, others[pick(others.length)]);
}
