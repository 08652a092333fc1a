/** Actions: done once by hand, never planned. */

import type { SendResult } from "../../../model/provider.ts";
import type { Value } from "../../../model/value.ts";
import type { CloudClient } from "../client/client.ts";
import { cancelTask } from "../vm/task.ts";
import { vmType, vmTypeName } from "../vm/vm.ts";
import { sendVerb } from "./send.ts";

export type ActionCall = {
  readonly action: string;
  readonly type: string;
  readonly identity: string;
  /** Of its outlook: the task to be cancelled. */
  readonly subject: Value | undefined;
};

export async function act(
  client: CloudClient,
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
