/** Checks the expressions of a template against the declared types, before any value is known. */

import type { Environment } from "@marcbachmann/cel-js";
import { typeParts } from "../../model/value/address.ts";
import type { AttributeType } from "../../model/value/resource-schema.ts";
import { textTypeProblems } from "../evaluate/evaluate.ts";
import { dataRoot } from "../evaluate/scope.ts";
import { misfitOf, textMisfitOf, type ValueKind } from "../evaluate/value-kind.ts";
import { registerNullEquality } from "../functions/functions.ts";
import {
  type CelType,
  type CheckedExpression,
  checkExpression,
  typedEnvironment,
} from "../syntax/cel.ts";
import { typeWord } from "../syntax/cel-problem.ts";
import { type ExpressionProblem, movedBy } from "../syntax/problem.ts";
import type { Template } from "../syntax/template.ts";
import type { ExpressionTypes, ModuleTypes } from "./expression-types.ts";
import { attributeProblem, nameProblems } from "./names.ts";

/** Environments are made once for a module and each combination of `each`, `count` and `self`. */
type TypedEnvironment = {
  readonly environment: Environment;
  readonly checked: Map<string, CheckedExpression>;
};
type ModuleEnvironments = {
  readonly base: Environment;
  readonly byPlace: Map<string, TypedEnvironment>;
};
const environmentsByModule = new WeakMap<ModuleTypes, ModuleEnvironments>();

const celTypes: { readonly [type in AttributeType]: string } = {
  string: "string",
  integer: "int",
  number: "double",
  boolean: "bool",
  list: "list",
  map: "map",
  any: "dyn",
};

/**
 * All problems of names; when an expression has none, its first problem of types. Offsets count in
 * the template text.
 */
export function checkTemplate(
  template: Template,
  types: ExpressionTypes,
  expected: AttributeType,
): readonly ExpressionProblem[] {
  const problems: ExpressionProblem[] = template.whole ? [] : textProblems(template, expected);
  for (const part of template.parts) {
    if (part.kind === "text") continue;
    const wanted = template.whole ? expected : "text";
    for (const problem of expressionProblems(part.source, types, wanted)) {
      problems.push(movedBy(problem, part.offset));
    }
  }
  return problems;
}

/** `text`: the value stands inside a text. Offsets count in the source. */
function expressionProblems(
  source: string,
  types: ExpressionTypes,
  wanted: AttributeType | "text",
): readonly ExpressionProblem[] {
  const names = nameProblems(source, types);
  if (names.length > 0) return names;
  const typed = environmentOf(types);
  let checked = typed.checked.get(source);
  if (checked === undefined) {
    checked = checkExpression(source, typed.environment);
    typed.checked.set(source, checked);
  }
  if (checked.kind === "problem") {
    const { problem, missing } = checked;
    const described = missing && attributeProblem(missing.type, missing.field, types);
    return [{ ...problem, ...described }];
  }
  return checked.results.flatMap(({ type, offset }) => {
    const misfit = typeMisfit(type, wanted, source);
    return misfit === undefined ? [] : [{ ...misfit, offset }];
  });
}

function textProblems(template: Template, expected: AttributeType): ExpressionProblem[] {
  return template.parts.length === 0 ? [] : textTypeProblems(expected);
}

export function typeMisfit(
  type: CelType,
  wanted: AttributeType | "text",
  source: string,
): { readonly message: string; readonly fix?: string } | undefined {
  const kind = kindOf(type);
  if (kind === "any") return undefined;
  if (kind === undefined) {
    const fix = type.kind === "optional" ? { fix: "End it with .orValue(…)." } : {};
    return { message: `No attribute can hold ${typeWord(type.name)}.`, ...fix };
  }
  return wanted === "text" ? textMisfitOf(kind, source) : misfitOf(kind, wanted, source);
}

