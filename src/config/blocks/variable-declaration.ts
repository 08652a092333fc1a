/** Declarations of the `variables` block. */

import type { YamlMap, YamlNode } from "../../lib/yaml/yaml.ts";
import type { AttributeType } from "../../model/value/resource-schema.ts";
import type { Value } from "../../model/value/value.ts";
import { type BlockEntry, entryContext } from "../read/blocks.ts";
import { readMembers, readNode } from "../read/read.ts";
import { variableShape } from "../read/schemas.ts";
import { anyShape, type Shape } from "../read/shape.ts";
import type { ConfigValue } from "../read/value.ts";
import type { Place, Report } from "../report.ts";

export type Validation = {
  readonly condition: ConfigValue;
  readonly message: string;
  readonly place: Place;
};

export type VariableDeclaration = {
  readonly name: string;
  readonly type: AttributeType;
  readonly sensitive: boolean;
  readonly default?: Value;
  readonly validations: readonly Validation[];
  readonly place: Place;
  /** The declaration has problems; whether there is a value is not judged. */
  readonly broken: boolean;
};

export function readDeclarations(
  entries: ReadonlyMap<string, BlockEntry>,
  report: Report,
): ReadonlyMap<string, VariableDeclaration> {
  return new Map([...entries].map(([name, entry]) => [name, readDeclaration(entry, report)]));
}

/** Shape of a value of a declared type; values of variables hold no expressions. */
export function variableValueShape(type: AttributeType): Shape {
  return { ...anyShape, type, expression: false, additional: literalShape };
}
const literalShape: Shape = { ...anyShape, expression: false };

function readDeclaration(entry: BlockEntry, report: Report): VariableDeclaration {
  const { name, place, node } = entry;
  const declared = { name, place, validations: [] };
  if (node.kind === "scalar" && node.plain && node.text === "") {
    return { ...declared, type: "string", sensitive: false, broken: false };
  }
  const before = report.errorCount();
  const context = entryContext(entry, `variable ${name}`, report);
  if (node.kind !== "map") {
    readNode(node, variableShape, context);
    return { ...declared, type: "any", sensitive: false, broken: true };
  }
  const sensitive = memberText(node, "sensitive") === "true";
  const type = declaredType(memberText(node, "type"));
  const fallback = node.entries.find(({ key }) => key.text === "default")?.value;
  const rest = { ...node, entries: node.entries.filter(({ key }) => key.text !== "default") };
  const members = readMembers(rest, variableShape, context);
  const quiet = { ...context, quiet: sensitive };
  const shape = variableValueShape(type ?? "any");
  const value = fallback === undefined ? undefined : readNode(fallback, shape, quiet);
  const constant = value?.kind === "constant" ? value.value : undefined;
  return {
    name,
    place,
    type: type ?? (fallback === undefined ? "string" : typeOfValue(constant)),
    sensitive,
    ...(constant === undefined ? {} : { default: constant }),
    validations: readValidations(members.get("validation")),
    broken: report.errorCount() > before,
  };
}

function readValidations(value: ConfigValue | undefined): readonly Validation[] {
  if (value?.kind !== "list") return [];
  return value.items.flatMap((item) => {
    if (item.kind !== "map") return [];
    const condition = item.entries.find(({ name }) => name === "condition")?.value;
    const message = item.entries.find(({ name }) => name === "message")?.value;
    const text = message?.kind === "constant" ? message.value : undefined;
    if (condition === undefined || typeof text !== "string") return [];
    return [{ condition, message: text, place: condition.place }];
  });
}

function memberText(node: YamlMap, name: string): string | undefined {
  const value: YamlNode | undefined = node.entries.find(({ key }) => key.text === name)?.value;
  return value?.kind === "scalar" ? value.text : undefined;
}

function declaredType(text: string | undefined): AttributeType | undefined {
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

function typeOfValue(value: Value | undefined): AttributeType {
  switch (typeof value) {
    case "string":
    case "boolean":
      return typeof value === "string" ? "string" : "boolean";
    case "bigint":
      return "integer";
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
    case "object":
      if (value === null) return "any";
      return Array.isArray(value) ? "list" : "map";
    default:
      return "any";
  }
}
