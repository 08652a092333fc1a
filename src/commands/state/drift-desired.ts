/** What the configuration wants of recorded objects, as far as it is known without planning. */

import type { DesiredObject } from "../../drift/attribute-comparison.ts";
import type { Desired } from "../../model/plan/desired.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { ResourceType, TypeRegistry } from "../../model/provider/provider.ts";
import { currentByAddress } from "../../model/recorded/current.ts";
import type { RecordedState } from "../../model/recorded/recorded.ts";
import type { Address } from "../../model/value/address.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value/value.ts";
import { withDefaults } from "../../plan/compare.ts";

/**
 * Resolves dependencies first. A reference sees wanted values, else what was read, else what is
 * recorded; a computed value that nobody knows, or that changes by itself, is unknown.
 */
export function desiredObjects(
  desired: Desired,
  recorded: RecordedState,
  observations: ReadonlyMap<Address, Observation>,
  types: TypeRegistry,
): ReadonlyMap<Address, DesiredObject> {
  const records = currentByAddress(recorded.objects);
  const seen = new Map<Address, PlannedAttributes>();
  const objects = new Map<Address, DesiredObject>();
  for (const instance of desired.instances) {
    const { address, provider } = instance;
    const type = types[instance.type];
    if (type === undefined) continue;
    const resolved = instance.resolve((name) => seen.get(name));
    const attributes = withDefaults(type.schema, resolved.attributes);
    const known: { [name: string]: PlannedValue } = {
      ...records.get(address)?.attributes,
      ...foundAttributes(observations.get(address)),
    };
    for (const { name, computed, volatile } of Object.values(type.schema.attributes)) {
      if (volatile || (computed && known[name] === undefined)) known[name] = unknown;
    }
    seen.set(address, { ...known, ...setAttributes(attributes), ...foundBy(type, known) });
    const identity = type.identityOf(attributes);
    const { ignoreChanges: ignore } = instance.lifecycle;
    const place = instance.source === undefined ? {} : { source: instance.source };
    objects.set(address, { type: type.name, provider, identity, attributes, ignore, ...place });
  }
  return objects;
}

/** What an object is looked up by may be written in many ways; it has the one that was read. */
function foundBy({ schema }: ResourceType, known: PlannedAttributes): PlannedAttributes {
  return setAttributes(
    Object.fromEntries(
      Object.values(schema.attributes).flatMap(({ name, lookup }) =>
        lookup ? [[name, known[name] ?? null]] : [],
      ),
    ),
  );
}

function foundAttributes(observation: Observation | undefined): PlannedAttributes {
  return observation?.status === "found" ? observation.attributes : {};
}

function setAttributes(attributes: PlannedAttributes): PlannedAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));
}
