/**
 * Types of variables: a word, or a map that says what is inside: `{ list: string }`,
 * `{ map: integer }`, `{ object: { name: string, size: { type: integer, default: 3 } } }`. A member
 * with a default, or with `optional: true`, may be left out.
 */

import { stepPath } from "../../expressions/evaluate/scope.ts";
import { memberNode, type YamlEntry, type YamlMap, type YamlNode } from "../../lib/yaml/yaml.ts";
import type { AttributeType } from "../../model/value/resource-schema.ts";
import { isList, isUnknown, type PlannedValue, type Value } from "../../model/value/value.ts";
import { blockShape } from "../read/form/schemas.ts";
import { anyShape, type Shape } from "../read/form/shape.ts";
import { didYouMean } from "../read/form/spelling.ts";
import { type ReadContext, readNode } from "../read/read.ts";
import { mapOf } from "../read/value.ts";

export type VariableType = {
  readonly type: AttributeType;
  /** Of a list or map: the type of each element. */
  readonly of?: VariableType;
  /** Of an object. */
  readonly members?: ReadonlyMap<string, VariableMember>;
};

type VariableMember = {
  readonly type: VariableType;
  readonly isOptional: boolean;
  readonly default?: Value;
};

const literalShape: Shape = { ...anyShape, expression: false };
const memberWords = ["type", "default", "optional", "description"];
const structureWords = ["list", "map", "object"] as const;

/** Shape of a value of a declared type; only as an input of a module it holds expressions. */
export function variableValueShape(
  { type, of, members }: VariableType,
  plain: Shape = literalShape,
): Shape {
  const inner = of === undefined ? plain : variableValueShape(of, plain);
  const base: Shape = { ...plain, type };
  if (members === undefined) return { ...base, ...(of && { items: inner }), additional: inner };
  const all = [...members];
  return {
    ...base,
    properties: new Map(
      all.map(([name, member]) => [name, variableValueShape(member.type, plain)]),
    ),
    additional: false,
    required: all.flatMap(([name, { isOptional }]) => (isOptional ? [] : [name])),
  };
}

/** The value with every member of its objects: those left out, or null, take their default. */
export function completed(value: Value, type: VariableType): Value;
export function completed(value: PlannedValue, type: VariableType): PlannedValue;
export function completed(value: PlannedValue, type: VariableType): PlannedValue {
  const { of, members } = type;
  if (value === null || typeof value !== "object" || isUnknown(value)) return value;
  if (isList(value)) return of === undefined ? value : value.map((item) => completed(item, of));
  if (members !== undefined) {
    return mapOf(
      [...members].map(([name, member]) => {
        const own = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
        const given = own ?? member.default ?? null;
        return [name, completed(given, member.type)] as const;
      }),
    );
  }
  if (of === undefined) return value;
  return mapOf(Object.entries(value).map(([name, item]) => [name, completed(item, of)] as const));
}

/** Paths of what is declared `number` within a value: such numbers are never integers. */
export function numberPaths(
  value: Value,
  { type, of, members }: VariableType,
  path: string,
): readonly string[] {
  if (value === null) return [];
  if (typeof value !== "object") return type === "number" ? [path] : [];
  if (isList(value)) {
    if (of === undefined) return [];
    return value.flatMap((item, at) => numberPaths(item, of, stepPath(path, at)));
  }
  return Object.entries(value).flatMap(([name, item]) => {
    const inner = members?.get(name)?.type ?? of;
    return inner === undefined ? [] : numberPaths(item, inner, stepPath(path, name));
  });
}

/** Undefined after a problem was reported. */
export function readVariableType(node: YamlNode, context: ReadContext): VariableType | undefined {
  if (node.kind !== "map") {
    const read = readNode(node, wordShape(), context);
    const word = read?.kind === "constant" ? read.value : undefined;
    const type = typeof word === "string" ? typeOfWord(word) : undefined;
    return type === undefined ? undefined : { type };
  }
  const [entry, second] = node.entries;
  if (entry === undefined || second !== undefined) {
    report(node, context, "A type is a word, or a map of one of list, map and object.");
    return undefined;
  }
  return readStructure(entry, context);
}

function readStructure({ key, value }: YamlEntry, context: ReadContext): VariableType | undefined {
  const place = { file: context.file, start: key.start, end: key.end };
  switch (key.text) {
    case "list":
    case "map": {
      const of = readVariableType(value, context);
      return of === undefined ? undefined : { type: key.text, of };
    }
    case "object":
      if (value.kind !== "map") {
        report(value, context, "An object is a map of its members and their types.");
        return undefined;
      }
      return readObject(value, context);
    default: {
      const detail = `There is no type ${JSON.stringify(key.text)} with types inside.`;
      const fix =
        didYouMean(key.text, structureWords) ??
        "Write { list: string }, { map: string } or { object: { name: string } }.";
      context.report.add("CFG013", { detail, fix, place });
      return undefined;
    }
  }
}

function readObject(node: YamlMap, context: ReadContext): VariableType | undefined {
  const members = new Map<string, VariableMember>();
  for (const { key, value } of node.entries) {
    const member = readMember(value, { ...context, owner: `member ${key.text}` });
    if (member !== undefined) members.set(key.text, member);
  }
  return members.size < node.entries.length ? undefined : { type: "map", members };
}

/** A type, or a map of `type` and what is said besides. */
function readMember(node: YamlNode, context: ReadContext): VariableMember | undefined {
  const declared = node.kind === "map" ? memberNode(node, "type") : undefined;
  if (node.kind !== "map" || declared === undefined) {
    const type = readVariableType(node, context);
    return type === undefined ? undefined : { type, isOptional: false };
  }
  const unknown = node.entries.find(({ key }) => !memberWords.includes(key.text));
  if (unknown !== undefined) {
    const { text, start, end } = unknown.key;
    const detail = `${context.owner} has no attribute ${JSON.stringify(text)}.`;
    const fix = didYouMean(text, memberWords) ?? `It has ${memberWords.join(", ")}.`;
    context.report.add("CFG013", { detail, fix, place: { file: context.file, start, end } });
    return undefined;
  }
  const type = readVariableType(declared, context);
  if (type === undefined) return undefined;
  const optional = memberNode(node, "optional");
  const isOptional = optional === undefined ? false : readFlag(optional, context);
  const fallback = memberNode(node, "default");
  if (fallback === undefined) return { type, isOptional };
  const value = readNode(fallback, variableValueShape(type), context);
  if (value?.kind !== "constant") return undefined;
  return { type, isOptional: true, default: completed(value.value, type) };
}

function readFlag(node: YamlNode, context: ReadContext): boolean {
  const read = readNode(node, { ...literalShape, type: "boolean" }, context);
  return read?.kind === "constant" && read.value === true;
}

function report(node: YamlNode, context: ReadContext, detail: string): void {
  const place = { file: context.file, start: node.start, end: node.end };
  const fix = "Write string, { list: string }, { map: string } or { object: { name: string } }.";
  context.report.add("CFG012", { detail, fix, place });
}

function wordShape(): Shape {
  const values = blockShape("VariableBlock").properties.get("type")?.values ?? [];
  return { ...literalShape, type: "string", values };
}

function typeOfWord(text: string): AttributeType | undefined {
  switch (text) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "list":
    case "map":
    case "any":
      return text;
    default:
      return undefined;
  }
}
