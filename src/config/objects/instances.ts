/** All instances of all resources, in all modules. */

import { type Address, formatAddress } from "../../model/value/address.ts";
import type { Resource } from "../blocks/resource.ts";
import { type ModuleScope, scopesIn } from "../modules/module-scope.ts";
import { type Instance, instancesOf } from "./instance.ts";

/** A resource of one module instance, with its instances. */
export type ResourceInstances = {
  readonly scope: ModuleScope;
  readonly resource: Resource;
  readonly instances: readonly Instance[];
};

/** By address, in the order of the configuration; those of called modules stand last. */
export type InstancesByResource = ReadonlyMap<string, ResourceInstances>;

/** All instances, in all modules. */
export function instancesByResource(root: ModuleScope): InstancesByResource {
  const byResource = new Map<string, ResourceInstances>();
  for (const scope of scopesIn(root)) {
    for (const [key, resource] of scope.module.resources) {
      const own = scope.instances.get(key);
      if (own === undefined) continue;
      const instances = instancesOf(resource, own, scope);
      byResource.set(addressIn(scope, resource), { scope, resource, instances });
    }
  }
  return byResource;
}

/** Address of a resource of a module instance. */
export function addressIn({ path }: ModuleScope, resource: Resource): Address {
  const { mode, name, type } = resource;
  return formatAddress({ modules: path, mode, type: type.name, name });
}
