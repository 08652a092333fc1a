/**
 * Reading properties in bulk: objects by reference, by traversal and by views, in pages (wire facts
 * D.3). An unknown path is a fault of the whole call, an unset property is just missing.
 */

import { randomBytes } from "node:crypto";
import type { ManagerContext } from "./context.ts";
import type { ManagerFault } from "./fault.ts";
import {
  faultOf,
  invalidArgument,
  isFault,
  localizedFault,
  noPermission,
  notAuthenticated,
  objectNotFound,
} from "./fault.ts";
import type { MethodAnswer, MethodCall, UserCall } from "./method-call.ts";
import { objectOf } from "./objects.ts";
import { readPath } from "./property-path.ts";
import type { PageItem } from "./session.ts";
import { encodeAny, encodedType } from "./soap-encode.ts";
import type { DataObject, Reference } from "./soap-value.ts";
import {
  flagIn,
  isList,
  isReference,
  numberIn,
  objectIn,
  objectsIn,
  refIn,
  textIn,
  textsIn,
} from "./soap-value.ts";
import { isKindOf, membersOf, wsdlType } from "./wsdl.ts";

/** `RetrieveProperties` of old: everything at once. */
export function retrieveProperties(call: MethodCall): MethodAnswer {
  const items = selectItems(call, objectsIn(call.params, "specSet"));
  if (isFault(items)) return items;
  const objects = contentOf(call, items);
  return isFault(objects) ? objects : { value: objects };
}

/** A page of objects, and a token when there are more; nothing at all when there are none. */
export function retrievePropertiesEx(call: MethodCall): MethodAnswer {
  const items = selectItems(call, objectsIn(call.params, "specSet"));
  if (isFault(items)) return items;
  const wanted = numberIn(objectIn(call.params, "options"), "maxObjects");
  if (wanted !== undefined && wanted < 1) return invalidArgument("options.maxObjects");
  const { objectsMax } = call.state.rules;
  return pageOf(call, items, Math.min(wanted ?? objectsMax, objectsMax));
}

export function continueRetrieve(call: UserCall): MethodAnswer {
  const token = textIn(call.params, "token") ?? "";
  const page = call.session.pages.get(token);
  if (page === undefined) return invalidArgument("token");
  call.session.pages.delete(token);
  return pageOf(call, page.rest, page.size);
}

export function cancelRetrieve(call: UserCall): MethodAnswer {
  return call.session.pages.delete(textIn(call.params, "token") ?? "")
    ? {}
    : invalidArgument("token");
}

/** Objects that have gone since the first page are left out. */
function pageOf(call: MethodCall, items: readonly PageItem[], size: number): MethodAnswer {
  const objects = contentOf(call, items.slice(0, size));
  if (isFault(objects)) return objects;
  const rest = items.slice(size);
  const token = rest.length === 0 ? undefined : randomBytes(8).toString("hex");
  if (token !== undefined) call.session?.pages.set(token, { rest, size });
  if (objects.length === 0 && token === undefined) return {};
  return { value: { is: "RetrieveResult", token, objects } };
}

/** All objects that the filters select, each with its paths, in order, once. */
function selectItems(
  call: MethodCall,
  specs: readonly DataObject[],
): readonly PageItem[] | ManagerFault {
  const items = new Map<string, { object: Reference; paths: Set<string> }>();
  for (const spec of specs) {
    const propSet = objectsIn(spec, "propSet");
    const unknown = propSet.find((each) => wsdlType(textIn(each, "type") ?? "") === undefined);
    if (unknown !== undefined) {
      const type = textIn(unknown, "type") ?? "";
      return faultOf("InvalidType", `${type} is no type that has properties`, { argument: type });
    }
    for (const objectSpec of objectsIn(spec, "objectSet")) {
      const isLenient = flagIn(spec, "reportMissingObjectsInResults") === true;
      const objects = selectObjects(call, objectSpec, isLenient);
      if (isFault(objects)) return objects;
      for (const object of objects) {
        const fits = propSet.filter((each) => isKindOf(object.ref, textIn(each, "type") ?? ""));
        if (fits.length === 0) continue;
        const key = `${object.ref}:${object.id}`;
        const item = items.get(key) ?? { object, paths: new Set<string>() };
        for (const each of fits) {
          for (const path of pathsOf(call, object, each)) item.paths.add(path);
        }
        items.set(key, item);
      }
    }
  }
  return [...items.values()].map(({ object, paths }) => ({ object, paths: [...paths] }));
}

