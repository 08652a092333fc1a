/** Checks that the names an expression uses are declared, and says which was probably meant. */

import { closestName } from "../../lib/text.ts";
import { typeParts } from "../../model/value/address.ts";
import {
  type SourceReference,
  sourceReferences,
  type ValueReference,
} from "../evaluate/references.ts";
import { dataRoot } from "../evaluate/scope.ts";
import type { ExpressionProblem } from "../syntax/problem.ts";
import { callProblem } from "./call-names.ts";
import type { ExpressionTypes, ModuleTypes, PartTypes } from "./expression-types.ts";

export type Described = { readonly message: string; readonly fix?: string };
type ResourceUse = Extract<SourceReference, { readonly root: "resource" }>;

/** Roots of other tools, and the root that is meant. */
const peerRoots: { readonly [root: string]: string } = {
  var: "vars",
  variable: "vars",
  variables: "vars",
  local: "locals",
  param: "vars",
  params: "vars",
  modules: "module",
  terraform: "vmform",
  workspace: "vmform.workspace",
};

/** Offsets count in the source. */
export function nameProblems(source: string, types: ExpressionTypes): readonly ExpressionProblem[] {
  const problems: ExpressionProblem[] = [];
  for (const reference of sourceReferences(source)) {
    const described = describe(reference, types);
    if (described !== undefined) problems.push({ ...described, offset: reference.offset });
  }
  return problems;
}

function describe(reference: SourceReference, types: ExpressionTypes): Described | undefined {
  const { root } = reference;
  if (root === "incomplete") return incompleteProblem(reference.type, types);
  if (root === "resource") {
    if (!Object.hasOwn(types.module.schemas, reference.type)) {
      return unknownRoot(reference.type, types);
    }
    return forbidden(root, types) ?? resourceProblem(reference, types);
  }
  return forbidden(root, types) ?? valueProblem(reference, types);
}

function forbidden(root: SourceReference["root"], types: ExpressionTypes): Described | undefined {
  const only: readonly string[] | undefined = types.only;
  if (only === undefined || only.includes(root)) return undefined;
  const message =
    root === "resource"
      ? "Attributes of resources and data sources are not known here."
      : `${root} cannot be used here.`;
  const usable = only.map((name) => (name === "resource" ? "resources" : name)).join(", ");
  return { message, fix: `Only these can be used here: ${usable}.` };
}

function valueProblem(reference: ValueReference, types: ExpressionTypes): Described | undefined {
  const { root, name } = reference;
  switch (root) {
    case "vars":
      return (
        memberProblem("vars", name, namesOf(types.module).vars, "the block variables") ??
        partProblem(reference, types.module)
      );
    case "locals":
      return memberProblem("locals", name, namesOf(types.module).locals, "the block locals");
    case "path":
      return memberProblem("path", name, new Set(["module", "root"]));
    case "vmform":
      return memberProblem("vmform", name, new Set(["workspace"]));
    case "each":
      if (types.each !== true) return absentRoot("each", "for_each");
      return memberProblem("each", name, new Set(["key", "value"]));
    case "count":
      if (types.count !== true) return absentRoot("count", "count");
      return memberProblem("count", name, new Set(["index"]));
    case "self":
      return selfProblem(name, types);
    case "module":
      return callProblem(reference, types.module.calls);
  }
}

function absentRoot(root: string, argument: string): Described {
  return { message: `${root} exists only in a resource with ${argument}.` };
}

type Names = { readonly vars: ReadonlySet<string>; readonly locals: ReadonlySet<string> };
const namesByModule = new WeakMap<ModuleTypes, Names>();

/** Sets of the declared names, made once for a module: checks of 10,000 locals ask as often. */
function namesOf(module: ModuleTypes): Names {
  const known = namesByModule.get(module);
  if (known !== undefined) return known;
  const made = { vars: new Set(Object.keys(module.vars)), locals: new Set(module.locals) };
  namesByModule.set(module, made);
  return made;
}

/** A root that stands alone, or is indexed by an expression, is judged while evaluating. */
function memberProblem(
  root: string,
  name: string | undefined,
  known: ReadonlySet<string>,
  block?: string,
): Described | undefined {
  if (name === undefined || known.has(name)) return undefined;
  const message = `There is no ${root}.${name}.`;
  const closest = closestName(name, known);
  if (closest !== undefined) return { message, fix: `Did you mean ${root}.${closest}?` };
  if (block !== undefined) return { message, fix: `Declare ${name} in ${block}.` };
  return { message, fix: `There is ${[...known].map((one) => `${root}.${one}`).join(", ")}.` };
}

/** A member that the declared type of a variable does not have; no value can have it. */
function partProblem(
  { name = "", steps = [] }: ValueReference,
  { varParts = {} }: ModuleTypes,
): Described | undefined {
  let part: PartTypes | undefined = Object.hasOwn(varParts, name) ? varParts[name] : undefined;
  let written = `vars.${name}`;
  for (const { form, text, number } of steps) {
    if (part?.members === undefined) {
      part = part?.of;
      written += text === undefined || form === "index" ? "[…]" : `.${text}`;
      continue;
    }
    const { members } = part;
    if (text === undefined) {
      if (number === undefined) return undefined;
      const message = `${written} is an object, and has no element ${number}.`;
      return { message, fix: listed(members) };
    }
    const member = members.get(text);
    if (member === undefined) {
      const message = `${written} has no member ${text}.`;
      const closest = closestName(text, members.keys());
      if (closest !== undefined) return { message, fix: `Did you mean ${written}.${closest}?` };
      return { message, fix: listed(members) };
    }
    part = member.type;
    written += `.${text}`;
  }
  return undefined;
}

