/** Logging in and out, search: what belongs to a session (wire facts D.3). */

import type { MethodAnswer, MethodCall, UserCall } from "../method-call.ts";
import { timestamp } from "../objects/context.ts";
import { objectOf, serviceContent, userSession } from "../objects/objects.ts";
import { childrenOf, findByPath } from "../objects/tree.ts";
import { faultOf, objectNotFound } from "../soap/fault.ts";
import type { Reference } from "../soap/soap-value.ts";
import { flagIn, refIn, refTo, textIn } from "../soap/soap-value.ts";
import {
  closeSession,
  findUser,
  nameWithDomain,
  newSessionId,
  openSession,
  postEvent,
} from "../world/session.ts";

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

/** Undefined, which is an answer without a value, when there is none. */
export function findByUuid(call: UserCall): MethodAnswer {
  const [first] = vmsWithUuid(call);
  return first === undefined ? {} : { value: first };
}

export function findAllByUuid(call: UserCall): MethodAnswer {
  return { value: vmsWithUuid(call) };
}

function vmsWithUuid(call: UserCall): readonly Reference[] {
  const uuid = (textIn(call.params, "uuid") ?? "").toLowerCase();
  if (flagIn(call.params, "vmSearch") !== true) return [];
  const isInstance = flagIn(call.params, "instanceUuid") === true;
  return [...call.state.vms.values()]
    .filter((vm) => (isInstance ? vm.instanceUuid : vm.uuid) === uuid)
    .map((vm) => refTo("VirtualMachine", vm.id));
}

export function findByInventoryPath(call: UserCall): MethodAnswer {
  const path = textIn(call.params, "inventoryPath") ?? "";
  const found = findByPath(call.state, path, (ref) => nameOf(call, ref));
  return found === undefined ? {} : { value: found };
}

/** One of the entity's children, by name. */
export function findChild(call: UserCall): MethodAnswer {
  const entity = refIn(call.params, "entity");
  if (entity === undefined || objectOf(call, entity) === undefined) {
    return objectNotFound(entity ?? call.target);
  }
  const name = textIn(call.params, "name") ?? "";
  const found = childrenOf(call.state, entity).find((child) => nameOf(call, child) === name);
  return found === undefined ? {} : { value: found };
}

function nameOf(call: UserCall, ref: Reference): string {
  return textIn(objectOf(call, ref), "name") ?? "";
}
