/** Reads the modules that a configuration calls, those that they call in turn, and their inputs. */

import { closestName } from "../../lib/text.ts";
import { type Definition, readDefinition, type TypeRegistries } from "../blocks/definition.ts";
import type { ModuleCall } from "../blocks/module-call.ts";
import { providerOfName as baseOf, type Resource } from "../blocks/resource.ts";
import type { VariableDeclaration } from "../blocks/variable-declaration.ts";
import { variableValueShape } from "../blocks/variable-type.ts";
import type { BlockEntry } from "../read/blocks.ts";
import type { FolderReader } from "../read/folder.ts";
import { anyShape } from "../read/form/shape.ts";
import { listWords } from "../read/form/spelling.ts";
import { readNode } from "../read/read.ts";
import type { ConfigValue } from "../read/value.ts";
import type { Report } from "../report.ts";
import type { Variable } from "../variables/variables.ts";
import { type Caller, createModule, type Module, reportIn } from "./module.ts";

export type ModulesInput = {
  readonly registries: TypeRegistries;
  /** Reads the folder of a module. Without it, none can be called. */
  readonly readFolder: FolderReader | undefined;
  readonly time: string | undefined;
  readonly workspace: string;
  readonly report: Report;
};

type Reading = ModulesInput & {
  /** By folder; each is read once. */
  readonly definitions: Map<string, Definition>;
};

/** The root module with all that it calls. `variables` have their values. */
export function readModules(
  root: Definition,
  variables: ReadonlyMap<string, Variable>,
  input: ModulesInput,
): Module {
  const reading: Reading = { ...input, definitions: new Map([[root.directory, root]]) };
  const called = new Map<string, Module>();
  const brokenVariables = new Set<string>();
  for (const { name, value } of variables.values()) {
    if (value === undefined) brokenVariables.add(name);
  }
  const module = createModule({
    definition: root,
    registries: input.registries,
    path: [],
    rootDirectory: root.directory,
    workspace: input.workspace,
    caller: undefined,
    called,
    variables,
    resources: root.resources,
    brokenVariables,
  });
  readCalled(module, called, [root.directory], reading);
  return module;
}

/** Fills `called`; a call that leads nowhere makes its name broken. */
function readCalled(
  module: Module,
  called: Map<string, Module>,
  way: readonly string[],
  reading: Reading,
): void {
  for (const call of module.calls.values()) {
    const report = reportIn(module, reading.report);
    const definition = definitionOf(call, module, way, reading, report);
    if (definition === undefined) {
      module.broken.add(`module.${call.name}`);
      continue;
    }
    const own = new Map<string, Module>();
    const made = calledModule(call, definition, { module, called: own, reading, report });
    called.set(call.name, made);
    if (call.broken) module.broken.add(`module.${call.name}`);
    readCalled(made, own, [...way, definition.directory], reading);
  }
}

function definitionOf(
  { source, name }: ModuleCall,
  { directory }: Module,
  way: readonly string[],
  reading: Reading,
  report: Report,
): Definition | undefined {
  if (source === undefined) return undefined;
  const found = reading.readFolder?.(source.text, directory) ?? {
    ok: false,
    detail: "Modules cannot be read here.",
  };
  if (!found.ok) {
    const { detail, fix } = found;
    report.add("CFG085", { detail, fix, place: source.place });
    return undefined;
  }
  const { folder } = found;
  if (way.includes(folder.directory)) {
    const detail = `The module ${name} leads back to ${folder.directory}, which calls it.`;
    report.add("CFG086", { detail, fix: "Call another module.", place: source.place });
    return undefined;
  }
  const known = reading.definitions.get(folder.directory);
  if (known !== undefined) return known;
  const { time } = reading;
  const context = { files: folder.readFile, ...(time === undefined ? {} : { time }) };
  const made = readDefinition({ ...folder, context }, reading.registries, reading.report);
  refuseRootBlocks(made, reading.report);
  reading.definitions.set(folder.directory, made);
  return made;
}

