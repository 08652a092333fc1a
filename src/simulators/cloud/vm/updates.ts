/**
 * Renaming: `PUT` of a VM, and from 5.1 on `reconfigureVm` (wire facts A.4). Both begin the same
 * task. Only name and description count; other parts of the document are not simulated.
 */

import { attributeOf, childrenOf, textOf } from "../../../lib/xml/xml.ts";
import type { Answer } from "../../kit/answer.ts";
import { isAtLeast } from "../../kit/version.ts";
import type { UserCall } from "../rest/call.ts";
import { findTarget, readBody, refuse } from "../rest/call.ts";
import { badRequest, busyEntity, isRefusal, unknownAction } from "../rest/refusal.ts";
import { runningIn } from "../world/cloud-state.ts";
import { answerTask } from "./tasks.ts";

export function replaceVm(call: UserCall): Answer {
  return beginUpdate(call);
}

export function reconfigureVm(call: UserCall): Answer {
  return isAtLeast(call.draft.version, "5.1") ? beginUpdate(call) : refuse(call, unknownAction());
}

function beginUpdate(call: UserCall): Answer {
  const { state, draft } = call;
  const target = findTarget(call);
  if (isRefusal(target)) return refuse(call, target);
  if (target.kind !== "vm") return refuse(call, badRequest("Only VMs are renamed here."));
  const { vm } = target;
  const [running] = runningIn(state, vm.vappId);
  if (running !== undefined) return refuse(call, busyEntity(draft, target, running));
  const body = readBody(call, "vm", "Vm");
  if (isRefusal(body)) return refuse(call, body);
  const name = attributeOf(body, "name") ?? "";
  if (name.trim() === "" || name.length > 128) {
    const cause = "String value has invalid format or length";
    return refuse(call, badRequest(`validation error on field 'name': ${cause}`));
  }
  const [description] = childrenOf(body, draft.dialect.namespace, "Description");
  const what = `Virtual Machine ${vm.name}(${vm.id})`;
  return answerTask(call, {
    operationName: "vappUpdateVm",
    runningText: `Updating ${what}`,
    endedText: `Updated ${what}`,
    owner: { kind: "vm", id: vm.id, name: vm.name },
    vappId: vm.vappId,
    durationMs: state.durations.update,
    effect: {
      kind: "update",
      vmIds: [vm.id],
      name,
      description: description === undefined ? null : textOf(description),
    },
  });
}
