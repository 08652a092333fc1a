/** VMs, their disks and hosts, as one part of the provider: they are read together. */

import { queried } from "../../kit/schema/decode.ts";
import { booleanIn } from "../client/element.ts";
import { vmObjectType } from "../client/moref.ts";
import {
  disksDataName,
  hostDataName,
  readDisksData,
  readHostData,
  readVmData,
  vmDataName,
} from "../inventory/data.ts";
import { askFacts } from "../inventory/facts.ts";
import { openMachines } from "../inventory/machines.ts";
import { observe } from "../inventory/observe.ts";
import { diskType } from "../machine/disk.ts";
import { diskIdentity } from "../machine/disk-identity.ts";
import { diskTypeName, vmTypeName } from "../machine/names.ts";
import { vmType } from "../machine/vm.ts";
import type { ManagerPart, ManagerPorts } from "../part.ts";
import { act, outlookOf } from "./act.ts";
import { findTask } from "./find-task.ts";
import { sendOperation } from "./send.ts";

export const machinePart: ManagerPart = {
  types: [vmType, diskType],
  data: {
    [hostDataName]: queried(hostDataName, readHostData),
    [vmDataName]: queried(vmDataName, readVmData),
    [disksDataName]: queried(disksDataName, readDisksData),
  },
  read: observe,
  send: ({ client }, operation, deadlineMs) => sendOperation(client, operation, deadlineMs),
  findTask: ({ client }, begin) => findTask(client, begin),
  facts: askFacts,
  outlook: ({ client }, action, identity) => outlookOf(client, action, identity),
  act: ({ client }, call) => act(client, call),
  list: { [vmTypeName]: listVms },
  listContent: listDisks,
};

async function listDisks(ports: ManagerPorts, vms: readonly string[]) {
  const machines = openMachines(ports, { ids: new Set(vms), search: false, devices: true });
  const found = await Promise.all(vms.map((vm) => machines.byId(vm)));
  return found.flatMap((machine) => {
    if (machine.status !== "found") return [];
    const { id, disks = [] } = machine.vm;
    return disks.map((disk) => ({ type: diskTypeName, identity: diskIdentity(id, disk.id) }));
  });
}

/** Without templates. */
async function listVms({ client }: ManagerPorts) {
  const objects = await client.readAll({ [vmObjectType]: ["name", "config.template"] });
  return objects
    .filter(({ values }) => booleanIn(values.get("config.template")) !== true)
    .map(({ ref }) => ({ type: vmTypeName, identity: ref.id }))
    .toSorted((left, right) => (left.identity < right.identity ? -1 : 1));
}
