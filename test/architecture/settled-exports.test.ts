/** The plugin of the build that gives exports as values, held against the getters it replaces. */

import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { settledExports } from "../../scripts/settled-exports.mjs";

type Exports = { readonly [name: string]: unknown };

const getter = (name: string, local: string): string => `
Object.defineProperty(exports, '${name}', {
  enumerable: true,
  get: function () {
    return ${local};
  }
});`;

/** What is exported as `x`, each with a function that may change it. */
const settled = {
  "a constant": "const x = 1; function change() {}",
  "a function": "function x() { return 1; } function change() {}",
  "a class": "class x {} function change() {}",
  "what is assigned once, where it is declared": "let x = [1]; function change() { x.push(2); }",
};
const changing = {
  "what a function assigns": "let x; function change() { x = 2; }",
  "what is counted": "let x = 0; function change() { x++; }",
  "a part of an array": "let x = 0; function change() { [, x] = [1, 2]; }",
  "the rest of an array": "let x = 0; function change() { [...x] = [1, 2]; }",
  "a member with a default": "let x = 0; function change() { ({ y: x = 3 } = {}); }",
  "the rest of members": "let x = 0; function change() { ({ ...x } = { a: 1 }); }",
  "what a loop runs over": "let x = 0; function change() { for (x of [1, 2]); }",
  "what a loop counts through": "let x = 0; function change() { for (x in { a: 1 }); }",
};

function built(code: string): string {
  const plugin = settledExports();
  return plugin.renderChunk(code, { fileName: "chunk.js" }).code;
}

function run(code: string): Exports {
  const exports: { [name: string]: unknown } = {};
  runInNewContext(`(function (exports) { ${code} })`)(exports);
  return exports;
}

/** What is seen of `x` before and after it was changed. */
function seen(code: string): readonly string[] {
  const exports = run(code);
  const before = told(exports.x);
  if (typeof exports.change === "function") exports.change();
  return [before, told(exports.x)];
}

const told = (value: unknown): string =>
  typeof value === "function" ? String(value) : (JSON.stringify(value) ?? "undefined");

test.each(Object.entries({ ...settled, ...changing }))(
  "of %s is seen what was seen",
  (_name, text) => {
    const code = `${text}${getter("x", "x")}${getter("change", "change")}`;
    expect(seen(built(code))).toEqual(seen(code));
  },
);

test.each(Object.entries(settled))("%s is a value, on the line it stood on", (_name, text) => {
  const code = `${text}${getter("x", "x")}\nexports.last = 1;`;
  const after = built(code);
  expect(after).not.toContain("defineProperty");
  expect(after.split("\n").indexOf("exports.last = 1;")).toBe(
    code.split("\n").indexOf("exports.last = 1;"),
  );
});

test.each(Object.entries(changing))("%s keeps its getter", (_name, text) => {
  expect(built(`${text}${getter("x", "x")}`)).toContain("defineProperty");
  const [before, after] = seen(`${text}${getter("x", "x")}${getter("change", "change")}`);
  expect(before).not.toBe(after);
});

test("what is exported before the file has run to its end keeps its getter", () => {
  for (const declared of ["const x = 1;", "var x = 1;", "class x {}"]) {
    expect(built(`${getter("x", "x")}\n${declared}`)).toContain("defineProperty");
  }
  const last = built(`const x = 1, y = 2;${getter("x", "x")}\nexports.y = y;${getter("z", "y")}`);
  expect(last).not.toContain("defineProperty");
});

test("what another file exports, and what is no name, are left as they are", () => {
  const code = `const other = {};${getter("a", "other.a")}${getter("b", "`text`")}`;
  expect(built(code)).toBe(code);
});
