/** Whatever is written, an expression gives a value or problems; it never throws. */

import fc from "fast-check";
import { expect, it } from "vitest";
import { checkTemplate } from "../../../src/expressions/check/check.ts";
import { evaluateTemplate } from "../../../src/expressions/evaluate/evaluate.ts";
import { concreteReferences, referencesOf } from "../../../src/expressions/evaluate/references.ts";
import type { Scope } from "../../../src/expressions/evaluate/scope.ts";
import type { FunctionEntry } from "../../../src/expressions/functions/function-entry.ts";
import { functionTable } from "../../../src/expressions/functions/functions.ts";
import { parseTemplate } from "../../../src/expressions/syntax/template.ts";
import { amount } from "../../helpers/amount.ts";
import { exampleFiles, exampleTime } from "./functions/example-files.ts";
import { scope as fixture, template, types } from "./scope-fixture.ts";

const scope: Scope = { ...fixture, files: exampleFiles, time: exampleTime };

const literals = ["0", "-1", "2.5", "3u", "true", "null", '"a"', '""', "b'x'", "type(1)", "int"];
const lists = ["[]", "{}", "[null]", '[1, "a"]', '{"a": 1}', "{1: 2}", "locals.mixed"];
const roots = ["vars", "locals", "daemon_vm", "cel", "google", "self", "x", "nope"];
const names = ["vars.team", "vars.count", "vars.ratio", "vars.ports", "vars.token", "each.key"];
const waiting = ["locals.waiting", "locals.partial", "locals.hosts", "locals.late"];
const vms = ["daemon_vm.a", "daemon_vm.web", "daemon_vm.row", "daemon_vm.none", "daemon_vm.b"];
const texts = [
  ...['"10.0.0.0/8"', '"(a|b)*"', '"$1"', '"{\\"a\\": [1]}"', '"a: [1, {b: 2}]"', '"a,b\\n1,2"'],
  ...['"2026-03-01T12:00:00Z"', '"1.2.3"', '"%s %05d"', '"motd.txt"', '"hosts.tpl"', '"aGk="'],
];
const others = ['duration("1s")', "timestamp(0)", "optional.none()", "optional.of(1)"];
const atom = fc.constantFrom(
  ...[...literals, ...lists, ...roots, ...names, ...waiting, ...vms, ...others, ...texts],
);

const operators = ["+", "-", "*", "/", "%", "==", "!=", "<", ">=", "in", "&&", "||"];
const callable = functionTable.filter(({ overloads }) => Object.keys(overloads).length > 0);
const isMethod = ({ form, name }: FunctionEntry): boolean => !form.startsWith(`${name}(`);
const functions = [
  ...["size", "string", "int", "double", "bool", "dyn", "has", "uint"],
  ...callable.filter((entry) => !isMethod(entry)).map(({ name }) => name),
];
const methods = ["size", "join", "json", ...callable.filter(isMethod).map(({ name }) => name)];
const methodsOfOne = [
  ...["join", "split", "contains", "orValue", "getHours"],
  ...callable.filter(isMethod).map(({ name }) => name),
];
const methodsOfTwo = [
  ...["substring", "split", "indexOf"],
  ...callable.filter(isMethod).map(({ name }) => name),
];
const macros = ["all", "exists", "exists_one", "map", "filter"];
const fields = ["a", "id", "known", "size"];

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  const pick = (choices: readonly string[]) => fc.constantFrom(...choices);
  return {
    expression: fc.oneof(
      { depthSize: "small" },
      { weight: 4, arbitrary: atom },
      fc.tuple(inner, pick(operators), inner).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(pick(functions), inner).map(([name, a]) => `${name}(${a})`),
      fc.tuple(pick(functions), inner, inner).map(([name, a, b]) => `${name}(${a}, ${b})`),
      fc
        .tuple(pick(functions), inner, inner, inner)
        .map(([name, a, b, c]) => `${name}(${a}, ${b}, ${c})`),
      fc.tuple(inner, pick(methods)).map(([a, name]) => `${a}.${name}()`),
      fc.tuple(inner, pick(methodsOfOne), inner).map(([a, name, b]) => `${a}.${name}(${b})`),
      fc
        .tuple(inner, pick(methodsOfTwo), inner, inner)
        .map(([a, name, b, c]) => `${a}.${name}(${b}, ${c})`),
      fc.tuple(inner, pick(macros), inner).map(([a, name, b]) => `${a}.${name}(x, ${b})`),
      fc.tuple(inner, inner).map(([a, b]) => `cel.bind(x, ${a}, ${b})`),
      fc.tuple(inner, fc.constantFrom("[", "[?"), inner).map(([a, open, b]) => `${a}${open}${b}]`),
      fc.tuple(inner, fc.constantFrom(".", ".?"), pick(fields)).map((parts) => parts.join("")),
      fc.tuple(inner, inner).map(([a, b]) => `[${a}, ${b}]`),
      fc.tuple(inner, inner).map(([a, b]) => `{${a}: ${b}}`),
      fc.tuple(fc.constantFrom("!", "-"), inner).map((parts) => parts.join("")),
    ),
  };
});

it("never throws for an expression that parses", () => {
  let values = 0;
  let problems = 0;
  fc.assert(
    fc.property(expression, (source) => {
      const parsed = parseTemplate(`\${${source}}`).template;
      if (parsed === undefined) return;
      const result = evaluateTemplate(parsed, scope, "any");
      if (result.problems.length === 0) values += 1;
      else problems += 1;
      checkTemplate(parsed, types, "string");
      referencesOf(parsed);
      concreteReferences(parsed, scope);
      // Which problems a checked expression has does not depend on what was evaluated before.
      expect(evaluateTemplate(parsed, scope, "any")).toEqual(result);
    }),
    { numRuns: amount(500, 4_000) },
  );
  expect(values).toBeGreaterThan(amount(50, 100));
  expect(problems).toBeGreaterThan(amount(50, 100));
});

it("never throws for a text of any kind", () => {
  const piece = fc.constantFrom(
    "${",
    "}",
    "$",
    '"',
    "'",
    "//",
    "\n",
    "vars.a",
    "[",
    "(",
    "1",
    "\\",
  );
  fc.assert(
    fc.property(fc.array(piece), fc.string(), (pieces, tail) => {
      const parsed = parseTemplate(pieces.join("") + tail);
      expect(parsed.template === undefined).toBe(parsed.problems.length > 0);
    }),
    { numRuns: amount(500, 4_000) },
  );
});

it.each(["${vars.ratio + {}.a}", "${bytes('{').json()}", '${timestamp(0).getHours("nowhere")}'])(
  "%s has a problem, although the library throws an error of another kind",
  (text) => {
    const found = [
      ...checkTemplate(template(text), types, "any"),
      ...evaluateTemplate(template(text), scope, "any").problems,
    ];
    expect(found).not.toEqual([]);
  },
);
