/** Values as texts of common forms, and back. */

import { JsonError, parseJson, stringifyJson } from "../../../lib/json.ts";
import { indexText, placeAt } from "../../../lib/text.ts";
import { parseYaml, type YamlNode, type YamlScalar } from "../../../lib/yaml/yaml.ts";
import { yamlText } from "../../../lib/yaml/yaml-text.ts";
import { boundText, type FunctionEntry, failure } from "../function-entry.ts";
import { fromJson, toJson } from "../live.ts";
import { csvRows } from "./csv.ts";

export const encodingFunctions: readonly FunctionEntry[] = [
  {
    name: "jsonencode",
    group: "Encodings",
    form: "jsonencode(value)",
    sentence: "A value as JSON on one line; integers of any size stay exact.",
    examples: [{ expression: 'jsonencode({"a": [1, true]})', value: '"{\\"a\\":[1,true]}"' }],
    overloads: { "jsonencode(dyn): string": jsonOf },
  },
  {
    name: "jsondecode",
    group: "Encodings",
    form: "jsondecode(text)",
    sentence: "The value that a JSON text stands for; a key given twice is an error.",
    examples: [{ expression: 'jsondecode("{\\"a\\": [1, 2]}").a', value: "[1,2]" }],
    overloads: { "jsondecode(string): dyn": decodeJson },
  },
  {
    name: "yamlencode",
    group: "Encodings",
    form: "yamlencode(value)",
    sentence: "A value as YAML; what another reader could mistake is quoted.",
    examples: [{ expression: 'yamlencode({"a": ["x"]})', value: '"a:\\n  - x\\n"' }],
    overloads: {
      "yamlencode(dyn): string": (value: unknown) => {
        const json = toJson("yamlencode()", value);
        boundText("yamlencode()", stringifyJson(json).length);
        return yamlText(json);
      },
    },
  },
  {
    name: "yamldecode",
    group: "Encodings",
    form: "yamldecode(text)",
    sentence:
      "The value that one document of YAML 1.2 stands for: `on` and `0123` are texts, a key " +
      "given twice is an error.",
    examples: [
      { expression: 'yamldecode("a: [1, on, 2.5]").a', value: '[1,"on",2.5]' },
      { expression: 'yamldecode("id: 0123").id', value: '"0123"' },
    ],
    overloads: { "yamldecode(string): dyn": decodeYaml },
  },
  {
    name: "csvdecode",
    group: "Encodings",
    form: "csvdecode(text)",
    sentence: "A map for each line of a CSV text, by the names in its first line; all are texts.",
    examples: [
      {
        expression: 'csvdecode("name,size\\nweb,3\\n\\"a,b\\",4\\n")',
        value: '[{"name":"web","size":"3"},{"name":"a,b","size":"4"}]',
      },
    ],
    overloads: { "csvdecode(string): list<dyn>": csvRows },
  },
  {
    name: "base64encode",
    group: "Encodings",
    form: "base64encode(text), base64encode(text, encoding)",
    sentence: "A text in base64, of its UTF-8 bytes or of those of UTF-16LE.",
    examples: [
      { expression: 'base64encode("hello")', value: '"aGVsbG8="' },
      { expression: 'base64encode("dir", "UTF-16LE")', value: '"ZABpAHIA"' },
    ],
    overloads: {
      "base64encode(string): string": (text: string) => base64(text, "utf8"),
      "base64encode(string, string): string": (text: string, encoding: string) =>
        base64(text, bufferEncoding(encoding)),
    },
  },
  {
    name: "base64decode",
    group: "Encodings",
    form: "base64decode(text), base64decode(text, encoding)",
    sentence: "The text that base64 stands for; bytes that are no text are an error.",
    examples: [{ expression: 'base64decode("aGVsbG8=")', value: '"hello"' }],
    overloads: {
      "base64decode(string): string": (text: string) => decodeBase64(text, "utf8"),
      "base64decode(string, string): string": (text: string, encoding: string) =>
        decodeBase64(text, bufferEncoding(encoding)),
    },
  },
  {
    name: "urlencode",
    group: "Encodings",
    form: "urlencode(text)",
    sentence: "A text as a part of a URL.",
    examples: [{ expression: 'urlencode("a b/c")', value: '"a%20b%2Fc"' }],
    overloads: {
      "urlencode(string): string": (text: string) =>
        encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "\ufffd")),
    },
  },
  {
    name: "urldecode",
    group: "Encodings",
    form: "urldecode(text)",
    sentence: "The text that a part of a URL stands for.",
    examples: [{ expression: 'urldecode("a%20b+c")', value: '"a b c"' }],
    overloads: {
      "urldecode(string): string": (text: string) => {
        try {
          return decodeURIComponent(text.replaceAll("+", " "));
        } catch {
          throw failure("urldecode() takes a text with % and two hexadecimal digits of UTF-8");
        }
      },
    },
  },
];

