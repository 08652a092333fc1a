/**
 * One configuration file: bytes to YAML nodes, with every problem of encoding and syntax. What YAML
 * silently reads otherwise than it looks (no-break spaces, unquoted expressions) is a problem here.
 */

import { decodeText, placeAt } from "../../lib/text.ts";
import { parseYaml, type YamlNode, type YamlProblem } from "../../lib/yaml/yaml.ts";
import type { ConfigurationCode } from "../codes.ts";
import { type Place, placeText, type Report, type SourceFile, sourceFile } from "../report.ts";
import { quoteExpressionLine } from "./quoting.ts";
import { seemsSecret } from "./secret-line.ts";

export type FileBytes = {
  /** As printed in diagnostics, relative. */
  readonly name: string;
  readonly bytes: Uint8Array;
};

export type ParsedFile = {
  readonly source: SourceFile;
  readonly documents: readonly YamlNode[];
  /** False when the file has problems of syntax: something may be absent from `documents`. */
  readonly complete: boolean;
  /**
   * The documents also of a file that is not complete, when its problems leave the rest of it as it
   * stands: a key given twice, an alias of nothing. Undefined when nothing is known of its content.
   */
  readonly readable: readonly YamlNode[] | undefined;
  /** False when the bytes are no text: `source` holds no more than their beginning. */
  readonly decoded: boolean;
};

/** Problems that concern one node; what stands around it is read rightly. */
const localProblems: ReadonlySet<YamlProblem["kind"]> = new Set([
  "duplicate-key",
  "unknown-alias",
  "alias-in-itself",
  "bad-merge",
  "tag",
  "key-not-text",
]);

const syntaxProblemsMax = 20;
/** Spaces that are none for YAML, and marks that are not seen at all. */
const invisible =
  /[\u00a0\u00ad\u1680\u2000-\u200f\u2028\u2029\u202a-\u202f\u205f-\u2064\u3000\ufeff]/;
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;

/** Parses a file; one with problems gives no documents. No line of a `hidden` file is shown. */
export function parseFile(file: FileBytes, report: Report, hidden = false): ParsedFile {
  const decoded = decodeText(file.bytes);
  if (decoded.text === undefined) {
    const before = decoded.encoding === "invalid" ? decoded.before : "";
    const source = sourceFile(file.name, before, hidden);
    const end = source.index.text.length;
    reportEncoding(decoded, { file: source, start: end, end }, report);
    return { source, documents: [], complete: false, readable: undefined, decoded: false };
  }
  const source = sourceFile(file.name, decoded.text, hidden);
  const before = report.errorCount();
  const found = control.exec(decoded.text);
  if (found !== null) {
    const place = { file: source, start: found.index, end: found.index + 1 };
    const detail = `The file holds the control character ${characterName(found[0])}.`;
    const fix =
      found[0] === "\r"
        ? "Save the file with LF or CRLF line ends."
        : 'Remove it, or write it as an escape in "…".';
    report.add("CFG006", { detail, fix, place });
    return { source, documents: [], complete: false, readable: undefined, decoded: true };
  }
  const { documents, problems } = parseYaml(decoded.text);
  reportSyntax(problems, source, report);
  const local = problems.every(({ kind }) => localProblems.has(kind));
  if (local) {
    const seen = new Set<YamlNode>();
    for (const document of documents) checkTexts(document, { source, report, seen });
  }
  const complete = report.errorCount() === before;
  const readable = local ? documents : undefined;
  return { source, documents: complete ? documents : [], complete, readable, decoded: true };
}

function reportEncoding(
  decoded:
    | { readonly encoding: "utf-16" }
    | { readonly encoding: "invalid"; readonly byte: number },
  place: Place,
  report: Report,
): void {
  if (decoded.encoding === "utf-16") {
    const detail = "The file is UTF-16 (as PowerShell's `>` and some editors write it).";
    report.add("CFG001", { detail, fix: "Save it as UTF-8.", place });
    return;
  }
  const byte = `0x${decoded.byte.toString(16).toUpperCase().padStart(2, "0")}`;
  const detail = `The byte ${byte} here is not UTF-8; the file may be in another encoding.`;
  report.add("CFG001", { detail, fix: "Save it as UTF-8.", place });
}

