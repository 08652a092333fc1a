/**
 * Views: lists of objects that a session makes and reads properties through (wire facts D.3). What
 * a view shows is asked anew with every read; it ends with its session.
 */

import { randomBytes } from "node:crypto";
import type { MethodAnswer, UserCall } from "../method-call.ts";
import { type ManagerMethod, reading } from "../method-table.ts";
import type { ManagerContext } from "../objects/context.ts";
import { objectOf } from "../objects/objects.ts";
import { viewedObjects } from "../objects/view-objects.ts";
import { invalidType } from "../properties/select.ts";
import { objectNotFound } from "../soap/fault.ts";
import {
  type DataObject,
  flagIn,
  isReference,
  isSameRef,
  listIn,
  type Reference,
  refIn,
  refTo,
  textsIn,
} from "../soap/soap-value.ts";
import { isManaged } from "../soap/wsdl.ts";
import { fixedIds } from "../world/inventory.ts";
import type { ManagerSession, ViewKind } from "../world/session-record.ts";

function createContainerView(call: UserCall): MethodAnswer {
  const container = refIn(call.params, "container");
  if (container === undefined || objectOf(call, container) === undefined) {
    return objectNotFound(container ?? call.target);
  }
  const types = textsIn(call.params, "type");
  const unknown = types.find((type) => !isManaged(type));
  if (unknown !== undefined) return invalidType(unknown);
  const recursive = flagIn(call.params, "recursive") === true;
  return addView(call.session, { kind: "ContainerView", container, types, recursive });
}

/** Objects of any kind that the client names. */
function createListView(call: UserCall): MethodAnswer {
  const objects = referencesIn(call.params, "obj");
  const gone = objects.find((each) => objectOf(call, each) === undefined);
  return gone === undefined
    ? addView(call.session, { kind: "ListView", objects })
    : objectNotFound(gone);
}

function createListViewFromView(call: UserCall): MethodAnswer {
  const objects = objectsOfView(call, refIn(call.params, "view"));
  return objects === undefined
    ? objectNotFound(refIn(call.params, "view") ?? call.target)
    : addView(call.session, { kind: "ListView", objects });
}

/** Gives back those that are not there. */
function modifyListView(call: UserCall): MethodAnswer {
  const removed = referencesIn(call.params, "remove");
  const added = referencesIn(call.params, "add");
  const view = call.session.views.get(call.target.id);
  if (view?.kind !== "ListView") return objectNotFound(call.target);
  const kept = view.objects.filter((each) => !removed.some((other) => isSameRef(each, other)));
  return relist(call, kept, added);
}

function resetListView(call: UserCall): MethodAnswer {
  return relist(call, [], referencesIn(call.params, "obj"));
}

function resetListViewFromView(call: UserCall): MethodAnswer {
  const source = refIn(call.params, "view");
  const objects = objectsOfView(call, source);
  if (objects === undefined) return objectNotFound(source ?? call.target);
  relist(call, [], objects);
  return {};
}

function relist(
  call: UserCall,
  kept: readonly Reference[],
  added: readonly Reference[],
): MethodAnswer {
  const { id } = call.target;
  const isThere = (each: Reference): boolean => objectOf(call, each) !== undefined;
  const isNew = (each: Reference): boolean => !kept.some((other) => isSameRef(each, other));
  const objects = [...kept, ...added.filter(isThere).filter(isNew)];
  call.session.views.set(id, { id, kind: "ListView", objects });
  return { value: added.filter((each) => !isThere(each)) };
}

/** A tree of which the client opens what it wants to see; closed but for the root. */
function createInventoryView(call: UserCall): MethodAnswer {
  const root = refTo("Folder", fixedIds(call.state.rules.kind).rootFolder);
  return addView(call.session, { kind: "InventoryView", opened: [root] });
}

/** Gives back those that are not there. */
function openInventoryFolder(call: UserCall): MethodAnswer {
  const wanted = referencesIn(call.params, "entity");
  const isThere = (each: Reference): boolean => objectOf(call, each) !== undefined;
  return reopen(call, (opened) => [...opened, ...wanted.filter(isThere)], wanted);
}

function closeInventoryFolder(call: UserCall): MethodAnswer {
  const wanted = referencesIn(call.params, "entity");
  const isClosed = (each: Reference): boolean => wanted.some((other) => isSameRef(each, other));
  return reopen(call, (opened) => opened.filter((each) => !isClosed(each)), wanted);
}

function reopen(
  call: UserCall,
  change: (opened: readonly Reference[]) => readonly Reference[],
  wanted: readonly Reference[],
): MethodAnswer {
  const view = call.session.views.get(call.target.id);
  if (view?.kind !== "InventoryView") return objectNotFound(call.target);
  call.session.views.set(view.id, { ...view, opened: change(view.opened) });
  return { value: wanted.filter((each) => objectOf(call, each) === undefined) };
}

function destroyView(call: UserCall): MethodAnswer {
  return call.session.views.delete(call.target.id) ? {} : objectNotFound(call.target);
}

function objectsOfView(
  context: ManagerContext,
  ref: Reference | undefined,
): readonly Reference[] | undefined {
  const view = context.session?.views.get(ref?.id ?? "");
  return view && viewedObjects(context, view);
}

function addView(session: ManagerSession, view: ViewKind): MethodAnswer {
  const id = `session[${session.key}]52${randomBytes(15).toString("hex")}`;
  session.views.set(id, { ...view, id });
  return { value: refTo(view.kind, id) };
}

function referencesIn(params: DataObject, name: string): readonly Reference[] {
  return listIn(params, name).filter(isReference);
}

const objects = "obj @ManagedObject*";

const changes = "add @ManagedObject*; remove @ManagedObject*";

const entities = "entity @ManagedEntity*";

export const viewMethods: readonly ManagerMethod[] = [
  reading(
    [
      "CreateContainerView",
      "ViewManager",
      "container @ManagedEntity; type string*; recursive boolean",
      "@ContainerView",
    ],
    createContainerView,
  ),
  reading(["CreateListView", "ViewManager", objects, "@ListView"], createListView),
  reading(
    ["CreateListViewFromView", "ViewManager", "view @View", "@ListView"],
    createListViewFromView,
  ),
  reading(["ModifyListView", "ListView", changes, "@ManagedObject"], modifyListView),
  reading(["ResetListView", "ListView", objects, "@ManagedObject"], resetListView),
  reading(["ResetListViewFromView", "ListView", "view @View", ""], resetListViewFromView),
  reading(["CreateInventoryView", "ViewManager", "", "@InventoryView"], createInventoryView),
  reading(
    ["OpenInventoryViewFolder", "InventoryView", entities, "@ManagedEntity"],
    openInventoryFolder,
  ),
  reading(
    ["CloseInventoryViewFolder", "InventoryView", entities, "@ManagedEntity"],
    closeInventoryFolder,
  ),
  reading(["DestroyView", "View", "", ""], destroyView),
];