function pathsOf({ version }: ManagerContext, object: Reference, spec: DataObject) {
  if (flagIn(spec, "all") !== true) return textsIn(spec, "pathSet");
  return membersOf(object.ref, version).map((member) => member.name);
}

function selectObjects(
  call: MethodCall,
  spec: DataObject,
  isLenient: boolean,
): readonly Reference[] | ManagerFault {
  const start = refIn(spec, "obj");
  if (start === undefined) return [];
  if (objectOf(call, start) === undefined) {
    if (isLenient) return [];
    // Views end with their session: without one nobody can tell which there are.
    return call.session === undefined ? notAuthenticated(start) : objectNotFound(start);
  }
  const selectSet = objectsIn(spec, "selectSet");
  const named = new Map<string, DataObject>();
  const collect = (sets: readonly DataObject[]): void => {
    for (const each of sets) {
      const name = textIn(each, "name");
      if (each.is !== "TraversalSpec") continue;
      if (name !== undefined) named.set(name, each);
      collect(objectsIn(each, "selectSet"));
    }
  };
  collect(selectSet);
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
      const next = followPath(call, object, path);
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

/** References at a path; traversing needs a session. */
function followPath(
  call: MethodCall,
  object: Reference,
  path: string,
): readonly Reference[] | ManagerFault {
  const properties = objectOf(call, object);
  if (properties === undefined || call.session === undefined) return [];
  const result = readPath(properties, path, call.version);
  if (result.kind === "invalid") return invalidProperty(path);
  if (result.kind === "unset") return [];
  const { value } = result;
  return (isList(value) ? value : [value]).filter(isReference);
}

function invalidProperty(name: string): ManagerFault {
  return faultOf("InvalidProperty", `There is no property ${name}.`, { name });
}

/** Without a session every property is missing, and the call is no fault (wire facts D.3). */
function contentOf(
  call: MethodCall,
  items: readonly PageItem[],
): readonly DataObject[] | ManagerFault {
  const contents: DataObject[] = [];
  for (const { object, paths } of items) {
    const properties = objectOf(call, object);
    if (properties === undefined) continue;
    const propSet: DataObject[] = [];
    const missingSet: DataObject[] = [];
    for (const path of paths) {
      const result = readPath(properties, path, call.version);
      if (result.kind === "invalid") return invalidProperty(path);
      const fault = hindrance(call, object, path);
      if (fault !== undefined) {
        missingSet.push({ is: "MissingProperty", path, fault: localizedFault(fault) });
      } else if (result.kind === "value") {
        const xml = encodeAny("val", result.member, result.value, call);
        propSet.push({ is: "DynamicProperty", name: path, val: { is: encodedType, xml } });
      }
    }
    contents.push({ is: "ObjectContent", obj: object, propSet, missingSet });
  }
  return contents;
}

/** Why a property that there is must not be read. */
function hindrance(call: MethodCall, object: Reference, path: string): ManagerFault | undefined {
  if (call.session === undefined) return notAuthenticated(object);
  if (object.ref !== "VirtualMachine") return undefined;
  const hidden = call.state.vms.get(object.id)?.unreadable ?? [];
  const isHidden = hidden.some((each) => path === each || path.startsWith(`${each}.`));
  return isHidden ? noPermission(object, "System.Read") : undefined;
}
