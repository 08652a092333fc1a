/** What other people do to alarms. */

import type { Cursor } from "../decode.ts";
import { isAbsent, readFlag, readMembers, readText } from "../decode.ts";
import type { ManagerAlarm } from "./alarm.ts";
import { loginExpression } from "./alarm.ts";
import { fixedIds } from "./inventory.ts";
import type { ManagerState } from "./manager-state.ts";
import { takeNumber } from "./manager-state.ts";
import { refTo, textIn } from "./soap-value.ts";

export type AlarmChangeDocument =
  | {
      /** Of a login alarm by its name; `user` is what its expression compares with. */
      readonly change_manager_alarm: {
        readonly name: string;
        readonly new_name?: string;
        readonly description?: string;
        readonly enabled?: boolean;
        readonly user?: string;
      };
    }
  | { readonly add_manager_alarm: { readonly name: string; readonly user: string } }
  | { readonly remove_manager_alarm: { readonly name: string } };

export const alarmChangeNames: readonly string[] = [
  "change_manager_alarm",
  "add_manager_alarm",
  "remove_manager_alarm",
];

/** Reads the change of the given name. */
export function readAlarmChange(
  name: string,
  cursor: Cursor,
): (state: ManagerState, nowMs: number) => void {
  if (name === "change_manager_alarm") return readEdit(cursor);
  if (name === "add_manager_alarm") return readAdded(cursor);
  const alarm = readText(readMembers(cursor, ["name"])("name"));
  return (state) => {
    state.alarms.delete(findAlarm(state, alarm).id);
  };
}

function readEdit(cursor: Cursor) {
  const member = readMembers(cursor, ["name", "new_name", "description", "enabled", "user"]);
  const name = readText(member("name"));
  const text = (key: string): string | undefined =>
    isAbsent(member(key)) ? undefined : readText(member(key));
  const [newName, description, user] = [text("new_name"), text("description"), text("user")];
  const enabled = isAbsent(member("enabled")) ? undefined : readFlag(member("enabled"));
  return (state: ManagerState, nowMs: number): void => {
    const alarm = findAlarm(state, name);
    const { spec } = alarm;
    state.alarms.set(alarm.id, {
      ...alarm,
      spec: {
        ...spec,
        name: newName ?? name,
        description: description ?? textIn(spec, "description"),
        enabled: enabled ?? spec["enabled"],
        expression: user === undefined ? spec["expression"] : loginExpression(user),
      },
      modifiedMs: nowMs,
      modifiedBy: "somebody",
    });
  };
}

function readAdded(cursor: Cursor) {
  const member = readMembers(cursor, ["name", "user"]);
  const name = readText(member("name"));
  const expression = loginExpression(readText(member("user")));
  return (state: ManagerState, nowMs: number): void => {
    if (state.rules.kind === "host") throw new RangeError("a single host has no alarms");
    const number = takeNumber(state);
    state.alarms.set(`alarm-${number}`, {
      id: `alarm-${number}`,
      entity: refTo("Folder", fixedIds("manager").rootFolder),
      spec: { is: "AlarmSpec", name, description: "", enabled: true, expression },
      modifiedMs: nowMs,
      modifiedBy: "somebody",
      eventKey: number,
      triggered: null,
    });
  };
}

function findAlarm(state: ManagerState, name: string): ManagerAlarm {
  for (const alarm of state.alarms.values()) {
    if (textIn(alarm.spec, "name") === name) return alarm;
  }
  throw new RangeError(`there is no alarm ${JSON.stringify(name)}`);
}
