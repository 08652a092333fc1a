/**
 * Types one written text. Text stays text where a text is wanted; everywhere else nothing is
 * converted by guessing: booleans are `true` and `false`, numbers are written plainly.
 */

import type { YamlScalar } from "../../../lib/yaml/yaml.ts";
import type { Value } from "../../../model/value/value.ts";
import type { ConfigurationCode } from "../../codes.ts";
import { wayOfBareExpression, wayOfList, wayOfMap, wayOfType } from "./habits.ts";
import type { Shape } from "./shape.ts";
import { typeName } from "./shape.ts";
import { listWords, meantName } from "./spelling.ts";

export type TypedScalar =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      readonly code: ConfigurationCode;
      readonly detail: string;
      readonly fix?: string;
    };

export type ScalarOptions = {
  /** Keeps the text out of the messages, since it may be a secret. */
  readonly quiet: boolean;
  /** What the value belongs to, named instead of a text that must not be shown. */
  readonly owner: string;
};

const integerPattern = /^-?(?:0|[1-9][0-9]*)$/;
const numberPattern = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
/** What YAML's core schema, or a reader of YAML 1.1, would take for a number. */
const numberLike = new RegExp(
  [
    String.raw`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`,
    String.raw`^0o[0-7]+$`,
    String.raw`^[-+]?0x[0-9a-fA-F]+$`,
    String.raw`^[-+]?\.(?:inf|Inf|INF)$`,
    String.raw`^\.(?:nan|NaN|NAN)$`,
  ].join("|"),
);
const trueLike = /^(?:true|yes|on|y|1)$/i;
const falseLike = /^(?:false|no|off|n|0)$/i;

/** True for what stands for "not set": nothing, `~` or `null`, unquoted. */
export function isNull(node: YamlScalar): boolean {
  return node.plain && (node.text === "" || node.text === "~" || node.text === "null");
}

/** Types a scalar for a place of the given shape. */
export function typeScalar(node: YamlScalar, shape: Shape, options: ScalarOptions): TypedScalar {
  if (isNull(node)) return { ok: true, value: null };
  switch (shape.type) {
    case "string":
      return typeText(node, shape, options);
    case "boolean":
      return typeBoolean(node, options);
    case "integer":
    case "number":
      return typeNumber(node, shape.type, options);
    case "any":
      return typeByWriting(node, options);
    case "list":
    case "map": {
      const detail = `${shown(node, options)} is not ${typeName(shape.type)}.`;
      const text = options.quiet ? "" : node.text;
      const fix = shape.type === "list" ? wayOfList(text) : wayOfMap(text, shape);
      return { ok: false, code: "CFG012", detail, ...(fix === undefined ? {} : { fix }) };
    }
  }
}

/** How the scalar is quoted in a message. */
function shown(node: YamlScalar, options: ScalarOptions): string {
  if (options.quiet) return `The value of ${options.owner}`;
  const text = node.text.length > 60 ? `${node.text.slice(0, 60)}…` : node.text;
  return node.plain && /^[\w.+-]+$/.test(text) ? text : JSON.stringify(text);
}

function typeText(node: YamlScalar, shape: Shape, options: ScalarOptions): TypedScalar {
  const words = shape.values;
  if (words === undefined || words.includes(node.text)) return { ok: true, value: node.text };
  const detail = `${shown(node, options)} is not one of the words ${listWords(words)}.`;
  const code = "CFG016";
  if (words.includes("on") && (trueLike.test(node.text) || falseLike.test(node.text))) {
    return { ok: false, code, detail, fix: "Write on or off." };
  }
  const way = options.quiet ? undefined : wayOfType(node.text, words);
  if (way !== undefined) return { ok: false, code, detail, fix: way };
  const meant = meantName(node.text, words);
  return meant === undefined
    ? { ok: false, code, detail }
    : { ok: false, code, detail, fix: `Did you mean ${meant}?` };
}

function typeBoolean(node: YamlScalar, options: ScalarOptions): TypedScalar {
  if (node.plain && node.text === "true") return { ok: true, value: true };
  if (node.plain && node.text === "false") return { ok: true, value: false };
  const code = "CFG015";
  const detail = `${shown(node, options)} is not a boolean; only true and false, unquoted, are.`;
  if (trueLike.test(node.text)) return { ok: false, code, detail, fix: "Write true." };
  if (falseLike.test(node.text)) return { ok: false, code, detail, fix: "Write false." };
  return { ok: false, code, detail, ...bareWay(node, options) };
}

function bareWay(node: YamlScalar, options: ScalarOptions): { readonly fix?: string } {
  const fix = options.quiet ? undefined : wayOfBareExpression(node.text);
  return fix === undefined ? {} : { fix };
}

function typeNumber(
  node: YamlScalar,
  type: "integer" | "number",
  options: ScalarOptions,
): TypedScalar {
  const pattern = type === "integer" ? integerPattern : numberPattern;
  if (node.plain && pattern.test(node.text)) {
    const value = parseNumber(node.text);
    if (typeof value === "bigint" || Number.isFinite(value)) return { ok: true, value };
  }
  const code = "CFG015";
  const detail = `${shown(node, options)} is not ${typeName(type)}.`;
  if (!node.plain && pattern.test(node.text)) {
    const fix = options.quiet ? "Write it without quotes." : `Write ${node.text} without quotes.`;
    return { ok: false, code, detail, fix };
  }
  const plain = plainNumber(node.text);
  if (options.quiet || plain === undefined || !pattern.test(plain)) {
    return { ok: false, code, detail, ...bareWay(node, options) };
  }
  return { ok: false, code, detail, fix: `Write ${plain}.` };
}

/** No declared type: the writing decides, and must say the same to every reader. */
function typeByWriting(node: YamlScalar, options: ScalarOptions): TypedScalar {
  const { text, plain } = node;
  if (!plain) return { ok: true, value: text };
  if (text === "true") return { ok: true, value: true };
  if (text === "false") return { ok: true, value: false };
  const quote = options.quiet ? "Quote it if it is a text." : `Quote it if it is a text: "${text}"`;
  if (/^(?:true|false|null)$/i.test(text)) {
    const word = text.toLowerCase();
    const detail = `${shown(node, options)} is ${word} to some readers of YAML, a text to others.`;
    return { ok: false, code: "CFG015", detail, fix: `Write ${word}. ${quote}.` };
  }
  if (!numberLike.test(text)) return { ok: true, value: text };
  if (numberPattern.test(text)) {
    const value = parseNumber(text);
    if (String(value) === text) return { ok: true, value };
  }
  const number = plainNumber(text);
  const detail =
    number === undefined || options.quiet
      ? `${shown(node, options)} reads as a number that would not be written like this.`
      : `${shown(node, options)} reads as the number ${number}.`;
  return {
    ok: false,
    code: "CFG017",
    detail,
    fix: `${quote}; write the number plainly otherwise.`,
  };
}

/** Exact: an integer that a double cannot hold is a bigint. */
function parseNumber(text: string): number | bigint {
  const value = Number(text);
  if (integerPattern.test(text) && !Number.isSafeInteger(value)) return BigInt(text);
  return Object.is(value, -0) ? 0 : value;
}

/** The plain writing of what looks like a number, as YAML's core schema reads it. */
function plainNumber(text: string): string | undefined {
  if (!numberLike.test(text)) return undefined;
  if (/^[-+]?[0-9]+$/.test(text)) return String(BigInt(text.replace(/^\+/, "")));
  const value = Number(text);
  return Number.isFinite(value) ? String(value) : undefined;
}
