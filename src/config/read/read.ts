/** Reads YAML nodes as their shape asks: types, words, members, expressions and secrets. */

import { referencesOf } from "../../expressions/evaluate/references.ts";
import { hasExpression, parseTemplate } from "../../expressions/syntax/template.ts";
import { placeAt } from "../../lib/text.ts";
import type { YamlEntry, YamlList, YamlMap, YamlNode, YamlScalar } from "../../lib/yaml/yaml.ts";
import { isSecretReference, secretForms } from "../../model/value/secret-reference.ts";
import type { Value } from "../../model/value/value.ts";
import type { Place, Report, SourceFile } from "../report.ts";
import { wayOfMember } from "./form/habits.ts";
import { isNull, typeScalar } from "./form/scalar.ts";
import { anyShape, checkRules, type Shape, typeName } from "./form/shape.ts";
import { didYouMean } from "./form/spelling.ts";
import { lookalike } from "./lookalike.ts";
import { quoteExpressionLine } from "./quoting.ts";
import {
  type ConfigConstant,
  type ConfigMap,
  type ConfigValue,
  mapOf,
  placeInText,
} from "./value.ts";

export type ReadContext = {
  readonly file: SourceFile;
  readonly report: Report;
  /** What the place belongs to, for messages: `daemon_vm`, `lifecycle`. */
  readonly owner: string;
  /** Where the owner's name stands; problems of what is missing point there. */
  readonly head?: Place;
  /** The text may be a secret: it is neither quoted in messages nor shown. */
  readonly quiet?: boolean;
};

function placeOf(node: { start: number; end: number }, context: ReadContext): Place {
  const place = { file: context.file, start: node.start, end: node.end };
  return context.quiet === true ? { ...place, hidden: true } : place;
}

/** The value of a node, or undefined after a problem was reported. */
export function readNode(
  node: YamlNode,
  shape: Shape,
  context: ReadContext,
): ConfigValue | undefined {
  if (shape.sensitive) return readSecret(node, shape, context);
  if (node.kind === "scalar") return readScalar(node, shape, context);
  if (shape.type !== node.kind && shape.type !== "any") {
    const more = sentence(shape);
    const detail = `A ${node.kind} stands where ${typeName(shape.type)} is needed.${more}`;
    const fix = node.kind === "map" && shape.type === "list" ? "Begin it with a dash." : undefined;
    const dashed = node.kind === "list" && node.items.some(({ kind }) => kind === "map");
    const way = dashed && shape.type === "map" ? "Leave out the dash." : fix;
    context.report.add("CFG012", { detail, fix: way, place: placeOf(node, context) });
    return undefined;
  }
  return node.kind === "map" ? readMap(node, shape, context) : readList(node, shape, context);
}

function readList(node: YamlList, shape: Shape, context: ReadContext): ConfigValue | undefined {
  const inner = shape.items ?? untyped(shape);
  const items: ConfigValue[] = [];
  for (const item of node.items) {
    const read = readNode(item, inner, context);
    if (read !== undefined) items.push(read);
  }
  if (items.length < node.items.length) return undefined;
  const place = placeOf(node, context);
  if (!items.every((item) => item.kind === "constant")) return { kind: "list", items, place };
  return constant(items.map(constantOf), shape, place, context);
}

/** Members of a map by name; undefined ones had problems. Reports unknown and missing ones. */
export function readMembers(
  node: YamlMap,
  shape: Shape,
  context: ReadContext,
): ReadonlyMap<string, ConfigValue | undefined> {
  const members = new Map<string, ConfigValue | undefined>();
  for (const entry of node.entries) {
    members.set(keyName(entry), readMember(entry, shape, context));
  }
  for (const name of shape.required) {
    const member = members.get(name);
    const missing = member === undefined ? !members.has(name) : isUnset(member);
    if (!missing) continue;
    const detail = `${context.owner} needs ${name}.${sentence(shape.properties.get(name))}`;
    const place = member?.place ?? context.head ?? placeOf(node, context);
    context.report.add("CFG018", { detail, fix: `Add ${name}.`, place });
  }
  return members;
}

