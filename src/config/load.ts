/**
 * Loads a configuration: bytes of all files of a folder to desired instances, providers and
 * outputs. Pure. Every problem of every file is reported at once, and none is thrown. Rooms: `read`
 * turns bytes into typed places, `blocks` has what is declared, `evaluate` what comes of it:
 * `module.ts` and `module-scope.ts` (what names mean), `expand.ts` (`count` and `for_each`),
 * `instance.ts`, `links.ts`, `named-instances.ts` and `data-uses.ts` (what depends on what),
 * `outputs.ts`, `checks.ts`, `providers.ts`.
 * `load-destroy.ts` says what counts to destroy, `load-settings.ts` where recorded state is.
 */

import type { FileReader } from "../expressions/functions/function-context.ts";
import type { Desired, DesiredData, DesiredInstance } from "../model/plan/desired.ts";
import type { DataRegistry, TypeRegistry } from "../model/provider/provider.ts";
import { foundBy } from "../model/recorded/found-by.ts";
import type { Diagnostic, SourcePosition, WithDiagnostics } from "../model/said/diagnostic.ts";
import { hasErrors } from "../model/said/diagnostic.ts";
import { type Address, qualifiedType, toAddress } from "../model/value/address.ts";
import type { ReferenceLookup } from "../model/value/expression.ts";
import type { ResourceSchema } from "../model/value/resource-schema.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../model/value/value.ts";
import { templatesOfCondition } from "./blocks/condition.ts";
import { gatherGiven, type VariableSources } from "./blocks/given.ts";
import { readLocals } from "./blocks/locals.ts";
import { readMoved } from "./blocks/moved.ts";
import { type Resource, readResource, templatesIn } from "./blocks/resource.ts";
import { readSettings, type Settings } from "./blocks/settings.ts";
import { warnOfUnused } from "./blocks/unused-variables.ts";
import { readDeclarations } from "./blocks/variable-declaration.ts";
import { type MissingValues, readVariables } from "./blocks/variables.ts";
import { checkInstanceKeys, checkTemplates } from "./evaluate/check-expressions.ts";
import { desiredChecks, readChecks } from "./evaluate/checks.ts";
import { type DataUses, dataUses } from "./evaluate/data-uses.ts";
import { refuseEphemeral } from "./evaluate/ephemeral.ts";
import { type EvaluatedExpression, evaluateExpression } from "./evaluate/evaluated-expression.ts";
import { expandResources } from "./evaluate/expand.ts";
import { readImports } from "./evaluate/imports.ts";
import { evaluateInstance, type Instance, instancesOf, typeProblems } from "./evaluate/instance.ts";
import { type InstancesByResource, linkInstances, orderInstances } from "./evaluate/links.ts";
import { createModule, type Module } from "./evaluate/module.ts";
import {
  constantScope,
  type ModuleScope,
  type ScopeNeeds,
  scopeNeeds,
} from "./evaluate/module-scope.ts";
import { checkConditions, desiredConditions } from "./evaluate/object-conditions.ts";
import { checkOneProvider } from "./evaluate/one-provider.ts";
import { desiredOutputs, readOutputs } from "./evaluate/outputs.ts";
import { warnOfPlanTime } from "./evaluate/plan-time.ts";
import { type ProviderSettings, readProviders } from "./evaluate/providers.ts";
import { readRemoved } from "./evaluate/removed.ts";
import { checkSameObject, type SeenObjects } from "./evaluate/same-object.ts";
import { validateVariables } from "./evaluate/validation.ts";
import { type BlockEntry, type Blocks, gatherBlocks } from "./read/blocks.ts";
import { type FileBytes, parseFile } from "./read/document.ts";
import { type ConfigTemplate, templatesOf } from "./read/value.ts";
import { createReport, type Problem, positionOf, type Report } from "./report.ts";

/** One configuration file: its name as printed in diagnostics, and its bytes. */
export type ConfigurationFile = FileBytes;

