/** Actions: done once by hand, never planned. */

import type { SendResult } from "../../../model/provider/provider.ts";
import { type ActionCall, actOn } from "../../kit/vm/actions.ts";
import type { CloudClient } from "../client/client.ts";
import { cancelCloudTask } from "../vm/task.ts";
import { vmType } from "../vm/vm.ts";
import { sendVerb } from "./send.ts";

export function act(client: CloudClient, call: ActionCall): Promise<SendResult> {
  return actOn(vmType, call, {
    cancel: (handle) => cancelCloudTask(client, handle),
    send: (verb) => sendVerb(client, { ...verb, inputs: {} }),
  });
}
