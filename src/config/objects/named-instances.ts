/** Instances that `depends_on` and `replace_triggered_by` name, by texts beside expressions. */

import {
  type Address,
  formatAddress,
  type ModuleStep,
  moduleText,
  parseAddress,
  parseModules,
  toAddress,
} from "../../model/value/address.ts";
import type { Trigger } from "../../model/value/trigger.ts";
import { type Resource, resourceKey } from "../blocks/resource.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import { didYouMean, didYouMeanResource } from "../read/form/spelling.ts";
import type { WrittenText } from "../read/written-text.ts";
import type { Report } from "../report.ts";
import { addressIn, type InstancesByResource, type ResourceInstances } from "./instances.ts";

type Naming = {
  readonly byResource: InstancesByResource;
  /** The module instance whose names the texts use. */
  readonly scope: ModuleScope;
  readonly report: Report;
};

type ListName = "depends_on" | "replace_triggered_by";

/** What instances of a resource are made anew for: all of them, and those of one key alone. */
export type NamedTriggers = {
  readonly all: readonly Trigger[];
  /** By key; empty where no text names the instance of the same key. */
  readonly byKey: ReadonlyMap<string, readonly Trigger[]>;
};

export function triggersOf(instance: Address, { all, byKey }: NamedTriggers): readonly Trigger[] {
  return byKey.size === 0 ? all : [...all, ...(byKey.get(keyOf(instance)) ?? [])];
}

/** What `depends_on` names. Problems are reported. */
export function namedDependencies(
  dependsOn: readonly WrittenText[],
  naming: Naming,
): readonly Address[] {
  return dependsOn.flatMap((one) =>
    one.text.startsWith("module.")
      ? instancesCalled(one, naming)
      : instancesNamed("depends_on", one, naming),
  );
}

