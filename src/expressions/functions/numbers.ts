/** Functions of numbers. An integer stays one where the result can be one. */

import { entryOf, type FunctionEntry, failure } from "./function-entry.ts";
import { isNumber } from "./live.ts";

const powerDigitsMax = 300;

const number = entryOf("Numbers");

export const numberFunctions: readonly FunctionEntry[] = [
  number(
    "sum",
    "list.sum()",
    "The sum of a list of numbers.",
    [{ expression: "[1, 2, 3].sum()", value: "6" }],
    { "list.sum(): dyn": sum },
  ),
  number(
    "abs",
    "abs(number)",
    "The number without its sign.",
    [{ expression: "abs(-3)", value: "3" }],
    {
      "abs(int): int": (value: bigint) => (value < 0n ? -value : value),
      "abs(double): double": (value: number) => Math.abs(value),
    },
  ),
  number(
    "ceil",
    "ceil(number)",
    "The next integer that is not smaller.",
    [{ expression: "ceil(2.1)", value: "3" }],
    rounded("ceil", Math.ceil),
  ),
  number(
    "floor",
    "floor(number)",
    "The next integer that is not larger.",
    [{ expression: "floor(2.9)", value: "2" }],
    rounded("floor", Math.floor),
  ),
  number(
    "round",
    "round(number)",
    "The nearest integer; halves away from zero.",
    [{ expression: "round(-2.5)", value: "-3" }],
    rounded("round", (value) => Math.sign(value) * Math.round(Math.abs(value))),
  ),
  number(
    "sign",
    "sign(number)",
    "-1, 0 or 1.",
    [{ expression: "sign(-7)", value: "-1" }],
    rounded("sign", Math.sign),
  ),
  number(
    "pow",
    "pow(base, exponent)",
    "A power; of integers an integer.",
    [
      { expression: "pow(2, 10)", value: "1024" },
      { expression: "pow(2.0, 0.5) > 1.41", value: "true" },
    ],
    {
      "pow(int, int): int": power,
      "pow(double, double): double": (base: number, exponent: number) => base ** exponent,
    },
  ),
  number(
    "log",
    "log(number, base)",
    "The logarithm of a number.",
    [{ expression: "log(8.0, 2.0)", value: "3" }],
    {
      "log(double, double): double": (value: number, base: number) => logarithm(value, base),
      "log(int, int): double": (value: bigint, base: bigint) =>
        logarithm(Number(value), Number(base)),
    },
  ),
  number(
    "parseint",
    "parseint(text, base)",
    "The integer that a text means in a base from 2 to 36.",
    [{ expression: 'parseint("ff", 16)', value: "255" }],
    { "parseint(string, int): int": parseInteger },
  ),
];

function rounded(name: string, compute: (value: number) => number): FunctionEntry["overloads"] {
  return {
    [`${name}(int): int`]: (value: bigint) =>
      name === "sign" ? BigInt(compute(Number(value))) : value,
    [`${name}(double): int`]: (value: number) => {
      if (!Number.isFinite(value)) throw failure(`${name}() takes a finite number`);
      return BigInt(compute(value));
    },
  };
}

function sum(list: Iterable<unknown>): bigint | number {
  const items = [...list];
  if (items.every((item) => typeof item === "bigint")) {
    return items.reduce((total: bigint, item) => total + item, 0n);
  }
  return items.reduce((total: number, item) => {
    if (!isNumber(item)) throw failure("sum() takes a list of numbers");
    return total + Number(item);
  }, 0);
}

function power(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw failure("pow() of integers takes an exponent from 0");
  const digits = Math.max(base.toString().length, 1) * Number(exponent);
  const isSmall = base >= -1n && base <= 1n;
  if (!isSmall && digits > powerDigitsMax) throw failure("the result of pow() is too large");
  return isSmall
    ? base ** (exponent % 2n === 0n ? (exponent === 0n ? 0n : 2n) : 1n)
    : base ** exponent;
}

function logarithm(value: number, base: number): number {
  if (value <= 0 || base <= 0 || base === 1) {
    throw failure("log() takes positive numbers, and a base that is not 1");
  }
  if (base === 2) return Math.log2(value);
  return base === 10 ? Math.log10(value) : Math.log(value) / Math.log(base);
}

function parseInteger(text: string, base: bigint): bigint {
  if (base < 2n || base > 36n) throw failure("the base of parseint() is from 2 to 36");
  const [, sign, digits = ""] = /^([-+]?)([0-9a-z]{1,300})$/i.exec(text) ?? [];
  let value = 0n;
  for (const digit of digits) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= Number(base))
      throw failure(`${JSON.stringify(text)} is no integer in base ${base}`);
    value = value * base + BigInt(worth);
  }
  if (digits === "") throw failure(`${JSON.stringify(text)} is no integer in base ${base}`);
  return sign === "-" ? -value : value;
}
