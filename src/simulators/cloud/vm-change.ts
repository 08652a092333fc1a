/** Changes of single VMs behind the client's back. */

import type { Cursor } from "../decode.ts";
import { isAbsent, readChoice, readFlag, readMembers, readText } from "../decode.ts";
import type { CloudState } from "./cloud-state.ts";
import type { CloudVm } from "./inventory.ts";
import { vmStatus, vmStatusCodes } from "./inventory.ts";
import type { CloudPower, CloudTools, CloudVmDocument } from "./vm-document.ts";
import { cloudPowers, cloudVmNames, readCloudVm, readTools } from "./vm-document.ts";

export type CloudVmChangeDocument =
  | {
      readonly power_cloud_vm: {
        readonly vm: string;
        readonly power: CloudPower;
        readonly deployed?: boolean;
        /** A status code instead of that of `power`. */
        readonly status?: number;
      };
    }
  | { readonly add_cloud_vm: CloudVmDocument & { readonly vm: string; readonly vapp: string } }
  | { readonly delete_cloud_vm: { readonly vm: string } }
  | { readonly move_cloud_vm: { readonly vm: string; readonly datastore: string } }
  | { readonly rename_cloud_vm: { readonly vm: string; readonly name: string } }
  | { readonly nest_cloud_vm: { readonly vm: string; readonly enabled: boolean } }
  | { readonly tools_cloud_vm: { readonly vm: string; readonly tools: CloudTools } }
  | { readonly snapshot_cloud_vm: { readonly vm: string; readonly remove?: boolean } };

export const vmChangeNames = [
  "power_cloud_vm",
  "add_cloud_vm",
  "delete_cloud_vm",
  "move_cloud_vm",
  "rename_cloud_vm",
  "nest_cloud_vm",
  "tools_cloud_vm",
  "snapshot_cloud_vm",
] as const;

/** Throws `RangeError` when what it names is not there. */
type VmChange = (state: CloudState, nowMs: number) => void;

export function readVmChange(name: string, cursor: Cursor, seed: number): VmChange {
  const members = (...known: readonly string[]) => readMembers(cursor, ["vm", ...known]);
  switch (name) {
    case "power_cloud_vm":
      return readPower(members("power", "deployed", "status"));
    case "add_cloud_vm":
      return readAdded(cursor, seed);
    case "delete_cloud_vm": {
      const key = readText(members()("vm"));
      return (state) => void state.vms.delete(findVm(state, key).id);
    }
    case "move_cloud_vm": {
      const member = members("datastore");
      const datastore = readText(member("datastore"));
      return edit(readText(member("vm")), (_vm, state) => ({
        datastoreId: findDatastoreId(state, datastore),
      }));
    }
    case "rename_cloud_vm": {
      const member = members("name");
      const newName = readText(member("name"));
      return edit(readText(member("vm")), () => ({ name: newName }));
    }
    case "nest_cloud_vm": {
      const member = members("enabled");
      const nested = readFlag(member("enabled"));
      return edit(readText(member("vm")), () => ({ nested }));
    }
    case "tools_cloud_vm": {
      const member = members("tools");
      const tools = readTools(member("tools"));
      return edit(readText(member("vm")), () => ({ tools }));
    }
    default: {
      const member = members("remove");
      const isRemoved = readFlag(member("remove"), false);
      return edit(readText(member("vm")), (vm, _state, nowMs) => ({
        snapshot: isRemoved
          ? null
          : { createdMs: nowMs, poweredOn: vm.status === vmStatus.on, sizeBytes: 0, name: "" },
      }));
    }
  }
}

function readPower(member: (name: string) => Cursor): VmChange {
  const power = readChoice(member("power"), cloudPowers);
  const deployed = readFlag(member("deployed"), power !== "off");
  const written = member("status");
  const status = isAbsent(written) ? vmStatus[power] : readChoice(written, vmStatusCodes);
  return edit(readText(member("vm")), () => ({ status, deployed }));
}

function readAdded(cursor: Cursor, seed: number): VmChange {
  const known = ["vm", "vapp", ...cloudVmNames];
  const member = readMembers(cursor, known);
  const key = readText(member("vm"));
  const vappKey = readText(member("vapp"));
  const written = member("datastore");
  const datastore = isAbsent(written) ? undefined : readText(written);
  const context = { seed, nowMs: 0, numberOf: () => 0, vappId: "", datastores: undefined };
  const made = readCloudVm(cursor, key, context, known);
  const hasMoref = !isAbsent(member("moref"));
  return (state, nowMs) => {
    const vapp = [...state.vapps.values()].find((each) => each.key === vappKey);
    if (vapp === undefined) throw new RangeError(`there is no vApp ${JSON.stringify(vappKey)}`);
    if (state.vms.has(made.id)) throw new RangeError(`there is a VM ${JSON.stringify(key)}`);
    const moref = hasMoref ? made.moref : `vm-${9000 + state.nextNumber}`;
    state.nextNumber += 1;
    const datastoreId = findDatastoreId(state, datastore);
    const added = { ...made, vappId: vapp.id, datastoreId, moref, createdMs: nowMs };
    state.vms.set(made.id, added);
  };
}

function edit(
  key: string,
  part: (vm: CloudVm, state: CloudState, nowMs: number) => Partial<CloudVm>,
): VmChange {
  return (state, nowMs) => {
    const vm = findVm(state, key);
    state.vms.set(vm.id, { ...vm, ...part(vm, state, nowMs) });
  };
}

export function findVm(state: CloudState, key: string): CloudVm {
  for (const vm of state.vms.values()) if (vm.key === key) return vm;
  throw new RangeError(`there is no cloud VM ${JSON.stringify(key)}`);
}

/** Id of the datastore with a key; of the first one when none is given. */
function findDatastoreId(state: CloudState, key: string | undefined): string {
  for (const each of state.datastores.values()) {
    if (key === undefined || each.key === key) return each.id;
  }
  throw new RangeError(`there is no datastore ${JSON.stringify(key ?? "")}`);
}
