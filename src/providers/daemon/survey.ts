/** All VMs of the daemon and what they share, for a simulated twin of it. */

import { compact } from "../../lib/compact.ts";
import type { Observation } from "../../model/provider/observation.ts";
import type { Survey, SurveyedFolder, SurveyedMachine } from "../../model/provider/survey.ts";
import { type Address, toAddress } from "../../model/value/address.ts";
import type { Attributes } from "../../model/value/value.ts";
import { type Get, listFolders, listVms, observe } from "./observe.ts";
import { folderIn, folderParts } from "./shared-folder.ts";
import { vmIn, vmTypeName } from "./vm.ts";

/** Throws `RemoteError`. */
export async function surveyDaemon(get: Get): Promise<Survey> {
  const ids = await listVms(get);
  const shares = await listFolders(get, ids);
  const vms = await observe(
    get,
    ids.map((identity) => wanted(vmTypeName, identity)),
  );
  const folders = await observe(
    get,
    shares.map(({ type, identity }) => wanted(type, identity)),
  );
  const unknown: string[] = [];
  const machines = vms.flatMap((observation, index): readonly SurveyedMachine[] => {
    const id = ids[index] ?? "";
    if (observation.status !== "found") {
      unknown.push(`VM ${id} could not be read: ${reasonOf(observation)}`);
      return [];
    }
    const own = folders.flatMap((folder) => folderOf(folder, id));
    return [machineOf(id, observation.attributes, own)];
  });
  return {
    traits: {},
    ...{ managers: [], hosts: [], datastores: [], groups: [], machines, alarms: [] },
    unknown: [
      ...unknown,
      "the daemon tells neither of datastores nor of their space",
      "of a VM that is off, the daemon tells neither name nor tag nor shared folders: they are " +
        "as recorded",
    ],
  };
}

function wanted(type: string, identity: string) {
  return { address: listedAddress(type), type, identity, attributes: ["ip_address"] };
}

function listedAddress(type: string): Address {
  const address = toAddress(`${type}.listed`);
  if (address === undefined) throw new Error(`${type} is no type of an address`);
  return address;
}

function reasonOf(observation: Exclude<Observation, { status: "found" }>): string {
  return observation.status === "missing" ? observation.proof : observation.reason;
}

function machineOf(
  id: string,
  attributes: Attributes,
  folders: readonly SurveyedFolder[],
): SurveyedMachine {
  const { name, tag, power_state: power, ip_address: address } = vmIn(attributes);
  return { id, name: name ?? id, folders, ...compact({ power, tag, address }) };
}

function folderOf(observation: Observation, vm: string): readonly SurveyedFolder[] {
  if (observation.status !== "found") return [];
  const { vm: of, name } = folderParts(observation.identity);
  const { host_path: hostPath, writable = true } = folderIn(observation.attributes);
  return of === vm && hostPath !== undefined ? [{ name, hostPath, writable }] : [];
}