/** Undefined for types that no attribute can hold. */
function kindOf(type: CelType): ValueKind | "any" | undefined {
  switch (type.kind) {
    case "dyn":
    case "param":
      return "any";
    case "list":
    case "map":
      return type.kind;
    case "message":
      // Timestamps and durations are messages of the library; the others are ours.
      return type.name.startsWith("google.") ? undefined : "map";
    default:
      return primitiveKind(type.name);
  }
}

function primitiveKind(name: string): ValueKind | undefined {
  switch (name) {
    case "string":
    case "null":
      return name;
    case "int":
    case "uint":
      return "integer";
    case "double":
      return "number";
    case "bool":
      return "boolean";
    default:
      return undefined;
  }
}

function environmentOf(types: ExpressionTypes): TypedEnvironment {
  let environments = environmentsByModule.get(types.module);
  if (environments === undefined) {
    environments = { base: moduleEnvironment(types.module), byPlace: new Map() };
    environmentsByModule.set(types.module, environments);
  }
  const place = `${types.each === true} ${types.count === true} ${types.self ?? ""}`;
  let typed = environments.byPlace.get(place);
  if (typed === undefined) {
    typed = { environment: placeEnvironment(environments.base, types), checked: new Map() };
    environments.byPlace.set(place, typed);
  }
  return typed;
}

function moduleEnvironment(module: ModuleTypes): Environment {
  const environment = typedEnvironment();
  // Of all types those that are declared: instances of others cannot be named.
  for (const type of Object.keys(module.resources)) {
    const schema = module.schemas[type];
    if (schema === undefined) continue;
    const fields: { [name: string]: string } = {};
    for (const attribute of Object.values(schema.attributes)) {
      fields[attribute.name] = celTypes[attribute.type];
    }
    environment.registerType(type, { fields });
    registerNullEquality(environment, [type]);
  }
  registerRoot(
    environment,
    "vars",
    mapValues(module.vars, (type) => celTypes[type]),
  );
  registerRoot(
    environment,
    "locals",
    Object.fromEntries([...module.locals].map((n) => [n, "dyn"])),
  );
  registerRoot(environment, "path", { module: "string", root: "string" });
  registerRoot(environment, "vmform", { workspace: "string" });
  const calls = mapValues(module.calls, () => "dyn");
  registerRoot(environment, "module", calls);
  const dataTypes: { [type: string]: string } = {};
  for (const [qualified, names] of Object.entries(module.resources)) {
    const { mode, type } = typeParts(qualified);
    const fields = mapValues(names, (shape) => instanceType(qualified, shape));
    if (mode === "managed") registerRoot(environment, type, fields);
    else dataTypes[type] = registerRootType(environment, qualified, fields);
  }
  registerRoot(environment, dataRoot, dataTypes);
  return environment;
}

function placeEnvironment(base: Environment, types: ExpressionTypes): Environment {
  const environment = typedEnvironment(base);
  if (types.each === true) registerRoot(environment, "each", { key: "string", value: "dyn" });
  if (types.count === true) registerRoot(environment, "count", { index: "int" });
  if (types.self !== undefined) environment.registerVariable("self", types.self);
  return environment;
}

/** A root is a variable of a type of its own; the type's name cannot be that of a resource type. */
function registerRoot(
  environment: Environment,
  root: string,
  fields: { readonly [name: string]: string },
): void {
  environment.registerVariable(root, registerRootType(environment, root, fields));
}

function registerRootType(
  environment: Environment,
  root: string,
  fields: { readonly [name: string]: string },
): string {
  const type = `root ${root}`;
  environment.registerType(type, { fields });
  return type;
}

function instanceType(type: string, shape: "single" | "map" | "list"): string {
  switch (shape) {
    case "single":
      return type;
    case "map":
      return `map<string, ${type}>`;
    case "list":
      return `list<${type}>`;
  }
}

function mapValues<From, To>(
  record: { readonly [name: string]: From },
  convert: (value: From) => To,
): { readonly [name: string]: To } {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value)]));
}
