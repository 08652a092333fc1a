/**
 * JSON with exact integers: an integer that a double cannot hold is a `bigint`, every other number
 * is a `number`, and both are written so that reading gives the same value back.
 *
 * `JSON.parse` rounds such integers silently, and its source-text access, which would mend that, is
 * absent from Node.js 20; it also accepts duplicate keys. Nothing here coerces, trims or repairs.
 */

export type JsonValue =
  | null
  | boolean
  | string
  | number
  | bigint
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

export type ParseOptions = {
  /** `last` (as `JSON.parse` does) is the default; `error` refuses a key given twice. */
  readonly duplicateKeys?: "error" | "last";
};

export type StringifyOptions = {
  /** Spaces per level; 0, the default, writes one line without spaces. */
  readonly indent?: number;
  /** Sort members by code unit; by default they stand in the order of the object. */
  readonly sortKeys?: boolean;
};

/** Arrays and objects within each other, for reading and writing; bounds the recursion. */
export const jsonDepthMax = 500;
/** Converting digits to a `bigint` is more than linear, so their count has a limit. */
const integerDigitsMax = 1000;
const excerptLengthMax = 40;

/**
 * The text is not JSON. `line` and `column` count from 1, columns in Unicode code points. `reason`
 * holds no part of the text but single characters; `excerpt` and `message` hold what stands around
 * the place, so a text that may contain secrets should be reported by `reason` alone.
 */
export class JsonError extends Error {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  readonly excerpt: string;

  constructor(reason: string, text: string, offset: number) {
    // A start of -1 would count as 0, and find a line end that stands at the place itself.
    const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
    const line = text.slice(0, lineStart).split("\n").length;
    const column = Array.from(text.slice(lineStart, offset)).length + 1;
    const excerpt = excerptAt(text, lineStart, offset);
    super(`${line}:${column}: ${reason}${excerpt === "" ? "" : `, near ${excerpt}`}`);
    this.name = "JsonError";
    this.line = line;
    this.column = column;
    this.reason = reason;
    this.excerpt = excerpt;
  }
}

/** A text being read, and how far. */
type Cursor = { readonly text: string; offset: number; readonly uniqueKeys: boolean };

/** Reads one JSON text (RFC 8259; a leading byte order mark is skipped). Throws `JsonError`. */
export function parseJson(text: string, options: ParseOptions = {}): JsonValue {
  const cursor: Cursor = {
    text,
    offset: text.startsWith("\uFEFF") ? 1 : 0,
    uniqueKeys: options.duplicateKeys === "error",
  };
  skipSpace(cursor);
  if (cursor.offset === text.length) throw new JsonError("the text is empty", text, cursor.offset);
  const value = readValue(cursor, 0);
  skipSpace(cursor);
  if (cursor.offset < text.length) throw unexpected(cursor, "the end of the text");
  return value;
}

function readValue(cursor: Cursor, depth: number): JsonValue {
  switch (cursor.text[cursor.offset]) {
    case "{":
      return readObject(cursor, depth + 1);
    case "[":
      return readArray(cursor, depth + 1);
    case '"':
      return readString(cursor);
    case "t":
      return readWord(cursor, "true", true);
    case "f":
      return readWord(cursor, "false", false);
    case "n":
      return readWord(cursor, "null", null);
    default:
      return readNumber(cursor);
  }
}

function readObject(cursor: Cursor, depth: number): JsonValue {
  const result: { [name: string]: JsonValue } = {};
  if (enter(cursor, depth, "}")) return result;
  for (;;) {
    const keyOffset = cursor.offset;
    if (cursor.text[keyOffset] !== '"') throw unexpected(cursor, "a key in double quotes");
    const key = readString(cursor);
    if (cursor.uniqueKeys && Object.hasOwn(result, key)) {
      throw new JsonError("duplicate key", cursor.text, keyOffset);
    }
    skipSpace(cursor);
    if (cursor.text[cursor.offset] !== ":") throw unexpected(cursor, "':'");
    cursor.offset += 1;
    skipSpace(cursor);
    setMember(result, key, readValue(cursor, depth));
    if (!next(cursor, "}")) return result;
  }
}

function readArray(cursor: Cursor, depth: number): JsonValue {
  const result: JsonValue[] = [];
  if (enter(cursor, depth, "]")) return result;
  for (;;) {
    result.push(readValue(cursor, depth));
    if (!next(cursor, "]")) return result;
  }
}

/** Steps over the opening bracket; true when the closing one follows at once. */
function enter(cursor: Cursor, depth: number, close: string): boolean {
  if (depth > jsonDepthMax) {
    throw new JsonError(`nested deeper than ${jsonDepthMax} levels`, cursor.text, cursor.offset);
  }
  cursor.offset += 1;
  skipSpace(cursor);
  if (cursor.text[cursor.offset] !== close) return false;
  cursor.offset += 1;
  return true;
}

/** After an item: steps over a comma (true, another item follows) or the closing bracket. */
function next(cursor: Cursor, close: string): boolean {
  skipSpace(cursor);
  const character = cursor.text[cursor.offset];
  if (character !== "," && character !== close) throw unexpected(cursor, `',' or '${close}'`);
  cursor.offset += 1;
  if (character === close) return false;
  skipSpace(cursor);
  return true;
}

