/** Data sources of hosts, VMs and disks: what is answered. None and several are errors. */

import { textOf } from "../../../lib/xml/xml.ts";
import type { RemoteError } from "../../../model/operation/remote-error.ts";
import type { Observation } from "../../../model/provider/observation.ts";
import type { Attributes } from "../../../model/value/value.ts";
import { refusal } from "../../kit/refusal.ts";
import { describeFault } from "../client/fault.ts";
import { vmIdOf } from "../client/moref.ts";
import type { ManagerQueries } from "../generated/queries.ts";
import { toolsAttribute } from "../machine/power.ts";
import { devicesPath } from "../machine/vm-properties.ts";
import type { ManagerPorts } from "../part.ts";
import { hostFacts, hostPaths } from "./facts.ts";
import { hostObjectType, openMachines } from "./machines.ts";
import { diskAttributes } from "./observe-disk.ts";
import { isSearch, observeVm, wantedVm } from "./observe-vm.ts";
import { type Asked, absent } from "./pass.ts";

export const hostDataName = "manager_host";
export const vmDataName = "manager_vm";
export const disksDataName = "manager_disks";

/** What not every VM, and not every server, shows. */
const unseen: Attributes = {
  host: null,
  instance_uuid: null,
  bios_uuid: null,
  datastore: null,
  hardware_version: null,
  nested_hv_enabled: null,
  [toolsAttribute]: null,
};

export async function readVmData(
  ports: ManagerPorts,
  query: ManagerQueries["manager_vm"],
): Promise<Attributes> {
  const lookup = { ...query };
  const attributes = ["nested_hv_enabled", toolsAttribute];
  const object: Asked = { identity: "", lookup, attributes };
  const id = wantedVm(object);
  const machines = openMachines(ports, {
    ids: new Set(id === undefined ? [] : [id]),
    search: isSearch(object),
    devices: false,
  });
  const observation = await observeVm({ ports, machines }, object);
  if (observation.status !== "found") throw refused(observation);
  return { ...unseen, ...observation.attributes };
}

export async function readDisksData(
  ports: ManagerPorts,
  { vm }: ManagerQueries["manager_disks"],
): Promise<Attributes> {
  const id = vmIdOf(vm);
  if (id === undefined) throw refusal("invalid", `${JSON.stringify(vm)} is no id of a VM`);
  const needs = { ids: new Set([id]), search: false, devices: true };
  const machine = await openMachines(ports, needs).byId(id);
  if (machine.status !== "found") throw refused(absent(machine));
  const { disks, refused: hidden, name } = machine.vm;
  if (disks !== undefined) return { disks: disks.map((disk) => diskAttributes(disk)) };
  const fault = hidden.get(devicesPath);
  const why = fault === undefined ? "" : `: ${describeFault(fault)}`;
  throw refusal("forbidden", `the host manager does not show the devices of VM ${name}${why}`);
}

/** By name or by id; of several hosts with one name none is taken. */
export async function readHostData(
  { client }: ManagerPorts,
  { name, moref }: ManagerQueries["manager_host"],
): Promise<Attributes> {
  const hosts = await client.readAll({ [hostObjectType]: [...hostPaths, connectionPath] });
  const matches = hosts.filter(
    (host) =>
      (moref === undefined || host.ref.id === moref) &&
      (name === undefined || hostFacts(host).name === name),
  );
  const [match, ...more] = matches;
  const terms = Object.entries({ name, moref }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} ${JSON.stringify(value)}`],
  );
  const wanted = terms.length === 0 ? "any host" : `host with ${terms.join(" and ")}`;
  if (match === undefined) {
    const names = hosts.map((host) => hostFacts(host).name).join(", ");
    throw refusal("not-found", `no ${wanted} among all ${hosts.length}: ${names}`);
  }
  if (more.length > 0) {
    const ids = matches.map(({ ref }) => ref.id).join(", ");
    throw refusal("conflict", `${matches.length} hosts are meant by ${wanted}: ${ids}; set moref`);
  }
  const facts = hostFacts(match);
  const connection = match.values.get(connectionPath);
  return {
    name: facts.name,
    moref: match.ref.id,
    nested_hv_supported: facts.nested ?? null,
    connection_state: connection === undefined ? null : textOf(connection).trim(),
  };
}

const connectionPath = "runtime.connectionState";

function refused(observation: Observation): RemoteError {
  if (observation.status === "missing") return refusal("not-found", observation.proof);
  if (observation.status === "found") throw new Error("what was found is no refusal");
  const { reason, matches = [] } = observation;
  if (matches.length === 0) return refusal("protocol", reason);
  return refusal("conflict", `${reason}: ${matches.join("; ")}`);
}
