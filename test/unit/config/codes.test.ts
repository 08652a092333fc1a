/** The registry of codes, and that every one of them can be seen to happen. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configurationCodes } from "../../../src/config/codes.ts";
import { testCodes } from "../../../src/config/test-codes.ts";

const golden = new URL("../../golden/config/", import.meta.url);
const codes = Object.entries(configurationCodes);
/** Tested elsewhere: inputs that are no texts, or none at all, what waits, destroying, trust, packages. */
const elsewhere = new Set([
  "CFG001",
  "CFG033",
  "CFG041",
  "CFG045",
  "CFG047",
  "CFG048",
  "CFG075",
  "CFG089",
  // Of settings that real providers have: test/cli/golden/site-without-database.
  "CFG116",
  // Files of tests are no configuration: test/cli/golden/tests-unread.
  ...Object.keys(testCodes),
]);

test("codes ascend and summaries are unique", () => {
  const names = codes.map(([code]) => code);
  expect(names).toEqual(names.toSorted());
  for (const name of names) expect(name).toMatch(/^CFG\d{3}$/);
  expect(new Set(codes.map(([, { summary }]) => summary)).size).toBe(codes.length);
});

test.each(codes)("%s is explained in sentences", (_code, { summary, explanation }) => {
  expect(summary).toMatch(/^[A-Z].*[^.]$/);
  expect(explanation).toMatch(/\.$/);
  expect(explanation).not.toBe(summary);
});

test("every code stands in an accepted text", () => {
  const texts = readdirSync(golden).map((name) =>
    readFileSync(new URL(`${name}/expected.txt`, golden), "utf8"),
  );
  const all = texts.join("\n");
  const unseen = codes.map(([code]) => code).filter((code) => !all.includes(`(${code})`));
  expect(unseen.filter((code) => !elsewhere.has(code))).toEqual([]);
});
