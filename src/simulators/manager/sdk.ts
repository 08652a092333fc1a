/**
 * `POST /sdk`: one SOAP call per request (wire facts D.3). The session is that of the cookie, the
 * version that of the header SOAPAction.
 */

import type { XmlElement } from "../../lib/xml.ts";
import { attributeOf, textOf } from "../../lib/xml.ts";
import type { Answer, SimulatorReply, SimulatorRequest } from "../answer.ts";
import { unchanged } from "../answer.ts";
import type { RequestClass } from "../request-log.ts";
import type { TaskPlan } from "../task-plan.ts";
import type { ManagerContext } from "./context.ts";
import { faultReply, readEnvelope, resultReply } from "./envelope.ts";
import type { ManagerFault } from "./fault.ts";
import {
  faultOf,
  invalidRequest,
  isFault,
  isViolation,
  noPermission,
  notAuthenticated,
  objectNotFound,
} from "./fault.ts";
import type { ManagerState } from "./manager-state.ts";
import type { MethodAnswer, MethodCall, MethodResult } from "./method-call.ts";
import type { ManagerMethod } from "./methods.ts";
import { methodOf } from "./methods.ts";
import { objectOf } from "./objects.ts";
import { sessionCookie, touchSession } from "./session.ts";
import { decodeMembers, vimNamespace } from "./soap-decode.ts";
import { encodeMember } from "./soap-encode.ts";
import type { DataObject, Reference } from "./soap-value.ts";
import { isAtLeast, isKindOf, readMemberList } from "./wsdl.ts";

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
): Answer {
  const version = versionOf(state, request);
  if (typeof version !== "string") return faultAnswer(version, state.rules.apiVersion);
  const session = touchSession(state, request.headers, nowMs);
  const context: ManagerContext = { state, nowMs, session, version };
  const call = readCall(context, request);
  if (isFault(call)) return faultAnswer(call, version);
  const answer = invoke({ ...call, plan });
  return isFault(answer) ? faultAnswer(answer, version) : resultAnswer(call, answer);
}

/** The header may be missing; a version that is too recent is refused (wire facts D.3). */
function versionOf({ rules }: ManagerState, request: SimulatorRequest): string | ManagerFault {
  const action = (request.headers["soapaction"] ?? "").replaceAll('"', "").trim();
  if (action === "" || action === "urn:vim25") return rules.apiVersion;
  const version = /^urn:vim25\/(\d+(?:\.\d+)*)$/.exec(action)?.[1];
  return version !== undefined && isAtLeast(rules.apiVersion, version)
    ? version
    : invalidRequest(`Unsupported version URI "${action}"`);
}

const releases = ["7.0", "6.7", "6.5", "6.0", "5.5", "5.1", "5.0"];

/** The versions that the header may name, the latest first; needs no login. */
export function listVersions({ rules }: ManagerState): Answer {
  const prior = releases.filter(
    (each) => each !== rules.apiVersion && isAtLeast(rules.apiVersion, each),
  );
  const versions = prior.map((version) => `<version>${version}</version>`);
  const body =
    '<?xml version="1.0" encoding="UTF-8"?>\n<namespaces version="1.0">\n<namespace>' +
    `<name>${vimNamespace}</name><version>${rules.apiVersion}</version>` +
    `<priorVersions>${versions.join("")}</priorVersions></namespace>\n</namespaces>\n`;
  return unchanged({ status: 200, headers: { "content-type": "text/xml" }, body });
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
  if (!isKindOf(target.ref, method.on)) {
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
