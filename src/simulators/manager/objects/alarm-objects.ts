/** Alarms as objects, and their states on the entity that they are declared on (wire facts D.5). */

import type { DataObject, Reference } from "../soap/soap-value.ts";
import { isSameRef, objectIn, refTo, textIn } from "../soap/soap-value.ts";
import type { ManagerAlarm } from "../world/alarm.ts";
import type { ManagerContext } from "./context.ts";
import { timestamp } from "./context.ts";

/** The specification as it was sent, or as some servers give it back: wrapped, and filled in. */
export function alarmInfo(context: ManagerContext, alarm: ManagerAlarm): DataObject {
  const { spec } = alarm;
  const isWrapped = context.state.rules.alarm_expression === "wrapped";
  const expression = objectIn(spec, "expression");
  return {
    ...spec,
    is: "AlarmInfo",
    expression: isWrapped && expression !== undefined ? wrapped(expression) : expression,
    key: alarm.id,
    alarm: refTo("Alarm", alarm.id),
    entity: alarm.entity,
    lastModifiedTime: timestamp(context, alarm.modifiedMs),
    lastModifiedUser: alarm.modifiedBy,
    creationEventId: alarm.eventKey,
  };
}

function wrapped(expression: DataObject): DataObject {
  if (expression.is !== "EventAlarmExpression") return expression;
  const type = textIn(expression, "eventType") ?? "";
  const eventTypeId = textIn(expression, "eventTypeId") ?? `vim.event.${type}`;
  return { is: "OrAlarmExpression", expression: [{ ...expression, eventTypeId }] };
}

/** An alarm has a state on what it is declared on; a triggered one is listed a second time. */
export function alarmStates(context: ManagerContext, entity: Reference) {
  const declared = [...context.state.alarms.values()].filter((alarm) =>
    isSameRef(alarm.entity, entity),
  );
  return {
    declaredAlarmState: declared.map((alarm) => alarmState(context, alarm)),
    triggeredAlarmState: declared
      .filter((alarm) => alarm.triggered !== null)
      .map((alarm) => alarmState(context, alarm)),
  };
}

function alarmState(context: ManagerContext, alarm: ManagerAlarm): DataObject {
  const { triggered } = alarm;
  return {
    is: "AlarmState",
    key: `${alarm.id}.${alarm.entity.id}`,
    entity: alarm.entity,
    alarm: refTo("Alarm", alarm.id),
    overallStatus: triggered?.status ?? "gray",
    time: timestamp(context, triggered?.atMs ?? alarm.modifiedMs),
    acknowledged: false,
    eventKey: triggered?.eventKey,
  };
}
