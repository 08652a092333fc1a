/** Sending: the one mutating request of an operation, and what its reply proves. */

import type { PreparedOperation } from "../../../model/operation/operation.ts";
import { RemoteError } from "../../../model/operation/remote-error.ts";
import type { SendResult } from "../../../model/provider/provider.ts";
import { type Attributes, equalValues } from "../../../model/value/value.ts";
import { noRequest, refusal, unsendable } from "../../kit/refusal.ts";
import type { Guarded } from "../../kit/schema/shape.ts";
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
import { isDeltaWork, isGrowth, methodOf, wireRequest } from "../machine/wire-request.ts";

type Growth = Guarded<typeof isGrowth>;

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
    const call = { verb, vm: identity, inputs, deadlineMs, what: id };
    if (verb !== "add-deltas") return sendVerb(client, call);
    const { delta_disk_format: delta } = inputs;
    if (!isDeltaWork(delta)) throw unsendable(id, noRequest);
    const known = await presentParents(client, identity, delta);
    return sendVerb(client, { ...call, inputs: { ...inputs, delta_disk_format: known } });
  }
  const parts = diskParts(identity);
  if (parts === undefined) throw unsendable(id, "names no disk");
  if (!isGrowth(inputs.size_gb)) throw unsendable(id, noRequest);
  const size = await presentDevice(client, parts, inputs.size_gb);
  const present = { ...inputs, size_gb: size };
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
  size: Growth,
): Promise<Growth> {
  const { objects } = await client.read([vmRef(vm)], { [vmObjectType]: ["name", devicesPath] });
  const object = objects.get(vm);
  const machine = object === undefined ? undefined : readVmProperties(object);
  const disk = machine?.disks?.find(({ id }) => id === key);
  if (disk === undefined)
    throw refusal("precondition", `VM ${machine?.name ?? vm} has no disk ${key} any more`);
  checkSize(disk, size.device, machine?.name ?? vm);
  return { gb: size.gb, device: disk.device };
}

/**
 * The disks as they are right now: a move before this one has given them other files. What nobody
 * agreed to is not done: a disk of its own does not become the base of another by surprise.
 */
async function presentParents(
  client: ManagerClient,
  vm: string,
  { format, links, disks: planned }: Guarded<typeof isDeltaWork>,
): Promise<Attributes> {
  const { objects } = await client.read([vmRef(vm)], { [vmObjectType]: ["name", devicesPath] });
  const object = objects.get(vm);
  const machine = object === undefined ? undefined : readVmProperties(object);
  const name = machine?.name ?? vm;
  if (machine?.disks === undefined)
    throw refusal("precondition", `VM ${name} does not show its devices`);
  const disks = parentDisks(machine);
  if (planned && !equalValues(planned, disks)) {
    const files = disks.map(({ file_name: file }) => file).join(", ");
    throw refusal(
      "precondition",
      `VM ${name} has other disks by now than when this was planned: ${files}`,
    );
  }
  const whole = disks.find((disk) => !disk.is_delta);
  if (whole !== undefined && !links) {
    throw refusal(
      "precondition",
      `disk ${whole.disk_id} of VM ${name} is a disk of its own by now (${whole.file_name}), and ` +
        "nobody has agreed that the VM becomes a linked clone of it",
    );
  }
  return { format, links, disks };
}

function checkSize({ device, label }: Disk, planned: string, vm: string): void {
  const now = deviceKilobytes(device);
  // A device without a size is no device: the request could not be made of it.
  if (now === undefined)
    throw refusal("precondition", `disk ${JSON.stringify(label)} cannot be changed`);
  const before = deviceKilobytes(planned);
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
