/** Collectors and filters as objects (wire facts D.3). */

import { type DataObject, type Reference, refTo } from "../soap/soap-value.ts";
import { fixedIds } from "../world/inventory.ts";
import type { ManagerState } from "../world/manager-state.ts";
import {
  type ManagerSession,
  newCollector,
  type PropertyCollector,
} from "../world/session-record.ts";

/** The one that is there without being made belongs to each session as well. */
export function collectorIn(
  { rules }: Pick<ManagerState, "rules">,
  session: ManagerSession,
  id: string,
): PropertyCollector | undefined {
  const known = session.propertyCollectors.get(id);
  if (known !== undefined || id !== fixedIds(rules.kind).propertyCollector) return known;
  const made = newCollector(id);
  session.propertyCollectors.set(id, made);
  return made;
}

/** Collectors and filters as objects, which only their own session sees. */
export function collectorObject(
  state: Pick<ManagerState, "rules">,
  session: ManagerSession | undefined,
  ref: Reference,
): DataObject | undefined {
  if (session === undefined) {
    const isAlwaysThere = ref.id === fixedIds(state.rules.kind).propertyCollector;
    return isAlwaysThere ? { is: "PropertyCollector", filter: [] } : undefined;
  }
  const collector = collectorIn(state, session, ref.id);
  return (
    collector && {
      is: "PropertyCollector",
      filter: [...collector.filters.keys()].map((id) => refTo("PropertyFilter", id)),
    }
  );
}

export function filterObject(
  session: ManagerSession | undefined,
  id: string,
): DataObject | undefined {
  for (const { filters } of session?.propertyCollectors.values() ?? []) {
    const filter = filters.get(id);
    if (filter === undefined) continue;
    return { is: "PropertyFilter", spec: filter.spec, partialUpdates: filter.partialUpdates };
  }
  return undefined;
}
