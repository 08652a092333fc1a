/** The verbs of `format`: those of CEL's library of texts, with widths as other tools have them. */

import { stringifyJson } from "../../../lib/json.ts";
import { boundText, failure } from "../function-entry.ts";
import { isNumber, toJson } from "../live.ts";

const verbPattern = /%(?:%|([-+0 ]*)(\d*)(?:\.(\d*))?([a-zA-Z])?)/g;
const widthMax = 1_000;
const decimalsMax = 100;

type Verb = {
  readonly flags: string;
  readonly decimals: number | undefined;
  readonly letter: string;
};

export function formatted(pattern: string, list: Iterable<unknown>): string {
  const values = [...list];
  let used = 0;
  let length = 0;
  const text = pattern.replaceAll(
    verbPattern,
    (
      all: string,
      flags: string | undefined,
      width: string | undefined,
      decimals: string | undefined,
      letter: string | undefined,
    ) => {
      if (all === "%%") return "%";
      if (letter === undefined) throw failure("format(): a % alone is written %%");
      if (used >= values.length) {
        throw failure(`format() has more verbs than the ${values.length} elements of its list`);
      }
      const wide = Number(width ?? "");
      const places = decimals === undefined ? undefined : Number(decimals);
      if (wide > widthMax) throw failure(`format() takes widths up to ${widthMax}`);
      if (places !== undefined && places > decimalsMax) {
        throw failure(`format() takes up to ${decimalsMax} decimals`);
      }
      const verb = { flags: flags ?? "", decimals: places, letter };
      const shown = padded(verbText(verb, values[used]), verb, wide);
      used += 1;
      length += shown.length;
      boundText("format()", length);
      return shown;
    },
  );
  if (used < values.length) {
    throw failure(`format() has ${used} verbs, and ${values.length} elements in its list`);
  }
  return text;
}

function verbText(verb: Verb, value: unknown): string {
  const { letter, decimals } = verb;
  switch (letter) {
    case "s":
    case "v": {
      const text = typeof value === "string" ? value : stringifyJson(toJson("format()", value));
      return decimals === undefined ? text : Array.from(text).slice(0, decimals).join("");
    }
    case "q":
      return JSON.stringify(typeof value === "string" ? value : String(value));
    case "d":
      return signed(integerOf(verb, value).toString(), verb);
    case "x":
      if (typeof value === "string") return Buffer.from(value).toString("hex");
      return integerOf(verb, value).toString(16);
    case "X":
      return integerOf(verb, value).toString(16).toUpperCase();
    case "o":
      return integerOf(verb, value).toString(8);
    case "b":
      return integerOf(verb, value).toString(2);
    case "f":
      return signed(numberOf(verb, value).toFixed(decimals ?? 6), verb);
    case "e":
      return signed(numberOf(verb, value).toExponential(decimals ?? 6), verb);
    case "g":
      return signed(String(numberOf(verb, value)), verb);
    case "t":
      if (typeof value === "boolean") return String(value);
      throw failure("the verb %t of format() takes a boolean");
    default:
      throw failure(`format() has no verb %${letter}`);
  }
}

function integerOf({ letter }: Verb, value: unknown): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  throw failure(`the verb %${letter} of format() takes an integer`);
}

function numberOf({ letter }: Verb, value: unknown): number {
  const number = isNumber(value) ? Number(value) : Number.NaN;
  if (Number.isFinite(number)) return number;
  throw failure(`the verb %${letter} of format() takes a number`);
}

function signed(text: string, { flags }: Verb): string {
  return flags.includes("+") && !text.startsWith("-") ? `+${text}` : text;
}

function padded(text: string, { flags, letter }: Verb, width: number): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0") || letter === "s" || letter === "q") return text.padStart(width);
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  return sign + digits.padStart(width - sign.length, "0");
}
