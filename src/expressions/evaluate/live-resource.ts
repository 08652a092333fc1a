/** The names of a scope as CEL sees them: value roots, and resources with their instances. */

import { type InstanceKey, qualifiedType } from "../../model/value/address.ts";
import type { AttributeSchema } from "../../model/value/resource-schema.ts";
import { type PlannedAttributes, type PlannedValue, unknown } from "../../model/value/value.ts";
import {
  LiveMap,
  LiveValueError,
  liveList,
  type MapReader,
  toCelNumber,
  toLive,
  touchAll,
  touchUnknown,
  valueReader,
} from "./live-value.ts";
import type { Run } from "./run.ts";
import { dataRoot, type Scope, stepPath } from "./scope.ts";

/** Every root that the scope can answer; a name that it lacks is a type without resources. */
export function liveRoots(scope: Scope, run: Run): LiveMap {
  return new LiveMap({
    ...unlisted,
    get: (root) => {
      const values = Object.hasOwn(scope.values, root) ? scope.values[root] : undefined;
      if (values !== undefined) return new LiveMap(valueReader(values, root, run));
      if (root !== dataRoot) return liveType(scope, run, root);
      const get = (type: string): LiveMap =>
        liveType(scope, run, qualifiedType({ mode: "data", type }));
      return new LiveMap({ ...unlisted, get });
    },
  });
}

function liveType(scope: Scope, run: Run, type: string): LiveMap {
  return new LiveMap({ ...unlisted, get: (name) => liveResource(scope, run, type, name) });
}

/** Roots and types are named one by one; nothing lists them. */
const unlisted: Omit<MapReader, "get"> = {
  names: () => [],
  size: () => 0,
  has: () => false,
  plain: () => {
    throw new LiveValueError("A root is not a value: name one of its members.");
  },
};

function liveResource(scope: Scope, run: Run, type: string, name: string): unknown {
  const shape = scope.resources.shape(type, name);
  if (shape === undefined) throw new LiveValueError(`There is no ${type}.${name} here.`);
  const instance = (key: InstanceKey | undefined): LiveMap =>
    new LiveMap(instanceReader(scope, run, { type, name, key }));
  switch (shape.kind) {
    case "single":
      return instance(undefined);
    case "map": {
      const { keys } = shape;
      return new LiveMap({
        get: (key) => (keys.has(key) ? instance(key) : undefined),
        names: () => keys,
        size: () => keys.size,
        has: (key) => keys.has(key),
        plain: () => Object.fromEntries([...keys].map((key) => [key, instance(key).plain()])),
      });
    }
    case "list": {
      const { length } = shape;
      const plain = (): PlannedValue =>
        Array.from({ length }, (_, index) => instance(index).plain());
      return liveList(length, instance, plain);
    }
  }
}

type InstanceName = {
  readonly type: string;
  readonly name: string;
  readonly key: InstanceKey | undefined;
};

/** An attribute that the schema has and the object lacks is not set: null. */
function instanceReader(scope: Scope, run: Run, { type, name, key }: InstanceName): MapReader {
  const attributes = scope.resources.attributes(type, name, key);
  const schema = scope.resources.schema(type)?.attributes;
  const isAttribute = (attribute: string): boolean =>
    schema === undefined || Object.hasOwn(schema, attribute);
  const names = (): readonly string[] => Object.keys(schema ?? attributes ?? {});
  const pathOf = (attribute: string): string => stepPath(`${type}.${name}`, attribute);
  return {
    get: (attribute) => {
      if (!isAttribute(attribute)) return undefined;
      const path = pathOf(attribute);
      const described = schema?.[attribute];
      if (described?.sensitive === true || run.sensitivePaths.has(path)) run.sensitive = true;
      if (attributes === undefined) return touchUnknown(run);
      return liveAttribute(attributes, attribute, { described, path, run });
    },
    names,
    size: () => names().length,
    has: isAttribute,
    plain: () => {
      if (Object.values(schema ?? {}).some((attribute) => attribute.sensitive))
        run.sensitive = true;
      return touchAll(attributes ?? unknown, `${type}.${name}`, run);
    },
  };
}

function liveAttribute(
  attributes: PlannedAttributes,
  attribute: string,
  place: { described: AttributeSchema | undefined; path: string; run: Run },
): unknown {
  const value = Object.hasOwn(attributes, attribute) ? (attributes[attribute] ?? null) : null;
  if (typeof value === "number" && place.described?.type === "number") {
    return toCelNumber(value, true);
  }
  return toLive(value, place.path, place.run);
}
