/** Values of variables given from outside: command line, files of variables, environment. */

import { parseYaml, type YamlNode } from "../../lib/yaml/yaml.ts";
import type { Value } from "../../model/value/value.ts";
import type { VariableDeclaration } from "../blocks/variable-declaration.ts";
import { completed, variableValueShape } from "../blocks/variable-type.ts";
import { type FileBytes, parseFile } from "../read/document.ts";
import { typeScalar } from "../read/form/scalar.ts";
import { typeName } from "../read/form/shape.ts";
import { didYouMean, meantName } from "../read/form/spelling.ts";
import { readNode } from "../read/read.ts";
import { type Place, type Report, type SourceFile, sourceFile } from "../report.ts";

export type VariableSources = {
  /** `--var NAME=VALUE`, in the order given. */
  readonly cli: readonly { readonly name: string; readonly text: string }[];
  /** `--var-file FILE`, in the order given: YAML maps of names to values. */
  readonly files: readonly FileBytes[];
  /** Environment variables without their `VMFORM_VAR_`. */
  readonly environment: { readonly [name: string]: string };
};

/** A value as it was given; the variable's type decides how it is read. */
export type GivenValue =
  | { readonly kind: "text"; readonly text: string; readonly origin: string }
  | { readonly kind: "node"; readonly node: YamlNode; readonly file: SourceFile };

/**
 * The value that wins for each variable: the environment gives way to files, files to the command
 * line, earlier to later. Values for undeclared variables are reported, save from the environment,
 * which may serve several configurations.
 */
export function gatherGiven(
  sources: VariableSources,
  declared: ReadonlySet<string>,
  report: Report,
): ReadonlyMap<string, GivenValue> {
  const given = new Map<string, GivenValue>();
  for (const [name, text] of Object.entries(sources.environment)) {
    if (declared.has(name)) given.set(name, { kind: "text", text, origin: `VMFORM_VAR_${name}` });
    else warnOfNear(name, sources.environment, declared, report);
  }
  for (const file of sources.files) gatherFile(file, declared, given, report);
  for (const { name, text } of sources.cli) {
    if (declared.has(name)) given.set(name, { kind: "text", text, origin: `--var ${name}` });
    else reportUndeclared(name, `--var ${name}`, declared, report, undefined);
  }
  return given;
}

function gatherFile(
  file: FileBytes,
  declared: ReadonlySet<string>,
  given: Map<string, GivenValue>,
  report: Report,
): void {
  const { source, documents } = parseFile(file, report, true);
  for (const document of documents) {
    if (document.kind !== "map") {
      const { start, end } = document;
      const detail = "A file of variables is a map: one line for each variable.";
      report.add("CFG012", { detail, place: { file: source, start, end } });
      continue;
    }
    for (const { key, value } of document.entries) {
      const place = { file: source, start: key.start, end: key.end };
      if (declared.has(key.text)) given.set(key.text, { kind: "node", node: value, file: source });
      else reportUndeclared(key.text, file.name, declared, report, place);
    }
  }
}

/** The environment may serve several configurations: only what is near a name is told. */
function warnOfNear(
  name: string,
  environment: VariableSources["environment"],
  declared: ReadonlySet<string>,
  report: Report,
): void {
  const meant = meantName(name, declared);
  if (meant === undefined || Object.hasOwn(environment, meant)) return;
  const detail = `VMFORM_VAR_${name} gives a value for ${name}, which is not declared.`;
  const fix = `Did you mean VMFORM_VAR_${meant}?`;
  report.add("CFG052", { severity: "warning", detail, fix });
}

function reportUndeclared(
  name: string,
  origin: string,
  declared: ReadonlySet<string>,
  report: Report,
  place: Place | undefined,
): void {
  const detail = `${origin} gives a value for ${name}, which no variables block declares.`;
  report.add("CFG027", { detail, fix: didYouMean(name, declared), place });
}

