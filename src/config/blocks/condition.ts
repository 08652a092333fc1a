/** A condition with its message, wherever the configuration has them. */

import {
  type ConfigTemplate,
  type ConfigValue,
  itemsOf,
  membersOf,
  templatesOf,
} from "../read/value.ts";
import type { Place } from "../report.ts";

export type Condition = {
  readonly condition: ConfigValue;
  readonly message: ConfigValue;
  readonly place: Place;
};

/** Of the members of a map; undefined after a problem was reported. */
export function conditionOf(
  members: ReadonlyMap<string, ConfigValue | undefined> | undefined,
): Condition | undefined {
  const condition = members?.get("condition");
  const message = members?.get("message");
  if (condition === undefined || message === undefined) return undefined;
  return { condition, message, place: condition.place };
}

/** Of a list of them. */
export function conditionsOf(list: ConfigValue | undefined): readonly Condition[] {
  return itemsOf(list).flatMap((item) => conditionOf(membersOf(item)) ?? []);
}

export function templatesOfCondition({ condition, message }: Condition): readonly ConfigTemplate[] {
  return [...templatesOf(condition), ...templatesOf(message)];
}
