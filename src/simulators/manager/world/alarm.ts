/** Alarms: what they look for, and which events trigger them (wire facts D.5). */

import type { DataObject, Reference } from "../soap/soap-value.ts";
import { objectIn, objectsIn, textIn } from "../soap/soap-value.ts";
import type { ManagerEvent } from "./event.ts";
import { eventType, isOfType } from "./event.ts";

export type ManagerAlarm = {
  /** Reference, such as `alarm-84`. */
  readonly id: string;
  /** What it is declared on. */
  readonly entity: Reference;
  /** An `AlarmSpec` as it was sent. */
  readonly spec: DataObject;
  readonly modifiedMs: number;
  readonly modifiedBy: string;
  /** Key of the event of its creation. */
  readonly eventKey: number;
  readonly triggered: AlarmTrigger | null;
};

export type AlarmTrigger = {
  readonly status: string;
  readonly atMs: number;
  readonly eventKey: number;
};

/** The expression of a login alarm, as the vendor's script writes it (wire facts D.5). */
export function loginExpression(user: string): DataObject {
  return {
    is: "EventAlarmExpression",
    comparisons: [
      {
        is: "EventAlarmExpressionComparison",
        attributeName: "userName",
        operator: "equals",
        value: user,
      },
    ],
    eventType: "UserLoginSessionEvent",
    objectType: "HostSystem",
    status: "red",
  };
}

/** The alarm after an event; the same one when the event does not concern it. */
export function afterEvent(alarm: ManagerAlarm, event: ManagerEvent): ManagerAlarm {
  if (alarm.spec["enabled"] !== true) return alarm;
  const status = statusFor(objectIn(alarm.spec, "expression"), event);
  if (status === undefined) return alarm;
  return { ...alarm, triggered: { status, atMs: event.createdMs, eventKey: event.key } };
}

export const comparisonOperators: ReadonlyMap<string, (left: string, right: string) => boolean> =
  new Map([
    ["equals", (left, right) => left === right],
    ["notEqualTo", (left, right) => left !== right],
    ["startsWith", (left, right) => left.startsWith(right)],
    ["doesNotStartWith", (left, right) => !left.startsWith(right)],
    ["endsWith", (left, right) => left.endsWith(right)],
    ["doesNotEndWith", (left, right) => !left.endsWith(right)],
  ]);

/** The status that an expression gives for an event; undefined when it does not fit. */
function statusFor(expression: DataObject | undefined, event: ManagerEvent): string | undefined {
  switch (expression?.is) {
    case "OrAlarmExpression":
    case "AndAlarmExpression": {
      const inner = objectsIn(expression, "expression").map((each) => statusFor(each, event));
      const isMet =
        expression.is === "OrAlarmExpression" || inner.every((each) => each !== undefined);
      return isMet ? inner.find((each) => each !== undefined) : undefined;
    }
    case "EventAlarmExpression": {
      const type = textIn(expression, "eventTypeId") ?? "";
      const isFit = isOfType(event, textIn(expression, "eventType") ?? "");
      if (!isFit || (type !== "" && type !== `vim.event.${eventType(event)}`)) return undefined;
      const comparisons = objectsIn(expression, "comparisons");
      // An alarm without a status has no effect that can be seen.
      return comparisons.every((each) => holds(each, event))
        ? textIn(expression, "status")
        : undefined;
    }
    default:
      return undefined;
  }
}

function holds(comparison: DataObject, event: ManagerEvent): boolean {
  const attributes: { readonly [name: string]: string } = {
    userName: event.user,
    ipAddress: event.ipAddress,
    userAgent: event.userAgent,
    sessionId: event.sessionId,
  };
  const name = textIn(comparison, "attributeName") ?? "";
  const left = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  const compare = comparisonOperators.get(textIn(comparison, "operator") ?? "");
  if (left === undefined || compare === undefined) return false;
  return compare(left, textIn(comparison, "value") ?? "");
}
