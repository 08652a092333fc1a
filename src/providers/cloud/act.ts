/** Actions: done once by hand, never planned. */

import type { SendResult } from "../../model/provider.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { CloudClient } from "./client.ts";
import { sendVerb } from "./send.ts";
import { cancelTask, handleOf } from "./task.ts";
import { vmType, vmTypeName } from "./vm.ts";
import { readVm, runningTasks } from "./vm-document.ts";

export async function act(
  client: CloudClient,
  action: string,
  type: string,
  identity: string,
): Promise<SendResult> {
  const known = type === vmTypeName && vmType.actions?.some(({ name }) => name === action);
  if (known !== true) throw new Error(`${type} has no action ${action}`);
  if (action === "cancel-task") return cancelRunning(client, identity);
  const what = `action ${action} of ${identity}`;
  return sendVerb(client, { verb: action, vm: identity, inputs: {}, what });
}

/** The task is handed back: whether it ends canceled, it tells itself. */
async function cancelRunning(client: CloudClient, identity: string): Promise<SendResult> {
  const vm = await readVm(client, identity);
  const [task, ...more] = runningTasks(vm);
  if (task?.path === undefined) {
    const message = `nothing is running on VM ${vm.name} that could be canceled`;
    throw new RemoteError({ kind: "precondition", effect: "none", message });
  }
  if (more.length > 0) {
    const names = [task, ...more].map(({ operationName }) => operationName).join(", ");
    const message = `several tasks run on VM ${vm.name}, and only one can be meant: ${names}`;
    throw new RemoteError({ kind: "precondition", effect: "none", message });
  }
  const handle = handleOf(task.path);
  await cancelTask(client, handle);
  return { handle };
}
