import { expect, test } from "vitest";
import { parseFile } from "../../../../src/config/read/document.ts";
import { seemsSecret } from "../../../../src/config/read/secret-line.ts";
import { createReport } from "../../../../src/config/report.ts";
import { indexText } from "../../../../src/lib/text.ts";

test.each([
  ["password: hunter2", true],
  ["passwort: hunter2", true],
  ["  - { name: a, passwd: hunter2 }", true],
  ['"api-key": "abc"', true],
  ["db: { user: a, token: 't' }", true],
  ["token: { type: string, default: hunter2 }", true],
  ["url: https://ann:hunter2@host/", true],
  ["password: *hunter2", true],
  ["password: !hunter2", true],
  ["password: { env: CLOUD_PASSWORD }", false],
  ['password: "${vars.secret}"', false],
  ["password:", false],
  ["token: { type: string, sensitive: true }", false],
  ["url: https://host/a@b", false],
  ["name: web", false],
])("%s", (line, secret) => {
  expect(seemsSecret(indexText(line), 1)).toBe(secret);
});

test("what a value goes on with is as secret as its key", () => {
  const index = indexText("a:\n  password: >-\n    hunter2\n    more: of it\n  name: b\n");
  expect([1, 2, 3, 5].map((line) => seemsSecret(index, line))).toEqual([false, true, true, false]);
});

test.each([
  ["t: *hunter2"],
  ["t: !hunter2 x"],
  ["hunter2: a\nhunter2: b"],
  ['t: "hunter2'],
  ["t: {a: hunter2, b"],
  ["t: @hunter2"],
  ["t: %hunter2"],
  ["t: `hunter2`"],
  ["t: a\n hunter2: x: y"],
  ["t: &a [*a, hunter2]\n"],
  ["<<: hunter2"],
  ["t: |hunter2\n"],
  ['t: "\\qhunter2"'],
  ["? [hunter2]\n: x"],
])("nothing of a hidden file is repeated: %s", (text) => {
  const report = createReport();
  parseFile({ name: "given.yaml", bytes: new TextEncoder().encode(text) }, report, true);
  const diagnostics = report.diagnostics();
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
});
