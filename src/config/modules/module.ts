/**
 * A module: what a folder declares, as it is called from one place. The root module is the
 * configuration itself. Instances of a call (`count`, `for_each`) share their module.
 */

import type { CallTypes, ModuleTypes } from "../../expressions/check/expression-types.ts";
import type { RootReference, ValueReference } from "../../expressions/evaluate/references.ts";
import type { ResourceShape } from "../../expressions/evaluate/scope.ts";
import { lazyRecord } from "../../lib/lazy-record.ts";
import { moduleText, qualifiedType } from "../../model/value/address.ts";
import type { DeferredValue } from "../../model/value/expression.ts";
import type { AttributeType, ResourceSchema } from "../../model/value/resource-schema.ts";
import type { PlannedValue } from "../../model/value/value.ts";
import type { Definition, TypeRegistries } from "../blocks/definition.ts";
import type { ModuleCall } from "../blocks/module-call.ts";
import type { Resource } from "../blocks/resource.ts";
import { type ConfigTemplate, type ConfigValue, templatesOf } from "../read/value.ts";
import { placeText, type Report } from "../report.ts";
import type { Variable } from "../variables/variables.ts";

/** Where a module is called, and with what. */
export type Caller = {
  readonly module: Module;
  readonly call: ModuleCall;
  /** Values of its variables, in the names of the calling module. */
  readonly inputs: ReadonlyMap<string, ConfigValue>;
};

export type Module = Definition & {
  /** Names of the calls that lead to it; empty for the root. */
  readonly path: readonly string[];
  /** Folder of the root module: `path.root`. */
  readonly rootDirectory: string;
  /** `vmform.workspace`. */
  readonly workspace: string;
  readonly caller: Caller | undefined;
  /** Modules it calls, by the name of the call. */
  readonly called: ReadonlyMap<string, Module>;
  /** With their values, in the root module. */
  readonly variables: ReadonlyMap<string, Variable>;
  /** Their providers are named as in the root module. */
  readonly resources: ReadonlyMap<string, Resource>;
  readonly types: ModuleTypes;
  /**
   * Names (`vars.x`, `locals.y`, `outputs.o`, `module.lab`, `type.name`, `data.type.name`) that
   * have problems of their own: what refers to them is not judged, so that one mistake is not
   * reported many times.
   */
  readonly broken: Set<string>;
  /** Templates that refer to something broken, or have problems themselves. */
  readonly skipped: Set<ConfigTemplate>;
  /**
   * Values (`vars.x`, `locals.y`, `outputs.o`) that need a resource, directly or through others:
   * evaluated anew for each lookup. With their place in the order of evaluation over all modules.
   */
  readonly late: Map<string, number>;
  /**
   * Names, as in `broken`, of what cannot be told before something is read: resources and calls
   * whose `count` or `for_each` waits for it, and all that needs those.
   */
  readonly waiting: Set<string>;
};

export type ModuleParts = Pick<
  Module,
  "path" | "rootDirectory" | "workspace" | "caller" | "called" | "variables" | "resources"
> & {
  readonly definition: Definition;
  readonly registries: TypeRegistries;
  /** Variables that can have no value. */
  readonly brokenVariables: ReadonlySet<string>;
};

export function createModule({
  definition,
  registries,
  brokenVariables,
  ...parts
}: ModuleParts): Module {
  const { locals, resourceKeys, outputs, blocks } = definition;
  const broken = new Set([...brokenVariables].map((name) => `vars.${name}`));
  for (const name of locals.names) if (!locals.byName.has(name)) broken.add(`locals.${name}`);
  for (const key of resourceKeys) {
    if (parts.resources.get(key)?.broken !== false) broken.add(key);
  }
  for (const name of blocks.outputs.keys()) if (!outputs.has(name)) broken.add(`outputs.${name}`);
  const types = moduleTypes(definition, parts, registries);
  const marks = { broken, skipped: new Set<ConfigTemplate>(), waiting: new Set<string>() };
  return { ...definition, ...parts, types, ...marks, late: new Map() };
}

function moduleTypes(
  { locals, calls }: Definition,
  { variables, resources, called }: Pick<ModuleParts, "variables" | "resources" | "called">,
  registries: TypeRegistries,
): ModuleTypes {
  const vars: { [name: string]: AttributeType } = {};
  for (const { name, type, value } of variables.values())
    vars[name] = value === null ? "any" : type;
  const parts = [...variables.values()].filter(({ broken }) => !broken);
  const varParts = Object.fromEntries(parts.map(({ name, valueType }) => [name, valueType]));
  const schemas = (["managed", "data"] as const).flatMap((mode) =>
    Object.keys(registries[mode]).map(
      (type) => [qualifiedType({ mode, type }), () => schemaOf(registries[mode], type)] as const,
    ),
  );
  const declared: { [type: string]: { [name: string]: "single" | "map" | "list" } } = {};
  for (const { mode, type, name, instancing } of resources.values()) {
    const names = (declared[qualifiedType({ mode, type: type.name })] ??= {});
    names[name] = instancing;
  }
  // What is called is read after what calls it.
  const callTypes = [...calls.values()].map(({ name, instancing }) => {
    const outputs = (): CallTypes["outputs"] => new Set(called.get(name)?.blocks.outputs.keys());
    return [name, (): CallTypes => ({ instancing, outputs: outputs() })] as const;
  });
  return {
    vars,
    varParts,
    locals: locals.names,
    resources: declared,
    schemas: lazyRecord(schemas),
    calls: lazyRecord(callTypes),
  };
}

