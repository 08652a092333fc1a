/** Querying events (wire facts D.5). */

import type { MethodAnswer, UserCall } from "../method-call.ts";
import { momentOf, timestamp } from "../objects/context.ts";
import { objectOf } from "../objects/objects.ts";
import { invalidArgument, objectNotFound } from "../soap/fault.ts";
import type { DataObject } from "../soap/soap-value.ts";
import { flagIn, numberIn, objectIn, refIn, textIn, textsIn } from "../soap/soap-value.ts";
import type { ManagerEvent } from "../world/event.ts";
import { eventObject, eventsMax, eventType, isOfType } from "../world/event.ts";
import { fixedIds } from "../world/inventory.ts";

/** The categories that session events belong to (specification, section D, Events). */
const categories: readonly string[] = ["sessionEvent", "info"];

/** Oldest first; the newest ones where there are more than one answer holds. */
export function queryEvents(call: UserCall): MethodAnswer {
  const filter = objectIn(call.params, "filter");
  const entity = refIn(objectIn(filter, "entity"), "entity");
  if (entity !== undefined && objectOf(call, entity) === undefined) return objectNotFound(entity);
  const maxCount = numberIn(filter, "maxCount") ?? eventsMax;
  if (maxCount < 1) return invalidArgument("filter.maxCount");
  // Sessions belong to no entity but the root.
  const isElsewhere =
    entity !== undefined && entity.id !== fixedIds(call.state.rules.kind).rootFolder;
  const found = isElsewhere ? [] : call.state.events.filter((event) => fits(call, event, filter));
  const isShort = flagIn(filter, "disableFullMessage") === true;
  return {
    value: found.slice(-Math.min(maxCount, eventsMax)).map((event) => {
      const object = eventObject(event, (ms) => timestamp(call, ms));
      return isShort ? { ...object, fullFormattedMessage: undefined } : object;
    }),
  };
}

function fits(call: UserCall, event: ManagerEvent, filter: DataObject | undefined): boolean {
  const time = objectIn(filter, "time");
  const begin = textIn(time, "beginTime");
  const end = textIn(time, "endTime");
  if (begin !== undefined && event.createdMs < momentOf(call, begin)) return false;
  if (end !== undefined && event.createdMs > momentOf(call, end)) return false;
  const users = textsIn(objectIn(filter, "userName"), "userList");
  if (users.length > 0 && !users.includes(event.user)) return false;
  const wanted = textsIn(filter, "category");
  if (wanted.length > 0 && !wanted.some((each) => categories.includes(each))) return false;
  const types = textsIn(filter, "type");
  if (types.length > 0 && !types.some((type) => isOfType(event, type))) return false;
  const ids = textsIn(filter, "eventTypeId");
  return ids.length === 0 || ids.includes(`vim.event.${eventType(event)}`);
}
