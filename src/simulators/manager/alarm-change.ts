/** What other people do to alarms, which are named by their names. */

import type { ChangesOf } from "../kit/change.ts";
import { refTo, textIn } from "./soap/soap-value.ts";
import type { ManagerAlarm } from "./world/alarm.ts";
import { loginExpression } from "./world/alarm.ts";
import { fixedIds } from "./world/inventory.ts";
import type { ManagerState } from "./world/manager-state.ts";
import { takeNumber } from "./world/manager-state.ts";

export const alarmChanges = {
  change_manager_alarm(state, { name, new_name: newName, description, enabled, user }, nowMs) {
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
  },
  add_manager_alarm(state, { name, user }, nowMs) {
    if (state.rules.kind === "host") throw new RangeError("a single host has no alarms");
    const number = takeNumber(state);
    const expression = loginExpression(user);
    state.alarms.set(`alarm-${number}`, {
      id: `alarm-${number}`,
      entity: refTo("Folder", fixedIds("manager").rootFolder),
      spec: { is: "AlarmSpec", name, description: "", enabled: true, expression },
      modifiedMs: nowMs,
      modifiedBy: "somebody",
      eventKey: number,
      triggered: null,
    });
  },
  remove_manager_alarm(state, { name }) {
    state.alarms.delete(findAlarm(state, name).id);
  },
} satisfies ChangesOf<ManagerState>;

function findAlarm(state: ManagerState, name: string): ManagerAlarm {
  for (const alarm of state.alarms.values()) {
    if (textIn(alarm.spec, "name") === name) return alarm;
  }
  throw new RangeError(`there is no alarm ${JSON.stringify(name)}`);
}
