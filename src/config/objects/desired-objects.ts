/** Instances and data sources as a plan wants them: linked, ordered, and each evaluated once. */

import type { DesiredData, DesiredInstance } from "../../model/plan/desired.ts";
import { foundBy } from "../../model/recorded/found-by.ts";
import type { Diagnostic, SourcePosition } from "../../model/said/diagnostic.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import type { ResourceSchema } from "../../model/value/resource-schema.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value/value.ts";
import { reportIn } from "../modules/module.ts";
import { createReport, positionOf, type Report } from "../report.ts";
import { type DataUses, dataUses, usesOfInstance } from "./data-uses.ts";
import { evaluateInstance, type Instance, typeProblems } from "./instance.ts";
import type { InstancesByResource } from "./instances.ts";
import { linkInstances, orderInstances } from "./links.ts";
import { desiredConditions } from "./object-conditions.ts";
import { protectedLifecycle } from "./protection.ts";
import { checkSameObject, type SeenObjects } from "./same-object.ts";

type DesiredObjects = {
  readonly instances: readonly DesiredInstance[];
  readonly data: readonly DesiredData[];
  readonly uses: ReadonlyMap<string, DataUses>;
};

/** Links instances and data sources, and evaluates each once to find its problems. */
export function desiredObjects(byResource: InstancesByResource, report: Report): DesiredObjects {
  const links = linkInstances(byResource, report);
  const order = orderInstances(links, byResource, report);
  const attributes = checkInstances(byResource, order, report);
  const uses = dataUses(links, order);
  const seen: SeenObjects = new Map();
  const instances: DesiredInstance[] = [];
  const data = new Map<string, DesiredData>();
  for (const { resource, instances: own } of byResource.values()) {
    const parts = { uses, source: positionOf(resource.place) };
    for (const instance of own) {
      const { address } = instance;
      if (resource.mode === "data") {
        data.set(address, desiredData(instance, parts));
        continue;
      }
      const known = attributes.get(address);
      const told = reportIn(instance.scope.module, report);
      if (known !== undefined) checkSameObject(instance, known, seen, told);
      const lifecycle = protectedLifecycle(instance, told);
      instances.push({ ...desiredInstance(instance, parts, instances.length), lifecycle });
    }
  }
  return { instances, data: order.flatMap((address) => data.get(address) ?? []), uses };
}

/**
 * Evaluates each instance with what the configuration says of those before it; what the remote side
 * sets, or what is left as it is, is unknown. Returns the attributes, unset ones as unknown.
 */
function checkInstances(
  byResource: InstancesByResource,
  order: readonly string[],
  report: Report,
): ReadonlyMap<string, PlannedAttributes> {
  const known = new Map<string, PlannedAttributes>();
  const lookup: ReferenceLookup = (address) => known.get(address);
  const instances = new Map<string, Instance>();
  for (const { instances: own } of byResource.values()) {
    for (const one of own) instances.set(one.address, one);
  }
  for (const address of order) {
    const instance = instances.get(address);
    if (instance === undefined) continue;
    const { attributes } = evaluateInstance(instance, lookup, report);
    const told = reportIn(instance.scope.module, report);
    for (const problem of typeProblems(instance, attributes)) told.pass(problem);
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
function desiredData(instance: Instance, { uses, source }: InstanceParts): DesiredData {
  const { address, resource } = instance;
  const used = uses.get(address);
  const conditions = desiredConditions(instance);
  const direct = used?.direct ?? [];
  return {
    address,
    ...(direct.length === 0 ? {} : { dataUses: () => usesOfInstance(instance, direct) }),
    ...(conditions === undefined ? {} : { conditions }),
    type: resource.type.name,
    provider: resource.provider,
    source,
    placeOf: (name) => {
      const value = resource.attributes.get(name);
      return value === undefined ? undefined : positionOf(value.place);
    },
    references: used?.references ?? [],
    data: used?.data ?? [],
    dependencies: used?.dependencies ?? [],
    resolve: (lookup) => {
      const report = createReport();
      const resolved = evaluateInstance(instance, lookup, report);
      const own: readonly Diagnostic[] = typeProblems(instance, resolved.attributes);
      return { ...resolved, diagnostics: [...report.diagnostics(), ...own] };
    },
  };
}
