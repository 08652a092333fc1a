/**
 * What an action would meet, read before anybody is asked about it: the task that would be
 * cancelled and whose it is, the snapshot that a VM would go back to, the power that a word needs.
 */

import type { ActionOutlook } from "../../../model/provider.ts";
import { refusal } from "../../kit/refusal.ts";
import type { CloudClient } from "../client/client.ts";
import { factOf, handleOf, type RemoteTask } from "../vm/task.ts";
import { powerOfVm, readVm, runningTasks, type VmDocument } from "../vm/vm-document.ts";
import { describeTask } from "../vm/vm-facts.ts";

/** Power that a word needs: the cloud refuses it in any other (wire facts A.4, A.6.2). */
const needed: { readonly [action: string]: "on" | "suspended" } = {
  reset: "on",
  reboot: "on",
  shutdown: "on",
  "power-off": "on",
  suspend: "on",
  discard: "suspended",
};

/** Throws `RemoteError`, of kind precondition for what the cloud would refuse. */
export async function outlookOf(
  client: CloudClient,
  action: string,
  identity: string,
): Promise<ActionOutlook> {
  const vm = await readVm(client, identity);
  if (action === "cancel-task") return outlookOfCancel(client, vm);
  // Whatever is done to a busy VM is refused; what it will be afterwards, nobody knows yet.
  const [busy] = runningTasks(vm);
  if (busy !== undefined) {
    throw refusal("busy", `VM ${vm.name} is busy: ${describeTask(factOf(busy))}`);
  }
  if (action === "revert") return outlookOfRevert(vm);
  const wanted = needed[action];
  const power = powerOfVm(vm);
  if (wanted === undefined || power === undefined || power === wanted) return {};
  throw refusal("precondition", `VM ${vm.name} is ${power}, and ${action} needs it ${wanted}`);
}

function outlookOfCancel(client: CloudClient, vm: VmDocument): ActionOutlook {
  const [task, ...more] = runningTasks(vm);
  if (task?.path === undefined) {
    return { needless: `nothing is running on VM ${vm.name} that could be cancelled` };
  }
  if (more.length > 0) {
    const all = [task, ...more].map((each) => describeTask(factOf(each))).join("; ");
    throw refusal(
      "precondition",
      `several tasks run on VM ${vm.name}, and only one can be meant: ${all}`,
    );
  }
  const isOurs = isOf(client, task);
  const { progress } = task;
  const done = progress === undefined || progress === 0 ? "" : `, ${progress} % of it`;
  return {
    subject: handleOf(task.path),
    remarks: [
      `task:        ${describeTask(factOf(task))}`,
      isOurs ? "begun by:    the user of this session" : `begun by:    ${strangerOf(client, task)}`,
      `lost by it:  what the task has done so far${done}; it may also go on all the same`,
    ],
    ...(isOurs ? {} : { disrupts: ["foreign-task"] as const }),
  };
}

function isOf({ who }: CloudClient, { user }: RemoteTask): boolean {
  return user?.toLowerCase() === who.user.toLowerCase();
}

function strangerOf({ who }: CloudClient, { user }: RemoteTask): string {
  const stranger = user === undefined ? "somebody whom the cloud does not name" : user;
  return `${stranger}, not by ${who.user}`;
}

function outlookOfRevert({ name, snapshot }: VmDocument): ActionOutlook {
  if (snapshot === undefined) return {};
  if (snapshot === null) throw refusal("precondition", `VM ${name} has no snapshot to go back to`);
  const power = snapshot.poweredOn ? "on" : "off";
  return {
    remarks: [
      `snapshot:    made at ${snapshot.createdAt}, while the VM was ${power}`,
      `lost by it:  everything on VM ${name} since then`,
    ],
  };
}
