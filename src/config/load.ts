/**
 * Loads a configuration: bytes of all files of a folder to desired instances, providers and
 * outputs. Pure. Every problem of every file is reported at once, and none is thrown.
 */

import type { Desired, DesiredInstance } from "../model/desired.ts";
import type { Diagnostic, SourcePosition, WithDiagnostics } from "../model/diagnostic.ts";
import { hasErrors } from "../model/diagnostic.ts";
import type { TypeRegistry } from "../model/provider.ts";
import { type Blocks, gatherBlocks } from "./blocks.ts";
import { checkTemplates } from "./check-expressions.ts";
import { type ConfigurationFile, parseFile } from "./document.ts";
import { expandResources } from "./expand.ts";
import { gatherGiven, type VariableSources } from "./given.ts";
import { evaluateInstance, type Instance, instancesOf, typeProblems } from "./instance.ts";
import { type InstancesByResource, type Links, linkInstances, reportCycles } from "./links.ts";
import { readLocals } from "./locals.ts";
import { createModule, type Module } from "./module.ts";
import {
  constantScope,
  knowNothing,
  type ModuleScope,
  type ScopeNeeds,
  scopeNeeds,
} from "./module-scope.ts";
import { readMoved } from "./moved.ts";
import { checkOutputs, desiredOutputs, readOutputs } from "./outputs.ts";
import { type ProviderSettings, readProviders } from "./providers.ts";
import { createReport, positionOf, type Report } from "./report.ts";
import { type Resource, readResource } from "./resource.ts";
import { checkSameObject, type SeenObjects } from "./same-object.ts";
import { readSettings, type Settings } from "./settings.ts";
import { validateVariables } from "./validation.ts";
import { templatesOf } from "./value.ts";
import { readDeclarations } from "./variable-declaration.ts";
import { readVariables } from "./variables.ts";

export type { ConfigurationFile } from "./document.ts";
export type { Settings } from "./settings.ts";

export type LoadInput = {
  /** All configuration files of the folder. */
  readonly files: readonly ConfigurationFile[];
  /** The folder: `path.module`, `path.root`, and where relative settings begin. */
  readonly directory: string;
  readonly types: TypeRegistry;
  /** Schema of the settings of each provider, by its name. */
  readonly providerSettings: ProviderSettings;
  readonly variables: VariableSources;
  /** Own version, as in `0.1.0`. */
  readonly version: string;
};

export type Configuration = Desired & { readonly settings: Settings };

/** The configuration, or undefined when there are errors; warnings alone do not stop it. */
export function loadConfiguration(input: LoadInput): WithDiagnostics<Configuration | undefined> {
  const report = createReport();
  if (input.files.length === 0) {
    const detail = "There is nothing to read here.";
    const fix = "Write a file such as main.vmform.yaml, or choose another folder with --chdir.";
    report.add("CFG041", { detail, fix });
    return { value: undefined, diagnostics: report.diagnostics() };
  }
  const value = load(input, report);
  const diagnostics = report.diagnostics();
  return { value: hasErrors(diagnostics) ? undefined : value, diagnostics };
}

function load(input: LoadInput, report: Report): Configuration | undefined {
  const files = input.files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parsed = files.map((file) => parseFile(file, report));
  const blocks = gatherBlocks(parsed, report);
  warnIfEmpty(blocks, parsed, report);
  const settings = readSettings(blocks.settings, input, report);
  const outputs = readOutputs(blocks.outputs, report);
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
  for (const resource of module.resources.values()) {
    const place = { each: resource.forEach !== undefined, count: resource.count !== undefined };
    checkTemplates(resource.templates, place, module, report);
  }
  checkOutputs(outputs, module, report);
  const byResource = instancesByResource(scope);
  const desired = desiredInstances(scope, byResource, report);
  return {
    settings,
    providers,
    instances: desired,
    outputs: desiredOutputs(outputs, scope, report),
    moved: readMoved(blocks.moved, byResource, module.broken, report),
  };
}

