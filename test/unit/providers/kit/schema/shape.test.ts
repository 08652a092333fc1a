import { expect, test } from "vitest";
import { unknown } from "../../../../../src/model/value/value.ts";
import {
  bagOf,
  isAbsentOr,
  isFlag,
  isListOf,
  isNullOr,
  isNumber,
  isRecordOf,
  isText,
} from "../../../../../src/providers/kit/schema/shape.ts";

const isDisk = isRecordOf({ id: isText, size: isNullOr(isNumber), linked: isAbsentOr(isFlag) });

test.each([
  [{ id: "a", size: 1, linked: true }, true],
  [{ id: "a", size: null, more: [] }, true],
  [{ id: "a" }, false],
  [{ id: "a", size: null, linked: null }, false],
  [{ id: unknown, size: 1 }, false],
  // A member that every object has is none of its own.
  [Object.create({ id: "a", size: 1 }), false],
  [unknown, false],
  [[], false],
  [null, false],
  [undefined, false],
])("whether %j is such a record: %s", (value, fits) => {
  expect(isDisk(value)).toBe(fits);
  expect(isListOf(isDisk)([{ id: "b", size: 2 }, value])).toBe(fits);
});

test("of a bag, each member stands for itself", () => {
  const read = bagOf({ name: [isText, null], tasks: [isListOf(isText), []], big: [isFlag, false] });
  const whole = { name: "web", tasks: ["t"], big: true };
  expect(read({ ...whole, more: 1 })).toEqual(whole);
  expect(read({ name: 3, tasks: ["t", 1], big: true })).toEqual({
    ...{ name: null, tasks: [], big: true },
  });
  expect(read({})).toEqual({ name: null, tasks: [], big: false });
});