/** A key is never an expression; `${` in it is written as it is in values. */
function keyName({ key }: YamlEntry): string {
  return key.text.replaceAll("$${", () => "${");
}

function readMember(entry: YamlEntry, shape: Shape, context: ReadContext): ConfigValue | undefined {
  const name = keyName(entry);
  const member = shape.properties.get(name) ?? shape.additional;
  const place = placeOf(entry.key, context);
  if (member === false) {
    reportUnknown(name, shape, context, place);
    return undefined;
  }
  if (member.computed) {
    const settable = settableNames(shape);
    const detail = `${name} is set by the remote side.${sentence(member)}`;
    context.report.add("CFG019", { detail, fix: didYouMean(name, settable), place });
    return undefined;
  }
  const nested = entry.value.kind !== "scalar";
  return readNode(entry.value, member, nested ? { ...context, owner: name, head: place } : context);
}

function reportUnknown(name: string, shape: Shape, context: ReadContext, place: Place): void {
  const names = settableNames(shape);
  const detail = `${context.owner} has no attribute ${JSON.stringify(name)}.`;
  const way = wayOfMember(name, shape) ?? didYouMean(name, names);
  const fix = way ?? `It has ${names.join(", ")}.`;
  context.report.add("CFG013", { detail, fix: names.length === 0 ? undefined : fix, place });
}

function settableNames(shape: Shape): readonly string[] {
  return [...shape.properties].flatMap(([name, member]) => (member.computed ? [] : [name]));
}

function readScalar(node: YamlScalar, shape: Shape, context: ReadContext): ConfigValue | undefined {
  return hasExpression(node.text)
    ? readTemplate(node, shape, context)
    : readText(node, shape, context);
}

function readText(
  node: YamlScalar,
  shape: Shape,
  context: ReadContext,
): ConfigConstant | undefined {
  const place = placeOf(node, context);
  const typed = typeScalar(node, shape, { quiet: context.quiet === true, owner: context.owner });
  if (typed.ok) {
    if (shape.expression && context.quiet !== true) warnOfLookalike(node, context);
    return constant(typed.value, shape, place, context);
  }
  const detail = `${typed.detail}${sentence(shape)}`;
  context.report.add(typed.code, { detail, fix: typed.fix, place });
  return undefined;
}

function readTemplate(
  node: YamlScalar,
  shape: Shape,
  context: ReadContext,
): ConfigValue | undefined {
  const place = placeOf(node, context);
  const { template, problems } = parseTemplate(node.text);
  if (template === undefined) {
    if (!reportCut(node, context)) {
      for (const { message, fix, offset } of problems) {
        const at = placeInText(place, node.text, offset);
        context.report.add("CFG022", { detail: message, fix, place: at });
      }
    }
    return undefined;
  }
  if (template.parts.every((part) => part.kind === "text")) {
    const text = template.parts.map((part) => part.text).join("");
    return readText({ ...node, text, plain: false }, shape, context);
  }
  if (!shape.expression) {
    const detail = "This place is read before expressions are evaluated.";
    const [only] = template.parts;
    const isName =
      only?.kind === "expression" && /^[\w.]+(?:\[[^\]]*\])?$/.test(only.source.trim());
    const named = template.whole && isName && context.owner === "depends_on";
    const fix = named
      ? `Write the name alone: ${only.source.trim()}.`
      : "Write the value itself, or $${ for a literal ${.";
    context.report.add("CFG023", { detail, fix, place });
    return undefined;
  }
  return { kind: "template", template, references: referencesOf(template), shape, place };
}

/** A text that other tools would evaluate, or that YAML has cut, may not be what was meant. */
function warnOfLookalike(node: YamlScalar, context: ReadContext): void {
  const { index } = context.file;
  const found = lookalike(node.text, node.plain, index.text.slice(node.end, node.end + 80));
  if (found === undefined) return;
  context.report.add("CFG049", { severity: "warning", ...found, place: placeOf(node, context) });
}

