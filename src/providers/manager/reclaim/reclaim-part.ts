/** `manager_disk_reclaim` as a part of the provider. */

import type { Observation, Wanted } from "../../../model/provider/observation.ts";
import type { FactsAnswer, FactsRequest } from "../../../model/provider/provider.ts";
import { answerEach } from "../../kit/reading.ts";
import { refusal } from "../../kit/refusal.ts";
import { describeTask } from "../../kit/tasks.ts";
import { describeFault } from "../client/fault.ts";
import { vmObjectType, vmRef } from "../client/moref.ts";
import { type ManagerTask, readTasks } from "../client/task.ts";
import { learnNames } from "../inventory/machines.ts";
import { reclaimIn } from "../machine/names.ts";
import { vmTrouble } from "../machine/vm-attributes.ts";
import {
  devicesPath,
  readVmProperties,
  recentTaskPath,
  textAt,
  uuidPath,
  type VmProperties,
  vmPaths,
} from "../machine/vm-properties.ts";
import type { ManagerPart, ManagerPorts } from "../part.ts";
import { reclaimParts, reclaimType } from "./reclaim.ts";
import { type ReclaimFacts, reclaimDisk } from "./reclaim-facts.ts";
import { findReclaim, sendReclaim } from "./reclaim-work.ts";

export const reclaimPart: ManagerPart = {
  types: [reclaimType],
  read: readReclaims,
  send: sendReclaim,
  findTask: findReclaim,
  facts: askReclaimFacts,
};

/**
 * The record is all there is. Whether the id still means the VM that the work was done on, its UUID
 * tells: one request for all, and none where no UUID is recorded.
 */
async function readReclaims(
  { client }: ManagerPorts,
  wanted: readonly Wanted[],
): Promise<readonly Observation[]> {
  const known = wanted.filter(
    ({ recorded }) => reclaimIn(recorded ?? {}).vm_instance_uuid !== undefined,
  );
  const ids = [...new Set(known.map(({ identity }) => reclaimParts(identity).vm))];
  const uuids = new Map<string, string>();
  if (ids.length > 0) {
    const refs = ids.map((id) => vmRef(id));
    const { objects } = await client.read(refs, { [vmObjectType]: [uuidPath] });
    for (const [id, { values }] of objects) {
      const uuid = textAt(values.get(uuidPath));
      if (uuid !== undefined) uuids.set(id, uuid.toLowerCase());
    }
  }
  return wanted.map(({ identity }) => {
    const uuid = uuids.get(reclaimParts(identity).vm);
    return {
      status: "unreadable",
      rule: "by rule",
      reason: "it is a record of work done, of which the host manager keeps nothing",
      ...(uuid === undefined ? {} : { knownBy: { vm_instance_uuid: uuid } }),
    };
  });
}

/** Same order, one answer each: one read of all VMs, one of their tasks, one of their hosts. */
async function askReclaimFacts(
  ports: ManagerPorts,
  requests: readonly FactsRequest[],
): Promise<readonly FactsAnswer[]> {
  const { client } = ports;
  const ids = [...new Set(requests.map(({ identity }) => reclaimParts(identity).vm))];
  const { objects } = await client.read(
    ids.map((id) => vmRef(id)),
    { [vmObjectType]: [...vmPaths, devicesPath, recentTaskPath] },
  );
  const vms = new Map([...objects].map(([id, object]) => [id, readVmProperties(object)]));
  const tasks = await readTasks(client, [
    ...new Set([...vms.values()].flatMap(({ recentTasks }) => recentTasks)),
  ]);
  await learnNames(ports, [...vms.values()]);
  return answerEach(requests, async ({ identity }) => {
    const { vm: id } = reclaimParts(identity);
    const vm = vms.get(id);
    if (vm === undefined) throw refusal("not-found", `VM ${id} is not there any more`);
    return factsOf(ports, vm, tasks);
  });
}

function factsOf(
  { hostNames }: ManagerPorts,
  vm: VmProperties,
  tasks: ReadonlyMap<string, ManagerTask>,
): ReclaimFacts {
  const trouble = vmTrouble(vm);
  if (trouble !== undefined) throw refusal("precondition", trouble);
  if (vm.disks === undefined) {
    const fault = vm.refused.get(devicesPath);
    const why = fault === undefined ? "" : `: ${describeFault(fault)}`;
    throw refusal("forbidden", `the devices of VM ${vm.name} are not shown${why}`);
  }
  const running = vm.recentTasks.flatMap((id) => {
    const task = tasks.get(id);
    return task === undefined || task.hasEnded ? [] : [describeTask(task)];
  });
  return {
    vm: vm.name,
    instance_uuid: vm.instanceUuid ?? null,
    host: vm.host === undefined ? null : (hostNames.get(vm.host) ?? vm.host),
    power: vm.power ?? null,
    tools_running: vm.tools === "running",
    disks: vm.disks.map((disk) => reclaimDisk(disk)),
    running,
  };
}
