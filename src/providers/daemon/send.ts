/** Sending: the one mutating request of an operation, and what its reply proves. */

import type { HttpCall, HttpReply } from "../../http/call.ts";
import { stringifyJson } from "../../lib/json.ts";
import type { PreparedOperation } from "../../model/operation/operation.ts";
import {
  type RemoteError,
  type RemoteErrorKind,
  retold,
} from "../../model/operation/remote-error.ts";
import type { SendResult } from "../../model/provider/provider.ts";
import { type Attributes, isKnown } from "../../model/value/value.ts";
import { noRequest, notKnown, unsendable } from "../kit/refusal.ts";
import {
  daemonError,
  foreign,
  isOk,
  type ReplyContext,
  readEnvelope,
  readObject,
} from "./reply.ts";
import { folderIn, folderParts, folderType } from "./shared-folder.ts";
import { vmIn, vmType, vmTypeName } from "./vm.ts";

/** The call of an operation: the previewed request, below the base path of the endpoint. */
export function callOf(
  operation: PreparedOperation,
  basePath: string,
  deadlineMs: number,
): HttpCall {
  const type = operation.subject.type === vmTypeName ? vmType : folderType;
  const request = type.request(
    operation.verb,
    operation.subject.identity,
    operation.request.inputs,
  );
  if (type.name !== operation.subject.type || request === undefined) {
    throw unsendable(operation.id, noRequest);
  }
  const { method, path, contentType, body } = request;
  if (body !== undefined && !isKnown(body)) {
    throw unsendable(operation.id, notKnown);
  }
  return {
    class: "mutate",
    method,
    path: `${basePath}${path}`,
    headers: {
      accept: "application/json",
      ...(contentType === undefined ? {} : { "content-type": contentType }),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : stringifyJson(body) }),
    deadlineMs,
  };
}

/**
 * Result of a reply. Throws `RemoteError`: a refusal in the daemon's own envelope had no effect;
 * anything that cannot be read may have had one, a reply of 2xx included.
 */
export function readSent(operation: PreparedOperation, reply: HttpReply): SendResult {
  const context: ReplyContext = { class: "mutate", what: describe(operation) };
  if (!isOk(reply.status)) throw advised(operation, daemonError(reply, context));
  switch (operation.verb) {
    case "create":
    case "clone":
      return readCreated(operation, reply, context);
    case "add": {
      const { name } = folderParts(operation.subject.identity);
      const folder = readObject(reply, context);
      if (folder.get("guestPath") === name) return {};
      throw foreign(reply, context, `instead of shared folder ${name}`);
    }
    case "delete":
    case "remove":
      // 204 without a body is what is documented; a body, if there is one, must not be a refusal.
      if (reply.text.trim() !== "") readEnvelope(reply, context);
      return {};
    default:
      readEnvelope(reply, context);
      return {};
  }
}

/** The same code means another thing for another request. */
function advised(
  { verb, request: { inputs } }: PreparedOperation,
  error: RemoteError,
): RemoteError {
  const advice = adviceFor(verb, inputs, error.kind);
  if (error.effect !== "none" || advice === undefined) return error;
  return retold(error, `${error.message}; ${advice}`);
}

function adviceFor(verb: string, inputs: Attributes, kind: RemoteErrorKind): string | undefined {
  const { parent_id: parent } = vmIn(inputs);
  if (verb === "clone" && kind === "precondition" && parent !== undefined) {
    return (
      `a VM is cloned only from one that is off: power off ${parent}, or, where it is a ` +
      "resource of this configuration, allow --allow power-cycle"
    );
  }
  const { host_path: hostPath } = folderIn(inputs);
  if (verb === "add" && kind === "not-found" && hostPath !== undefined) {
    return `is there a folder ${hostPath} on the daemon's own host?`;
  }
  return undefined;
}

/** Name and tag as the daemon keeps them: the VM is off now, and would not show them. */
function readCreated(
  operation: PreparedOperation,
  reply: HttpReply,
  context: ReplyContext,
): SendResult {
  const vm = readObject(reply, context);
  if (vm.get("id") !== operation.subject.identity) {
    throw foreign(reply, context, `instead of VM ${operation.subject.identity}`);
  }
  const attributes: { [name: string]: string } = {};
  for (const name of ["name", "tag"]) {
    const value = vm.get(name);
    if (typeof value === "string" && value !== "") attributes[name] = value;
  }
  return { attributes };
}

function describe(operation: PreparedOperation): string {
  const { verb } = operation;
  const { identity } = operation.subject;
  if (operation.subject.type !== vmTypeName) {
    const { vm, name } = folderParts(identity);
    return `${verb} shared folder ${name} of VM ${vm}`;
  }
  return `${verb} VM ${identity}`;
}
