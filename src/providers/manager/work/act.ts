/** Actions: done once by hand, never planned. */

import type { ActionOutlook, SendResult } from "../../../model/provider/provider.ts";
import { cancelTask } from "../../kit/tasks.ts";
import { type ActionCall, actOn, outlookOfCancel } from "../../kit/vm/actions.ts";
import type { ManagerClient } from "../client/client.ts";
import { refsIn } from "../client/element.ts";
import { vmObjectType, vmRef } from "../client/moref.ts";
import { readTasks, tasksOf } from "../client/task.ts";
import { vmType } from "../machine/vm.ts";
import { recentTaskPath } from "../machine/vm-properties.ts";
import { sendVerb } from "./send.ts";

export function act(client: ManagerClient, call: ActionCall): Promise<SendResult> {
  return actOn(vmType, call, {
    cancel: (handle) => cancelTask(tasksOf(client), handle),
    send: (verb) => sendVerb(client, { ...verb, inputs: {} }),
  });
}

/** The task that would be cancelled, and whose it is. Throws `RemoteError`. */
export async function outlookOf(
  client: ManagerClient,
  action: string,
  vm: string,
): Promise<ActionOutlook> {
  if (action !== "cancel-task") return {};
  const { objects } = await client.read([vmRef(vm)], { [vmObjectType]: [recentTaskPath] });
  const ids = refsIn(objects.get(vm)?.values.get(recentTaskPath));
  const tasks = [...(await readTasks(client, ids)).values()].filter(({ hasEnded }) => !hasEnded);
  return outlookOfCancel({
    vm,
    tasks,
    user: client.user,
    unnamed: ({ isForeign }) =>
      isForeign ? "a schedule, an alarm or the server itself" : "somebody whom it does not name",
  });
}