/** An unquoted expression with ` #` in it: YAML takes the rest of the line for a comment. */
function reportCut(node: YamlScalar, context: ReadContext): boolean {
  const { index } = context.file;
  if (!node.plain || !/^[ \t]+#/.test(index.text.slice(node.end, node.end + 80))) return false;
  const quoted = quoteExpressionLine(placeAt(index, node.start).lineText);
  if (quoted === undefined) return false;
  const detail = "YAML takes the rest of this line, from the # on, for a comment.";
  const fix = `Write it quoted: ${quoted.trim()}`;
  context.report.add("CFG005", { detail, fix, place: placeOf(node, context) });
  return true;
}

/** A sensitive place takes a reference to a secret, never the secret itself. */
function readSecret(node: YamlNode, shape: Shape, context: ReadContext): ConfigValue | undefined {
  const place = placeOf(node, context);
  if (node.kind === "scalar") {
    if (isNull(node)) return { kind: "constant", value: null, place };
    if (shape.expression && parseTemplate(node.text).template?.whole === true) {
      // Any value may come out; that it refers to a secret is checked when it is evaluated.
      return readTemplate(node, { ...shape, type: "any" }, context);
    }
  }
  const reference = secretReference(node);
  if (reference !== undefined) return { kind: "constant", value: reference, place };
  const detail = "A secret stands here as a text, or something else that is no secret reference.";
  const fix = `Write ${secretForms}.`;
  context.report.add("CFG034", { detail, fix, place: { ...place, hidden: true } });
  return undefined;
}

/** As it is written: nothing in it is an expression, so no secret can get into it. */
function secretReference(node: YamlNode): Value | undefined {
  const value = node.kind === "map" ? textsOf(node) : undefined;
  return value !== undefined && isSecretReference(value) ? value : undefined;
}

/** Every scalar as its text; undefined when there is an empty one, or an expression. */
function textsOf(node: YamlNode): Value | undefined {
  switch (node.kind) {
    case "scalar":
      return isNull(node) || hasExpression(node.text) ? undefined : node.text;
    case "list": {
      const items = node.items.map(textsOf);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "map": {
      const members = node.entries.map(({ key, value }) => [key.text, textsOf(value)] as const);
      const known = members.flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      return known.length === members.length ? mapOf(known) : undefined;
    }
    default:
      return undefined;
  }
}

function readMap(node: YamlMap, shape: Shape, context: ReadContext): ConfigValue | undefined {
  const before = context.report.errorCount();
  const inner = shape.type === "any" ? { ...shape, additional: untyped(shape) } : shape;
  const members = readMembers(node, inner, context);
  const place = placeOf(node, context);
  const entries: ConfigMap["entries"][number][] = [];
  for (const [name, value] of members) if (value !== undefined) entries.push({ name, value });
  if (context.report.errorCount() > before || entries.length < members.size) return undefined;
  if (!entries.every(({ value }) => value.kind === "constant")) {
    return { kind: "map", entries, place };
  }
  const values = entries.map(({ name, value }) => [name, constantOf(value)] as const);
  return constant(mapOf(values), shape, place, context);
}

function constant(
  value: Value,
  shape: Shape,
  place: Place,
  context: ReadContext,
): ConfigConstant | undefined {
  const problems = checkRules(value, shape);
  for (const problem of problems) {
    context.report.add("CFG020", { detail: `${problem}${sentence(shape)}`, place });
  }
  return problems.length === 0 ? { kind: "constant", value, place } : undefined;
}

function constantOf(value: ConfigValue): Value {
  return value.kind === "constant" ? value.value : null;
}

function isUnset(value: ConfigValue): boolean {
  return value.kind === "constant" && value.value === null;
}

/** Shape of what stands inside a place without a declared type. */
function untyped(shape: Shape): Shape {
  return shape.expression ? anyShape : { ...anyShape, expression: false };
}

/** The description of a shape as a further sentence. */
function sentence(shape: Shape | undefined): string {
  return shape === undefined || shape.description === "" ? "" : ` ${shape.description}`;
}
