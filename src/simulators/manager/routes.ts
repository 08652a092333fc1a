/** The manager's two doors: SOAP at `/sdk`, the object browser at `/mob`. */

import type { Answer, SimulatorReply, SimulatorRequest } from "../answer.ts";
import { textReply, unchanged } from "../answer.ts";
import type { RequestClass } from "../request-log.ts";
import type { TaskPlan } from "../task-plan.ts";
import { faultReply } from "./envelope.ts";
import { faultOf } from "./fault.ts";
import type { ManagerState } from "./manager-state.ts";
import { settleManager } from "./manager-state.ts";
import { answerSdk, classifyCall } from "./sdk.ts";
import { refTo } from "./soap-value.ts";

type Door = "sdk" | "other";

function doorOf(path: string): Door {
  return path.replace(/\/$/, "") === "/sdk" ? "sdk" : "other";
}

/** The class of a SOAP request is that of its method. */
export function classifyManager({
  method,
  path,
  body,
}: Pick<SimulatorRequest, "method" | "path" | "body">): RequestClass {
  if (method === "POST" && doorOf(path) === "sdk") return classifyCall(body);
  return method === "GET" || method === "HEAD" || method === "OPTIONS" ? "read" : "mutate";
}

/** Answers one request. `plan` says how the task is to end that the request begins. */
export function answerManager(
  state: ManagerState,
  request: SimulatorRequest,
  nowMs: number,
  plan: TaskPlan | undefined,
): Answer {
  settleManager(state, nowMs);
  switch (doorOf(request.path)) {
    case "sdk":
      return request.method === "POST"
        ? answerSdk(state, request, nowMs, plan)
        : unchanged(textReply(405, "Method Not Allowed"));
    case "other":
      return { ...unchanged(textReply(404, "Not Found")), violation: "There is no such path." };
  }
}

/** A refusal in the form of the door, for faults. */
export function managerRefusalReply(
  state: ManagerState,
  _request: SimulatorRequest,
  wanted: { readonly status: number; readonly message: string; readonly kind: string | null },
): SimulatorReply {
  const fault = faultOf(wanted.kind ?? "SystemError", wanted.message, { reason: wanted.message });
  return { ...faultReply(fault, state.rules.apiVersion), status: wanted.status };
}

/** What a fault answers for a busy VM, whatever the request is about. */
export function managerBusyReply(state: ManagerState, request: SimulatorRequest): SimulatorReply {
  void request;
  const message = "The operation is not allowed: another task is already in progress.";
  const fault = faultOf("TaskInProgress", message, { task: refTo("Task", "task-0") });
  return faultReply(fault, state.rules.apiVersion);
}
