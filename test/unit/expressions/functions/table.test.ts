/** Every example of the documentation gives the value that is printed beside it. */

import { describe, expect, test } from "vitest";
import { checkTemplate } from "../../../../src/expressions/check/check.ts";
import { evaluateTemplate } from "../../../../src/expressions/evaluate/evaluate.ts";
import type { Scope } from "../../../../src/expressions/evaluate/scope.ts";
import { functionTable } from "../../../../src/expressions/functions/functions.ts";
import { parseExpression } from "../../../../src/expressions/syntax/template.ts";
import { stringifyJson } from "../../../../src/lib/json.ts";
import { isKnown, type PlannedValue } from "../../../../src/model/value/value.ts";
import { scope as fixture, types } from "../scope-fixture.ts";
import { exampleFiles, exampleTime } from "./example-files.ts";

const scope: Scope = { ...fixture, files: exampleFiles, time: exampleTime };

describe.each(functionTable)("$name", (entry) => {
  test("is documented", () => {
    expect(entry.form).toContain(`${entry.name}(`);
    expect(entry.sentence).toMatch(/^[^a-z].*\.$/);
    expect(entry.examples.length).toBeGreaterThan(0);
  });

  test.each(entry.examples)("$expression", ({ expression, value }) => {
    const { template, problems } = parseExpression(expression);
    expect(problems).toEqual([]);
    if (template === undefined) return;
    expect(checkTemplate(template, types, "any")).toEqual([]);
    const result = evaluateTemplate(template, scope, "any");
    expect(result.problems).toEqual([]);
    expect(shown(result.value)).toBe(value);
  });
});

test("no function stands twice, save where the library has forms of its own", () => {
  const names = functionTable.filter((entry) => Object.keys(entry.overloads).length > 0);
  const forms = names.map(({ name, form }) => `${name} ${form}`);
  expect(new Set(forms).size).toBe(forms.length);
});

function shown(value: PlannedValue): string {
  return isKnown(value) ? stringifyJson(value) : "unknown";
}
