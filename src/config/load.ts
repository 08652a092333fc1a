/**
 * Loads a configuration: bytes of all files of a folder to desired instances, providers and
 * outputs. Pure. Every problem of every file is reported at once, and none is thrown. Rooms: `read`
 * turns bytes into typed places, `blocks` has what one folder declares (`definition.ts`),
 * `variables` what is given; `modules` has the tree of modules: `modules.ts` and `module.ts` (what
 * is called from where), `value-order.ts`, `module-scope.ts`; `values` what expressions come to:
 * `constants.ts`, `late-values.ts` (what names mean), `expand.ts` (`count` and `for_each`),
 * `waiting.ts` (what has to be read first); `objects` what is wanted: `instance.ts`, `links.ts`,
 * `named-instances.ts` and `data-uses.ts` (what depends on what), `desired-objects.ts`,
 * `outputs.ts`, `checks.ts`, `providers.ts`, `left-out.ts`.
 * `load-destroy.ts` says what counts to destroy, `load-settings.ts` where recorded state is,
 * `load-policies.ts` what must hold whatever else is read.
 */

import type { FileReader } from "../expressions/functions/function-context.ts";
import type { Desired, DesiredProtection } from "../model/plan/desired.ts";
import type { DataRegistry, TypeRegistry } from "../model/provider/provider.ts";
import { type Diagnostic, hasErrors, type WithDiagnostics } from "../model/said/diagnostic.ts";
import type { Address } from "../model/value/address.ts";
import type { ReferenceLookup } from "../model/value/expression.ts";
import { templatesOfCondition } from "./blocks/condition.ts";
import {
  type Definition,
  readDefinition,
  type ScopeContext,
  type TypeRegistries,
} from "./blocks/definition.ts";
import { type MovedEntries, readMoved } from "./blocks/moved.ts";
import { templatesIn } from "./blocks/resource.ts";
import type { PackagesRead } from "./load-packages.ts";
import { allPolicies } from "./load-policies.ts";
import { type Module, modulesIn, reportIn } from "./modules/module.ts";
import { knowNothing, type ModuleScope, scopesIn } from "./modules/module-scope.ts";
import { readModules } from "./modules/modules.ts";
import { orderValues } from "./modules/value-order.ts";
import { desiredChecks } from "./objects/checks.ts";
import { desiredObjects } from "./objects/desired-objects.ts";
import { readImports, type UndeclaredImport, type UndeclaredImports } from "./objects/imports.ts";
import { addressIn, instancesByResource } from "./objects/instances.ts";
import { leaveOutWaiting, leftOutOf } from "./objects/left-out.ts";
import { checkConditions } from "./objects/object-conditions.ts";
import { checkOneProvider } from "./objects/one-provider.ts";
import { desiredOutputs } from "./objects/outputs.ts";
import { checkProtection, protectionOf } from "./objects/protection.ts";
import { checkWays, type ProviderSettings, readProviders } from "./objects/providers.ts";
import { readRemoved } from "./objects/removed.ts";
import type { FileBytes } from "./read/document.ts";
import type { FolderReader } from "./read/folder.ts";
import { type ConfigTemplate, templatesOf } from "./read/value.ts";
import { createReport, type Problem, type Report } from "./report.ts";
import { readSettings, type Settings } from "./settings/settings.ts";
import { checkInstanceKeys, checkTemplates } from "./values/check-expressions.ts";
import { judgeOutputs } from "./values/conditions-behind.ts";
import { evaluateConstants } from "./values/constants.ts";
import { refuseEphemeral } from "./values/ephemeral.ts";
import { type EvaluatedExpression, evaluateExpression } from "./values/evaluated-expression.ts";
import { warnOfPlanTime } from "./values/plan-time.ts";
import { validateVariables } from "./values/validation.ts";
import type { Waiting } from "./values/waiting.ts";
import { gatherGiven, type VariableSources } from "./variables/given.ts";
import { warnOfUnused } from "./variables/unused-variables.ts";
import { type MissingValues, readVariables, type Variable } from "./variables/variables.ts";

/** One configuration file: its name as printed in diagnostics, and its bytes. */
export type ConfigurationFile = FileBytes;

