/**
 * What tools for Terraform's plan JSON look for beside the changes: all that will be, by module,
 * and the providers. What expressions say is not known of a saved plan, and is left out.
 */

import type { Change } from "../../model/plan/change.ts";
import type { Plan, PlannedOutput } from "../../model/plan/plan.ts";
import { moduleText, parseAddress } from "../../model/value/address.ts";
import type { SchemaRegistry } from "../../model/value/resource-schema.ts";
import { isKnown, type Value, type ValueMap } from "../../model/value/value.ts";
import { isSensitive } from "../text/value/sensitivity.ts";
import { sensitiveLiteral } from "../text/value/value-text.ts";
import { knownAttributes, knownPart, resourceJson, secretAttributes } from "./json-values.ts";

type ModuleValues = {
  readonly path: string;
  readonly resources: Value[];
  readonly children: Map<string, ModuleValues>;
};

/** Every object that the plan leaves, changed or not, with what is known of it. */
export function plannedValues({ changes, outputs }: Plan, types: SchemaRegistry): ValueMap {
  const root = moduleAt("");
  for (const change of changes) {
    if (change.objectKey !== "current" || change.after === null) continue;
    moduleOf(root, change).resources.push(plannedResource(change, types));
  }
  const own = outputs.filter(({ after }) => after !== null);
  return {
    outputs: Object.fromEntries(own.map((output) => [output.name, plannedOutput(output)])),
    root_module: moduleJson(root),
  };
}

function moduleAt(path: string): ModuleValues {
  return { path, resources: [], children: new Map() };
}

function moduleOf(root: ModuleValues, { address }: Change): ModuleValues {
  const steps = parseAddress(address)?.modules ?? [];
  let module = root;
  for (const [index] of steps.entries()) {
    const path = moduleText(steps.slice(0, index + 1));
    const child = module.children.get(path) ?? moduleAt(path);
    module.children.set(path, child);
    module = child;
  }
  return module;
}

function moduleJson({ path, resources, children }: ModuleValues): ValueMap {
  return {
    ...(resources.length === 0 ? {} : { resources }),
    ...(children.size === 0 ? {} : { child_modules: [...children.values()].map(moduleJson) }),
    ...(path === "" ? {} : { address: path }),
  };
}

function plannedResource(
  { address, type, provider, after, attributes }: Change,
  types: SchemaRegistry,
): ValueMap {
  const marked = new Set(attributes.filter(({ sensitive }) => sensitive).map((a) => a.attribute));
  const isSecret = (name: string): boolean => marked.has(name) || isSensitive(types, type, name);
  const { module_address: _module, ...named } = resourceJson(address, provider);
  return {
    ...named,
    schema_version: 0,
    values: knownAttributes(after ?? {}, isSecret),
    sensitive_values: secretAttributes(after ?? {}, isSecret),
  };
}

function plannedOutput({ after, sensitive }: PlannedOutput): ValueMap {
  if (!isKnown(after)) return { sensitive };
  return { sensitive, value: sensitive ? sensitiveLiteral : knownPart(after) };
}

/** Providers, and the resources of the root module by their keys there. */
export function plannedConfiguration({ changes, providers }: Plan): ValueMap {
  const configs = providers.map(({ name }): [string, ValueMap] => {
    const [kind = name, alias] = name.split(".");
    return [name, { name: kind, full_name: kind, ...(alias === undefined ? {} : { alias }) }];
  });
  const resources = new Map<string, ValueMap>();
  for (const { address, provider, after } of changes) {
    const parts = parseAddress(address);
    if (parts === undefined || parts.modules.length > 0 || after === null) continue;
    const { mode, type, name } = parts;
    const own = `${type}.${name}`;
    resources.set(own, { address: own, mode, type, name, provider_config_key: provider });
  }
  return {
    provider_config: Object.fromEntries(configs),
    root_module: { resources: [...resources.values()] },
  };
}
