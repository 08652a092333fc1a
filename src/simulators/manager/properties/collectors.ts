/** Collectors of a session and the filters that they watch with (wire facts D.3). */

import { randomBytes } from "node:crypto";
import type { MethodAnswer, UserCall } from "../method-call.ts";
import { collectorIn } from "../objects/collector-objects.ts";
import { isFault, objectNotFound } from "../soap/fault.ts";
import { flagIn, objectIn, refTo } from "../soap/soap-value.ts";
import { type ManagerSession, newCollector, type PropertyFilter } from "../world/session-record.ts";
import { contentOf } from "./content.ts";
import { selectItems } from "./select.ts";

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

function newId(session: ManagerSession): string {
  return `session[${session.key}]52${randomBytes(15).toString("hex")}`;
}