export type LoadInput = {
  /** All configuration files of the folder. */
  readonly files: readonly ConfigurationFile[];
  /** Names of other files that lie there. */
  readonly otherNames?: readonly string[];
  /** The folder: `path.module`, `path.root`, and where relative settings begin. */
  readonly directory: string;
  /** Home folder of who runs this. */
  readonly home: string;
  readonly types: TypeRegistry;
  readonly dataTypes: DataRegistry;
  /** Schema of the settings of each provider, by its name. */
  readonly providerSettings: ProviderSettings;
  readonly variables: VariableSources;
  /** What is said of variables without a value; by default they are refused. */
  readonly missingValues?: MissingValues;
  /** Reads files that expressions name. Without it, none can be read. */
  readonly readFile?: FileReader;
  /** The time of the plan, for `timestamp()`. */
  readonly nowMs?: number;
  /** Own version, as in `0.1.0`. */
  readonly version: string;
};

export type Configuration = Desired & {
  readonly settings: Settings;
  /** Resources that are declared, whether or not they have instances. */
  readonly declared: readonly { readonly address: Address; readonly preventDestroy: boolean }[];
  /** Evaluates an expression that stands outside of the files. Pure. */
  readonly evaluate: (text: string, lookup: ReferenceLookup) => EvaluatedExpression;
};

/** The configuration, or undefined when there are errors; warnings alone do not stop it. */
export function loadConfiguration(input: LoadInput): WithDiagnostics<Configuration | undefined> {
  const report = createReport();
  if (input.files.length === 0) {
    report.add("CFG041", noFiles(input));
    return { value: undefined, diagnostics: report.diagnostics() };
  }
  const value = load(input, report);
  const diagnostics = report.diagnostics();
  return { value: hasErrors(diagnostics) ? undefined : value, diagnostics };
}

function noFiles({ directory, otherNames = [] }: LoadInput): Problem {
  const folder = directory === "." ? "This folder" : `The folder ${directory}`;
  const detail = `${folder} has no file whose name ends in .vmform.yaml.`;
  const near = otherNames.find((name) => /\.(?:ya?ml|tf)$/.test(name));
  const begin = "vmform init writes a first one; --chdir chooses another folder.";
  if (near === undefined) return { detail, fix: begin };
  const fix = near.endsWith(".tf")
    ? `${near} is of another tool, and is not read. ${begin}`
    : `${near} is not read: end its name in .vmform.yaml if it is meant. ${begin}`;
  return { detail, fix };
}

function load(input: LoadInput, report: Report): Configuration | undefined {
  const files = input.files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parsed = files.map((file) => parseFile(file, report));
  const blocks = gatherBlocks(parsed, report);
  warnIfEmpty(blocks, parsed, report);
  const settings = readSettings(blocks.settings, input, report);
  const outputs = readOutputs(blocks.outputs, report);
  const checks = readChecks(blocks.checks, report);
  const module = readModule(blocks, input, report);
  // With a part of the configuration unread, names in it would seem not to exist.
  if (parsed.some(({ complete }) => !complete)) return undefined;
  const constants = checkLocals(module, report);
  validateVariables(module, constants, report);
  const providers = readProviders(
    blocks.providers,
    input.providerSettings,
    module,
    constants,
    report,
  );
  const instances = expandResources(module, constants, report);
  const scope: ModuleScope = { module, constants, instances };
  const conditions = [...checks, ...outputs.flatMap((output) => output.conditions)];
  const outputTemplates = outputs.flatMap(({ value }) => templatesOf(value));
  checkUses(scope, [...outputTemplates, ...conditions.flatMap(templatesOfCondition)], report);
  warnOfPlanTime(module, outputs, report);
  refuseEphemeral(module, outputs, checks, report);
  const byResource = instancesByResource(scope);
  checkOneProvider(module, report);
  const { uses, ...desired } = desiredObjects(scope, byResource, report);
  const sources = parsed.map(({ source }) => source);
  if (report.errorCount() === 0) warnOfUnused(module.variables, sources, report);
  return {
    settings,
    declared: declaredIn(module),
    providers,
    ...desired,
    outputs: desiredOutputs(outputs, scope, uses, report),
    ...(checks.length === 0 ? {} : { checks: desiredChecks(checks, scope, uses) }),
    moved: readMoved(blocks.moved, report),
    removed: readRemoved(blocks.removed, byResource, module, report),
    imports: readImports(blocks.imports, byResource, module, report),
    evaluate: (text, lookup) => evaluateExpression(text, scope, lookup),
  };
}