function schemaOf(registry: TypeRegistries["managed" | "data"], type: string): ResourceSchema {
  const described = registry[type];
  if (described === undefined) throw new Error(`the registry has no type ${type}`);
  return described.schema;
}

/** The module and all that it calls, itself first. */
export function modulesIn(root: Module): readonly Module[] {
  const found = [root];
  for (let index = 0; index < found.length; index += 1) {
    found.push(...(found[index]?.called.values() ?? []));
  }
  return found;
}

/** `module.lab.module.net`, as people write it; without keys of instances. */
export function modulePathText({ path }: Pick<Module, "path">): string {
  return moduleText(path.map((name) => ({ name })));
}

/** A report whose problems say through which call they came about. */
export function reportIn(module: Module, report: Report): Report {
  const { caller } = module;
  if (caller === undefined) return report;
  const through = ` (In ${modulePathText(module)}, called at ${placeText(caller.call.place)}.)`;
  return {
    ...report,
    add: (code, problem) =>
      report.add(code, {
        ...problem,
        detail: `${problem.detail}${through}`,
        group: problem.group ?? problem.detail,
      }),
    pass: (diagnostic) => report.pass({ ...diagnostic, detail: `${diagnostic.detail}${through}` }),
  };
}

/** The outputs that a reference to a module call may read; undefined for all of them. */
export function outputRead(
  { steps = [] }: Pick<ValueReference, "steps">,
  { instancing }: Pick<ModuleCall, "instancing">,
): string | undefined {
  return (instancing === "single" ? steps[0] : steps[1])?.text;
}

/** True when a reference leads to something that has problems of its own. */
export function isBrokenReference(reference: RootReference, module: Module): boolean {
  return isMarked(reference, module, ({ broken }) => broken);
}

/** True when a reference leads to something that cannot be told before something is read. */
function isWaitingReference(reference: RootReference, module: Module): boolean {
  return isMarked(reference, module, ({ waiting }) => waiting);
}

/** Whether an expression of any of the templates needs something that waits. */
export function isWaitingFor(templates: readonly ConfigTemplate[], module: Module): boolean {
  return templates.some(({ references }) =>
    references.some((reference) => isWaitingReference(reference, module)),
  );
}

type MarkedNames = (module: Module) => ReadonlySet<string>;

function isMarked(reference: RootReference, module: Module, marksOf: MarkedNames): boolean {
  const marks = marksOf(module);
  if (reference.root === "resource") return marks.has(`${reference.type}.${reference.name}`);
  const { root, name } = reference;
  if (root === "module") return isMarkedCall(reference, module, marksOf);
  if (root !== "vars" && root !== "locals") return false;
  if (name !== undefined) return marks.has(`${root}.${name}`);
  return [...marks].some((one) => one.startsWith(`${root}.`));
}

function isMarkedCall(reference: ValueReference, module: Module, marksOf: MarkedNames): boolean {
  const { name } = reference;
  const calls = name === undefined ? [...module.calls.keys()] : [name];
  return calls.some((one) => {
    if (marksOf(module).has(`module.${one}`)) return true;
    const [call, called] = [module.calls.get(one), module.called.get(one)];
    if (call === undefined || called === undefined) return false;
    const output = name === undefined ? undefined : outputRead(reference, call);
    const read = output === undefined ? [...called.outputs.keys()] : [output];
    return read.some((each) => marksOf(called).has(`outputs.${each}`));
  });
}

const referencesByValue = new WeakMap<ConfigValue, readonly RootReference[]>();

/** References of all expressions in a value. */
export function referencesOfValue(value: ConfigValue): readonly RootReference[] {
  const known = referencesByValue.get(value);
  if (known !== undefined) return known;
  const made = templatesOf(value).flatMap(({ references }) => references);
  referencesByValue.set(value, made);
  return made;
}

/** `vars` and `x` of `vars.x`. */
export function nameParts(name: string): { readonly root: string; readonly key: string } {
  const [root = "", key = ""] = name.split(".", 2);
  return { root, key };
}

/** What a late value is made of: its text, and the module in whose names it is written. */
export function writtenAs(
  name: string,
  module: Module,
): { readonly value: ConfigValue; readonly module: Module } | undefined {
  const { root, key } = nameParts(name);
  if (root === "vars") {
    const value = module.caller?.inputs.get(key);
    return value && module.caller && { value, module: module.caller.module };
  }
  const value =
    root === "locals" ? module.locals.byName.get(key)?.value : module.outputs.get(key)?.value;
  return value && { value, module };
}

/** The instances of a resource or a module call, once `count` or `for_each` is evaluated. */
export type Instances =
  | { readonly kind: "single" }
  | { readonly kind: "list"; readonly length: number }
  | {
      readonly kind: "map";
      /** In order. */
      readonly values: ReadonlyMap<string, PlannedValue>;
      readonly keys: ReadonlySet<string>;
      /** How the values will be computed that are not known yet. Of modules every value is. */
      readonly late?: ReadonlyMap<string, DeferredValue>;
    };

export function resourceShapeOfInstances(instances: Instances): ResourceShape {
  if (instances.kind !== "map") return instances;
  return { kind: "map", keys: instances.keys };
}