function listed(members: ReadonlyMap<string, unknown>): string {
  return `By its type it has ${members.size === 0 ? "none" : [...members.keys()].join(", ")}.`;
}

function selfProblem(name: string | undefined, types: ExpressionTypes): Described | undefined {
  if (types.self === undefined) return { message: "self exists only in postconditions." };
  return name === undefined ? undefined : attributeProblem(types.self, name, types);
}

function incompleteProblem(type: string, types: ExpressionTypes): Described {
  if (type === dataRoot) {
    const message = "data is not a value.";
    return { message, fix: "Name one data source: data.type.name." };
  }
  if (!Object.hasOwn(types.module.schemas, type)) return unknownRoot(type, types);
  const names = Object.keys(types.module.resources[type] ?? {});
  const [example = "name"] = names;
  const word = wordOf(type);
  return {
    message: `${type} is a ${word} type, not a value.`,
    fix: `Name one ${word} of the type as written in the configuration: ${type}.${example}.`,
  };
}

function wordOf(qualified: string): "resource" | "data source" {
  return typeParts(qualified).mode === "data" ? "data source" : "resource";
}

function unknownRoot(root: string, types: ExpressionTypes): Described {
  if (typeParts(root).mode === "data") return unknownDataType(root, types);
  const message = `There is no name "${root}" here.`;
  const resourceTypes = Object.keys(types.module.schemas).filter(
    (type) => typeParts(type).mode === "managed",
  );
  const candidates = ["vars", "locals", "path", "vmform", dataRoot, ...resourceTypes];
  if (Object.keys(types.module.calls).length > 0) candidates.push("module");
  if (types.each === true) candidates.push("each");
  if (types.count === true) candidates.push("count");
  const closest = peerRoots[root] ?? closestName(root, candidates);
  return closest === undefined ? { message } : { message, fix: `Did you mean ${closest}?` };
}

function unknownDataType(qualified: string, types: ExpressionTypes): Described {
  const { type } = typeParts(qualified);
  const message = `There is no type of data sources "${type}".`;
  const known = Object.keys(types.module.schemas).filter((one) => wordOf(one) === "data source");
  const closest = closestName(qualified, known);
  return closest === undefined ? { message } : { message, fix: `Did you mean ${closest}?` };
}

/** A few of what there is, for a name that resembles none of them. */
function declaredText(type: string, declared: object): string | undefined {
  const names = Object.keys(declared).map((name) => `${type}.${name}`);
  if (names.length === 0) return undefined;
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return `Declared: ${names.slice(0, 5).join(", ")}${more}.`;
}

function resourceProblem(use: ResourceUse, types: ExpressionTypes): Described | undefined {
  const { type, name } = use;
  const declared = types.module.resources[type] ?? {};
  const shape = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (shape === undefined) {
    const message = `The ${wordOf(type)} ${type}.${name} is not declared.`;
    const closest = closestName(name, Object.keys(declared));
    const fix =
      closest === undefined ? declaredText(type, declared) : `Did you mean ${type}.${closest}?`;
    return fix === undefined ? { message } : { message, fix };
  }
  const written = `${type}.${name}`;
  const attribute = use.attribute ?? "id";
  if (shape === "single" && (use.key !== undefined || use.dynamicKey)) {
    return {
      message: `${written} is one ${wordOf(type)}, without for_each and count.`,
      fix: `Write ${written}.${attribute}.`,
    };
  }
  if (shape !== "single" && use.attribute !== undefined && use.attributeOffset !== undefined) {
    const message = `${written} has several instances; name one of them.`;
    const isKey = shape === "map" && attributeProblem(type, use.attribute, types) !== undefined;
    if (isKey) return { message, fix: `Write ${written}["${use.attribute}"].` };
    const key = shape === "map" ? '["key"]' : "[0]";
    return { message, fix: `Write ${written}${key}.${attribute}.` };
  }
  if (shape === "map" && typeof use.key === "number") {
    return {
      message: `The instances of ${written} have texts as keys.`,
      fix: `Write ${written}["${use.key}"].`,
    };
  }
  if (shape === "list" && typeof use.key === "string") {
    return {
      message: `The instances of ${written} are numbered.`,
      fix: `Write ${written}[0].`,
    };
  }
  return use.attribute === undefined ? undefined : attributeProblem(type, use.attribute, types);
}

/** Undefined when the type has the attribute, or is no resource type. */
export function attributeProblem(
  type: string,
  attribute: string,
  types: ExpressionTypes,
): Described | undefined {
  const attributes = types.module.schemas[type]?.attributes;
  if (attributes === undefined || Object.hasOwn(attributes, attribute)) return undefined;
  const message = `${type} has no attribute ${attribute}.`;
  const closest = closestName(attribute, Object.keys(attributes));
  return closest === undefined ? { message } : { message, fix: `Did you mean ${closest}?` };
}