export type LoadInput = {
  /** All configuration files of the folder. */
  readonly files: readonly ConfigurationFile[];
  /** Files of the folder that hold policies and nothing else. */
  readonly policyFiles?: readonly ConfigurationFile[];
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
  /** What became of the provider packages that it names. Absent: it names none. */
  readonly packages?: PackagesRead;
  readonly variables: VariableSources;
  /** What is said of variables without a value; by default they are refused. */
  readonly missingValues?: MissingValues;
  /** What becomes of `imports` whose resource nobody declares; by default they are refused. */
  readonly undeclaredImports?: UndeclaredImports;
  /** Reads files that expressions name. Without it, none can be read. */
  readonly readFile?: FileReader;
  /** Reads the folders of modules. Without it, none can be called. */
  readonly readFolder?: FolderReader;
  /** What is known of resources and data sources before anything is planned; by default nothing. */
  readonly known?: ReferenceLookup;
  /** The time of the plan, for `timestamp()`. */
  readonly nowMs?: number;
  /** Own version, as in `0.1.0`. */
  readonly version: string;
  /** `vmform.workspace`; the default one unless it is told. */
  readonly workspace?: string;
};

export type Configuration = Desired & {
  readonly settings: Settings;
  /** Resources that are declared, whether or not they have instances. */
  readonly declared: readonly { readonly address: Address }[];
  readonly protection: DesiredProtection;
  /** Names of the variables of the root module. */
  readonly variables: readonly string[];
  /** Entries of `imports` whose configuration is to be generated. */
  readonly undeclared: readonly UndeclaredImport[];
  /** What an expression of the root module may begin with, such as `vars.size`; sorted. */
  readonly names: readonly string[];
  /** Evaluates an expression that stands outside of the files. Pure. */
  readonly evaluate: (text: string, lookup: ReferenceLookup) => EvaluatedExpression;
  /** Absent: it is complete. */
  readonly waiting?: readonly Waiting[];
  /**
   * The configuration read once more, with what was found out, and what was not said of it before.
   * Absent: it is complete.
   */
  readonly withKnown?: (known: ReferenceLookup) => WithDiagnostics<Configuration | undefined>;
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
  const { labels = {}, problems = [] } = input.packages ?? {};
  for (const problem of problems) report.add("CFG089", problem);
  // Without its types, all that is of it would seem to be wrong.
  if (problems.length > 0) return undefined;
  const registries: TypeRegistries = { managed: input.types, data: input.dataTypes };
  const { directory, files } = input;
  const context = contextOf(input);
  const definition = readDefinition({ directory, files, context }, registries, report);
  const { blocks, sources } = definition;
  warnIfEmpty(definition, report);
  const settings = readSettings(blocks.settings, input, report);
  const policies = allPolicies(blocks.policies, input, report);
  const variables = rootVariables(definition, input, report);
  const root = readModules(definition, variables, {
    registries,
    readFolder: input.readFolder,
    time: context.time,
    workspace: settings.workspace,
    report,
  });
  const modules = modulesIn(root);
  // With a part of the configuration unread, names in it would seem not to exist.
  if (!modules.every(({ complete }) => complete)) return undefined;
  const known = input.known ?? knowNothing;
  const expanding: Waiting[] = [];
  const order = orderValues(root, report);
  const scope = evaluateConstants(root, order, { known, waiting: expanding, report });
  validateVariables(scope, report);
  const reading = { at: scope, known, report };
  const kinds = { schemas: input.providerSettings, packages: labels };
  const { providers, ...unset } = readProviders(blocks.providers, kinds, reading);
  checkWays(blocks.providers, providers, settings, report);
  checkUses(scope, report);
  const waiting = [...expanding, ...unset.waiting];
  leaveOutWaiting(scope, new Set(unset.waiting.map(({ subject }) => subject)));
  warnOfPlanTime(root, report);
  refuseEphemeral(root, report);
  judgeOutputs(scope, report);
  const byResource = instancesByResource(scope);
  checkOneProvider(root, report);
  const { uses, ...desired } = desiredObjects(byResource, report);
  if (report.errorCount() === 0) warnOfUnused(root.variables, sources, report);
  const checks = desiredChecks(scope, uses);
  return {
    settings,
    declared: declaredIn(scope),
    providers,
    ...desired,
    protection: protectionOf(scope, byResource, desired.instances),
    outputs: desiredOutputs(scope, uses, report),
    ...(checks.length === 0 ? {} : { checks }),
    ...(policies.length === 0 ? {} : { policies }),
    moved: readMoved(movedIn(scope, report)),
    removed: readRemoved(scope, byResource, report),
    ...readImports(scope, byResource, report, input.undeclaredImports),
    variables: [...root.variables.keys()],
    names: namesIn(root),
    evaluate: (text, lookup) => evaluateExpression(text, scope, lookup),
    ...(waiting.length === 0
      ? {}
      : {
          waiting,
          leftOut: leftOutOf(scope),
          withKnown: (more) => untold(loadConfiguration({ ...input, known: more }), report),
        }),
  };
}

