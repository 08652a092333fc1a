/**
 * What the configuration alone tells of wanted objects: attributes, and identities made of keys.
 * Of attached objects it tells nothing but what they are looked up by; what was found is given.
 */

import type { DesiredInstance } from "../../model/plan/desired.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import { foundBy } from "../../model/recorded/found-by.ts";
import type { Address } from "../../model/value/address.ts";
import type { ReferenceLookup } from "../../model/value/expression.ts";
import type { Attributes, PlannedAttributes } from "../../model/value/value.ts";
import { withDefaults } from "../compare.ts";
import type { DataAnswers } from "../input.ts";

export type WantedObject = {
  readonly instance: DesiredInstance;
  readonly attributes: PlannedAttributes;
  /** Undefined while a key attribute is unset or unknown. */
  readonly identity: string | undefined;
};

/** An attached object that was found: recorded, or looked up. */
export type FoundObject = { readonly identity: string; readonly attributes: Attributes };
export type FoundObjects = ReadonlyMap<Address, FoundObject>;

/**
 * Resolves in the given order, which puts dependencies first; computed values stay unset, and so
 * does what data sources answer that are not read.
 */
export function wantedObjects(
  instances: readonly DesiredInstance[],
  types: TypeRegistry,
  answers: DataAnswers = new Map(),
  found: FoundObjects = new Map(),
): ReadonlyMap<Address, WantedObject> {
  const lookup: ReferenceLookup = (address) => {
    const answer = answers.get(address);
    if (answer?.status === "read") return answer.attributes;
    const object = wanted.get(address);
    const type = types[object?.instance.type ?? ""];
    const attributes =
      object === undefined || type === undefined ? undefined : foundBy(type, object.attributes);
    const existing = found.get(address)?.attributes;
    return existing === undefined ? attributes : { ...attributes, ...existing };
  };
  const wanted = new Map<Address, WantedObject>();
  for (const instance of instances) {
    const type = types[instance.type];
    if (type === undefined) continue;
    const resolved = instance.resolve(lookup);
    const attributes = withDefaults(type.schema, resolved.attributes);
    const identity = found.get(instance.address)?.identity ?? type.identityOf(attributes);
    wanted.set(instance.address, { instance, attributes, identity });
  }
  return wanted;
}