/** What concerns the configuration as a whole is said once, in the root module. */
function refuseRootBlocks({ blocks }: Definition, report: Report): void {
  const [firstProvider] = blocks.providers.values();
  const refuse = (entry: BlockEntry | undefined, what: string, fix: string): void => {
    if (entry === undefined) return;
    report.add("CFG087", { detail: `${what} in the root module only.`, fix, place: entry.place });
  };
  refuse(blocks.settings, "The block vmform stands", "Remove it here.");
  const pass =
    "Write it there; the module uses it by its name, or by another that the call gives in " +
    "providers.";
  const [firstPolicy] = blocks.policies.values();
  refuse(firstPolicy, "Policies are declared", "Write it there; it is judged of the whole plan.");
  refuse(firstProvider, "Providers are declared", pass);
  const whole = 'Write it there, with the whole address: to: module.lab.daemon_vm.web["a"].';
  refuse(blocks.imports[0], "Objects are imported", whole);
}

type Calling = {
  readonly module: Module;
  readonly called: ReadonlyMap<string, Module>;
  readonly reading: Reading;
  readonly report: Report;
};

function calledModule(
  call: ModuleCall,
  definition: Definition,
  { module, called, reading, report }: Calling,
): Module {
  const { declarations } = definition;
  const inputs = new Map<string, ConfigValue>();
  const brokenVariables = new Set<string>();
  const given = new Set<string>();
  for (const { key, value } of call.inputs?.entries ?? []) {
    const name = key.text;
    const place = { file: call.file, start: key.start, end: key.end };
    const declaration = declarations.get(name);
    if (declaration === undefined) {
      const detail = `The module ${call.name} has no variable ${JSON.stringify(name)}.`;
      const near = closestName(name, declarations.keys());
      const all = [...declarations.keys()];
      const known = all.length === 0 ? "It has none." : `It has ${listWords(all, "and")}.`;
      const fix = near === undefined ? known : `Did you mean ${near}?`;
      report.add("CFG013", { detail, fix, place });
      continue;
    }
    given.add(name);
    const shape = variableValueShape(declaration.valueType, anyShape);
    const context = { file: call.file, report, owner: `input ${name}`, head: place };
    const read = readNode(value, shape, context);
    if (read === undefined) brokenVariables.add(name);
    else inputs.set(name, read);
  }
  for (const declaration of declarations.values()) {
    const { name } = declaration;
    if (declaration.broken) brokenVariables.add(name);
    if (given.has(name) || declaration.default !== undefined || declaration.broken) continue;
    brokenVariables.add(name);
    const detail = `The module ${call.name} needs the input ${name}.`;
    report.add("CFG018", { detail, fix: `Add ${name} to its inputs.`, place: call.place });
  }
  const caller: Caller = { module, call, inputs };
  return createModule({
    definition,
    registries: reading.registries,
    path: [...module.path, call.name],
    rootDirectory: module.rootDirectory,
    workspace: module.workspace,
    caller,
    called,
    variables: new Map([...declarations].map(([name, one]) => [name, typedBy(one, inputs)])),
    resources: withProviders(definition, caller, report),
    brokenVariables,
  });
}

/** The value, where it is the same in each instance: its type is not judged where that is null. */
function typedBy(
  declaration: VariableDeclaration,
  inputs: ReadonlyMap<string, ConfigValue>,
): Variable {
  const input = inputs.get(declaration.name);
  const value = input === undefined ? declaration.default : constantOf(input);
  return value === undefined ? declaration : { ...declaration, value };
}

function constantOf(value: ConfigValue): Variable["value"] {
  return value.kind === "constant" ? value.value : undefined;
}

/** The resources with their providers as the root module calls them. */
function withProviders(
  { resources }: Definition,
  { module, call }: Caller,
  report: Report,
): ReadonlyMap<string, Resource> {
  const used = new Set([...resources.values()].map(({ provider }) => provider));
  const names = new Map<string, string>();
  for (const [inside, { text, place }] of call.providers) {
    names.set(inside, providerAt(module, text));
    if (baseOf(inside) === baseOf(text)) continue;
    const detail = `${text} is another kind of provider than ${inside}.`;
    report.add("CFG037", { detail, fix: `Name a provider ${baseOf(inside)}.`, place });
  }
  for (const provider of used) {
    if (!names.has(provider)) names.set(provider, providerAt(module, provider));
  }
  return new Map(
    [...resources].map(([key, resource]) => {
      return [key, { ...resource, provider: names.get(resource.provider) ?? resource.provider }];
    }),
  );
}

/** The root's name for a provider that a module names. */
function providerAt({ caller }: Module, name: string): string {
  if (caller === undefined) return name;
  return providerAt(caller.module, caller.call.providers.get(name)?.text ?? name);
}
