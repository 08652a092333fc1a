/**
 * `POST /sdk`: one SOAP call per request (wire facts D.3). The session is that of the cookie, the
 * version that of the header SOAPAction.
 */

import type { XmlElement } from "../../lib/xml/xml.ts";
import { attributeOf, textOf } from "../../lib/xml/xml.ts";
import type { Answer, SimulatorReply, SimulatorRequest } from "../kit/answer.ts";
import type { RequestClass } from "../kit/request-log.ts";
import type { TaskPlan } from "../kit/task.ts";
import type { MethodAnswer, MethodCall, MethodResult, Waiting } from "./method-call.ts";
import type { ManagerMethod } from "./method-table.ts";
import { methodOf } from "./methods/methods.ts";
import type { ManagerContext } from "./objects/context.ts";
import { objectOf } from "./objects/objects.ts";
import { faultReply, readEnvelope, resultReply } from "./soap/envelope.ts";
import type { ManagerFault } from "./soap/fault.ts";
import {
  faultOf,
  invalidRequest,
  isFault,
  isViolation,
  noPermission,
  notAuthenticated,
  objectNotFound,
} from "./soap/fault.ts";
import { decodeMembers } from "./soap/soap-decode.ts";
import { encodeMember } from "./soap/soap-encode.ts";
import type { DataObject, Reference } from "./soap/soap-value.ts";
import { isKindOf, isManaged, readMemberList } from "./soap/wsdl.ts";
import { requestedVersion } from "./versions.ts";
import type { ManagerState } from "./world/manager-state.ts";
import { settleManager } from "./world/manager-state.ts";
import { sessionCookie, touchSession } from "./world/session.ts";

/** Class of a call; one that cannot be read is a mutation. */
export function classifyCall(body: string): RequestClass {
  const envelope = readEnvelope(body);
  return isFault(envelope) ? "mutate" : (methodOf(envelope.local)?.class ?? "mutate");
}

export function answerSdk(
  state: ManagerState,
  request: SimulatorRequest,
  nowMs: number,
  plan: TaskPlan | undefined,
  patience: Patience,
): Answer | Promise<Answer> {
  const version = requestedVersion(state, request);
  if (typeof version !== "string") return faultAnswer(version, state.rules.api_version);
  const session = touchSession(state, request.headers, nowMs);
  const context: ManagerContext = { state, nowMs, session, version };
  const call = readCall(context, request);
  if (isFault(call)) return faultAnswer(call, version);
  return answerWith(call, invoke({ ...call, plan }), patience);
}

/** How an answer waits that has nothing to tell yet. */
export type Patience = {
  readonly now: () => number;
  /** Until then, or until something may have changed before. */
  readonly pause: (untilMs: number) => Promise<void>;
  /** Nobody waits for the answer any more. */
  readonly isGone: () => boolean;
};

function answerWith(
  call: ReadCall,
  answer: MethodAnswer,
  patience: Patience,
): Answer | Promise<Answer> {
  if (isFault(answer)) return faultAnswer(answer, call.version);
  if (answer.waiting === undefined) return resultAnswer(call, answer);
  return outwait(call, answer.waiting, patience);
}

async function outwait(call: ReadCall, waiting: Waiting, patience: Patience): Promise<Answer> {
  const { untilMs, look } = waiting;
  for (;;) {
    await patience.pause(untilMs);
    const nowMs = patience.now();
    settleManager(call.state, nowMs);
    const found = look(nowMs);
    if (found !== undefined) return answerWith(call, found, patience);
    if (nowMs >= untilMs || patience.isGone()) return resultAnswer(call, {});
  }
}

type ReadCall = Omit<MethodCall, "plan"> & { readonly method: ManagerMethod };

function readCall(context: ManagerContext, request: SimulatorRequest): ReadCall | ManagerFault {
  const element = readEnvelope(request.body);
  if (isFault(element)) return element;
  const method = methodOf(element.local);
  if (method === undefined) {
    return invalidRequest(`Unable to resolve WSDL method name ${element.local}`);
  }
  const takes = readMemberList(`_this @ManagedObject; ${method.takes}`);
  const place = { version: context.version, of: method.name };
  const members = decodeMembers(element, takes, place);
  if (isFault(members)) return members;
  const params: DataObject = { ...members, is: method.name };
  return {
    ...context,
    method,
    target: targetOf(element),
    params,
    userAgent: request.headers["user-agent"] ?? "",
  };
}

/** `_this`, which was decoded before. */
function targetOf(element: XmlElement): Reference {
  const own = element.children.find((child) => typeof child !== "string");
  if (own === undefined) return { ref: "", id: "" };
  return { ref: attributeOf(own, "type") ?? "", id: textOf(own).trim() };
}

/** A session is asked for before the object: views and collectors end with theirs. */
function invoke(call: ReadCall & MethodCall): MethodAnswer {
  const { method, session, target } = call;
  if (method.needs === "session" && session === undefined) return notAuthenticated(target);
  const isFit =
    method.on === "ManagedObject" ? isManaged(target.ref) : isKindOf(target.ref, method.on);
  if (!isFit) {
    return faultOf("MethodNotFound", `${target.ref} has no method ${method.name}.`, {
      receiver: target,
      method: method.name,
    });
  }
  if (objectOf(call, target) === undefined) return objectNotFound(target);
  if (method.needs === "nothing") return method.answer(call);
  if (session === undefined) return notAuthenticated(target);
  if (method.privilege !== null && session.user.rights === "read") {
    return noPermission(target, method.privilege);
  }
  return method.answer({ ...call, session });
}

function resultAnswer({ method, version }: ReadCall, result: MethodResult): Answer {
  const type = method.gives.replace("@", "");
  const inner = encodeMember(
    "returnval",
    { type, isReference: method.gives.startsWith("@") },
    result.value,
    { version },
  );
  const reply = resultReply(method.name, inner);
  return {
    reply: result.cookie === undefined ? reply : withCookie(reply, result.cookie),
    effect: result.effect ?? false,
    ...(result.violation === undefined ? {} : { violation: result.violation }),
  };
}

export function withCookie(reply: SimulatorReply, id: string): SimulatorReply {
  return { ...reply, headers: { ...reply.headers, "set-cookie": sessionCookie(id) } };
}

function faultAnswer(fault: ManagerFault, version: string): Answer {
  const answer = { reply: faultReply(fault, version), effect: false };
  return isViolation(fault) ? { ...answer, violation: fault.message } : answer;
}