/** Without what was told when it was read before. */
function untold<T>(
  { value, diagnostics }: WithDiagnostics<T>,
  before: Pick<Report, "diagnostics">,
): WithDiagnostics<T> {
  const keyOf = (one: Diagnostic): string => JSON.stringify([one.code, one.detail, one.source]);
  const told = new Set(before.diagnostics().map(keyOf));
  return { value, diagnostics: diagnostics.filter((one) => !told.has(keyOf(one))) };
}

function contextOf({ readFile, nowMs }: LoadInput): ScopeContext {
  return {
    ...(readFile === undefined ? {} : { files: readFile }),
    // Whole seconds: nobody means the milliseconds.
    ...(nowMs === undefined ? {} : { time: new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z") }),
  };
}

function rootVariables(
  { declarations, blocks }: Definition,
  { variables, missingValues }: LoadInput,
  report: Report,
): ReadonlyMap<string, Variable> {
  const given = gatherGiven(variables, new Set(blocks.variables.keys()), report);
  return readVariables(declarations, given, missingValues ?? "refused", report);
}

function namesIn({ variables, locals, resources, calls }: Module): readonly string[] {
  return [
    ...[...variables.keys()].map((name) => `vars.${name}`),
    ...[...locals.names].map((name) => `locals.${name}`),
    ...[...calls.keys()].map((name) => `module.${name}`),
    ...resources.keys(),
  ].toSorted();
}

function declaredIn(root: ModuleScope): Configuration["declared"] {
  return scopesIn(root).flatMap((scope) =>
    [...scope.module.resources.values()].flatMap((resource) => {
      return resource.mode === "managed" ? [{ address: addressIn(scope, resource) }] : [];
    }),
  );
}

function movedIn(root: ModuleScope, report: Report): readonly MovedEntries[] {
  const scopes = scopesIn(root);
  return modulesIn(root.module).map((module) => ({
    entries: module.blocks.moved,
    paths: scopes.filter((scope) => scope.module === module).map(({ path }) => path),
    report: reportIn(module, report),
  }));
}

function warnIfEmpty({ blocks, complete }: Definition, report: Report): void {
  const { settings, moved, removed, imports } = blocks;
  const { providers, variables, locals, modules, data, resources } = blocks;
  const { outputs, checks, policies } = blocks;
  const named = [providers, variables, locals, modules, data, resources];
  const keyed = [...named, outputs, checks, policies].some(({ size }) => size > 0);
  const listed = [moved, removed, imports].some(({ length }) => length > 0);
  if (settings !== undefined || listed || keyed || report.errorCount() > 0) return;
  if (!complete) return;
  const detail = "The configuration files hold no blocks; nothing is wanted.";
  report.add("CFG040", { severity: "warning", detail });
}

/** Checks what resources, outputs and checks say, and the instances they and other values name. */
function checkUses(root: ModuleScope, whole: Report): void {
  const keyed = new Map<Module, readonly ConfigTemplate[]>();
  for (const module of modulesIn(root.module)) {
    keyed.set(module, checkModuleUses(module, reportIn(module, whole)));
  }
  for (const scope of scopesIn(root)) {
    const report = reportIn(scope.module, whole);
    checkInstanceKeys(keyed.get(scope.module) ?? [], scope, report);
  }
}

/** All templates of a module that may name an instance. */
function checkModuleUses(module: Module, report: Report): readonly ConfigTemplate[] {
  const found: ConfigTemplate[] = module.locals.ordered.flatMap(({ value }) =>
    value === undefined ? [] : templatesOf(value),
  );
  for (const { caller } of module.called.values()) {
    for (const value of caller?.inputs.values() ?? []) found.push(...templatesOf(value));
  }
  for (const resource of module.resources.values()) {
    const { instancing, templates } = resource;
    const place = { each: instancing === "map", count: instancing === "list" };
    checkTemplates(templates, place, module, report);
    checkConditions(resource, place, module, report);
    checkProtection(resource, place, module, report);
    found.push(...templatesIn(resource));
  }
  const outputs = [...module.outputs.values()];
  const conditions = [...module.checks, ...outputs.flatMap((output) => output.conditions)];
  const others = [
    ...outputs.flatMap(({ value }) => templatesOf(value)),
    ...conditions.flatMap(templatesOfCondition),
  ];
  checkTemplates(others, {}, module, report);
  found.push(...others);
  return found;
}
