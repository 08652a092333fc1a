/** VMs, their disks and hosts, as one part of the provider: they are read together. */

import { refusal } from "../../kit/refusal.ts";
import { loadSchema } from "../../kit/schema-file.ts";
import { booleanOf } from "../client/element.ts";
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
import type { ManagerPorts, Part } from "../part.ts";
import { act, outlookOf } from "./act.ts";
import { findTask } from "./find-task.ts";
import { sendOperation } from "./send.ts";

const readers: ReadonlyMap<string, NonNullable<Part["readData"]>> = new Map([
  [hostDataName, (ports, _type, query) => readHostData(ports, query)],
  [vmDataName, (ports, _type, query) => readVmData(ports, query)],
  [disksDataName, (ports, _type, query) => readDisksData(ports, query)],
]);

export const machinePart: Part = {
  types: [vmType, diskType],
  dataTypes: [...readers.keys()].map((name) => ({ name, schema: loadSchema("data", name) })),
  read: observe,
  send: ({ client }, operation, deadlineMs) => sendOperation(client, operation, deadlineMs),
  findTask: ({ client }, begin) => findTask(client, begin),
  facts: askFacts,
  outlook: ({ client }, action, identity) => outlookOf(client, action, identity),
  act: ({ client }, call) => act(client, call),
  list: (ports, type) => {
    if (type === vmTypeName) return listVms(ports);
    throw refusal("invalid", `objects of type ${type} cannot be listed: they are content of a VM`);
  },
  listContent: (ports, _type, containers) => listDisks(ports, containers),
  readData: (ports, type, query) => {
    const read = readers.get(type);
    if (read === undefined) throw new Error(`there is no data source ${type}`);
    return read(ports, type, query);
  },
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
    .filter(({ values }) => booleanOf(values.get("config.template")) !== true)
    .map(({ ref }) => ({ type: vmTypeName, identity: ref.id }))
    .toSorted((left, right) => (left.identity < right.identity ? -1 : 1));
}
