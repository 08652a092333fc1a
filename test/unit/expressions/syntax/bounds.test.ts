/** What an expression may cost: each bomb ends with words, and sound expressions do not notice. */

import { expect, test } from "vitest";
import { sizeProblem, textProblem, withinTime } from "../../../../src/expressions/syntax/bounds.ts";
import type { PlannedValue } from "../../../../src/model/value/value.ts";

function doubled(times: number, join: (value: PlannedValue) => PlannedValue): PlannedValue {
  let value: PlannedValue = 1;
  for (let index = 0; index < times; index += 1) value = join(value);
  return value;
}

test.each([
  ["a list", (value: PlannedValue) => [value, value]],
  ["a map", (value: PlannedValue) => ({ left: value, right: value })],
])("%s of twice itself, and so on, is too large, however little memory it takes", (_name, join) => {
  expect(sizeProblem(doubled(40, join))?.message).toContain("more than 1000000 parts");
  expect(sizeProblem(doubled(15, join))).toBeUndefined();
});

test("texts count by their length", () => {
  expect(textProblem(4_000_000)).toBeUndefined();
  expect(textProblem(4_000_001)?.message).toContain("more than 4000000 characters");
  expect(sizeProblem("x".repeat(4_000_001))).toBeDefined();
});

test("watched work gives its value, and throws what it throws", () => {
  expect(withinTime("[1].map(x, x)", () => 3)).toBe(3);
  expect(() =>
    withinTime("[1].map(x, x)", () => {
      throw new RangeError("its own");
    }),
  ).toThrow("its own");
  // Within another one.
  expect(withinTime("a.map(x, x)", () => withinTime("b.map(x, x)", () => 5) + 1)).toBe(6);
});
