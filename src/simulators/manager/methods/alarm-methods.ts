/** Alarms: made, listed, changed and removed (wire facts D.5). */

import type { MethodAnswer, UserCall } from "../method-call.ts";
import { alarmStates } from "../objects/alarm-objects.ts";
import { objectOf } from "../objects/objects.ts";
import type { ManagerFault } from "../soap/fault.ts";
import { faultOf, invalidArgument, objectNotFound } from "../soap/fault.ts";
import type { DataObject } from "../soap/soap-value.ts";
import { isSameRef, objectIn, objectsIn, refIn, refTo, textIn } from "../soap/soap-value.ts";
import { wsdlType } from "../soap/wsdl.ts";
import type { ManagerAlarm } from "../world/alarm.ts";
import { comparisonOperators } from "../world/alarm.ts";
import type { ManagerState } from "../world/manager-state.ts";
import { takeNumber } from "../world/manager-state.ts";

const statuses: readonly (string | undefined)[] = ["gray", "green", "yellow", "red", undefined];

export function createAlarm(call: UserCall): MethodAnswer {
  const { state, nowMs, session } = call;
  const entity = refIn(call.params, "entity");
  const spec = objectIn(call.params, "spec");
  if (spec === undefined || entity === undefined || objectOf(call, entity) === undefined) {
    return objectNotFound(entity ?? call.target);
  }
  const fault = specFault(state, spec, undefined);
  if (fault !== undefined) return fault;
  const number = takeNumber(state);
  const alarm: ManagerAlarm = {
    id: `alarm-${number}`,
    entity,
    spec,
    modifiedMs: nowMs,
    modifiedBy: session.userName,
    eventKey: number,
    triggered: null,
  };
  state.alarms.set(alarm.id, alarm);
  return { value: refTo("Alarm", alarm.id), effect: true };
}

/** Those that are declared on the entity, or all. */
export function getAlarm(call: UserCall): MethodAnswer {
  const entity = refIn(call.params, "entity");
  if (entity !== undefined && objectOf(call, entity) === undefined) return objectNotFound(entity);
  return {
    value: [...call.state.alarms.values()]
      .filter((alarm) => entity === undefined || isSameRef(alarm.entity, entity))
      .map((alarm) => refTo("Alarm", alarm.id)),
  };
}

/** Of the alarms that are declared on the entity, whether they are triggered or not. */
export function getAlarmState(call: UserCall): MethodAnswer {
  const entity = refIn(call.params, "entity");
  if (entity === undefined || objectOf(call, entity) === undefined) {
    return objectNotFound(entity ?? call.target);
  }
  return { value: alarmStates(call, entity).declaredAlarmState };
}

/** The whole specification takes the place of the old one. */
export function reconfigureAlarm(call: UserCall): MethodAnswer {
  const { state, nowMs, session } = call;
  const alarm = state.alarms.get(call.target.id);
  const spec = objectIn(call.params, "spec");
  if (alarm === undefined || spec === undefined) return objectNotFound(call.target);
  const fault = specFault(state, spec, alarm.id);
  if (fault !== undefined) return fault;
  state.alarms.set(alarm.id, {
    ...alarm,
    spec,
    modifiedMs: nowMs,
    modifiedBy: session.userName,
    triggered: null,
  });
  return { effect: true };
}

export function removeAlarm(call: UserCall): MethodAnswer {
  call.state.alarms.delete(call.target.id);
  return { effect: true };
}

/** Names are unique on the whole server (wire facts D.5). */
function specFault(
  state: ManagerState,
  spec: DataObject,
  ownId: string | undefined,
): ManagerFault | undefined {
  const name = textIn(spec, "name") ?? "";
  if (name.trim() === "" || name.length > 80) {
    return faultOf("InvalidName", "The name is invalid.", { name });
  }
  for (const { id, spec: other } of state.alarms.values()) {
    if (id !== ownId && textIn(other, "name") === name) {
      const message = `The name '${name}' already exists.`;
      return faultOf("DuplicateName", message, { name, object: refTo("Alarm", id) });
    }
  }
  return expressionFault(objectIn(spec, "expression"));
}

function expressionFault(expression: DataObject | undefined): ManagerFault | undefined {
  const inner = objectsIn(expression, "expression");
  switch (expression?.is) {
    case "OrAlarmExpression":
    case "AndAlarmExpression":
      if (inner.length === 0) return invalidArgument("spec.expression.expression");
      return inner.map(expressionFault).find((fault) => fault !== undefined);
    case "EventAlarmExpression": {
      if (wsdlType(textIn(expression, "eventType") ?? "") === undefined) {
        return invalidArgument("spec.expression.eventType");
      }
      if (!statuses.includes(textIn(expression, "status"))) {
        return invalidArgument("spec.expression.status");
      }
      const isKnown = objectsIn(expression, "comparisons").every((each) =>
        comparisonOperators.has(textIn(each, "operator") ?? ""),
      );
      return isKnown ? undefined : invalidArgument("spec.expression.comparisons.operator");
    }
    case "StateAlarmExpression":
    case "MetricAlarmExpression":
      return undefined;
    default:
      return invalidArgument("spec.expression");
  }
}
