/** Changes of single VMs behind the client's back. Things are named by their keys. */

import type { ChangesOf } from "../kit/change.ts";
import type { CloudState } from "./world/cloud-state.ts";
import type { CloudVm } from "./world/inventory.ts";
import { toolsRun, vmStatus } from "./world/inventory.ts";
import { cloudVmOf } from "./world/world-document.ts";

export const vmChanges = {
  power_cloud_vm(state, { vm, power, deployed = power !== "off", status = vmStatus[power] }) {
    edit(state, vm, { status, deployed });
  },
  add_cloud_vm(state, { vm: key, vapp: vappKey, datastore, ...entry }, nowMs) {
    const vapp = [...state.vapps.values()].find((each) => each.key === vappKey);
    if (vapp === undefined) throw new RangeError(`there is no vApp ${JSON.stringify(vappKey)}`);
    const moref = entry.moref ?? `vm-${9000 + state.nextNumber}`;
    const datastoreId = findDatastoreId(state, datastore);
    const place = { vappId: vapp.id, datastoreId, moref };
    const made = cloudVmOf(key, entry, { seed: state.seed, nowMs, ...place });
    if (state.vms.has(made.id)) throw new RangeError(`there is a VM ${JSON.stringify(key)}`);
    state.nextNumber += 1;
    state.vms.set(made.id, made);
  },
  delete_cloud_vm(state, { vm }) {
    state.vms.delete(findVm(state, vm).id);
  },
  move_cloud_vm(state, { vm, datastore }) {
    edit(state, vm, { datastoreId: findDatastoreId(state, datastore) });
  },
  rename_cloud_vm: (state, { vm, name }) => edit(state, vm, { name }),
  nest_cloud_vm: (state, { vm, enabled }) => edit(state, vm, { nested: enabled }),
  tools_cloud_vm: (state, { vm, tools }) => edit(state, vm, { tools: toolsRun(tools) }),
  snapshot_cloud_vm(state, { vm, remove }, nowMs) {
    const poweredOn = findVm(state, vm).status === vmStatus.on;
    const made = { createdMs: nowMs, poweredOn, sizeBytes: 0, name: "" };
    edit(state, vm, { snapshot: remove ? null : made });
  },
} satisfies ChangesOf<CloudState>;

function edit(state: CloudState, key: string, part: Partial<CloudVm>): void {
  const vm = findVm(state, key);
  state.vms.set(vm.id, { ...vm, ...part });
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