/** One problem for each line, since a mistake makes the parser stumble several times. */
function reportSyntax(problems: readonly YamlProblem[], source: SourceFile, report: Report): void {
  const lines = new Set<number>();
  for (const problem of problems) {
    const place: Place = { file: source, start: problem.start, end: problem.end };
    const { line, lineText } = placeAt(source.index, problem.start);
    if (problem.kind === "duplicate-key") {
      reportDuplicate(problem, place, report);
      continue;
    }
    if (lines.has(line) || lines.size >= syntaxProblemsMax) continue;
    // What follows a mistake that ended the document says nothing about itself.
    if (lines.size > 0 && problem.message.includes("in YAML stream")) continue;
    lines.add(line);
    const isHidden = source.hidden === true || seemsSecret(source.index, line);
    const { code, detail, fix } = explainSyntax(problem, isHidden ? undefined : lineText);
    const odd = code === "CFG006" ? (invisible.exec(lineText)?.index ?? -1) : -1;
    const start = odd === -1 ? place.start : (source.index.lineStarts[line - 1] ?? 0) + odd;
    report.add(code, { detail, fix, place: { ...place, start } });
  }
}

function reportDuplicate(problem: YamlProblem, place: Place, report: Report): void {
  const start = problem.first ?? place.start;
  const first = placeText({ file: place.file, start, end: start });
  const { line } = placeAt(place.file.index, problem.start);
  const isHidden = place.file.hidden === true || seemsSecret(place.file.index, line);
  const key = isHidden ? "This key" : `The key ${JSON.stringify(problem.message)}`;
  const detail = `${key} stands already at ${first}.`;
  report.add("CFG004", { detail, fix: "Remove or rename one of them.", place });
}

type Explained = {
  readonly code: ConfigurationCode;
  readonly detail: string;
  readonly fix?: string | undefined;
};

/** `lineText` is undefined where the line may hold a secret: then nothing of it is repeated. */
function explainSyntax(problem: YamlProblem, lineText: string | undefined): Explained {
  const { kind, message } = problem;
  if (lineText === undefined) return explainHidden(problem);
  switch (kind) {
    case "tab":
      return { code: "CFG003", detail: "A tab indents this line.", fix: "Use spaces." };
    case "unknown-alias":
    case "alias-in-itself":
    case "alias-size":
    case "bad-merge":
      return explainAlias(kind, message);
    case "tag": {
      const detail = `${message}. Tags have no meaning in a vmform configuration.`;
      return { code: "CFG008", detail, fix: "Remove the tag, or quote the text." };
    }
    case "key-not-text": {
      const quoted = quoteExpressionLine(lineText);
      if (quoted !== undefined) return unquotedExpression(quoted);
      return { code: "CFG008", detail: "A key must be a text, not a map or list." };
    }
    case "too-deep":
      return { code: "CFG009", detail: `${message}.` };
    case "unclosed": {
      const quoted = quoteExpressionLine(lineText);
      if (quoted !== undefined) return unquotedExpression(quoted);
      return {
        code: "CFG002",
        detail: "What opens here, a quotation or a bracket, is never closed.",
      };
    }
    case "duplicate-key":
    case "syntax":
      return explainMalformed(message, lineText);
  }
}

function explainHidden({ kind, message }: YamlProblem): Explained {
  switch (kind) {
    case "unknown-alias":
      return {
        code: "CFG007",
        detail: "The * begins an alias, and no anchor of its name stands before it.",
        fix: 'Quote the value if it is a text: "*…".',
      };
    case "alias-in-itself":
      return { code: "CFG007", detail: "The alias stands inside the node it names." };
    case "alias-size":
      return { code: "CFG007", detail: "The aliases expand to more than 1000000 nodes." };
    case "tag":
      return {
        code: "CFG008",
        detail: "The ! begins a tag. Tags have no meaning in a vmform configuration.",
        fix: 'Quote the value if it is a text: "!…".',
      };
    case "syntax":
    case "duplicate-key":
      return { code: "CFG002", detail: `${withoutQuotes(message).replace(/\.$/, "")}.` };
    default:
      return explainSyntax({ kind, message, start: 0, end: 0 }, "");
  }
}

