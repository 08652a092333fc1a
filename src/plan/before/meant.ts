/**
 * Which recorded object does an address of the configuration mean? Asked before anything is read,
 * so it is answered from the configuration and recorded state alone.
 */

import type { Desired } from "../../model/plan/desired.ts";
import type { TypeRegistry } from "../../model/provider/provider.ts";
import type { RecordedObject, RecordedState } from "../../model/recorded/recorded.ts";
import { type Address, selects } from "../../model/value/address.ts";
import { recordedKey } from "../keys.ts";
import { otherObject } from "./lookup.ts";
import { type WantedObject, wantedObjects } from "./wanted.ts";

export type Meaning = {
  isDeclared(address: Address): boolean;
  /** It is known what is declared, and this is not. */
  isOutside(address: Address): boolean;
  /** The address means this object, as far as can be told without looking. */
  means(address: Address, object: RecordedObject): boolean;
  /** Nothing says that the address means another object than this one, which is recorded there. */
  stays(address: Address, object: RecordedObject): boolean;
};

const noMeaning: Meaning = {
  isDeclared: () => false,
  isOutside: () => false,
  means: () => false,
  stays: () => false,
};

/** Evaluates the configuration only when asked for what an address means. */
export function meaningOf(
  state: RecordedState,
  context: { readonly desired: Desired; readonly types: TypeRegistry } | undefined,
): Meaning {
  if (context === undefined) return noMeaning;
  const { desired, types } = context;
  const declared = new Set(desired.instances.map(({ address }) => address));
  let all: ReadonlyMap<Address, WantedObject> | undefined;
  const verdictOn = (address: Address, object: RecordedObject): boolean | undefined => {
    if (!declared.has(address)) return false;
    all ??= wantedObjects(desired.instances, types, new Map(), foundIn(state, types));
    const wanted = all.get(address);
    return wanted === undefined ? undefined : isMeant(wanted, object, types);
  };
  return {
    isDeclared: (address) => declared.has(address),
    isOutside: (address) =>
      !declared.has(address) && !desired.leftOut?.some((one) => selects(one, address)),
    means: (address, object) => verdictOn(address, object) === true,
    stays: (address, object) => verdictOn(address, object) !== false,
  };
}

/** Undefined where the configuration alone does not tell. */
function isMeant(
  { instance, attributes, identity }: WantedObject,
  object: RecordedObject,
  types: TypeRegistry,
): boolean | undefined {
  const type = types[instance.type];
  if (type === undefined) return undefined;
  if (object.type !== instance.type || object.provider !== instance.provider) return false;
  if (type.ownership === "attached") {
    return otherObject(type, attributes, { ...object.attributes, ...object.applied }) === undefined;
  }
  return identity === undefined ? undefined : identity === recordedKey(types, object);
}

/** What references to attached objects give before anything is read. */
function foundIn(
  { objects }: RecordedState,
  types: TypeRegistry,
): ReadonlyMap<Address, RecordedObject> {
  return new Map(
    objects.flatMap((object) =>
      object.objectKey === "current" && types[object.type]?.ownership === "attached"
        ? [[object.address, object]]
        : [],
    ),
  );
}
