/**
 * The manager's table of methods: on which type, with which parameters, and who answers.
 *
 * The door of `methods`: who answers stands in a file by subject. How a method is written down and
 * what it is given stand beside the rooms, in `method-table.ts` and `method-call.ts`.
 */

import { changing, type ManagerMethod, open, reading } from "../method-table.ts";
import { propertyMethods } from "../properties/methods.ts";
import {
  createAlarm,
  getAlarm,
  getAlarmState,
  reconfigureAlarm,
  removeAlarm,
} from "./alarm-methods.ts";
import { queryEvents } from "./event-methods.ts";
import { powerOff, powerOn, reset, shutDownGuest, suspend } from "./power-methods.ts";
import { reconfigure } from "./reconfigure.ts";
import { relocate } from "./relocate.ts";
import {
  currentTime,
  findAllByUuid,
  findByInventoryPath,
  findByUuid,
  findChild,
  logIn,
  logOut,
  retrieveServiceContent,
} from "./session-methods.ts";
import {
  cancelTask,
  createTaskCollector,
  destroyCollector,
  readNextTasks,
} from "./task-methods.ts";
import { viewMethods } from "./views.ts";

const vm = "VirtualMachine";
const byUuid = "datacenter @Datacenter?; uuid string; vmSearch boolean; instanceUuid boolean?";
const interact = "VirtualMachine.Interact";

const managerMethods: readonly ManagerMethod[] = [
  ...propertyMethods,
  ...viewMethods,
  open(
    ["RetrieveServiceContent", "ServiceInstance", "", "ServiceContent"],
    "session",
    retrieveServiceContent,
  ),
  open(
    ["Login", "SessionManager", "userName string; password string; locale string?", "UserSession"],
    "session",
    logIn,
  ),
  reading(["Logout", "SessionManager", "", ""], logOut, "session"),
  reading(["CurrentTime", "ServiceInstance", "", "dateTime"], currentTime),
  reading(["FindByUuid", "SearchIndex", byUuid, "@ManagedEntity"], findByUuid),
  reading(["FindAllByUuid", "SearchIndex", byUuid, "@ManagedEntity"], findAllByUuid),
  reading(
    ["FindChild", "SearchIndex", "entity @ManagedEntity; name string", "@ManagedEntity"],
    findChild,
  ),
  reading(
    ["FindByInventoryPath", "SearchIndex", "inventoryPath string", "@ManagedEntity"],
    findByInventoryPath,
  ),
  reading(
    ["CreateCollectorForTasks", "TaskManager", "filter TaskFilterSpec", "@TaskHistoryCollector"],
    createTaskCollector,
  ),
  reading(["ReadNextTasks", "TaskHistoryCollector", "maxCount int", "TaskInfo"], readNextTasks),
  reading(["DestroyCollector", "HistoryCollector", "", ""], destroyCollector),
  // Sizes of files are never out of date here.
  reading(["RefreshStorageInfo", vm, "", ""], () => ({})),
  reading(["QueryEvents", "EventManager", "filter EventFilterSpec", "Event"], queryEvents),
  reading(["GetAlarmState", "AlarmManager", "entity @ManagedEntity", "AlarmState"], getAlarmState),
  reading(["GetAlarm", "AlarmManager", "entity @ManagedEntity?", "@Alarm"], getAlarm),
  changing(
    ["CreateAlarm", "AlarmManager", "entity @ManagedEntity; spec AlarmSpec", "@Alarm"],
    "Alarm.Create",
    createAlarm,
  ),
  changing(["ReconfigureAlarm", "Alarm", "spec AlarmSpec", ""], "Alarm.Edit", reconfigureAlarm),
  changing(["RemoveAlarm", "Alarm", "", ""], "Alarm.Delete", removeAlarm),
  changing(["CancelTask", "Task", "", ""], "Global.CancelTask", cancelTask),
  changing(
    ["ReconfigVM_Task", vm, "spec VirtualMachineConfigSpec", "@Task"],
    "VirtualMachine.Config.Settings",
    reconfigure,
  ),
  changing(
    [
      "RelocateVM_Task",
      vm,
      "spec VirtualMachineRelocateSpec; priority VirtualMachineMovePriority?",
      "@Task",
    ],
    "Resource.ColdMigrate",
    relocate,
  ),
  changing(["PowerOnVM_Task", vm, "host @HostSystem?", "@Task"], `${interact}.PowerOn`, powerOn),
  changing(["PowerOffVM_Task", vm, "", "@Task"], `${interact}.PowerOff`, powerOff),
  changing(["SuspendVM_Task", vm, "", "@Task"], `${interact}.Suspend`, suspend),
  changing(["ResetVM_Task", vm, "", "@Task"], `${interact}.Reset`, reset),
  changing(["ShutdownGuest", vm, "", ""], `${interact}.PowerOff`, shutDownGuest),
];

export function methodOf(name: string): ManagerMethod | undefined {
  return managerMethods.find((method) => method.name === name);
}
