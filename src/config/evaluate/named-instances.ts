/** Instances that `depends_on` and `replace_triggered_by` name, by texts beside expressions. */

import { type Address, parseAddress, toAddress } from "../../model/value/address.ts";
import type { Trigger } from "../../model/value/trigger.ts";
import { type Resource, resourceKey, type WrittenText } from "../blocks/resource.ts";
import { didYouMean, didYouMeanResource } from "../read/spelling.ts";
import type { Report } from "../report.ts";
import type { InstancesByResource } from "./links.ts";
import type { Module } from "./module.ts";

type Naming = {
  readonly instances: InstancesByResource;
  readonly module: Module;
  readonly report: Report;
};

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
export function namedDependencies({ dependsOn }: Resource, naming: Naming): readonly Address[] {
  return dependsOn.flatMap((one) => instancesNamed("depends_on", one, naming));
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
    const target = naming.module.resources.get(parts === undefined ? "" : resourceKey(parts));
    if (addresses.length === 0 || target === undefined) continue;
    const problem = triggerProblem({ text, object, attribute }, target, key);
    if (problem !== undefined) {
      report.add("CFG024", { ...problem, place });
      continue;
    }
    const own = naming.instances.get(key) ?? [];
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

function instancesNamed(
  list: "depends_on" | "replace_triggered_by",
  { text, place }: WrittenText,
  { instances, module, report }: Naming,
): readonly Address[] {
  const address = toAddress(text);
  const parts = address === undefined ? undefined : parseAddress(address);
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
  const all = instances.get(key);
  if (all === undefined || parts === undefined || address === undefined) {
    const detail = `${list} names ${JSON.stringify(text)}, which is not declared here.`;
    const fix = didYouMeanResource(text, module.resources.keys());
    report.add("CFG024", { detail, fix, place });
    return [];
  }
  if (parts.key === undefined) return all.map((instance) => instance.address);
  if (all.some((instance) => instance.address === address)) return [address];
  const detail = `${list} names ${text}, but ${key} has no such instance.`;
  report.add("CFG024", { detail, fix: `Write ${key} for all of them.`, place });
  return [];
}