/** Assigning to `__proto__` would set the prototype; defining it makes an ordinary member. */
function setMember(target: { [name: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key !== "__proto__") {
    target[key] = value;
    return;
  }
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

const escapes: { readonly [character: string]: string } = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

function readString(cursor: Cursor): string {
  const { text } = cursor;
  let result = "";
  let start = cursor.offset + 1;
  for (let offset = start; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (code === 0x22) {
      cursor.offset = offset + 1;
      return result + text.slice(start, offset);
    }
    if (code < 0x20) throw new JsonError("control character in a string", text, offset);
    if (code !== 0x5c) continue;
    result += text.slice(start, offset);
    const hex = text[offset + 1] === "u" ? text.slice(offset + 2, offset + 6) : undefined;
    const escaped = hex === undefined ? escapes[text[offset + 1] ?? ""] : readHex(hex);
    if (escaped === undefined) throw new JsonError("unknown escape in a string", text, offset);
    result += escaped;
    offset += hex === undefined ? 1 : 5;
    start = offset + 1;
  }
  throw new JsonError("a string that does not end", text, cursor.offset);
}

function readHex(hex: string): string | undefined {
  return /^[0-9a-fA-F]{4}$/.test(hex) ? String.fromCharCode(Number.parseInt(hex, 16)) : undefined;
}

function readWord<T extends JsonValue>(cursor: Cursor, word: string, value: T): T {
  if (!cursor.text.startsWith(word, cursor.offset)) throw unexpected(cursor, "a value");
  cursor.offset += word.length;
  return value;
}

const numberPattern = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;

function readNumber(cursor: Cursor): number | bigint {
  numberPattern.lastIndex = cursor.offset;
  const match = numberPattern.exec(cursor.text);
  if (match === null) throw unexpected(cursor, "a value");
  const number = Number(match[0]);
  const written = match[0];
  if (match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(number)) {
    if (written.length > integerDigitsMax) {
      const reason = `an integer of more than ${integerDigitsMax} digits`;
      throw new JsonError(reason, cursor.text, cursor.offset);
    }
    cursor.offset += written.length;
    return BigInt(written);
  }
  if (!Number.isFinite(number)) {
    throw new JsonError("a number too large for a double", cursor.text, cursor.offset);
  }
  cursor.offset += written.length;
  return number;
}

function skipSpace(cursor: Cursor): void {
  for (;;) {
    const code = cursor.text.charCodeAt(cursor.offset);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    cursor.offset += 1;
  }
}

function unexpected(cursor: Cursor, wanted: string): JsonError {
  const code = cursor.text.codePointAt(cursor.offset);
  const found = code === undefined ? "the text ends" : `found ${quote(String.fromCodePoint(code))}`;
  return new JsonError(`expected ${wanted}, ${found}`, cursor.text, cursor.offset);
}

function excerptAt(text: string, lineStart: number, offset: number): string {
  const from = Math.max(lineStart, offset - excerptLengthMax / 2);
  const excerpt = text.slice(from, from + excerptLengthMax).split(/[\r\n]/, 1)[0] ?? "";
  return excerpt.trim() === "" ? "" : quote(excerpt);
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/**
 * Writes a value. A member that is `undefined` is left out, as `JSON.stringify` does. Throws
 * `TypeError` for what JSON cannot hold: a number that is not finite, a class instance, an object
 * with symbol keys (such as an unknown value), `undefined` in an array, nesting beyond the limit.
 */
export function stringifyJson(value: JsonValue, options: StringifyOptions = {}): string {
  const parts: string[] = [];
  const writer: Writer = {
    parts,
    indent: " ".repeat(options.indent ?? 0),
    sortKeys: options.sortKeys === true,
  };
  writeValue(writer, value, 0);
  return parts.join("");
}

type Writer = { readonly parts: string[]; readonly indent: string; readonly sortKeys: boolean };

function writeValue(writer: Writer, value: JsonValue, depth: number): void {
  if (typeof value !== "object" || value === null) {
    writer.parts.push(formatScalar(value));
    return;
  }
  if (depth >= jsonDepthMax) throw new TypeError(`nested deeper than ${jsonDepthMax} levels`);
  if (isList(value)) writeArray(writer, value, depth + 1);
  else writeObject(writer, value, depth + 1);
}

function formatScalar(value: null | boolean | string | number | bigint): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return formatNumber(value);
    case "bigint":
    case "boolean":
      return String(value);
    default:
      if (value === null) return "null";
      throw new TypeError(`a value of type ${typeof value} cannot be written as JSON`);
  }
}

/** A whole double beyond 2^53 is written with an exponent, else it would read as a `bigint`. */
function formatNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} cannot be written as JSON`);
  if (Object.is(value, -0)) return "-0";
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? value.toExponential()
    : String(value);
}

function writeArray(writer: Writer, value: readonly JsonValue[], depth: number): void {
  if (value.length === 0) {
    writer.parts.push("[]");
    return;
  }
  writer.parts.push("[");
  for (const [index, item] of value.entries()) {
    if (index > 0) writer.parts.push(",");
    breakLine(writer, depth);
    writeValue(writer, item, depth);
  }
  breakLine(writer, depth - 1);
  writer.parts.push("]");
}

function writeObject(
  writer: Writer,
  value: { readonly [name: string]: JsonValue },
  depth: number,
): void {
  requirePlain(value);
  const keys = Object.keys(value);
  if (writer.sortKeys) keys.sort();
  writer.parts.push("{");
  let count = 0;
  for (const key of keys) {
    const item = value[key];
    if (item === undefined) continue;
    if (count > 0) writer.parts.push(",");
    count += 1;
    breakLine(writer, depth);
    writer.parts.push(quote(key), writer.indent === "" ? ":" : ": ");
    writeValue(writer, item, depth);
  }
  if (count > 0) breakLine(writer, depth - 1);
  writer.parts.push("}");
}

function requirePlain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The prototype of another realm's plain object is that realm's, whose own prototype is null.
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!plain) throw new TypeError("a class instance cannot be written as JSON");
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw new TypeError("an object with symbol keys cannot be written as JSON");
  }
}

function breakLine(writer: Writer, depth: number): void {
  if (writer.indent !== "") writer.parts.push("\n", writer.indent.repeat(depth));
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
