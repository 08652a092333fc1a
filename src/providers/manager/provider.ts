/** The provider of host management (specification, section D): VMs, their disks, login alarms. */

import { providerOf } from "../kit/provider.ts";
import { alarmType } from "./login/alarm.ts";
import { diskType } from "./machine/disk.ts";
import { vmType } from "./machine/vm.ts";
import { reclaimType } from "./reclaim/reclaim.ts";

const types = [vmType, diskType, reclaimType, alarmType];
const data = ["manager_host", "manager_vm", "manager_disks", "manager_login_events"];

export const managerProvider = providerOf("manager", { types, data }, async () => {
  const { managerSessions } = await import("./session.ts");
  return managerSessions;
});
