/** Methods that make views and change them (wire facts D.3). */

import type { ManagerMethod } from "../method-table.ts";
import { reading } from "../method-table.ts";
import {
  closeInventoryFolder,
  createContainerView,
  createInventoryView,
  createListView,
  createListViewFromView,
  destroyView,
  modifyListView,
  openInventoryFolder,
  resetListView,
  resetListViewFromView,
} from "./views.ts";

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