/** The parser's words, without what it quotes of the line. */
function withoutQuotes(message: string): string {
  return message.replace(/(["'`]).*\1/s, "…").replace(/:[^]*$/, "");
}

function explainAlias(kind: YamlProblem["kind"], name: string): Explained {
  const code = "CFG007";
  switch (kind) {
    case "unknown-alias": {
      const detail = `No anchor &${name} stands before this alias.`;
      return { code, detail, fix: `Quote it if it is a text: "*${name}".` };
    }
    case "alias-in-itself":
      return { code, detail: `The alias *${name} stands inside the node it names.` };
    case "alias-size": {
      const detail = `With the alias *${name} the aliases expand to more than 1000000 nodes.`;
      return { code, detail, fix: "Nest aliases less deeply." };
    }
    default: {
      const detail = "The merge key << takes a map, an alias of a map, or a list of those.";
      return { code, detail };
    }
  }
}

function explainMalformed(message: string, lineText: string): Explained {
  const found = invisible.exec(lineText);
  if (found !== null) return invisibleCharacter(found[0]);
  const quoted = quoteExpressionLine(lineText);
  if (quoted !== undefined) return unquotedExpression(quoted);
  const code = "CFG002";
  const detail = `${message.replace(/\.$/, "")}.`;
  if (message.startsWith("Implicit keys") && /^\s*(?:- +)?[\w.-]+:[^\s/]/.test(lineText)) {
    return { code, detail, fix: "Put a space after the colon." };
  }
  if (/^ *\t/.test(lineText)) {
    return { code: "CFG003", detail: "A tab indents this line.", fix: "Use spaces." };
  }
  if (message.startsWith("Nested mappings")) {
    const fix = /: .*: /.test(lineText)
      ? "Quote a value that holds a colon and a space."
      : "The line after this one is indented further than this one, which has a value already: " +
        "begin both in the same column.";
    return { code, detail: "A value is followed by a map.", fix };
  }
  if (message.startsWith("Implicit map keys") || message.startsWith("Implicit keys")) {
    const fix = 'Put a colon and a space behind the name: "name: value".';
    return { code, detail: "A name without a colon stands where a name: value is needed.", fix };
  }
  return { code, detail };
}

function unquotedExpression(quoted: string): Explained {
  const detail = "YAML cuts the unquoted expression of this line into pieces.";
  return { code: "CFG005", detail, fix: `Write it quoted: ${quoted.trim()}` };
}

function invisibleCharacter(character: string): Explained {
  const name = characterName(character);
  const detail = `The line holds the invisible character ${name}, part of the text for YAML.`;
  return {
    code: "CFG006",
    detail,
    fix: "Replace it by a space, or quote the text if it is meant.",
  };
}

function characterName(character: string): string {
  const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  if (character === "\r") return `U+${point} (a carriage return without a line feed)`;
  return character === "\u00a0" ? `U+${point} (no-break space)` : `U+${point}`;
}

type TextCheck = {
  readonly source: SourceFile;
  readonly report: Report;
  /** Nodes already checked: an aliased node is met many times. */
  readonly seen: Set<YamlNode>;
};

/** Looks for what YAML takes otherwise than it looks. Depth is bounded by the parser. */
function checkTexts(node: YamlNode, check: TextCheck): void {
  if (check.seen.has(node)) return;
  check.seen.add(node);
  if (node.kind === "list") {
    for (const item of node.items) checkTexts(item, check);
    return;
  }
  if (node.kind === "map") {
    for (const { key, value } of node.entries) {
      checkTexts(key, check);
      if (/(^|[^$])\$\{/.test(key.text)) reportExpressionKey(key.start, key.end, check);
      else checkTexts(value, check);
    }
    return;
  }
  const found = node.plain ? invisible.exec(node.text) : null;
  if (found === null) return;
  const start = node.start + found.index;
  const { detail, fix } = invisibleCharacter(found[0]);
  check.report.add("CFG006", { detail, fix, place: { file: check.source, start, end: start + 1 } });
}

function reportExpressionKey(start: number, end: number, check: TextCheck): void {
  const { lineText } = placeAt(check.source.index, start);
  const quoted = quoteExpressionLine(lineText);
  const place = { file: check.source, start, end };
  if (quoted === undefined) {
    const fix = "Write $${ for a literal ${.";
    check.report.add("CFG023", { detail: "A key is never an expression.", fix, place });
    return;
  }
  const detail = "YAML reads the part before the colon as a key, and keys are never expressions.";
  check.report.add("CFG005", { detail, fix: `Write it quoted: ${quoted.trim()}`, place });
}
