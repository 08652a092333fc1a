/**
 * Refusals of the cloud: an `Error` document whose major code repeats the HTTP status and whose
 * minor code tells the kind (wire facts A.6). A wrong power state and a busy entity are both 400.
 */

import type { SimulatorReply } from "../../kit/answer.ts";
import { isAtLeast } from "../../kit/version.ts";
import type { Target } from "../world/inventory.ts";
import type { CloudTask } from "../world/task.ts";
import { type Draft, documentReply, elementOf, mediaType } from "./document.ts";

export type CloudRefusal = {
  readonly refused: true;
  readonly status: number;
  readonly minor: string;
  readonly message: string;
  /** Whether a correct client would not have sent the request; by default the kind decides. */
  readonly violation?: boolean;
};

/**
 * Refusals of requests that no client should send: malformed ones, and those which the state, the
 * version or the offered links forbid. A busy entity, lost rights and an ended session may meet any
 * client.
 */
const violations: ReadonlySet<string> = new Set([
  "BAD_REQUEST",
  "NOT_ACCEPTABLE",
  "UNSUPPORTED_MEDIA_TYPE",
  "RESOURCE_NOT_FOUND",
  "METHOD_NOT_ALLOWED",
]);

export function isViolation({ minor, violation }: CloudRefusal): boolean {
  return violation ?? violations.has(minor);
}

export function refusalOf(status: number, minor: string, message: string): CloudRefusal {
  return { refused: true, status, minor, message };
}

/** 400 BAD_REQUEST; not to be repeated. */
export function badRequest(message: string): CloudRefusal {
  return refusalOf(400, "BAD_REQUEST", message);
}

export function notPossible(kind: "VM" | "vApp", name: string, why: string): CloudRefusal {
  return badRequest(
    `The requested operation could not be executed since ${kind} "${name}" ${why}.`,
  );
}

/**
 * 400 BUSY_ENTITY, to be repeated later. Until 5.1 the message has the name; later servers write a
 * reference, and which task is running (wire facts A.6.2).
 */
export function busyEntity(
  draft: Draft,
  target: Target,
  running: Pick<CloudTask, "id" | "operationName">,
): CloudRefusal {
  const { id, name } = target.kind === "vm" ? target.vm : target.vapp;
  if (!isAtLeast(draft.version, "5.5")) {
    return busyRefusal(`The entity ${name} is busy completing an operation.`);
  }
  const { service } = draft.dialect;
  const entity = `${service}.entity.${target.kind.toLowerCase()}:${id}`;
  const words = running.operationName.replaceAll(/[A-Z]/g, "_$&").toUpperCase();
  const task = `${words}(${service}.entity.task:${running.id})`;
  return busyRefusal(`The entity Ref: ${entity} is busy completing an operation ${words}. ${task}`);
}

export function busyRefusal(message: string): CloudRefusal {
  return refusalOf(400, "BUSY_ENTITY", message);
}

/** 404: the version does not have the action, or the kind of target does not. */
export function unknownAction(): CloudRefusal {
  return refusalOf(404, "RESOURCE_NOT_FOUND", "There is no such action.");
}

/** For what is not there as well as for what may not be seen (wire facts A.6.2). */
export function noAccess(draft: Draft, kind: string, id: string): CloudRefusal {
  const entity = `${draft.dialect.service}.entity.${kind}:${id}`;
  return refusalOf(403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", `No access to entity "(${entity})".`);
}

export function operationDenied(): CloudRefusal {
  return refusalOf(403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "This operation is denied.");
}

export function isRefusal(value: object): value is CloudRefusal {
  return "refused" in value && value.refused === true;
}

export function refusalReply(draft: Draft, refusal: CloudRefusal): SimulatorReply {
  const { status, minor, message } = refusal;
  const error = elementOf(draft, "Error", {
    minorErrorCode: minor,
    message,
    majorErrorCode: status,
  });
  return documentReply(draft, mediaType(draft, "error"), error, { status });
}
