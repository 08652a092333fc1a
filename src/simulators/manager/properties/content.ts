/**
 * What stands at paths of an object, written as XML already: values that are set, and what is
 * missing with its reason. An unset property is just not there; an unknown path is a fault (wire
 * facts D.3).
 */

import type { ManagerContext } from "../objects/context.ts";
import { objectOf } from "../objects/objects.ts";
import {
  isFault,
  localizedFault,
  type ManagerFault,
  noPermission,
  notAuthenticated,
} from "../soap/fault.ts";
import { encodeAny, encodedType } from "../soap/soap-encode.ts";
import type { DataObject, Reference } from "../soap/soap-value.ts";
import type { PageItem } from "../world/session-record.ts";
import { invalidProperty, readPath } from "./path.ts";

export type Reading = {
  readonly object: Reference;
  /** Elements `val` by path. */
  readonly values: ReadonlyMap<string, string>;
  readonly missing: readonly DataObject[];
};

/** Undefined for an object that is not there. Without a session every property is missing. */
export function readItem(
  context: ManagerContext,
  { object, paths }: PageItem,
): Reading | ManagerFault | undefined {
  const properties = objectOf(context, object);
  if (properties === undefined) return undefined;
  const values = new Map<string, string>();
  const missing: DataObject[] = [];
  for (const path of paths) {
    const result = readPath(properties, path, context.version);
    if (result.kind === "invalid") return invalidProperty(path);
    const fault = hindrance(context, object, path);
    if (fault !== undefined) {
      missing.push({ is: "MissingProperty", path, fault: localizedFault(fault) });
    } else if (result.kind === "value") {
      values.set(path, encodeAny("val", result.member, result.value, context));
    }
  }
  return { object, values, missing };
}

/** An element that is written already, as the value of a member. */
export function encoded(xml: string): DataObject {
  return { is: encodedType, xml };
}

/** Contents of objects; those that have gone are left out. */
export function contentOf(
  context: ManagerContext,
  items: readonly PageItem[],
): readonly DataObject[] | ManagerFault {
  const contents: DataObject[] = [];
  for (const item of items) {
    const reading = readItem(context, item);
    if (reading === undefined) continue;
    if (isFault(reading)) return reading;
    const propSet = [...reading.values].map(([name, xml]) => ({
      is: "DynamicProperty",
      name,
      val: encoded(xml),
    }));
    contents.push({
      is: "ObjectContent",
      obj: reading.object,
      propSet,
      missingSet: reading.missing,
    });
  }
  return contents;
}

/** Why a property that there is must not be read. */
export function hindrance(
  { session, state }: ManagerContext,
  object: Reference,
  path: string,
): ManagerFault | undefined {
  if (session === undefined) return notAuthenticated(object);
  if (object.ref !== "VirtualMachine") return undefined;
  const hidden = state.vms.get(object.id)?.unreadable ?? [];
  const isHidden = hidden.some((each) => path === each || path.startsWith(`${each}.`));
  return isHidden ? noPermission(object, "System.Read") : undefined;
}
