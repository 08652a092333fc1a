/**
 * Refusals of the cloud: an `Error` document whose major code repeats the HTTP status and whose
 * minor code tells the kind (wire facts A.6). A wrong power state and a busy entity are both 400.
 */

import type { SimulatorReply } from "../answer.ts";
import type { Draft } from "./document.ts";
import { documentReply, elementOf, mediaType } from "./document.ts";

export type CloudRefusal = {
  readonly refused: true;
  readonly status: number;
  readonly minor: string;
  readonly message: string;
};

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

export function busyEntity(name: string): CloudRefusal {
  return refusalOf(400, "BUSY_ENTITY", `The entity ${name} is busy completing an operation.`);
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