/**
 * The value as the variable's type reads it, or undefined after a problem was reported. Null stands
 * for the default where the variable is never null.
 */
export function readGiven(
  given: GivenValue,
  variable: VariableDeclaration,
  report: Report,
): Value | undefined {
  const read = readAsType(given, variable, report);
  if (read === undefined) return undefined;
  if (read !== null || variable.nullable) return completed(read, variable.valueType);
  if (variable.default !== undefined) return variable.default;
  const { name, type } = variable;
  const origin = given.kind === "text" ? given.origin : given.file.name;
  const place = given.kind === "text" ? undefined : { ...given.node, file: given.file };
  const detail = `${origin} gives the variable ${name} null, which nullable: false refuses.`;
  report.add("CFG028", { detail, fix: `Give ${typeName(type)}.`, place });
  return undefined;
}

function readAsType(
  given: GivenValue,
  variable: VariableDeclaration,
  report: Report,
): Value | undefined {
  const shape = variableValueShape(variable.valueType);
  const owner = `variable ${variable.name}`;
  if (given.kind === "node") {
    if (isEmpty(given.node)) {
      reportEmpty(given.file.name, variable, report, { ...given.node, file: given.file });
      return undefined;
    }
    const context = { file: given.file, report, owner, quiet: true };
    const value = readNode(given.node, shape, context);
    return value?.kind === "constant" ? value.value : undefined;
  }
  const { text, origin } = given;
  if (variable.type === "string") return text;
  if (text === "") {
    if (variable.type === "any") return text;
    reportEmpty(origin, variable, report, undefined);
    return undefined;
  }
  const scalar = { kind: "scalar", text, plain: true, start: 0, end: text.length } as const;
  const typed = typeScalar(scalar, shape, { quiet: variable.sensitive, owner });
  if (typed.ok) {
    if (variable.type !== "any" || typeof typed.value !== "string") return typed.value;
  } else if (variable.type !== "any" && variable.type !== "list" && variable.type !== "map") {
    const detail = `${origin}: ${typed.detail}`;
    report.add("CFG028", { detail, fix: typed.fix });
    return undefined;
  }
  return readStructure(text, origin, variable, report);
}

/** Nothing at all, where `null` and `~` are written on purpose. */
function isEmpty(node: YamlNode): boolean {
  return node.kind === "scalar" && node.plain && node.text === "";
}

/** Taken as null, an empty value would undo a default that nobody wanted to undo. */
function reportEmpty(
  origin: string,
  { name, type }: VariableDeclaration,
  report: Report,
  place: Place | undefined,
): void {
  const detail = `${origin} gives the variable ${name} an empty value, which is no ${type}.`;
  const form = emptyForms[type] ?? "null";
  const fix = `Take it away for the default, or write ${form} if that is meant.`;
  report.add("CFG028", { detail, fix, place });
}

const emptyForms: { readonly [type: string]: string } = { string: '""', list: "[]", map: "{}" };

/** A list or map written as YAML, such as `[a, b]`; for type `any` another text stays a text. */
function readStructure(
  text: string,
  origin: string,
  variable: VariableDeclaration,
  report: Report,
): Value | undefined {
  const { documents, problems } = parseYaml(text);
  const [node] = documents;
  const whole = problems.length === 0 && documents.length === 1 && node !== undefined;
  if (variable.type === "any" && (!whole || node.kind === "scalar")) return text;
  if (!whole) {
    const detail = `${origin}: the value is not a YAML ${variable.type}.`;
    report.add("CFG028", { detail, fix: "Write it like [a, b] or {a: 1}." });
    return undefined;
  }
  const file = sourceFile(origin, text, variable.sensitive);
  const context = { file, report, owner: `variable ${variable.name}`, quiet: variable.sensitive };
  const value = readNode(node, variableValueShape(variable.valueType), context);
  return value?.kind === "constant" ? value.value : undefined;
}
