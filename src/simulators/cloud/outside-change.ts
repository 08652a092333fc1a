/**
 * Changes behind the client's back: what other people do to the cloud. They happen at once,
 * whatever tasks are running; a task whose VM is gone at its end fails.
 */

import type { Cursor } from "../decode.ts";
import { isAbsent, readChoice, readCount, readFlag, readMembers, readText } from "../decode.ts";
import type { CloudState } from "./cloud-state.ts";
import { settleCloud } from "./cloud-state.ts";
import type { CloudVm } from "./inventory.ts";
import { vmStatus, vmStatusCodes } from "./inventory.ts";
import { beginTask } from "./tasks.ts";
import type { CloudPower, CloudVmDocument } from "./world-document.ts";
import { cloudPowers, cloudVmNames, readCloudVm } from "./world-document.ts";

/** As written in fault scripts and sent to the control surface. VMs are named by their keys. */
export type CloudChangeDocument =
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
  | { readonly deny_cloud_vm: { readonly vm: string; readonly denied: boolean } }
  | { readonly snapshot_cloud_vm: { readonly vm: string; readonly remove?: boolean } }
  /** A task of somebody else, without effect, that keeps the vApp busy. */
  | { readonly start_cloud_task: { readonly vm: string; readonly duration_ms: number } }
  | { readonly end_cloud_sessions: { readonly user?: string } };

/** A change that was read; throws `RangeError` when what it names is not there. */
export type CloudChange = (state: CloudState, nowMs: number) => void;

const vmChangeNames = [
  "power_cloud_vm",
  "add_cloud_vm",
  "delete_cloud_vm",
  "move_cloud_vm",
  "rename_cloud_vm",
  "nest_cloud_vm",
  "deny_cloud_vm",
  "snapshot_cloud_vm",
  "start_cloud_task",
];

export const cloudChangeNames: readonly string[] = [...vmChangeNames, "end_cloud_sessions"];

/** Reads the change of the given name. */
export function readCloudChange(name: string, cursor: Cursor, seed: number): CloudChange {
  const change = readNamedChange(name, cursor, seed);
  return (state, nowMs) => {
    settleCloud(state, nowMs);
    change(state, nowMs);
  };
}

function readNamedChange(name: string, cursor: Cursor, seed: number): CloudChange {
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
    case "deny_cloud_vm": {
      const member = members("denied");
      const denied = readFlag(member("denied"));
      return edit(readText(member("vm")), () => ({ denied }));
    }
    case "snapshot_cloud_vm": {
      const member = members("remove");
      const isRemoved = readFlag(member("remove"), false);
      return edit(readText(member("vm")), (vm, _state, nowMs) => ({
        snapshot: isRemoved
          ? null
          : { createdMs: nowMs, poweredOn: vm.status === vmStatus.on, sizeBytes: 0, name: "" },
      }));
    }
    case "start_cloud_task": {
      const member = members("duration_ms");
      return startTask(readText(member("vm")), readCount(member("duration_ms"), 1));
    }
    default:
      return readEndOfSessions(cursor);
  }
}

function readPower(member: (name: string) => Cursor): CloudChange {
  const power = readChoice(member("power"), cloudPowers);
  const deployed = readFlag(member("deployed"), power !== "off");
  const written = member("status");
  const status = isAbsent(written) ? vmStatus[power] : readChoice(written, vmStatusCodes);
  return edit(readText(member("vm")), () => ({ status, deployed }));
}

function readAdded(cursor: Cursor, seed: number): CloudChange {
  const known = ["vm", "vapp", ...cloudVmNames];
  const member = readMembers(cursor, known);
  const key = readText(member("vm"));
  const vappKey = readText(member("vapp"));
  const written = member("datastore");
  const datastore = isAbsent(written) ? undefined : readText(written);
  const context = { seed, nowMs: 0, number: 0, vappId: "", datastores: undefined };
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

function startTask(key: string, durationMs: number): CloudChange {
  return (state, nowMs) => {
    const vm = findVm(state, key);
    const what = `Virtual Machine ${vm.name}(${vm.id})`;
    const start = {
      operationName: "vappUpdateVm",
      runningText: `Updating ${what}`,
      endedText: `Updated ${what}`,
      owner: { kind: "vm", id: vm.id, name: vm.name },
      vappId: vm.vappId,
      durationMs,
      effect: { kind: "none", vmIds: [vm.id] },
    } as const;
    beginTask(state, start, { name: "somebody", org: "System" }, nowMs);
  };
}

function readEndOfSessions(cursor: Cursor): CloudChange {
  const member = readMembers(cursor, ["user"]);
  const user = isAbsent(member("user")) ? undefined : readText(member("user"));
  return (state) => {
    for (const [token, session] of [...state.sessions]) {
      if (user === undefined || session.user.name === user) state.sessions.delete(token);
    }
  };
}

function edit(
  key: string,
  part: (vm: CloudVm, state: CloudState, nowMs: number) => Partial<CloudVm>,
): CloudChange {
  return (state, nowMs) => {
    const vm = findVm(state, key);
    state.vms.set(vm.id, { ...vm, ...part(vm, state, nowMs) });
  };
}

function findVm(state: CloudState, key: string): CloudVm {
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
