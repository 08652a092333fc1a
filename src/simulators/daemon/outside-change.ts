/**
 * Changes behind the client's back: what a person at the host does to the daemon's VMs. They happen
 * at once and end work in progress on the VM without its effect.
 */

import type { ChangesOf } from "../kit/change.ts";
import type { DaemonOperation, DaemonState } from "./daemon-state.ts";
import { supersede } from "./daemon-state.ts";
import type { VirtualMachine } from "./virtual-machine.ts";
import { withPower } from "./virtual-machine.ts";
import { folderOf, virtualMachineOf } from "./world-document.ts";

/** Each throws `RangeError` when the VM it names is absent (or present). */
export const daemonChanges = {
  power_vm(state, { id, power }) {
    const vm = findVm(state, id);
    supersede(state, (operation) => operation.kind !== "create" && operation.vmId === id);
    state.vms.set(id, withPower(vm, power));
  },
  create_vm(state, { id, ...entry }) {
    if (state.vms.has(id)) throw new RangeError(`there is a VM ${JSON.stringify(id)}`);
    supersede(state, (operation) => concerns(operation, id));
    state.vms.set(id, virtualMachineOf(id, entry, state.seed));
  },
  delete_vm(state, { id }) {
    findVm(state, id);
    supersede(state, (operation) => concerns(operation, id));
    state.vms.delete(id);
  },
  rename_vm: (state, { id, name }) => edit(state, id, { name }),
  tag_vm: (state, { id, tag }) => edit(state, id, { tag }),
  share_vm: (state, { id, sharing }) => edit(state, id, { sharing }),
  add_folder(state, { id, guest_path: guestPath, ...entry }) {
    const others = findVm(state, id).folders.filter((each) => each.guestPath !== guestPath);
    edit(state, id, { folders: [...others, folderOf(guestPath, entry)] });
  },
  remove_folder(state, { id, guest_path: guestPath }) {
    const present = findVm(state, id).folders;
    const folders = present.filter((each) => each.guestPath !== guestPath);
    if (folders.length === present.length) {
      throw new RangeError(`VM ${JSON.stringify(id)} has no folder ${JSON.stringify(guestPath)}`);
    }
    edit(state, id, { folders });
  },
} satisfies ChangesOf<DaemonState>;

function edit(state: DaemonState, id: string, part: Partial<VirtualMachine>): void {
  state.vms.set(id, { ...findVm(state, id), ...part });
}

function findVm(state: DaemonState, id: string): VirtualMachine {
  const vm = state.vms.get(id);
  if (vm === undefined) throw new RangeError(`there is no VM ${JSON.stringify(id)}`);
  return vm;
}

function concerns(operation: DaemonOperation, id: string): boolean {
  return operation.kind === "create" ? operation.vm.id === id : operation.vmId === id;
}
