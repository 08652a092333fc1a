/** The manager's two doors: SOAP at `/sdk`, the object browser at `/mob`. */

import type { Answer, SimulatorReply, SimulatorRequest } from "../kit/answer.ts";
import { textReply, unchanged } from "../kit/answer.ts";
import type { RequestClass } from "../kit/request-log.ts";
import type { TaskPlan } from "../kit/task.ts";
import { answerBrowser } from "./browser/browser.ts";
import { faultOutcome, htmlPage, htmlReply } from "./browser/browser-page.ts";
import type { Patience } from "./sdk.ts";
import { answerSdk, classifyCall } from "./sdk.ts";
import { faultReply } from "./soap/envelope.ts";
import type { ManagerFault } from "./soap/fault.ts";
import { faultObject, faultOf, taskInProgress } from "./soap/fault.ts";
import { refTo } from "./soap/soap-value.ts";
import { listVersions } from "./versions.ts";
import type { ManagerState } from "./world/manager-state.ts";
import { settleManager } from "./world/manager-state.ts";

type Door = "sdk" | "versions" | "mob" | "other";

function doorOf(path: string): Door {
  const [, door = ""] = path.split("/");
  if (door === "mob") return "mob";
  if (path === "/sdk/vimServiceVersions.xml") return "versions";
  return path.replace(/\/$/, "") === "/sdk" ? "sdk" : "other";
}

/** The class of a SOAP request is that of its method. */
export function classifyManager({
  method,
  path,
  body,
}: Pick<SimulatorRequest, "method" | "path" | "body">): RequestClass {
  if (method === "POST" && doorOf(path) === "sdk") return classifyCall(body);
  if (doorOf(path) === "versions") return "session";
  if (doorOf(path) === "mob" && /\/logout\/?$/.test(path)) return "session";
  return method === "GET" || method === "HEAD" || method === "OPTIONS" ? "read" : "mutate";
}

/** Answers one request. `plan` says how the task is to end that the request begins. */
export function answerManager(
  state: ManagerState,
  request: SimulatorRequest,
  nowMs: number,
  plan: TaskPlan | undefined,
  patience: Patience,
): Answer | Promise<Answer> {
  settleManager(state, nowMs);
  switch (doorOf(request.path)) {
    case "sdk":
      return request.method === "POST"
        ? answerSdk(state, request, nowMs, plan, patience)
        : unchanged(textReply(405, "Method Not Allowed"));
    case "versions":
      return listVersions(state);
    case "mob":
      return answerBrowser(state, request, nowMs, plan);
    case "other":
      return { ...unchanged(textReply(404, "Not Found")), violation: "There is no such path." };
  }
}

/** A refusal in the form of the door, for faults. */
export function managerRefusalReply(
  state: ManagerState,
  request: SimulatorRequest,
  wanted: { readonly status: number; readonly message: string; readonly kind: string | null },
): SimulatorReply {
  const { kind, message, status } = wanted;
  const fault = faultOf(kind ?? "SystemError", message, { reason: message });
  return refusalReply(state, request, fault, status);
}

/** What a fault answers for a busy VM, whatever the request is about. */
export function managerBusyReply(state: ManagerState, request: SimulatorRequest): SimulatorReply {
  const fault = taskInProgress(refTo("Task", "task-0"));
  return refusalReply(state, request, fault, doorOf(request.path) === "mob" ? 200 : 500);
}

function refusalReply(
  { rules }: ManagerState,
  request: SimulatorRequest,
  fault: ManagerFault,
  status: number,
): SimulatorReply {
  if (doorOf(request.path) !== "mob") return { ...faultReply(fault, rules.api_version), status };
  const object = faultObject(fault);
  const outcome = faultOutcome(object, fault.message, rules.browser_fault, rules.api_version);
  return htmlReply(status, htmlPage("Fault", outcome));
}
