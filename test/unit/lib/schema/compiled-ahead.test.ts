/** Checks that the build compiles: they are found, and say what those say that a run compiles. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ValidateFunction } from "ajv";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checksModules, partsAhead } from "../../../../scripts/compiled-ahead.mjs";
import { blockCheck, blockSchema } from "../../../../src/config/read/form/schemas.ts";
import { rulesOf } from "../../../../src/config/read/form/shape.ts";
import {
  compileFilling,
  compileSchema,
  type SchemaCheck,
  schemaKey,
  toProblem,
} from "../../../../src/lib/schema/schema.ts";
import { loadSchema } from "../../../../src/providers/kit/schema/schema-file.ts";
import {
  checkJournalEntry,
  checkState,
  schemasOfState,
} from "../../../../src/state/form/state-schema.ts";
import { amount } from "../../../helpers/amount.ts";
import { emptyState, everyEntry, objectAt } from "../../state/samples.ts";

type Ahead = { readonly get: (key: string) => ValidateFunction | undefined };

const known = partsAhead();
const { parts } = await known;
let folder: string;
let ahead: Ahead;

beforeAll(async () => {
  folder = mkdtempSync(join(process.cwd(), "node_modules", ".compiled-ahead-"));
  const header =
    'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n';
  for (const [name, text] of await checksModules(known)) {
    const imported = text.replaceAll(/"\0ahead:(\w+)"/g, '"./$1.mjs"');
    writeFileSync(join(folder, `${name}.mjs`), `${name === "index" ? "" : header}${imported}`);
  }
  const loaded: unknown = await import(pathToFileURL(join(folder, "index.mjs")).href);
  ahead = (loaded as { compiledAhead: Ahead }).compiledAhead;
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function checkAhead(schema: object, fills = false): ValidateFunction {
  const found = ahead.get(schemaKey(schema, fills));
  if (found === undefined) throw new Error("it was not compiled ahead");
  return found;
}

test("those are here that a run asks for", () => {
  const blocks = ["SettingsBlock", "ImportBlock", "RemovedBlock", "MovedBlock"].map(blockSchema);
  const rules = rulesOf({ type: "string", description: "a name", minLength: 1 }) ?? {};
  for (const schema of [...schemasOfState(), ...blocks, rules]) {
    expect(ahead.get(schemaKey(schema, false))).toBeDefined();
  }
  const providers = ["cloud", "daemon", "appliance", "manager"];
  const settings = providers.map((name) => loadSchema("providers", name));
  for (const { json } of [...settings, loadSchema("data", "cloud_query")]) {
    expect(ahead.get(schemaKey(json, true))).toBeDefined();
  }
});

test("another schema is not here, nor one for another purpose", () => {
  expect(ahead.get(schemaKey({ type: "string", minLength: 77 }, false))).toBeUndefined();
  expect(ahead.get(schemaKey({ type: "string", minLength: 1 }, true))).toBeUndefined();
});

const state = { ...emptyState, objects: [objectAt("daemon_vm.web"), objectAt("daemon_vm.db")] };
const moved = { from: "daemon_vm.a", to: "daemon_vm.b" };

describe("what is damaged", () => {
  test.each([
    ["recorded state", schemasOfState()[0], checkState, [state, emptyState]],
    ["an entry of the journal", schemasOfState()[1], checkJournalEntry, everyEntry],
    ["a block", blockSchema("MovedBlock"), blockCheck("MovedBlock"), [moved]],
  ] as const)("%s has the same faults", (_, schema, check: SchemaCheck, sound) => {
    const rounds = sound.map(
      (value) => JSON.parse(JSON.stringify(value, bigintsAsText)) as unknown,
    );
    let faulty = 0;
    fc.assert(
      fc.property(fc.constantFrom(...rounds), fc.infiniteStream(fc.nat()), (value, picks) => {
        const broken = structuredClone(value);
        damage(broken, picks);
        if (expectTheSame(checkAhead(schema ?? {}), check, broken)) return;
        faulty += 1;
      }),
      { numRuns: amount(100, 3000) },
    );
    expect(faulty).toBeGreaterThan(10);
  });
});

const scalars = [
  ...[
    "",
    "a",
    "all",
    "10.1",
    "90s",
    "7d",
    "08:00",
    "https://a.example/x",
    "../x",
    "~x",
    "é".repeat(300),
  ],
  ...[0, 1, -1, 1.5, 1e9, true, false],
];
const inner = fc.oneof(
  fc.constantFrom<unknown>(...scalars, null),
  fc.array(fc.constantFrom<unknown>(...scalars), { maxLength: 3 }),
  fc.string(),
);

test.each(parts.map((part) => [part.name, part] as const))(
  "any value has the same faults and becomes the same, of part %s",
  (_, { schemas, fills }) => {
    const make = fills ? compileFilling : compileSchema;
    let faulty = 0;
    for (const schema of schemas) {
      const names = Object.keys((schema as { properties?: object }).properties ?? { a: 1, b: 2 });
      const values = fc.oneof(inner, fc.dictionary(fc.constantFrom(...names, "x"), inner));
      fc.assert(
        fc.property(values, (value) => {
          if (!expectTheSame(checkAhead(schema, fills), make(schema), value)) faulty += 1;
        }),
        { numRuns: amount(10, 1000) },
      );
    }
    expect(faulty).toBeGreaterThan(schemas.length);
  },
);

/** True where it fits. */
function expectTheSame(first: ValidateFunction, check: SchemaCheck, value: unknown): boolean {
  const [own, other] = [structuredClone(value), structuredClone(value)];
  const isSound = first(own);
  const problems = (first.errors ?? []).map(toProblem);
  const expected = check(other);
  expect(isSound).toBe(expected.length === 0);
  expect(problems.map(told).toSorted()).toEqual(expected.map(told).toSorted());
  expect(own).toEqual(other);
  return expected.length === 0;
}

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