/** What `replace_triggered_by` names. Problems are reported. */
export function namedTriggers(
  { triggers, key, instancing }: Resource,
  naming: Naming,
): NamedTriggers {
  const { report } = naming;
  const all: Trigger[] = [];
  const byKey = new Map<string, Trigger[]>();
  for (const { text, place } of triggers) {
    const isSameKey = text.includes(sameKeyOf[instancing]);
    const plain = isSameKey ? text.replace(sameKeyOf[instancing], "") : text;
    const { object, attribute } = partsOf(plain);
    const addresses = instancesNamed("replace_triggered_by", { text: object, place }, naming);
    const parts = parseAddress(addresses[0] ?? object);
    const { module } = naming.scope;
    const target = module.resources.get(parts === undefined ? "" : resourceKey(parts));
    if (addresses.length === 0 || target === undefined) continue;
    const problem = triggerProblem({ text, object, attribute }, target, key);
    if (problem !== undefined) {
      report.add("CFG024", { ...problem, place });
      continue;
    }
    const own = instancesAt(key, naming) ?? [];
    const keys = new Set(addresses.map(keyOf));
    const alone = isSameKey ? own.find(({ address }) => !keys.has(keyOf(address))) : undefined;
    if (alone !== undefined) {
      const detail = `replace_triggered_by names ${text}, which ${alone.address} has none of.`;
      report.add("CFG024", { detail, fix: `Write ${plain} for all of them.`, place });
    }
    const named = attribute === undefined ? {} : { attribute };
    const found = addresses.map((address) => ({ address, ...named }));
    for (const one of found) {
      if (isSameKey) append(byKey, keyOf(one.address), one);
      else all.push(one);
    }
  }
  return { all, byKey };
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

const sameKeyOf: { readonly [instancing in Resource["instancing"]]: string } = {
  map: "[each.key]",
  list: "[count.index]",
  // No text holds this.
  single: "\u0000",
};

function keyOf(address: Address): string {
  return JSON.stringify(parseAddress(address)?.key ?? null);
}

function triggerProblem(
  named: {
    readonly text: string;
    readonly object: string;
    readonly attribute?: string | undefined;
  },
  target: Resource,
  key: string,
): { readonly detail: string; readonly fix?: string | undefined } | undefined {
  const { text, object, attribute } = named;
  if (target.mode === "data") {
    return {
      detail: `replace_triggered_by names ${object}, a data source, of which nothing is recorded.`,
      fix: "Name a resource.",
    };
  }
  if (target.key === key) return { detail: `replace_triggered_by of ${key} names ${key} itself.` };
  const known = Object.keys(target.type.schema.attributes);
  if (attribute === undefined || known.includes(attribute)) return undefined;
  const detail = `replace_triggered_by names ${text}: ${target.type.name} has no such attribute.`;
  return { detail, fix: didYouMean(attribute, known) };
}

/** The address, and the attribute after it: `daemon_vm.web["a"].memory_mb`. */
function partsOf(text: string): { readonly object: string; readonly attribute?: string } {
  if (toAddress(text) !== undefined) return { object: text };
  const [, object = "", attribute = ""] = /^(.+)\.([A-Za-z_]\w*)$/.exec(text) ?? [];
  return toAddress(object) === undefined ? { object: text } : { object, attribute };
}

/** Instances of a resource of the module itself, by its key; undefined where there is none. */
function instancesAt(
  key: string,
  { byResource, scope }: Naming,
): ResourceInstances["instances"] | undefined {
  const resource = scope.module.resources.get(key);
  return resource && byResource.get(addressIn(scope, resource))?.instances;
}

function instancesNamed(
  list: ListName,
  { text, place }: WrittenText,
  naming: Naming,
): readonly Address[] {
  const { scope, report } = naming;
  const { module, path } = scope;
  const parts = parseAddress(text);
  const key = parts === undefined ? text : resourceKey(parts);
  if (module.broken.has(key)) return [];
  const [, plain, own] = /^([^[]+)\[(each\.key|count\.index)\]/.exec(text) ?? [];
  if (plain !== undefined) {
    const detail =
      own === "each.key"
        ? `${list} names ${text}, but this resource has no for_each.`
        : `${list} names ${text}, but this resource has no count.`;
    report.add("CFG024", { detail, fix: `Write ${plain}, or one instance of it.`, place });
    return [];
  }
  const isOwn = parts?.modules.length === 0;
  const all = isOwn ? instancesAt(key, naming) : undefined;
  if (all === undefined || parts === undefined) {
    const inModule = parts !== undefined && !isOwn;
    const what = inModule ? "is in another module" : "is not declared here";
    const detail = `${list} names ${JSON.stringify(text)}, which ${what}.`;
    const fix = inModule
      ? moduleAdvice(list, parts.modules)
      : didYouMeanResource(text, module.resources.keys());
    report.add("CFG024", { detail, fix, place });
    return [];
  }
  if (parts.key === undefined) return all.map((instance) => instance.address);
  const address = formatAddress({ ...parts, modules: path });
  if (all.some((instance) => instance.address === address)) return [address];
  const detail = `${list} names ${text}, but ${key} has no such instance.`;
  report.add("CFG024", { detail, fix: `Write ${key} for all of them.`, place });
  return [];
}

function moduleAdvice(list: ListName, modules: readonly ModuleStep[]): string {
  if (list === "replace_triggered_by") return "Name a resource of this module.";
  return `Write ${moduleText(modules.slice(0, 1))}, for all that is in it.`;
}

/** All that is in a called module, or in one instance of it: `module.lab`, `module.lab["a"]`. */
function instancesCalled(
  { text, place }: WrittenText,
  { byResource, scope, report }: Naming,
): readonly Address[] {
  const steps = parseModules(text);
  const [step, ...deeper] = steps ?? parseAddress(text)?.modules ?? [];
  if (step !== undefined && scope.module.broken.has(`module.${step.name}`)) return [];
  const called = scope.called.get(step?.name ?? "");
  if (steps === undefined || step === undefined || deeper.length > 0 || called === undefined) {
    const isCalled = step !== undefined && called !== undefined;
    const detail = isCalled
      ? `depends_on names ${JSON.stringify(text)}, a part of another module.`
      : `depends_on names ${JSON.stringify(text)}, which is not called here.`;
    const names = [...scope.module.calls.keys()].map((name) => `module.${name}`);
    const fix = isCalled ? moduleAdvice("depends_on", [step]) : didYouMean(text, names);
    report.add("CFG024", { detail, fix, place });
    return [];
  }
  const one = step.key === undefined ? undefined : called.scopes.get(step.key);
  if (step.key !== undefined && one === undefined) {
    const detail = `depends_on names ${text}, but module.${step.name} has no such instance.`;
    report.add("CFG024", { detail, fix: `Write module.${step.name} for all of them.`, place });
    return [];
  }
  const scopes = one === undefined ? [...called.scopes.values()] : [one];
  return scopes.flatMap(scopesIn).flatMap((inner) =>
    [...inner.module.resources.values()].flatMap((resource) => {
      const instances = byResource.get(addressIn(inner, resource))?.instances ?? [];
      return instances.map(({ address }) => address);
    }),
  );
}
