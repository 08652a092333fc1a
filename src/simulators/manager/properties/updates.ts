/**
 * Watching properties: what has changed since it was told last, at once or when there is something
 * to tell (wire facts D.3). Values are told whole, whatever was asked about parts of them, as the
 * reference permits.
 */

import type { MethodAnswer, UserCall } from "../method-call.ts";
import { collectorIn } from "../objects/collector-objects.ts";
import type { ManagerContext } from "../objects/context.ts";
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
  numberIn,
  objectIn,
  type Reference,
  refTo,
  textIn,
} from "../soap/soap-value.ts";
import type { PropertyCollector, PropertyFilter, ToldObject } from "../world/session-record.ts";
import { encoded, type Reading, readItem } from "./content.ts";
import { selectItems } from "./select.ts";

/** Nothing to tell is an answer without a value. */
export function checkForUpdates(call: UserCall): MethodAnswer {
  return watch(call, { maxWaitMs: 0, maxObjects: call.state.rules.objects_max });
}

/** Until there is something to tell, however long. */
export function waitForUpdates(call: UserCall): MethodAnswer {
  return watch(call, { maxWaitMs: Number.POSITIVE_INFINITY, maxObjects: Number.MAX_SAFE_INTEGER });
}

/** The same within a limit, after which the answer has no value. */
export function waitForUpdatesEx(call: UserCall): MethodAnswer {
  const options = objectIn(call.params, "options");
  const seconds = numberIn(options, "maxWaitSeconds");
  const wanted = numberIn(options, "maxObjectUpdates");
  if (seconds !== undefined && seconds < 0) return invalidArgument("options.maxWaitSeconds");
  if (wanted !== undefined && wanted < 1) return invalidArgument("options.maxObjectUpdates");
  const { objects_max: objectsMax } = call.state.rules;
  return watch(call, {
    maxWaitMs: (seconds ?? Number.POSITIVE_INFINITY) * 1000,
    maxObjects: Math.min(wanted ?? objectsMax, objectsMax),
  });
}

export function cancelWaiting(call: UserCall): MethodAnswer {
  const collector = collectorIn(call.state, call.session, call.target.id);
  if (collector === undefined) return objectNotFound(call.target);
  collector.cancelled += 1;
  return {};
}

type Limits = { readonly maxWaitMs: number; readonly maxObjects: number };

function watch(call: UserCall, { maxWaitMs, maxObjects }: Limits): MethodAnswer {
  const { session, state, target } = call;
  const collector = collectorIn(state, session, target.id);
  if (collector === undefined) return objectNotFound(target);
  const known = textIn(call.params, "version") ?? "";
  if (known !== "" && known !== String(collector.version)) {
    const message = `The version ${known} is not the one that was told last.`;
    return faultOf("InvalidCollectorVersion", message);
  }
  if (known === "") for (const filter of collector.filters.values()) filter.told.clear();
  const first = updateSet(call, collector, maxObjects);
  if (first !== undefined) return isFault(first) ? first : { value: first };
  if (maxWaitMs === 0) return {};
  const { cancelled } = collector;
  const look = (nowMs: number): MethodAnswer | undefined => {
    if (state.sessions.get(session.id) !== session) return notAuthenticated(target);
    if (collector.cancelled !== cancelled) {
      return faultOf("RequestCanceled", "The task was canceled by a user.");
    }
    session.lastMs = nowMs;
    const found = updateSet({ ...call, nowMs }, collector, maxObjects);
    if (found === undefined) return undefined;
    return isFault(found) ? found : { value: found };
  };
  return { waiting: { untilMs: call.nowMs + maxWaitMs, look } };
}

/** Undefined when nothing has changed. What does not fit is told by the next one. */
function updateSet(
  context: ManagerContext,
  collector: PropertyCollector,
  maxObjects: number,
): DataObject | ManagerFault | undefined {
  const filterSet: DataObject[] = [];
  let left = maxObjects;
  let truncated = false;
  for (const filter of collector.filters.values()) {
    const changes = changesOf(context, filter);
    if (isFault(changes)) return changes;
    const told = changes.slice(0, left);
    left -= told.length;
    truncated ||= told.length < changes.length;
    if (told.length === 0) continue;
    for (const { key, values } of told) {
      if (values === undefined) filter.told.delete(key);
      else filter.told.set(key, values);
    }
    filterSet.push({
      is: "PropertyFilterUpdate",
      filter: refTo("PropertyFilter", filter.id),
      objectSet: told.map(({ update }) => update),
    });
  }
  if (filterSet.length === 0) return undefined;
  collector.version += 1;
  return { is: "UpdateSet", version: String(collector.version), filterSet, truncated };
}

type Change = {
  readonly key: string;
  /** What is to be remembered as told; undefined for an object that has gone. */
  readonly values: ToldObject | undefined;
  readonly update: DataObject;
};

function changesOf(
  context: ManagerContext,
  filter: PropertyFilter,
): readonly Change[] | ManagerFault {
  // What was there when the filter was made may have gone: it leaves, and is no fault.
  const items = selectItems(context, [{ ...filter.spec, reportMissingObjectsInResults: true }]);
  if (isFault(items)) return items;
  const changes: Change[] = [];
  const present = new Set<string>();
  for (const item of items) {
    const reading = readItem(context, item);
    if (reading === undefined) continue;
    if (isFault(reading)) return reading;
    const key = `${item.object.ref}:${item.object.id}`;
    present.add(key);
    const update = updateOf(reading, filter.told.get(key));
    if (update !== undefined) changes.push({ key, values: reading.values, update });
  }
  for (const key of filter.told.keys()) {
    if (present.has(key)) continue;
    const update = { is: "ObjectUpdate", kind: "leave", obj: referenceOf(key) };
    changes.push({ key, values: undefined, update });
  }
  return changes;
}

function updateOf(
  { object, values, missing }: Reading,
  told: ToldObject | undefined,
): DataObject | undefined {
  const changeSet: DataObject[] = [];
  for (const [name, xml] of values) {
    if (told?.get(name) === xml) continue;
    changeSet.push({ is: "PropertyChange", name, op: "assign", val: encoded(xml) });
  }
  // A value that is unset by now is assigned nothing.
  for (const name of told?.keys() ?? []) {
    if (!values.has(name)) changeSet.push({ is: "PropertyChange", name, op: "assign" });
  }
  if (told !== undefined && changeSet.length === 0) return undefined;
  return {
    is: "ObjectUpdate",
    kind: told === undefined ? "enter" : "modify",
    obj: object,
    changeSet,
    missingSet: missing,
  };
}

function referenceOf(key: string): Reference {
  const split = key.indexOf(":");
  return refTo(key.slice(0, split), key.slice(split + 1));
}
