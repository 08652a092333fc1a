/** Logging in and out, views, search: what belongs to a session (wire facts D.3). */

import { randomBytes } from "node:crypto";
import { timestamp } from "./context.ts";
import { faultOf, objectNotFound } from "./fault.ts";
import type { MethodAnswer, MethodCall, UserCall } from "./method-call.ts";
import { objectOf, serviceContent, userSession } from "./objects.ts";
import {
  closeSession,
  findUser,
  nameWithDomain,
  newSessionId,
  openSession,
  postEvent,
} from "./session.ts";
import type { Reference } from "./soap-value.ts";
import { flagIn, refIn, refTo, textIn, textsIn } from "./soap-value.ts";
import { findByPath } from "./tree.ts";
import { wsdlType } from "./wsdl.ts";

export function retrieveServiceContent(call: MethodCall): MethodAnswer {
  const value = serviceContent(call);
  // The first answer has a cookie already; only a login makes it worth something.
  return call.session === undefined ? { value, cookie: newSessionId() } : { value };
}

export function currentTime(call: UserCall): MethodAnswer {
  return { value: timestamp(call, call.nowMs) };
}

/** A second login within a session is refused like wrong credentials (wire facts D.7). */
export function logIn(call: MethodCall): MethodAnswer {
  const { state, nowMs, userAgent } = call;
  const name = textIn(call.params, "userName") ?? "";
  const user = findUser(state, name, textIn(call.params, "password") ?? "");
  if (user === undefined || call.session !== undefined) {
    if (user === undefined) {
      postEvent(state, {
        kind: "bad_login",
        createdMs: nowMs,
        user: nameWithDomain(state, name),
        ipAddress: "127.0.0.1",
        userAgent,
        sessionId: "",
        loginMs: null,
      });
    }
    const message = "Cannot complete login due to an incorrect user name or password.";
    return faultOf("InvalidLogin", message);
  }
  const session = openSession(state, user, userAgent, nowMs);
  return { value: userSession(call, session), cookie: session.id };
}

export function logOut(call: UserCall): MethodAnswer {
  closeSession(call.state, call.session, call.nowMs);
  return {};
}

export function createContainerView(call: UserCall): MethodAnswer {
  const container = refIn(call.params, "container");
  if (container === undefined || objectOf(call, container) === undefined) {
    return objectNotFound(container ?? call.target);
  }
  const types = textsIn(call.params, "type");
  const unknown = types.find((type) => wsdlType(type) === undefined);
  if (unknown !== undefined) {
    return faultOf("InvalidType", `There is no type ${unknown}.`, { argument: unknown });
  }
  const id = `session[${call.session.key}]52${randomBytes(15).toString("hex")}`;
  const recursive = flagIn(call.params, "recursive") === true;
  call.session.views.set(id, { id, container, types, recursive });
  return { value: refTo("ContainerView", id) };
}

export function destroyView(call: UserCall): MethodAnswer {
  return call.session.views.delete(call.target.id) ? {} : objectNotFound(call.target);
}

/** Undefined, which is an answer without a value, when there is none. */
export function findByUuid(call: UserCall): MethodAnswer {
  const uuid = (textIn(call.params, "uuid") ?? "").toLowerCase();
  if (flagIn(call.params, "vmSearch") !== true) return {};
  const isInstance = flagIn(call.params, "instanceUuid") === true;
  for (const vm of call.state.vms.values()) {
    if ((isInstance ? vm.instanceUuid : vm.uuid) === uuid) {
      return { value: refTo("VirtualMachine", vm.id) };
    }
  }
  return {};
}

export function findByInventoryPath(call: UserCall): MethodAnswer {
  const nameOf = (ref: Reference): string => textIn(objectOf(call, ref), "name") ?? "";
  const found = findByPath(call.state, textIn(call.params, "inventoryPath") ?? "", nameOf);
  return found === undefined ? {} : { value: found };
}
