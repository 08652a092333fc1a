/** The manager's table of methods: on which type, with which parameters, and who answers. */

import type { RequestClass } from "../request-log.ts";
import { createAlarm, getAlarm, reconfigureAlarm, removeAlarm } from "./alarm-methods.ts";
import { queryEvents } from "./event-methods.ts";
import type { MethodAnswer, MethodCall, UserCall } from "./method-call.ts";
import { powerOff, powerOn, reset, shutDownGuest, suspend } from "./power-methods.ts";
import {
  cancelRetrieve,
  continueRetrieve,
  retrieveProperties,
  retrievePropertiesEx,
} from "./property-collector.ts";
import { reconfigure } from "./reconfigure.ts";
import { relocate } from "./relocate.ts";
import {
  createContainerView,
  currentTime,
  destroyView,
  findByInventoryPath,
  findByUuid,
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

export type ManagerMethod = {
  readonly name: string;
  /** Type of the object that it is called on. */
  readonly on: string;
  /** Parameters behind `_this`, in the notation of the schema. */
  readonly takes: string;
  /** What it gives, in the notation; "" for nothing. */
  readonly gives: string;
  readonly class: RequestClass;
  /** What a user with rights to read only is refused for; null where reading is enough. */
  readonly privilege: string | null;
} & (
  | { readonly needs: "nothing"; readonly answer: (call: MethodCall) => MethodAnswer }
  | { readonly needs: "session"; readonly answer: (call: UserCall) => MethodAnswer }
);

type Signature = readonly [name: string, on: string, takes: string, gives: string];

const open = (
  [name, on, takes, gives]: Signature,
  requestClass: RequestClass,
  answer: (call: MethodCall) => MethodAnswer,
): ManagerMethod => ({
  name,
  on,
  takes,
  gives,
  class: requestClass,
  privilege: null,
  needs: "nothing",
  answer,
});

const reading = (
  [name, on, takes, gives]: Signature,
  answer: (call: UserCall) => MethodAnswer,
  requestClass: RequestClass = "read",
): ManagerMethod => ({
  name,
  on,
  takes,
  gives,
  class: requestClass,
  privilege: null,
  needs: "session",
  answer,
});

const changing = (
  [name, on, takes, gives]: Signature,
  privilege: string,
  answer: (call: UserCall) => MethodAnswer,
): ManagerMethod => ({
  name,
  on,
  takes,
  gives,
  class: "mutate",
  privilege,
  needs: "session",
  answer,
});

const filterSpec = "specSet PropertyFilterSpec*";
const vm = "VirtualMachine";
const interact = "VirtualMachine.Interact";

const managerMethods: readonly ManagerMethod[] = [
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
  // Without a session these answer, too: all properties are missing (wire facts D.3).
  open(
    ["RetrieveProperties", "PropertyCollector", filterSpec, "ObjectContent"],
    "read",
    retrieveProperties,
  ),
  open(
    [
      "RetrievePropertiesEx",
      "PropertyCollector",
      `${filterSpec}; options RetrieveOptions`,
      "RetrieveResult",
    ],
    "read",
    retrievePropertiesEx,
  ),
  reading(["Logout", "SessionManager", "", ""], logOut, "session"),
  reading(["CurrentTime", "ServiceInstance", "", "dateTime"], currentTime),
  reading(
    ["ContinueRetrievePropertiesEx", "PropertyCollector", "token string", "RetrieveResult"],
    continueRetrieve,
  ),
  reading(["CancelRetrievePropertiesEx", "PropertyCollector", "token string", ""], cancelRetrieve),
  reading(
    [
      "CreateContainerView",
      "ViewManager",
      "container @ManagedEntity; type string*; recursive boolean",
      "@ContainerView",
    ],
    createContainerView,
  ),
  reading(["DestroyView", "View", "", ""], destroyView),
  reading(
    [
      "FindByUuid",
      "SearchIndex",
      "datacenter @Datacenter?; uuid string; vmSearch boolean; instanceUuid boolean?",
      "@ManagedEntity",
    ],
    findByUuid,
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
