/** Sending: the one mutating request of an operation, and what its reply proves. */

import type { PreparedOperation } from "../../../model/operation/operation.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { SendResult } from "../../../model/provider/provider.ts";
import { type Attributes, equalValues, memberOf, type Value } from "../../../model/value/value.ts";
import { noRequest, refusal, unsendable } from "../../kit/refusal.ts";
import { handleOf, tellBusy, type VerbCall } from "../../kit/tasks.ts";
import type { ManagerClient } from "../client/client.ts";
import { childIn, refOf } from "../client/element.ts";
import { faultOf } from "../client/fault.ts";
import { vmObjectType, vmRef } from "../client/moref.ts";
import { type ManagerTask, readTasks, taskOfResponse } from "../client/task.ts";
import { type Disk, deviceKilobytes } from "../machine/disk-device.ts";
import { diskParts } from "../machine/disk-identity.ts";
import { diskTypeName } from "../machine/names.ts";
import { devicesPath, parentDisks, readVmProperties } from "../machine/vm-properties.ts";
import { methodOf, wireRequest } from "../machine/wire-request.ts";

/** Throws `RemoteError`; a refusal that comes of a read before sending had no effect. */
export async function sendOperation(
  client: ManagerClient,
  operation: PreparedOperation,
  deadlineMs: number,
): Promise<SendResult> {
  const { verb, id } = operation;
  const { type, identity } = operation.subject;
  const { inputs } = operation.request;
  if (type !== diskTypeName) {
    const present = verb === "add-deltas" ? await presentParents(client, identity, inputs) : inputs;
    return sendVerb(client, { verb, vm: identity, inputs: present, deadlineMs, what: id });
  }
  const parts = diskParts(identity);
  if (parts === undefined) throw unsendable(id, "names no disk");
  const present = await presentDevice(client, parts, inputs);
  return sendVerb(client, { verb, vm: parts.vm, inputs: present, deadlineMs, what: id });
}

export async function sendVerb(client: ManagerClient, call: VerbCall): Promise<SendResult> {
  const { verb, vm, inputs, deadlineMs, what } = call;
  const method = methodOf(verb);
  const body = wireRequest(verb, vm, inputs)?.body;
  if (method === undefined || typeof body !== "string") {
    throw unsendable(what, noRequest);
  }
  const response = await tellBusy(
    () =>
      client.call({
        method: method.name,
        envelope: body,
        class: "mutate",
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
      }),
    (error) => taskNamed(client, error),
  );
  if (method.task === undefined) return {};
  const task = taskOfResponse(response);
  if (task !== undefined) return { handle: handleOf(task) };
  const message = `${method.name}: the reply names no task`;
  throw new RemoteError({ kind: "protocol", effect: "unknown", message });
}

/**
 * The device as it is right now, since a change sends all of it back. What another has changed
 * meanwhile stays as it is; another size is not overwritten.
 */
async function presentDevice(
  client: ManagerClient,
  { vm, disk: key }: { readonly vm: string; readonly disk: string },
  inputs: Attributes,
): Promise<Attributes> {
  const { objects } = await client.read([vmRef(vm)], { [vmObjectType]: ["name", devicesPath] });
  const object = objects.get(vm);
  const machine = object === undefined ? undefined : readVmProperties(object);
  const disk = machine?.disks?.find(({ id }) => id === key);
  if (disk === undefined)
    throw refusal("precondition", `VM ${machine?.name ?? vm} has no disk ${key} any more`);
  const gb = memberOf(inputs.size_gb, "gb");
  checkSize(disk, memberOf(inputs.size_gb, "device"), machine?.name ?? vm);
  return { ...inputs, size_gb: { gb: gb ?? null, device: disk.device } };
}

/**
 * The disks as they are right now: a move before this one has given them other files. What nobody
 * agreed to is not done: a disk of its own does not become the base of another by surprise.
 */
async function presentParents(
  client: ManagerClient,
  vm: string,
  inputs: Attributes,
): Promise<Attributes> {
  const { objects } = await client.read([vmRef(vm)], { [vmObjectType]: ["name", devicesPath] });
  const object = objects.get(vm);
  const machine = object === undefined ? undefined : readVmProperties(object);
  const name = machine?.name ?? vm;
  if (machine?.disks === undefined)
    throw refusal("precondition", `VM ${name} does not show its devices`);
  const { delta_disk_format: delta } = inputs;
  const disks = parentDisks(machine);
  const planned = memberOf(delta, "disks");
  if (
    planned !== undefined &&
    !equalValues(
      planned,
      disks.map((disk) => ({ ...disk })),
    )
  ) {
    const files = disks.map(({ file_name: file }) => file).join(", ");
    throw refusal(
      "precondition",
      `VM ${name} has other disks by now than when this was planned: ${files}`,
    );
  }
  const whole = disks.find((disk) => !disk.is_delta);
  if (whole !== undefined && memberOf(delta, "links") !== true) {
    throw refusal(
      "precondition",
      `disk ${whole.disk_id} of VM ${name} is a disk of its own by now (${whole.file_name}), and ` +
        "nobody has agreed that the VM becomes a linked clone of it",
    );
  }
  const format = memberOf(delta, "format") ?? null;
  const known = { format, disks: disks.map((disk) => ({ ...disk })) };
  return { ...inputs, delta_disk_format: known };
}

function checkSize({ device, label }: Disk, planned: Value | undefined, vm: string): void {
  const now = deviceKilobytes(device);
  // A device without a size is no device: the request could not be made of it.
  if (now === undefined)
    throw refusal("precondition", `disk ${JSON.stringify(label)} cannot be changed`);
  const before = typeof planned === "string" ? deviceKilobytes(planned) : undefined;
  if (before === undefined || before === now) return;
  throw refusal(
    "precondition",
    `disk ${JSON.stringify(label)} of VM ${vm} has ${now} KB by now, and had ${before} KB when ` +
      "this was planned; somebody else has changed it",
  );
}

/** What keeps a VM busy: the fault names the task. */
async function taskNamed(
  client: ManagerClient,
  error: RemoteError,
): Promise<readonly ManagerTask[]> {
  const id = refOf(childIn(faultOf(error)?.detail, "task"))?.id;
  return id === undefined ? [] : [...(await readTasks(client, [id])).values()];
}
