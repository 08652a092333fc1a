/**
 * Which objects a filter means: by reference, by traversal, by views; each once, with the paths
 * that are wanted of it (wire facts D.3).
 */

import type { ManagerContext } from "../objects/context.ts";
import { objectOf } from "../objects/objects.ts";
import {
  faultOf,
  invalidArgument,
  isFault,
  type ManagerFault,
  notAuthenticated,
  objectNotFound,
} from "../soap/fault.ts";
import {
  type DataObject,
  flagIn,
  isList,
  isReference,
  objectsIn,
  type Reference,
  refIn,
  textIn,
  textsIn,
} from "../soap/soap-value.ts";
import { isKindOf, isManaged, membersOf } from "../soap/wsdl.ts";
import type { PageItem } from "../world/session-record.ts";
import { invalidProperty, readPath } from "./path.ts";

/** All objects that the filters select, each with its paths, in order, once. */
export function selectItems(
  context: ManagerContext,
  specs: readonly DataObject[],
): readonly PageItem[] | ManagerFault {
  const items = new Map<string, { object: Reference; paths: Set<string> }>();
  for (const spec of specs) {
    const propSet = objectsIn(spec, "propSet");
    const unknown = propSet.find((each) => !isManaged(textIn(each, "type") ?? ""));
    if (unknown !== undefined) return invalidType(textIn(unknown, "type") ?? "");
    const isLenient = flagIn(spec, "reportMissingObjectsInResults") === true;
    for (const objectSpec of objectsIn(spec, "objectSet")) {
      const objects = selectObjects(context, objectSpec, isLenient);
      if (isFault(objects)) return objects;
      for (const object of objects) {
        const fits = propSet.filter((each) => isKindOf(object.ref, textIn(each, "type") ?? ""));
        if (fits.length === 0) continue;
        const key = `${object.ref}:${object.id}`;
        const item = items.get(key) ?? { object, paths: new Set<string>() };
        for (const each of fits) {
          for (const path of pathsOf(context, object, each)) item.paths.add(path);
        }
        items.set(key, item);
      }
    }
  }
  return [...items.values()].map(({ object, paths }) => ({ object, paths: [...paths] }));
}

/** For names that are no type of a managed object. */
export function invalidType(type: string): ManagerFault {
  return faultOf("InvalidType", `${type} is no type that has properties`, { argument: type });
}

function pathsOf({ version }: ManagerContext, object: Reference, spec: DataObject) {
  if (flagIn(spec, "all") !== true) return textsIn(spec, "pathSet");
  return membersOf(object.ref, version).map((member) => member.name);
}

function selectObjects(
  context: ManagerContext,
  spec: DataObject,
  isLenient: boolean,
): readonly Reference[] | ManagerFault {
  const start = refIn(spec, "obj");
  if (start === undefined) return [];
  if (objectOf(context, start) === undefined) {
    if (isLenient) return [];
    // Views end with their session: without one nobody can tell which there are.
    return context.session === undefined ? notAuthenticated(start) : objectNotFound(start);
  }
  const selectSet = objectsIn(spec, "selectSet");
  const named = new Map<string, DataObject>();
  collectNamed(selectSet, named);
  const found = flagIn(spec, "skip") === true ? [] : [start];
  const seen = new Set<string>();
  let fault: ManagerFault | undefined;
  const visit = (object: Reference, sets: readonly DataObject[]): void => {
    for (const each of sets) {
      const rule = each.is === "TraversalSpec" ? each : named.get(textIn(each, "name") ?? "");
      if (rule === undefined) fault = invalidArgument(`selectSet: ${textIn(each, "name") ?? ""}`);
      if (rule === undefined || !isKindOf(object.ref, textIn(rule, "type") ?? "")) continue;
      const path = textIn(rule, "path") ?? "";
      const key = `${object.id} ${textIn(rule, "name") ?? path}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const next = followPath(context, object, path);
      if (isFault(next)) {
        fault = next;
        continue;
      }
      for (const child of next) {
        if (flagIn(rule, "skip") !== true) found.push(child);
        visit(child, objectsIn(rule, "selectSet"));
      }
    }
  };
  visit(start, selectSet);
  return fault ?? found;
}

function collectNamed(sets: readonly DataObject[], named: Map<string, DataObject>): void {
  for (const each of sets) {
    if (each.is !== "TraversalSpec") continue;
    const name = textIn(each, "name");
    if (name !== undefined) named.set(name, each);
    collectNamed(objectsIn(each, "selectSet"), named);
  }
}

/** References at a path; traversing needs a session. */
function followPath(
  context: ManagerContext,
  object: Reference,
  path: string,
): readonly Reference[] | ManagerFault {
  const properties = objectOf(context, object);
  if (properties === undefined || context.session === undefined) return [];
  const result = readPath(properties, path, context.version);
  if (result.kind === "invalid") return invalidProperty(path);
  if (result.kind === "unset") return [];
  const { value } = result;
  return (isList(value) ? value : [value]).filter(isReference);
}
