/**
 * The object browser at `/mob`: pages about objects, and forms that invoke the two private methods
 * (specification, section D; wire facts D.1). A form needs the cookie and the nonce of its page.
 *
 * The door of `browser`: `browser-page.ts` makes the HTML, `reclaim.ts` wipes and shrinks.
 */

import { type Answer, type SimulatorRequest, textReply, unchanged } from "../../kit/answer.ts";
import type { TaskPlan } from "../../kit/task.ts";
import type { MethodAnswer } from "../method-call.ts";
import type { ManagerContext } from "../objects/context.ts";
import { objectOf } from "../objects/objects.ts";
import { readPath } from "../properties/path.ts";
import { withCookie } from "../sdk.ts";
import {
  faultObject,
  faultOf,
  invalidRequest,
  isFault,
  isViolation,
  type ManagerFault,
  noPermission,
  objectNotFound,
} from "../soap/fault.ts";
import { isObject, isReference, type Reference, refTo } from "../soap/soap-value.ts";
import type { ManagerState } from "../world/manager-state.ts";
import { closeSession, findUser, openSession, touchSession } from "../world/session.ts";
import type { ManagerSession } from "../world/session-record.ts";
import {
  faultOutcome,
  htmlPage,
  htmlReply,
  methodPage,
  objectPage,
  taskOutcome,
} from "./browser-page.ts";
import { shrinkDisk, wipeDisk } from "./reclaim.ts";

/** Methods of VMs with their parameters. */
const privateMethods: ReadonlyMap<string, readonly string[]> = new Map([
  ["wipeDisk", []],
  ["shrinkDisk", ["diskId"]],
]);

const nonceField = "vmware-session-nonce";

type BrowserCall = ManagerContext & {
  readonly session: ManagerSession;
  readonly request: SimulatorRequest;
  readonly plan: TaskPlan | undefined;
};

export function answerBrowser(
  state: ManagerState,
  request: SimulatorRequest,
  nowMs: number,
  plan: TaskPlan | undefined,
): Answer {
  const { browser, api_version: apiVersion } = state.rules;
  if (browser === "absent") return unchanged(textReply(404, "404 Not Found"));
  if (browser === "unavailable") return unchanged(textReply(503, "503 Service Unavailable"));
  if (request.method !== "GET" && request.method !== "POST") {
    return unchanged(textReply(405, "Method Not Allowed"));
  }
  const known = touchSession(state, request.headers, nowMs);
  if (request.path.replace(/\/$/, "") === "/mob/logout") {
    if (known !== undefined) closeSession(state, known, nowMs);
    return unchanged(htmlReply(200, htmlPage("Logout", "<p>You are logged out.</p>")));
  }
  // A form without its page's session is forged for all the server knows.
  if (request.method === "POST" && known === undefined) return forged("There is no session.");
  const session = known ?? logIn(state, request, nowMs);
  if (session === undefined) {
    const headers = { "www-authenticate": 'Basic realm="Managed Object Browser"' };
    return unchanged({ status: 401, headers, body: "" });
  }
  const call = { state, nowMs, session, version: apiVersion, request, plan };
  const answer = request.method === "POST" ? submit(call) : show(call);
  return known === undefined ? { ...answer, reply: withCookie(answer.reply, session.id) } : answer;
}

