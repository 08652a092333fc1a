/** Views as objects: what they show is asked anew with every read. */

import { type DataObject, type Reference, refTo } from "../soap/soap-value.ts";
import { fixedIds } from "../world/inventory.ts";
import type { SessionView } from "../world/session-record.ts";
import type { ManagerContext } from "./context.ts";
import { childrenOf, entitiesBelow } from "./tree.ts";

/** A view as an object, which only its own session sees. */
export function viewObject(context: ManagerContext, ref: Reference): DataObject | undefined {
  const view = context.session?.views.get(ref.id);
  if (view?.kind !== ref.ref) return undefined;
  const list = viewedObjects(context, view);
  if (view.kind !== "ContainerView") return { is: view.kind, view: list };
  const { container, types: type, recursive } = view;
  return { is: view.kind, container, type, recursive, view: list };
}

/** What a view shows now. */
export function viewedObjects({ state }: ManagerContext, view: SessionView): readonly Reference[] {
  switch (view.kind) {
    case "ContainerView":
      return entitiesBelow(state, view);
    case "ListView":
      return view.objects;
    case "InventoryView": {
      const root = refTo("Folder", fixedIds(state.rules.kind).rootFolder);
      const found = new Map([[root.id, root]]);
      for (const opened of view.opened) {
        for (const child of childrenOf(state, opened)) found.set(child.id, child);
      }
      return [...found.values()];
    }
  }
}
