/** What is left out of a configuration for now, since it needs what is still to be read. */

import {
  moduleText,
  parseAddress,
  parseModules,
  type Selector,
  toSelector,
} from "../../model/value/address.ts";
import { templatesOfCondition } from "../blocks/condition.ts";
import { type Resource, resourceKey, templatesIn, writtenInstances } from "../blocks/resource.ts";
import { type Module, modulesIn, referencesOfValue, writtenAs } from "../modules/module.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import { idOf, instancesName, needsOf } from "../modules/value-order.ts";
import { type ConfigTemplate, templatesOf } from "../read/value.ts";
import type { WrittenText } from "../read/written-text.ts";

type Name = { readonly module: Module; readonly name: string };

/**
 * Marks all that needs what is marked as waiting, or a provider whose settings wait, and takes its
 * instances away. Nothing of it is wanted then, and nothing may be said of it.
 */
export function leaveOutWaiting(root: ModuleScope, providers: ReadonlySet<string>): void {
  const modules = modulesIn(root.module);
  if (providers.size === 0 && modules.every(({ waiting }) => waiting.size === 0)) return;
  const dependents = new Map<string, Name[]>();
  for (const module of modules) addDependents(module, dependents);
  const queue = modules.flatMap((module) => firstWaiting(module, providers));
  const seen = new Set(queue.map(({ module, name }) => idOf(module, name)));
  for (let index = 0; index < queue.length; index += 1) {
    const one = queue[index];
    if (one === undefined) break;
    mark(one);
    for (const next of dependents.get(idOf(one.module, one.name)) ?? []) {
      const id = idOf(next.module, next.name);
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push(next);
    }
  }
  for (const { module, instances } of scopesIn(root)) {
    for (const key of module.waiting) instances.delete(key);
  }
}

/** As addresses begin. */
export function leftOutOf(root: ModuleScope): readonly Selector[] {
  return scopesIn(root).flatMap((scope) => {
    const way = moduleText(scope.path);
    return [...scope.module.waiting].flatMap((name) => {
      const isNamed = name.startsWith("module.") || scope.module.resources.has(name);
      const selector = isNamed ? toSelector(way === "" ? name : `${way}.${name}`) : undefined;
      return selector ?? [];
    });
  });
}

/** A call is named by the module that is called: as its instances. */
function firstWaiting(module: Module, providers: ReadonlySet<string>): readonly Name[] {
  const own = [...module.waiting].map((name): Name => {
    const [root, call = ""] = name.split(".", 2);
    const called = root === "module" ? module.called.get(call) : undefined;
    return called === undefined ? { module, name } : { module: called, name: instancesName };
  });
  const unreached = [...module.resources.values()].filter(({ provider }) =>
    providers.has(provider),
  );
  return [...own, ...unreached.map(({ key }) => ({ module, name: key }))];
}

function mark({ module, name }: Name): void {
  if (name !== instancesName) module.waiting.add(name);
  else module.caller?.module.waiting.add(`module.${module.caller.call.name}`);
}

function addDependents(module: Module, dependents: Map<string, Name[]>): void {
  const add = (name: string, ids: readonly string[]): void => {
    for (const id of ids) {
      const known = dependents.get(id);
      if (known === undefined) dependents.set(id, [{ module, name }]);
      else known.push({ module, name });
    }
  };
  const { caller } = module;
  const instances = idOf(module, instancesName);
  for (const resource of module.resources.values()) {
    const { key, dependsOn, triggers } = resource;
    const templates = [...templatesIn(resource), ...expandingTemplates(resource)];
    add(key, [instances, ...needsOfTemplates(templates, module)]);
    add(key, namedIn([...dependsOn, ...triggers], module));
  }
  const values = [
    ...[...module.variables.keys()].map((name) => `vars.${name}`),
    ...[...module.locals.names].map((name) => `locals.${name}`),
    ...[...module.outputs.keys()].map((name) => `outputs.${name}`),
  ];
  for (const name of values) {
    const written = writtenAs(name, module);
    const references = written === undefined ? [] : referencesOfValue(written.value);
    const at = written?.module ?? module;
    add(name, [instances, ...references.flatMap((reference) => needsOf(reference, at))]);
  }
  for (const { name, conditions } of module.outputs.values()) {
    add(`outputs.${name}`, needsOfTemplates(conditions.flatMap(templatesOfCondition), module));
  }
  if (caller === undefined) return;
  const { call } = caller;
  const templates = expandingTemplates(call);
  const outer = idOf(caller.module, instancesName);
  add(instancesName, [outer, ...needsOfTemplates(templates, caller.module)]);
  add(instancesName, namedIn(call.dependsOn, caller.module));
}

function expandingTemplates(
  expanded: Pick<Resource, "forEach" | "count">,
): readonly ConfigTemplate[] {
  const written = writtenInstances(expanded);
  return written === undefined ? [] : templatesOf(written);
}

function needsOfTemplates(templates: readonly ConfigTemplate[], module: Module): readonly string[] {
  return templates.flatMap(({ references }) =>
    references.flatMap((reference) => needsOf(reference, module)),
  );
}

/** What `depends_on` and `replace_triggered_by` name. */
function namedIn(texts: readonly WrittenText[], module: Module): readonly string[] {
  return texts.flatMap(({ text }) => {
    const parts = parseAddress(text) ?? parseAddress(text.replace(/\.[A-Za-z_]\w*$/, ""));
    const [step] = parseModules(text) ?? parts?.modules ?? [];
    if (step !== undefined) {
      const called = module.called.get(step.name);
      return called === undefined ? [] : [idOf(called, instancesName)];
    }
    return parts === undefined ? [] : [idOf(module, resourceKey(parts))];
  });
}
