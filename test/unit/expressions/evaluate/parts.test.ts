/** What the parts of a condition came to. */

import { expect, test } from "vitest";
import { partsOf } from "../../../../src/expressions/evaluate/parts.ts";
import type { Scope } from "../../../../src/expressions/evaluate/scope.ts";
import { parseTemplate } from "../../../../src/expressions/syntax/template.ts";
import { unknown } from "../../../../src/model/value/value.ts";

const scope: Scope = {
  values: { plan: { n: 3, list: ["a", "b"], late: unknown, secret: "hunter2" } },
  resources: { shape: () => undefined, attributes: () => undefined, schema: () => undefined },
  sensitive: new Set(["plan.secret"]),
  doubles: new Set(),
  pending: {},
};

function partsIn(source: string): readonly (readonly [string, unknown])[] {
  const { template } = parseTemplate(source);
  if (template === undefined) throw new Error(source);
  return partsOf(template, scope).map(({ text, value, sensitive }) => [
    text,
    sensitive ? "sensitive" : value,
  ]);
}

test.each<readonly [string, readonly (readonly [string, unknown])[]]>([
  ["${plan.n == 4}", [["plan.n", 3]]],
  ["${!(plan.n > 1 && plan.n < 3)}", [["plan.n", 3]]],
  ["${plan.n in [1, 2]}", [["plan.n", 3]]],
  [
    "${plan.list.size() == plan.n + 1}",
    [
      ["plan.list.size()", 2],
      ["plan.list", ["a", "b"]],
      ["plan.n", 3],
    ],
  ],
  [
    '${plan.list.all(x, x == "a")}',
    [
      ['plan.list.all(x, x == "a")', false],
      ["plan.list", ["a", "b"]],
    ],
  ],
  ["${plan.late == 1 || plan.nothing == 1}", [["plan.late", unknown]]],
  ['${plan.secret == "x"}', [["plan.secret", "sensitive"]]],
  ["${1 == 2}", []],
])("%s", (source, parts) => {
  expect(partsIn(source)).toEqual(parts);
});
