/**
 * What an alarm on the logins of one user looks like on the wire, and what an alarm that is there
 * watches, in words that can be compared (wire facts D.5).
 */

import type { XmlElement } from "../../../lib/xml/xml.ts";
import { textOf } from "../../../lib/xml/xml.ts";
import { type Attributes, isKnown, type PlannedAttributes } from "../../../model/value/value.ts";
import { attributesOf } from "../../kit/schema/attributes.ts";
import {
  booleanIn,
  childIn,
  listIn,
  node,
  refOf,
  textIn,
  textNode,
  typeOf,
} from "../client/element.ts";
import type { ManagerResources } from "../generated/resources.ts";
import { sendable } from "../machine/disk-device.ts";

export const alarmTypeName = "manager_login_alarm";
export const alarmIn = attributesOf<ManagerResources["manager_login_alarm"]>(alarmTypeName);

const eventType = "UserLoginSessionEvent";
/** Logins are events of the whole manager; this is what its own scripts watch them on. */
const objectType = "HostSystem";
const userAttribute = "userName";

/**
 * `AlarmSpec` of an alarm, in the order of the service's description. `present` is the alarm as it
 * is: what people have added to it is sent back as it was read. Undefined while a value is unknown.
 */
export function alarmSpec(
  inputs: PlannedAttributes,
  present?: XmlElement,
): readonly XmlElement[] | undefined {
  if (!isKnown(inputs)) return undefined;
  const { name, user_name: user, enabled = true, description } = alarmIn(inputs);
  if (name === undefined || user === undefined) return undefined;
  const kept = (local: string): readonly XmlElement[] =>
    listIn(present, local).map((element) => sendable(element, false));
  return [
    textNode("name", name),
    ...kept("systemName"),
    textNode("description", description ?? `Alarm to track ${user} login`),
    textNode("enabled", enabled),
    loginExpression(user),
    ...kept("action"),
    ...kept("actionFrequency"),
    ...kept("setting"),
  ];
}

function loginExpression(user: string): XmlElement {
  const comparison = [
    textNode("attributeName", userAttribute),
    textNode("operator", "equals"),
    textNode("value", user),
  ];
  return node(
    "expression",
    [
      node("comparisons", comparison),
      textNode("eventType", eventType),
      textNode("objectType", objectType),
      textNode("status", "red"),
    ],
    "EventAlarmExpression",
  );
}

/** What our alarm for a user watches, in the words of `describeExpression`. */
export function loginExpressionText(user: string): string {
  return describeExpression(loginExpression(user));
}

/** An alarm as it is. */
export type PresentAlarm = {
  readonly id: string;
  readonly name: string;
  /** Id of the object that it is declared on. */
  readonly entity: string | undefined;
  readonly attributes: Attributes;
  /** The whole `AlarmInfo`. */
  readonly info: XmlElement;
};

/** Of the `info` of an alarm. A user is told only where its logins are what is watched. */
export function readAlarm(id: string, info: XmlElement): PresentAlarm {
  const name = textIn(info, "name") ?? "";
  const expression = childIn(info, "expression");
  return {
    id,
    name,
    entity: refOf(childIn(info, "entity"))?.id,
    attributes: {
      name,
      user_name: watchedUser(expression) ?? null,
      enabled: booleanIn(childIn(info, "enabled")) ?? null,
      description: rawTextIn(info, "description"),
      expression: expression === undefined ? null : describeExpression(expression),
      moref: id,
    },
    info,
  };
}

function rawTextIn(info: XmlElement, local: string): string {
  const element = childIn(info, local);
  return element === undefined ? "" : textOf(element);
}

/** Whether the alarm watches what an alarm of ours would. */
export function isLoginAlarm({ attributes }: PresentAlarm): boolean {
  const { user_name: user, expression } = alarmIn(attributes);
  return user !== undefined && expression === loginExpressionText(user);
}

/**
 * What is watched, one line: `UserLoginSessionEvent on HostSystem where userName equals "a", status
 * red`. Servers put one expression into a list of alternatives; that is the same.
 */
function describeExpression(expression: XmlElement): string {
  const only = unwrapped(expression);
  const type = typeOf(only) ?? "";
  const join = joints[type];
  if (join !== undefined) {
    const parts = listIn(only, "expression").map((part) => `(${describeExpression(part)})`);
    return parts.length === 0 ? "nothing" : parts.join(join);
  }
  if (type !== "EventAlarmExpression") return type === "" ? "something else" : type;
  const object = textIn(only, "objectType");
  const status = textIn(only, "status");
  const comparisons = comparisonsOf(only).map(
    ([attribute, operator, value]) => `${attribute} ${operator} ${JSON.stringify(value)}`,
  );
  return [
    eventOf(only) + (object === undefined ? "" : ` on ${bare(object)}`),
    ...(comparisons.length === 0 ? [] : [` where ${comparisons.join(" and ")}`]),
    ...(status === undefined ? [] : [`, status ${status}`]),
  ].join("");
}

const joints: { readonly [type: string]: string } = {
  OrAlarmExpression: " or ",
  AndAlarmExpression: " and ",
};

function unwrapped(expression: XmlElement): XmlElement {
  let inner = expression;
  while (joints[typeOf(inner) ?? ""] !== undefined) {
    const [only, ...more] = listIn(inner, "expression");
    if (only === undefined || more.length > 0) break;
    inner = only;
  }
  return inner;
}

/** Name of the event: servers fill in either element, with or without what stands before it. */
function eventOf(expression: XmlElement): string {
  const id = textIn(expression, "eventTypeId") ?? "";
  const type = textIn(expression, "eventType") ?? "";
  // A base type stands beside the id of an event that has no type of its own.
  return bare(id === "" ? type : id);
}

function comparisonsOf(expression: XmlElement): readonly (readonly [string, string, string])[] {
  return listIn(expression, "comparisons").map((comparison) => {
    const text = (local: string): string => textIn(comparison, local) ?? "";
    return [text("attributeName"), text("operator"), text("value")];
  });
}

function watchedUser(expression: XmlElement | undefined): string | undefined {
  if (expression === undefined) return undefined;
  const only = unwrapped(expression);
  if (typeOf(only) !== "EventAlarmExpression" || eventOf(only) !== eventType) return undefined;
  const [comparison, ...more] = comparisonsOf(only);
  // More of them watch less than the logins of the user.
  if (comparison === undefined || more.length > 0) return undefined;
  const [attribute, operator, value] = comparison;
  return attribute === userAttribute && operator === "equals" ? value : undefined;
}

/** `vim.event.X`, `vim25:X` and `X` are one. */
function bare(name: string): string {
  return name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":")) + 1);
}
