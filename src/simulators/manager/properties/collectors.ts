/** Collectors of a session and the filters that they watch with (wire facts D.3). */

import { randomBytes } from "node:crypto";
import { isFault, objectNotFound } from "../fault.ts";
import { fixedIds } from "../inventory.ts";
import type { ManagerState } from "../manager-state.ts";
import type { MethodAnswer, UserCall } from "../method-call.ts";
import type { ManagerSession } from "../session.ts";
import type { DataObject, Reference } from "../soap-value.ts";
import { flagIn, objectIn, refTo } from "../soap-value.ts";
import type { PropertyCollector, PropertyFilter } from "./collection.ts";
import { newCollector } from "./collection.ts";
import { contentOf } from "./content.ts";
import { selectItems } from "./select.ts";

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

export function createPropertyCollector({ session }: UserCall): MethodAnswer {
  const id = newId(session);
  session.propertyCollectors.set(id, newCollector(id));
  return { value: refTo("PropertyCollector", id) };
}

/** Its filters go with it, and who waits for it is told. The one that is always there stays. */
export function destroyPropertyCollector({ session, target }: UserCall): MethodAnswer {
  const collector = session.propertyCollectors.get(target.id);
  if (collector !== undefined) collector.cancelled += 1;
  session.propertyCollectors.delete(target.id);
  return {};
}

/** What it asks for must be there, so that a mistake is told at once. */
export function createFilter(call: UserCall): MethodAnswer {
  const collector = collectorIn(call.state, call.session, call.target.id);
  const spec = objectIn(call.params, "spec");
  if (collector === undefined || spec === undefined) return objectNotFound(call.target);
  const items = selectItems(call, [spec]);
  if (isFault(items)) return items;
  const contents = contentOf(call, items);
  if (isFault(contents)) return contents;
  const filter: PropertyFilter = {
    id: newId(call.session),
    spec,
    partialUpdates: flagIn(call.params, "partialUpdates") === true,
    told: new Map(),
  };
  collector.filters.set(filter.id, filter);
  return { value: refTo("PropertyFilter", filter.id) };
}

export function destroyPropertyFilter({ session, target }: UserCall): MethodAnswer {
  for (const { filters } of session.propertyCollectors.values()) {
    if (filters.delete(target.id)) return {};
  }
  return objectNotFound(target);
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

function newId(session: ManagerSession): string {
  return `session[${session.key}]52${randomBytes(15).toString("hex")}`;
}