function warnIfEmpty(
  blocks: Blocks,
  parsed: readonly { readonly complete: boolean }[],
  report: Report,
): void {
  const { settings, moved, providers, variables, locals, resources, outputs } = blocks;
  const entries = [providers, variables, locals, resources, outputs].some(({ size }) => size > 0);
  if (settings !== undefined || moved.length > 0 || entries || report.count() > 0) return;
  if (!parsed.every(({ complete }) => complete)) return;
  const detail = "The configuration files hold no blocks; nothing is wanted.";
  report.add("CFG040", { severity: "warning", detail });
}

function readModule(blocks: Blocks, input: LoadInput, report: Report): Module {
  const declarations = readDeclarations(blocks.variables, report);
  const given = gatherGiven(input.variables, new Set(blocks.variables.keys()), report);
  const variables = readVariables(declarations, given, report);
  const locals = readLocals(blocks.locals, report);
  const resources = new Map<string, Resource>();
  for (const [key, entry] of blocks.resources) {
    const resource = readResource(entry, input.types, report);
    if (resource !== undefined) resources.set(key, resource);
  }
  const { directory, types: registry } = input;
  const resourceEntries = blocks.resources;
  return createModule({ directory, variables, locals, resources, resourceEntries, registry });
}

/** Checks the expressions of locals, then evaluates those that need no resource. */
function checkLocals(module: Module, report: Report): ModuleScope["constants"] {
  for (const { value } of module.locals.ordered) {
    if (value !== undefined) checkTemplates(templatesOf(value), {}, module, report);
  }
  return constantScope(module, report);
}

function instancesByResource({ module, instances }: ModuleScope): InstancesByResource {
  const byResource = new Map<string, readonly Instance[]>();
  for (const [key, resource] of module.resources) {
    const own = instances.get(key);
    if (own !== undefined) byResource.set(key, instancesOf(resource, own));
  }
  return byResource;
}

/** Links the instances, evaluates each with nothing known to find its problems. */
function desiredInstances(
  scope: ModuleScope,
  byResource: InstancesByResource,
  report: Report,
): readonly DesiredInstance[] {
  const needs = new Map<string, ScopeNeeds>();
  for (const key of byResource.keys()) {
    const templates = scope.module.resources.get(key)?.templates ?? [];
    needs.set(key, scopeNeeds(templates, scope.module));
  }
  const links = linkInstances(scope, byResource, needs, report);
  reportCycles(links, byResource, scope.module, report);
  const seen: SeenObjects = new Map();
  const desired: DesiredInstance[] = [];
  for (const [key, own] of byResource) {
    const needed = needs.get(key);
    const [first] = own;
    if (needed === undefined || first === undefined) continue;
    const parts = { scope, needs: needed, links, source: positionOf(first.resource.place) };
    for (const instance of own) {
      const { attributes } = evaluateInstance(instance, scope, needed, knowNothing, report);
      for (const problem of typeProblems(instance, attributes)) report.pass(problem);
      checkSameObject(instance, attributes, seen, report);
      desired.push(desiredInstance(instance, parts, desired.length));
    }
  }
  return desired;
}

type InstanceParts = {
  readonly scope: ModuleScope;
  readonly needs: ScopeNeeds;
  readonly links: Links;
  readonly source: SourcePosition;
};

function desiredInstance(
  instance: Instance,
  { scope, needs, links, source }: InstanceParts,
  order: number,
): DesiredInstance {
  const { address, resource } = instance;
  const link = links.get(address);
  return {
    address,
    type: resource.type.name,
    provider: resource.provider,
    source,
    order,
    references: link?.references ?? [],
    explicitDependencies: link?.explicit ?? [],
    dependencies: link?.dependencies ?? [],
    lifecycle: resource.lifecycle,
    timeoutsMs: resource.timeoutsMs,
    resolve: (lookup) => {
      const report = createReport();
      const resolved = evaluateInstance(instance, scope, needs, lookup, report);
      const own: readonly Diagnostic[] = typeProblems(instance, resolved.attributes);
      return { ...resolved, diagnostics: [...report.diagnostics(), ...own] };
    },
  };
}