function declaredIn({ resources }: Module): Configuration["declared"] {
  return [...resources.values()].flatMap(({ key, mode, lifecycle: { preventDestroy } }) => {
    const address = mode === "managed" ? toAddress(key) : undefined;
    return address === undefined ? [] : [{ address, preventDestroy }];
  });
}

function warnIfEmpty(
  blocks: Blocks,
  parsed: readonly { readonly complete: boolean }[],
  report: Report,
): void {
  const { settings, moved, removed, imports } = blocks;
  const { providers, variables, locals, data, resources, outputs, checks } = blocks;
  const keyed = [providers, variables, locals, data, resources, outputs, checks].some(
    ({ size }) => size > 0,
  );
  const listed = [moved, removed, imports].some(({ length }) => length > 0);
  if (settings !== undefined || listed || keyed || report.errorCount() > 0) return;
  if (!parsed.every(({ complete }) => complete)) return;
  const detail = "The configuration files hold no blocks; nothing is wanted.";
  report.add("CFG040", { severity: "warning", detail });
}

function contextOf({ readFile, nowMs }: LoadInput): Module["context"] {
  return {
    ...(readFile === undefined ? {} : { files: readFile }),
    // Whole seconds: nobody means the milliseconds.
    ...(nowMs === undefined ? {} : { time: new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z") }),
  };
}

/** What expressions may refer to, and the resources. */
function readModule(blocks: Blocks, input: LoadInput, report: Report): Module {
  const declarations = readDeclarations(blocks.variables, report);
  const given = gatherGiven(input.variables, new Set(blocks.variables.keys()), report);
  const variables = readVariables(declarations, given, input.missingValues ?? "refused", report);
  const locals = readLocals(blocks.locals, report);
  const { directory } = input;
  const context = contextOf(input);
  const registry = { managed: input.types, data: input.dataTypes };
  const resources = new Map<string, Resource>();
  const resourceEntries = new Map<string, BlockEntry>();
  for (const [mode, entries] of [
    ["data", blocks.data],
    ["managed", blocks.resources],
  ] as const) {
    for (const [name, entry] of entries) {
      resourceEntries.set(qualifiedType({ mode, type: name }), entry);
      const resource = readResource(entry, mode, registry[mode], report);
      if (resource !== undefined) resources.set(resource.key, resource);
    }
  }
  return createModule({
    directory,
    context,
    variables,
    locals,
    resources,
    resourceEntries,
    registry,
  });
}

/** Checks the expressions of locals, then evaluates those that need no resource. */
function checkLocals(module: Module, report: Report): ModuleScope["constants"] {
  for (const { value } of module.locals.ordered) {
    if (value !== undefined) checkTemplates(templatesOf(value), {}, module, report);
  }
  return constantScope(module, report);
}

/** Checks what resources, outputs and checks say, and the instances they and locals name. */
function checkUses(scope: ModuleScope, others: readonly ConfigTemplate[], report: Report): void {
  const { module, instances } = scope;
  const keyed: ConfigTemplate[] = module.locals.ordered.flatMap(({ value }) =>
    value === undefined ? [] : templatesOf(value),
  );
  for (const resource of module.resources.values()) {
    const { instancing, templates } = resource;
    const place = { each: instancing === "map", count: instancing === "list" };
    checkTemplates(templates, place, module, report);
    checkConditions(resource, place, module, report);
    keyed.push(...templatesIn(resource));
  }
  checkTemplates(others, {}, module, report);
  keyed.push(...others);
  checkInstanceKeys(keyed, instances, module, report);
}

function instancesByResource({ module, instances }: ModuleScope): InstancesByResource {
  const byResource = new Map<string, readonly Instance[]>();
  for (const [key, resource] of module.resources) {
    const own = instances.get(key);
    if (own !== undefined) byResource.set(key, instancesOf(resource, own));
  }
  return byResource;
}

type DesiredObjects = {
  readonly instances: readonly DesiredInstance[];
  readonly data: readonly DesiredData[];
  readonly uses: ReadonlyMap<string, DataUses>;
};

/** Links instances and data sources, and evaluates each once to find its problems. */
function desiredObjects(
  scope: ModuleScope,
  byResource: InstancesByResource,
  report: Report,
): DesiredObjects {
  const needs = new Map<string, ScopeNeeds>();
  for (const key of byResource.keys()) {
    const resource = scope.module.resources.get(key);
    needs.set(key, scopeNeeds(resource === undefined ? [] : templatesIn(resource), scope.module));
  }
  const links = linkInstances(scope, byResource, needs, report);
  const order = orderInstances(links, byResource, scope.module, report);
  const attributes = checkInstances(scope, { byResource, needs, order }, report);
  const uses = dataUses(links, order);
  const seen: SeenObjects = new Map();
  const instances: DesiredInstance[] = [];
  const data = new Map<string, DesiredData>();
  for (const [key, own] of byResource) {
    const needed = needs.get(key);
    const [first] = own;
    if (needed === undefined || first === undefined) continue;
    const parts = { scope, needs: needed, uses, source: positionOf(first.resource.place) };
    for (const instance of own) {
      const { address, resource } = instance;
      if (resource.mode === "data") {
        data.set(address, desiredData(instance, parts));
        continue;
      }
      const known = attributes.get(address);
      if (known !== undefined) checkSameObject(instance, known, seen, report);
      instances.push(desiredInstance(instance, parts, instances.length));
    }
  }
  return { instances, data: order.flatMap((address) => data.get(address) ?? []), uses };
}

type InstanceOrder = {
  readonly byResource: InstancesByResource;
  readonly needs: ReadonlyMap<string, ScopeNeeds>;
  readonly order: readonly string[];
};

/**
 * Evaluates each instance with what the configuration says of those before it; what the remote side
 * sets, or what is left as it is, is unknown. Returns the attributes, unset ones as unknown.
 */
function checkInstances(
  scope: ModuleScope,
  { byResource, needs, order }: InstanceOrder,
  report: Report,
): ReadonlyMap<string, PlannedAttributes> {
  const known = new Map<string, PlannedAttributes>();
  const lookup: ReferenceLookup = (address) => known.get(address);
  const instances = new Map<string, Instance>();
  for (const own of byResource.values()) for (const one of own) instances.set(one.address, one);
  for (const address of order) {
    const instance = instances.get(address);
    const needed = needs.get(instance?.resource.key ?? "");
    if (instance === undefined || needed === undefined) continue;
    const { attributes } = evaluateInstance(instance, scope, needed, lookup, report);
    for (const problem of typeProblems(instance, attributes)) report.pass(problem);
    const { type } = instance.resource;
    known.set(address, withUnknown(type.schema, foundBy(type, attributes)));
  }
  return known;
}

function withUnknown(schema: ResourceSchema, attributes: PlannedAttributes): PlannedAttributes {
  const all: { [name: string]: PlannedValue } = { ...attributes };
  for (const name of Object.keys(schema.attributes))
    if (!Object.hasOwn(all, name)) all[name] = unknown;
  return all;
}

type InstanceParts = {
  readonly scope: ModuleScope;
  readonly needs: ScopeNeeds;
  readonly uses: ReadonlyMap<string, DataUses>;
  readonly source: SourcePosition;
};

function desiredInstance(instance: Instance, parts: InstanceParts, order: number): DesiredInstance {
  const { lifecycle, timeoutsMs } = instance.resource;
  const { explicit = [], triggers = [] } = parts.uses.get(instance.address) ?? {};
  return {
    ...desiredData(instance, parts),
    ...{ order, explicitDependencies: explicit, lifecycle, timeoutsMs },
    ...(triggers.length === 0 ? {} : { triggers }),
  };
}

/** What a data source and an instance have in common. */
function desiredData(
  instance: Instance,
  { scope, needs, uses, source }: InstanceParts,
): DesiredData {
  const { address, resource } = instance;
  const used = uses.get(address);
  const conditions = desiredConditions(instance, scope, needs);
  return {
    address,
    ...(conditions === undefined ? {} : { conditions }),
    type: resource.type.name,
    provider: resource.provider,
    source,
    references: used?.references ?? [],
    data: used?.data ?? [],
    dependencies: used?.dependencies ?? [],
    resolve: (lookup) => {
      const report = createReport();
      const resolved = evaluateInstance(instance, scope, needs, lookup, report);
      const own: readonly Diagnostic[] = typeProblems(instance, resolved.attributes);
      return { ...resolved, diagnostics: [...report.diagnostics(), ...own] };
    },
  };
}