function logIn(
  state: ManagerState,
  request: SimulatorRequest,
  nowMs: number,
): ManagerSession | undefined {
  const encoded = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const text = Buffer.from(encoded ?? "", "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) return undefined;
  const user = findUser(state, text.slice(0, colon), text.slice(colon + 1));
  return user && openSession(state, user, request.headers["user-agent"] ?? "", nowMs);
}

/** 403, which clients have met as "CSRF error" (wire facts D.1). */
function forged(why: string): Answer {
  const page = htmlPage("403 Forbidden", `<p>CSRF check failed. ${why}</p>`);
  return { ...unchanged(htmlReply(403, page)), violation: `CSRF: ${why}` };
}

/** Pages about objects, their data objects, and methods. */
function show(call: BrowserCall): Answer {
  const { query } = call.request;
  const found = findTarget(call);
  if (isFault(found)) return faultPage(found, call);
  const method = query.get("method");
  if (method !== null) {
    const parameters = parametersOf(found, method);
    if (isFault(parameters)) return faultPage(parameters, call);
    return unchanged(htmlReply(200, methodPage(pageOf(call, found, method, parameters))));
  }
  const properties = objectOf(call, found);
  if (properties === undefined) return faultPage(objectNotFound(found), call);
  const path = query.get("doPath") ?? "";
  if (path === "") {
    return unchanged(htmlReply(200, objectPage(found, properties, "", call.version)));
  }
  const result = readPath(properties, path, call.version);
  if (result.kind === "value" && isObject(result.value)) {
    return unchanged(htmlReply(200, objectPage(found, result.value, path, call.version)));
  }
  return faultPage(faultOf("InvalidProperty", `There is no page ${path}.`, { name: path }), call);
}

/** An invocation: the answer is the same page, with the task or the fault below the form. */
function submit(call: BrowserCall): Answer {
  const { request, session } = call;
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  const fields = new URLSearchParams(
    type === "application/x-www-form-urlencoded" ? request.body : "",
  );
  if (fields.get(nonceField) !== session.nonce) return forged("The nonce is not the page's.");
  const found = findTarget(call);
  if (isFault(found)) return faultPage(found, call);
  const method = request.query.get("method") ?? "";
  const parameters = parametersOf(found, method);
  if (isFault(parameters)) return faultPage(parameters, call);
  const unknown = [...fields.keys()].find(
    (name) => name !== nonceField && !parameters.includes(name),
  );
  const answer =
    unknown === undefined
      ? invoke(call, found, method, fields.get("diskId") ?? "")
      : invalidRequest(`There is no parameter ${unknown}.`);
  const page = pageOf(call, found, method, parameters);
  if (isFault(answer)) return faultPage(answer, call, page);
  const { value, effect = false, violation } = answer;
  const outcome = isReference(value) ? taskOutcome(value) : "";
  const reply = htmlReply(200, methodPage({ ...page, outcome }));
  return violation === undefined ? { reply, effect } : { reply, effect, violation };
}

function invoke(
  call: BrowserCall,
  target: Reference,
  method: string,
  diskId: string,
): MethodAnswer {
  const vm = call.state.vms.get(target.id);
  if (vm === undefined) return objectNotFound(target);
  if (call.session.user.rights === "read") {
    return noPermission(target, "VirtualMachine.Config.DiskExtend");
  }
  return method === "wipeDisk" ? wipeDisk(call, vm) : shrinkDisk(call, vm, diskId.trim());
}

function pageOf(
  { session, state }: BrowserCall,
  object: Reference,
  method: string,
  parameters: readonly string[],
) {
  const { browser_nonce: nonceForm } = state.rules;
  return { object, method, parameters, nonce: session.nonce, nonceForm };
}

/** Status 200, whatever the fault (wire facts D.1). */
function faultPage(
  fault: ManagerFault,
  { state, version }: BrowserCall,
  page?: ReturnType<typeof pageOf>,
): Answer {
  const form = state.rules.browser_fault;
  const outcome = faultOutcome(faultObject(fault), fault.message, form, version);
  const body = page === undefined ? htmlPage("Fault", outcome) : methodPage({ ...page, outcome });
  const answer = unchanged(htmlReply(200, body));
  return isViolation(fault) ? { ...answer, violation: fault.message } : answer;
}

function parametersOf(target: Reference, method: string): readonly string[] | ManagerFault {
  const parameters = target.ref === "VirtualMachine" ? privateMethods.get(method) : undefined;
  return (
    parameters ??
    faultOf("MethodNotFound", `${target.ref} has no method ${method}.`, {
      receiver: target,
      method,
    })
  );
}

/** The object that `moid` names: an id alone, whose type must be found. */
function findTarget(call: BrowserCall): Reference | ManagerFault {
  const id = call.request.query.get("moid") ?? "ServiceInstance";
  const { state } = call;
  const types = [
    "VirtualMachine",
    "Task",
    "HostSystem",
    "Datastore",
    "Folder",
    "Datacenter",
    state.rules.kind === "manager" ? "ClusterComputeResource" : "ComputeResource",
    "ResourcePool",
    "Alarm",
    "ServiceInstance",
    "SessionManager",
    "TaskManager",
    "EventManager",
  ];
  return (
    types.map((type) => refTo(type, id)).find((ref) => objectOf(call, ref) !== undefined) ??
    objectNotFound(refTo("ManagedObject", id))
  );
}
