/**
 * Changes behind the client's back: what a person at the host does to the daemon's VMs. They happen
 * at once and end work in progress on the VM without its effect.
 */

import type { Cursor } from "../decode.ts";
import { readChoice, readFlag, readMembers, readText } from "../decode.ts";
import type { DaemonOperation, DaemonState } from "./daemon-state.ts";
import { settle, supersede } from "./daemon-state.ts";
import type { PowerState, SharedFolder, VirtualMachine } from "./virtual-machine.ts";
import { powerStates, withPower } from "./virtual-machine.ts";
import type { FolderDocument, VmDocument } from "./world-document.ts";
import { readFolder, readVm, vmNames } from "./world-document.ts";

/** As written in fault scripts and sent to the control surface. */
export type DaemonChangeDocument =
  | { readonly power_vm: { readonly id: string; readonly power: PowerState } }
  | { readonly create_vm: VmDocument & { readonly id: string } }
  | { readonly delete_vm: { readonly id: string } }
  | { readonly rename_vm: { readonly id: string; readonly name: string } }
  | { readonly tag_vm: { readonly id: string; readonly tag: string } }
  | { readonly share_vm: { readonly id: string; readonly sharing: boolean } }
  | { readonly add_folder: FolderDocument & { readonly id: string; readonly guest_path: string } }
  | { readonly remove_folder: { readonly id: string; readonly guest_path: string } };

/** A change that was read; throws `RangeError` when the VM it names is absent (or present). */
export type DaemonChange = (state: DaemonState, nowMs: number) => void;

export const daemonChangeNames: readonly string[] = [
  "power_vm",
  "create_vm",
  "delete_vm",
  "rename_vm",
  "tag_vm",
  "share_vm",
  "add_folder",
  "remove_folder",
];

/** Reads the change of the given name. */
export function readDaemonChange(name: string, cursor: Cursor, seed: number): DaemonChange {
  return settled(readNamedChange(name, cursor, seed));
}

function settled(change: DaemonChange): DaemonChange {
  return (state, nowMs) => {
    settle(state, nowMs);
    change(state, nowMs);
  };
}

function readNamedChange(name: string, cursor: Cursor, seed: number): DaemonChange {
  switch (name) {
    case "power_vm": {
      const member = readMembers(cursor, ["id", "power"]);
      const power = readChoice(member("power"), powerStates);
      return powerVm(readText(member("id")), power);
    }
    case "create_vm":
      return createVm(readNewVm(cursor, seed));
    case "delete_vm":
      return deleteVm(readText(readMembers(cursor, ["id"])("id")));
    case "rename_vm": {
      const member = readMembers(cursor, ["id", "name"]);
      return editVm(readText(member("id")), { name: readText(member("name")) });
    }
    case "tag_vm": {
      const member = readMembers(cursor, ["id", "tag"]);
      return editVm(readText(member("id")), { tag: readText(member("tag")) });
    }
    case "share_vm": {
      const member = readMembers(cursor, ["id", "sharing"]);
      return editVm(readText(member("id")), { sharing: readFlag(member("sharing")) });
    }
    case "add_folder": {
      const known = ["id", "guest_path", "host_path", "writable"];
      const member = readMembers(cursor, known);
      const folder = readFolder(cursor, readText(member("guest_path")), known);
      return addFolder(readText(member("id")), folder);
    }
    default: {
      const member = readMembers(cursor, ["id", "guest_path"]);
      return removeFolder(readText(member("id")), readText(member("guest_path")));
    }
  }
}

function readNewVm(cursor: Cursor, seed: number): VirtualMachine {
  const known = ["id", ...vmNames];
  const id = readText(readMembers(cursor, known)("id"));
  return readVm(cursor, id, seed, known);
}

function powerVm(id: string, power: PowerState): DaemonChange {
  return (state) => {
    const vm = findVm(state, id);
    supersede(state, (operation) => operation.kind !== "create" && operation.vmId === id);
    state.vms.set(id, withPower(vm, power));
  };
}

function createVm(vm: VirtualMachine): DaemonChange {
  return (state) => {
    if (state.vms.has(vm.id)) throw new RangeError(`there is a VM ${JSON.stringify(vm.id)}`);
    supersede(state, (operation) => concerns(operation, vm.id));
    state.vms.set(vm.id, vm);
  };
}

function deleteVm(id: string): DaemonChange {
  return (state) => {
    findVm(state, id);
    supersede(state, (operation) => concerns(operation, id));
    state.vms.delete(id);
  };
}

function editVm(id: string, part: Partial<VirtualMachine>): DaemonChange {
  return (state) => {
    state.vms.set(id, { ...findVm(state, id), ...part });
  };
}

function addFolder(id: string, folder: SharedFolder): DaemonChange {
  return (state) => {
    const vm = findVm(state, id);
    const others = vm.folders.filter((each) => each.guestPath !== folder.guestPath);
    state.vms.set(id, { ...vm, folders: [...others, folder] });
  };
}

function removeFolder(id: string, guestPath: string): DaemonChange {
  return (state) => {
    const vm = findVm(state, id);
    const folders = vm.folders.filter((each) => each.guestPath !== guestPath);
    if (folders.length === vm.folders.length) {
      throw new RangeError(`VM ${JSON.stringify(id)} has no folder ${JSON.stringify(guestPath)}`);
    }
    state.vms.set(id, { ...vm, folders });
  };
}

function findVm(state: DaemonState, id: string): VirtualMachine {
  const vm = state.vms.get(id);
  if (vm === undefined) throw new RangeError(`there is no VM ${JSON.stringify(id)}`);
  return vm;
}

function concerns(operation: DaemonOperation, id: string): boolean {
  return operation.kind === "create" ? operation.vm.id === id : operation.vmId === id;
}
