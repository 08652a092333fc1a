/** Sending: the one mutating request of an operation, and what its reply proves. */

import type { PreparedOperation } from "../../../model/operation/operation.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { SendResult } from "../../../model/provider/provider.ts";
import { noRequest, notKnown, refusal, unsendable } from "../../kit/refusal.ts";
import { handleOf, tellBusy, type VerbCall } from "../../kit/tasks.ts";
import type { CloudClient, CloudSent } from "../client/client.ts";
import { instantText } from "../client/instant.ts";
import { snapshotTypeName } from "../vm/names.ts";
import { snapshotParts } from "../vm/snapshot.ts";
import { type CloudTask, readTask } from "../vm/task.ts";
import { readVapp } from "../vm/vapp-document.ts";
import { readVm, runningTasks } from "../vm/vm-document.ts";
import { wireRequest } from "../vm/wire-request.ts";

/** Throws `RemoteError`; a refusal that comes of a read before sending had no effect. */
export async function sendOperation(
  client: CloudClient,
  operation: PreparedOperation,
  deadlineMs: number,
): Promise<SendResult> {
  const { verb, id } = operation;
  const { type, identity } = operation.subject;
  const { inputs } = operation.request;
  const isSnapshot = type === snapshotTypeName;
  const { vm, createdAt } = isSnapshot ? snapshotParts(identity) : { vm: identity };
  if (isSnapshot) await checkSnapshot(client, { verb, vm, createdAt });
  return sendVerb(client, { verb, vm, inputs, deadlineMs, what: id });
}

/** The request of a verb in the server's own words. */
export async function sendVerb(client: CloudClient, call: VerbCall): Promise<SendResult> {
  const { verb, vm, inputs, deadlineMs, what } = call;
  const { namespace } = client.dialect;
  // The client puts the prefix of media types in front.
  const request = wireRequest(verb, vm, inputs, { namespace, mediaPrefix: "" });
  if (request === undefined) throw unsendable(what, noRequest);
  const { path, contentType, body } = request;
  if (body !== undefined && typeof body !== "string") {
    throw unsendable(what, notKnown);
  }
  const sent = await tellBusy(
    () =>
      client.send({
        method: "POST",
        path,
        ...(contentType === undefined ? {} : { mediaType: contentType }),
        ...(body === undefined ? {} : { body }),
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
      }),
    () => runningOn(client, vm),
    "running now: ",
  );
  return resultOf(sent);
}

/** A second snapshot replaces the first; removing takes whatever is there (wire facts A.4). */
async function checkSnapshot(
  client: CloudClient,
  {
    verb,
    vm,
    createdAt,
  }: {
    readonly verb: string;
    readonly vm: string;
    readonly createdAt?: string | undefined;
  },
): Promise<void> {
  const { snapshot, name } = await readVm(client, vm);
  if (verb === "create") {
    if (snapshot === null || snapshot === undefined) return;
    const message =
      `VM ${name} has a snapshot already, made at ${instantText(snapshot.createdAt)}; ` +
      "the cloud would replace it silently";
    throw refusal("conflict", message);
  }
  if (verb !== "remove") return;
  if (snapshot === null || snapshot === undefined) {
    throw refusal("precondition", `VM ${name} has no snapshot any more`);
  }
  if (createdAt === undefined || snapshot.createdAt === createdAt) return;
  const message =
    `the snapshot of VM ${name} is another one, made at ${instantText(snapshot.createdAt)} ` +
    `instead of ${instantText(createdAt)}; it is left alone`;
  throw refusal("precondition", message);
}

/** 204 without a task is how old servers answer what is done at once (wire facts A.4). */
function resultOf({ status, location, document }: CloudSent): SendResult {
  const root = document?.root;
  const task = root?.local === "Task" ? readTask(root) : undefined;
  const path = task?.key ?? (location?.startsWith("/api/task/") ? location : undefined);
  if (path !== undefined) return { handle: handleOf(path) };
  if (root === undefined && status !== 202) return {};
  const message = `status ${status} with ${root?.local ?? "an empty body"} instead of a task`;
  throw new RemoteError({ kind: "protocol", effect: "unknown", status, message });
}

/** What keeps a VM busy: the VM tells, or its vApp. */
async function runningOn(client: CloudClient, vm: string): Promise<readonly CloudTask[]> {
  const document = await readVm(client, vm);
  const running = runningTasks(document);
  if (running.length > 0 || document.vapp === undefined) return running;
  return (await readVapp(client, document.vapp)).running;
}
