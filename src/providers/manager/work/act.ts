/** Actions: done once by hand, never planned. */

import type { ActionOutlook, SendResult } from "../../../model/provider.ts";
import { refusal } from "../../kit/refusal.ts";
import type { ManagerClient } from "../client/client.ts";
import { refsIn } from "../client/element.ts";
import { vmObjectType, vmRef } from "../client/moref.ts";
import {
  cancelTask,
  describeTask,
  handleOf,
  hasEnded,
  type RemoteTask,
  readTasks,
} from "../client/task.ts";
import { vmTypeName } from "../machine/names.ts";
import { vmType } from "../machine/vm.ts";
import { recentTaskPath } from "../machine/vm-properties.ts";
import type { ActionCall } from "../part.ts";
import { sendVerb } from "./send.ts";

export async function act(
  client: ManagerClient,
  { action, type, identity, subject }: ActionCall,
): Promise<SendResult> {
  const known = type === vmTypeName && vmType.actions?.some(({ name }) => name === action);
  if (known !== true) throw new Error(`${type} has no action ${action}`);
  if (action === "cancel-task") {
    if (subject === undefined) throw new Error("a task to be cancelled has to be named");
    // Whether it ends cancelled, it tells itself.
    await cancelTask(client, subject);
    return { handle: subject };
  }
  const what = `action ${action} of ${identity}`;
  return sendVerb(client, { verb: action, vm: identity, inputs: {}, what });
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
  const running = [...(await readTasks(client, ids)).values()].filter((task) => !hasEnded(task));
  const [task, ...more] = running;
  if (task === undefined) {
    return { needless: `nothing is running on VM ${vm} that could be cancelled` };
  }
  if (more.length > 0) {
    const all = running.map((each) => describeTask(each)).join("; ");
    throw refusal(
      "precondition",
      `several tasks run on VM ${vm}, and only one can be meant: ${all}`,
    );
  }
  const { user, isForeign, progress } = task;
  const isOurs = !isForeign && user?.toLowerCase() === client.user.toLowerCase();
  const begunBy = isOurs ? "the user of this session" : strangerOf(client, task);
  const done = progress === undefined || progress === 0 ? "" : `, ${progress} % of it`;
  return {
    subject: handleOf(task.id),
    remarks: [
      `task:        ${describeTask(task)}`,
      `begun by:    ${begunBy}`,
      `lost by it:  what the task has done so far${done}; it may also go on all the same`,
    ],
    ...(isOurs ? {} : { disrupts: ["foreign-task"] as const }),
  };
}

function strangerOf(
  client: ManagerClient,
  { user, isForeign }: Pick<RemoteTask, "user" | "isForeign">,
): string {
  const other = isForeign
    ? "a schedule, an alarm or the server itself"
    : "somebody whom it does not name";
  return `${user ?? other}, not by ${client.user}`;
}