function jsonOf(value: unknown): string {
  const text = stringifyJson(toJson("jsonencode()", value));
  boundText("jsonencode()", text.length);
  return text;
}

function decodeJson(text: string): unknown {
  try {
    return fromJson(parseJson(text, { duplicateKeys: "error" }));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw failure(`jsondecode(): line ${error.line}, column ${error.column}: ${error.reason}`);
  }
}

function decodeYaml(text: string): unknown {
  const { documents, problems } = parseYaml(text);
  const [problem] = problems;
  if (problem !== undefined) {
    const { line, column } = placeAt(indexText(text), problem.start);
    throw failure(`yamldecode(): line ${line}, column ${column}: ${problem.message}`);
  }
  if (documents.length > 1) throw failure("yamldecode() takes one document");
  const [document] = documents;
  return document === undefined ? null : yamlValue(document, new Map());
}

/** Anchors are shared nodes: each is read once. */
function yamlValue(node: YamlNode, known: Map<YamlNode, unknown>): unknown {
  if (known.has(node)) return known.get(node);
  const value = readYaml(node, known);
  known.set(node, value);
  return value;
}

function readYaml(node: YamlNode, known: Map<YamlNode, unknown>): unknown {
  switch (node.kind) {
    case "scalar":
      return yamlScalar(node);
    case "list":
      return node.items.map((item) => yamlValue(item, known));
    case "map":
      return new Map(node.entries.map(({ key, value }) => [key.text, yamlValue(value, known)]));
  }
}

/** As a configuration reads them; what only looks like a number stays a text. */
function yamlScalar({ text, plain }: YamlScalar): unknown {
  if (!plain) return text;
  if (text === "" || text === "~" || text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(?:0|[1-9][0-9]{0,300})$/.test(text)) return BigInt(text);
  if (/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/.test(text)) {
    const number = Number(text);
    if (Number.isFinite(number)) return number;
  }
  return text;
}

function bufferEncoding(name: string): "utf8" | "utf16le" {
  switch (name.toUpperCase()) {
    case "UTF-8":
      return "utf8";
    case "UTF-16LE":
      return "utf16le";
    default:
      throw failure("the encoding is UTF-8 or UTF-16LE");
  }
}

function base64(text: string, encoding: "utf8" | "utf16le"): string {
  boundText("base64encode()", text.length * 2);
  return Buffer.from(text, encoding).toString("base64");
}

function decodeBase64(text: string, encoding: "utf8" | "utf16le"): string {
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) throw failure("base64decode() takes base64");
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64").replace(/=+$/, "") !== text.replaceAll(/[\s=]/g, "")) {
    throw failure("base64decode() takes base64, whole");
  }
  try {
    return new TextDecoder(encoding === "utf8" ? "utf-8" : "utf-16le", {
      fatal: true,
      ignoreBOM: true,
    }).decode(bytes);
  } catch {
    throw failure("base64decode(): the bytes are no text");
  }
}
