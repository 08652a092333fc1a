/**
 * Where a VM stands: the path through datacenters and folders, as people and other tools write
 * it.
 */

import { textOf } from "../../../lib/xml/xml.ts";
import { oncePer } from "../../kit/once.ts";
import type { ManagedObject, ManagedRef, ManagerClient, PropertyPaths } from "../client/client.ts";
import { refOf } from "../client/element.ts";
import type { VmProperties } from "../machine/vm-properties.ts";

/** Objects that others stand in, with what is above them. */
export const placePaths: PropertyPaths = {
  Folder: ["name", "parent"],
  Datacenter: ["name", "parent"],
};

type Place = {
  /** As the server writes it: a slash in a name is `%2f`. */
  readonly name: string;
  readonly parent: ManagedRef | undefined;
};

/** Undefined for what is no place, and for one that may not be seen. */
export type PlaceOf = (ref: ManagedRef) => Promise<Place | undefined>;

/** No inventory is as deep. */
const depthMax = 100;

/** Of objects that were read already. */
export function placesIn(objects: readonly ManagedObject[]): PlaceOf {
  const places = new Map(objects.map((object) => [object.ref.id, placeOf(object)]));
  return async ({ id }) => places.get(id);
}

/** One request for each place, once. */
export function placesOf(client: ManagerClient): PlaceOf {
  const ask = oncePer(async (key) => {
    const [type = "", id = ""] = key.split(" ");
    const { objects } = await client.read([{ type, id }], placePaths);
    const object = objects.get(id);
    return object === undefined ? undefined : placeOf(object);
  });
  return async ({ type, id }) =>
    Object.hasOwn(placePaths, type) ? ask(`${type} ${id}`) : undefined;
}

/**
 * Inventory path without a slash at its beginning; undefined for a VM in a vApp, or below something
 * that may not be seen. The root folder is above all paths and in none.
 */
export async function pathOfVm(
  { name, parent }: VmProperties,
  root: ManagedRef,
  find: PlaceOf,
): Promise<string | undefined> {
  const names = [name.replaceAll("%", "%25").replaceAll("/", "%2f").replaceAll("\\", "%5c")];
  let ref = parent;
  while (ref?.id !== root.id) {
    const place = ref === undefined ? undefined : await find(ref);
    if (place === undefined || names.length > depthMax) return undefined;
    names.unshift(place.name);
    ref = place.parent;
  }
  return names.join("/");
}

function placeOf({ ref, values }: ManagedObject): Place | undefined {
  const name = values.get("name");
  if (!Object.hasOwn(placePaths, ref.type) || name === undefined) return undefined;
  return { name: textOf(name).trim(), parent: refOf(values.get("parent")) };
}
