/** Actions: done once by hand, never planned. */

import type { SendResult } from "../../model/provider.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { ManagerClient } from "./client.ts";
import { refsIn } from "./element.ts";
import { vmObjectType, vmRef } from "./moref.ts";
import { vmTypeName } from "./names.ts";
import { sendVerb } from "./send.ts";
import { cancelTask, describeTask, handleOf, hasEnded, readTasks } from "./task.ts";
import { vmType } from "./vm.ts";
import { recentTaskPath } from "./vm-properties.ts";

export async function act(
  client: ManagerClient,
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

/** The task is handed back: whether it ends cancelled, it tells itself. */
async function cancelRunning(client: ManagerClient, vm: string): Promise<SendResult> {
  const { objects } = await client.read([vmRef(vm)], { [vmObjectType]: [recentTaskPath] });
  const ids = refsIn(objects.get(vm)?.values.get(recentTaskPath));
  const running = [...(await readTasks(client, ids)).values()].filter((task) => !hasEnded(task));
  const [task, ...more] = running;
  if (task === undefined) throw refusal(`nothing is running on VM ${vm} that could be cancelled`);
  if (more.length > 0) {
    const all = running.map((each) => describeTask(each)).join("; ");
    throw refusal(`several tasks run on VM ${vm}, and only one can be meant: ${all}`);
  }
  const handle = handleOf(task.id);
  await cancelTask(client, handle);
  return { handle };
}

function refusal(message: string): RemoteError {
  return new RemoteError({ kind: "precondition", effect: "none", message });
}
