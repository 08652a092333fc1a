/**
 * What an action would meet, read before anybody is asked about it: the task that would be
 * cancelled and whose it is, the snapshot that a VM would go back to, the power that a word needs.
 */

import type { ActionOutlook } from "../../../model/provider/provider.ts";
import { refusal } from "../../kit/refusal.ts";
import { describeTask } from "../../kit/tasks.ts";
import { outlookOfCancel } from "../../kit/vm/actions.ts";
import type { CloudClient } from "../client/client.ts";
import { instantText } from "../client/instant.ts";
import { powerOfVm, readVm, runningTasks, type VmDocument } from "../vm/vm-document.ts";

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
  if (action === "cancel-task") {
    return outlookOfCancel({
      vm: vm.name,
      tasks: runningTasks(vm),
      user: client.who.user,
      unnamed: () => "somebody whom the cloud does not name",
    });
  }
  // Whatever is done to a busy VM is refused; what it will be afterwards, nobody knows yet.
  const [busy] = runningTasks(vm);
  if (busy !== undefined) {
    throw refusal("busy", `VM ${vm.name} is busy: ${describeTask(busy)}`);
  }
  if (action === "revert") return outlookOfRevert(vm);
  const wanted = needed[action];
  const power = powerOfVm(vm);
  if (wanted === undefined || power === undefined || power === wanted) return {};
  throw refusal("precondition", `VM ${vm.name} is ${power}, and ${action} needs it ${wanted}`);
}

function outlookOfRevert({ name, snapshot }: VmDocument): ActionOutlook {
  if (snapshot === undefined) return {};
  if (snapshot === null) throw refusal("precondition", `VM ${name} has no snapshot to go back to`);
  const power = snapshot.poweredOn ? "on" : "off";
  return {
    remarks: [
      `snapshot:    made at ${instantText(snapshot.createdAt)}, while the VM was ${power}`,
      `lost by it:  everything on VM ${name} since then`,
    ],
  };
}
