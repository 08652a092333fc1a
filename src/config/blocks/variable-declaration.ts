/** Declarations of the `variables` block. */

import { memberNode, type YamlMap } from "../../lib/yaml/yaml.ts";
import type { AttributeType } from "../../model/value/resource-schema.ts";
import type { Value } from "../../model/value/value.ts";
import { type BlockEntry, entryContext } from "../read/blocks.ts";
import { blockShape } from "../read/form/schemas.ts";
import { readMembers, readNode } from "../read/read.ts";
import type { Place, Report } from "../report.ts";
import { type Condition, conditionsOf } from "./condition.ts";
import {
  completed,
  readVariableType,
  type VariableType,
  variableValueShape,
} from "./variable-type.ts";

export type VariableDeclaration = {
  readonly name: string;
  readonly type: AttributeType;
  /** What is inside, where the declaration says so. */
  readonly valueType: VariableType;
  readonly sensitive: boolean;
  /** The value is never recorded, so it flows only where nothing is. */
  readonly ephemeral: boolean;
  /** Null is a value; else it stands for the default. */
  readonly nullable: boolean;
  readonly default?: Value;
  readonly description?: string;
  readonly validations: readonly Condition[];
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

/** Read by their own rules, not by the shape of the block. */
const ownMembers: ReadonlySet<string> = new Set(["type", "default"]);

function readDeclaration(entry: BlockEntry, report: Report): VariableDeclaration {
  const { name, place, node } = entry;
  const flags = { sensitive: false, ephemeral: false, nullable: true };
  const declared = { name, place, validations: [], ...flags };
  if (node.kind === "scalar" && node.plain && node.text === "") {
    return { ...declared, ...typed({ type: "string" }), broken: false };
  }
  const before = report.errorCount();
  const context = entryContext(entry, `variable ${name}`, report);
  if (node.kind !== "map") {
    readNode(node, blockShape("VariableBlock"), context);
    return { ...declared, ...typed({ type: "any" }), broken: true };
  }
  const ephemeral = memberText(node, "ephemeral") === "true";
  const sensitive = ephemeral || memberText(node, "sensitive") === "true";
  const nullable = memberText(node, "nullable") !== "false";
  const written = memberNode(node, "type");
  const type = written === undefined ? undefined : readVariableType(written, context);
  const fallback = memberNode(node, "default");
  const rest = { ...node, entries: node.entries.filter(({ key }) => !ownMembers.has(key.text)) };
  const members = readMembers(rest, blockShape("VariableBlock"), context);
  const described = members.get("description");
  const quiet = { ...context, quiet: sensitive };
  const shape = variableValueShape(type ?? { type: "any" });
  const value = fallback === undefined ? undefined : readNode(fallback, shape, quiet);
  const constant =
    value?.kind === "constant" ? completed(value.value, type ?? { type: "any" }) : undefined;
  if (constant === null && !nullable) {
    const detail = `The default of the variable ${name} is null, which nullable: false refuses.`;
    report.add("CFG015", { detail, fix: "Remove the default.", place: value?.place ?? place });
  }
  return {
    name,
    place,
    ...typed(type ?? { type: fallback === undefined ? "string" : typeOfValue(constant) }),
    sensitive,
    ephemeral,
    nullable,
    ...(constant === undefined ? {} : { default: constant }),
    ...(described?.kind === "constant" && typeof described.value === "string"
      ? { description: described.value }
      : {}),
    validations: conditionsOf(members.get("validation")),
    broken: report.errorCount() > before,
  };
}

function typed(valueType: VariableType): Pick<VariableDeclaration, "type" | "valueType"> {
  return { type: valueType.type, valueType };
}

function memberText(node: YamlMap, name: string): string | undefined {
  const value = memberNode(node, name);
  return value?.kind === "scalar" ? value.text : undefined;
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
