/** A configuration whose blocks are read: what expressions may refer to, and what is broken. */

import type { ModuleTypes } from "../../expressions/check/expression-types.ts";
import type { RootReference } from "../../expressions/evaluate/references.ts";
import type { ResourceShape, Scope } from "../../expressions/evaluate/scope.ts";
import { lazyRecord } from "../../lib/lazy-record.ts";
import { qualifiedType } from "../../model/value/address.ts";
import type { AttributeType } from "../../model/value/resource-schema.ts";
import type { Value } from "../../model/value/value.ts";
import type { Locals } from "../blocks/locals.ts";
import type { ConfiguredTypes, Mode, Resource } from "../blocks/resource.ts";
import type { Variable } from "../blocks/variables.ts";
import type { BlockEntry } from "../read/blocks.ts";
import type { ConfigTemplate } from "../read/value.ts";

/** Files and time, for functions. */
export type ScopeContext = Partial<Pick<Scope, "files" | "time">>;

export type Module = {
  /** Folder of the configuration: `path.module` and `path.root`. */
  readonly directory: string;
  readonly context: ScopeContext;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly locals: Locals;
  /** By `type.name`, data sources by `data.type.name`; in the order of the configuration. */
  readonly resources: ReadonlyMap<string, Resource>;
  readonly types: ModuleTypes;
  /**
   * Names (`vars.x`, `locals.y`, `type.name`, `data.type.name`) that have problems of their own:
   * what refers to them is not judged, so that one mistake is not reported many times.
   */
  readonly broken: Set<string>;
  /** Templates that refer to something broken, or have problems themselves. */
  readonly skipped: Set<ConfigTemplate>;
};

export type ModuleParts = {
  readonly directory: string;
  readonly context: ScopeContext;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly locals: Locals;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Every entry of the two blocks, those with unreadable keys included; keys as of `resources`. */
  readonly resourceEntries: ReadonlyMap<string, BlockEntry>;
  readonly registry: { readonly [mode in Mode]: ConfiguredTypes };
};

export function createModule(parts: ModuleParts): Module {
  const { directory, context, variables, locals, resources, resourceEntries, registry } = parts;
  const broken = new Set<string>();
  for (const { name, value } of variables.values())
    if (value === undefined) broken.add(`vars.${name}`);
  for (const name of locals.names) if (!locals.byName.has(name)) broken.add(`locals.${name}`);
  for (const key of resourceEntries.keys()) {
    if (resources.get(key)?.broken !== false) broken.add(key);
  }
  const types = moduleTypes(variables, locals, resources, registry);
  const skipped = new Set<ConfigTemplate>();
  return { directory, context, variables, locals, resources, types, broken, skipped };
}

function moduleTypes(
  variables: ReadonlyMap<string, Variable>,
  locals: Locals,
  resources: ReadonlyMap<string, Resource>,
  registry: ModuleParts["registry"],
): ModuleTypes {
  const vars: { [name: string]: AttributeType } = {};
  for (const { name, type, value } of variables.values())
    vars[name] = value === null ? "any" : type;
  const schemas = (["managed", "data"] as const).flatMap((mode) =>
    Object.entries(registry[mode]).map(
      ([type, described]) => [qualifiedType({ mode, type }), () => described.schema] as const,
    ),
  );
  const declared: { [type: string]: { [name: string]: "single" | "map" | "list" } } = {};
  for (const { mode, type, name, instancing } of resources.values()) {
    const names = (declared[qualifiedType({ mode, type: type.name })] ??= {});
    names[name] = instancing;
  }
  return { vars, locals: locals.names, schemas: lazyRecord(schemas), resources: declared };
}

/** True when a reference leads to something that has problems of its own. */
export function isBrokenReference(reference: RootReference, broken: ReadonlySet<string>): boolean {
  if (reference.root === "resource") return broken.has(`${reference.type}.${reference.name}`);
  if (reference.root !== "vars" && reference.root !== "locals") return false;
  if (reference.name !== undefined) return broken.has(`${reference.root}.${reference.name}`);
  const prefix = `${reference.root}.`;
  return [...broken].some((name) => name.startsWith(prefix));
}

/** The instances of a resource, once `count` or `for_each` is evaluated. */
export type Instances =
  | { readonly kind: "single" }
  | { readonly kind: "list"; readonly length: number }
  | {
      readonly kind: "map";
      /** In order. */
      readonly values: ReadonlyMap<string, Value>;
      readonly keys: ReadonlySet<string>;
    };

export function resourceShapeOfInstances(instances: Instances): ResourceShape {
  if (instances.kind !== "map") return instances;
  return { kind: "map", keys: instances.keys };
}
