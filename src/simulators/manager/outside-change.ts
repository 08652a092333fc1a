/**
 * Changes behind the client's back: what other people do to the manager. They happen at once,
 * whatever tasks are running; a task whose VM is gone at its end fails. Keys name things.
 */

import type { ChangesOf } from "../kit/change.ts";
import { endSessions } from "../kit/sessions.ts";
import { alarmChanges } from "./alarm-change.ts";
import { beginTask } from "./methods/task-methods.ts";
import type { ManagerDisk, ManagerVm } from "./world/inventory.ts";
import { powerStateOf, withPower } from "./world/inventory.ts";
import type { ManagerState } from "./world/manager-state.ts";
import { takeNumber } from "./world/manager-state.ts";
import { nameWithDomain, postEvent } from "./world/session.ts";

const gibibyteKb = 1024 * 1024;

export const managerChanges = {
  ...alarmChanges,
  power_manager_vm(state, { vm, power }, nowMs) {
    const { tools } = state.durations;
    edit(state, vm, (found) => withPower(found, powerStateOf[power], nowMs, tools));
  },
  change_manager_vm(state, { vm: key, ...wanted }, nowMs) {
    edit(state, key, (vm) => {
      const { name, nested, host, datastore, tools = vm.tools, connection } = wanted;
      const datastoreId =
        datastore === undefined ? undefined : keyed(state.datastores.values(), datastore).id;
      const runs = tools === "running" && vm.power === "poweredOn";
      return {
        ...vm,
        name: name ?? vm.name,
        nested: nested ?? vm.nested,
        hostId: host === undefined ? vm.hostId : keyed(state.hosts, host).id,
        datastoreId: datastoreId ?? vm.datastoreId,
        disks: vm.disks.map((disk) => ({ ...disk, datastoreId: datastoreId ?? disk.datastoreId })),
        tools,
        toolsMs: runs ? (vm.toolsMs ?? nowMs) : null,
        connection: connection ?? vm.connection,
        changes: vm.changes + 1,
        changedMs: nowMs,
      };
    });
  },
  delete_manager_vm(state, { vm }) {
    state.vms.delete(findVm(state, vm).id);
  },
  snapshot_manager_vm(state, { vm: key, name, remove }, nowMs) {
    edit(state, key, (vm) => {
      if (remove) return { ...vm, snapshots: [] };
      const number = takeNumber(state);
      const made = { id: `snapshot-${number}`, number, name, description: "", createdMs: nowMs };
      return { ...vm, snapshots: [...vm.snapshots, made] };
    });
  },
  /** `disk` is a label such as `Hard disk 1`, or a device key. */
  change_manager_disk(state, { vm: key, disk, size_gb: sizeGb, stale_gb: staleGb }) {
    edit(state, key, (vm) => {
      if (!vm.disks.some((each) => isNamed(each, disk))) {
        throw new RangeError(`there is no disk ${JSON.stringify(disk)}`);
      }
      const disks = vm.disks.map((each) =>
        isNamed(each, disk) ? withSizes(each, sizeGb, staleGb) : each,
      );
      return { ...vm, disks, changes: vm.changes + 1 };
    });
  },
  start_manager_task(state, { vm, duration_ms: durationMs, operation: name, user }, nowMs) {
    const method = name.replace(/(VM)?_Task$/, "");
    const word =
      method === "Reconfig" ? "reconfigure" : `${method[0]?.toLowerCase()}${method.slice(1)}`;
    const start = {
      name,
      descriptionId: `VirtualMachine.${word}`,
      vm: findVm(state, vm),
      durationMs,
      effect: { kind: "none" } as const,
    };
    beginTask(state, start, nameWithDomain(state, user), nowMs);
  },
  forget_manager_tasks(state, { vm }) {
    const only = vm === undefined ? undefined : findVm(state, vm).id;
    for (const task of [...state.tasks.values()]) {
      if (only === undefined || task.vmId === only) state.tasks.delete(task.id);
    }
  },
  log_in_manager_user(state, { user, ip_address: ipAddress }, nowMs) {
    postEvent(state, {
      kind: "login",
      createdMs: nowMs,
      user: nameWithDomain(state, user),
      ipAddress,
      userAgent: "browser",
      sessionId: `key-${state.nextNumber}`,
      loginMs: null,
    });
  },
  end_manager_sessions(state, { user }) {
    if (user !== undefined && !state.users.some((each) => each.name === user)) {
      throw new RangeError(`there is no user ${JSON.stringify(user)}`);
    }
    endSessions(state, (session) => user === undefined || session.user.name === user);
  },
} satisfies ChangesOf<ManagerState>;

function withSizes(
  disk: ManagerDisk,
  sizeGb: number | undefined,
  staleGb: number | undefined,
): ManagerDisk {
  const capacityKb = sizeGb === undefined ? disk.capacityKb : sizeGb * gibibyteKb;
  const isThin = disk.format === "thin" || disk.format === "sesparse";
  const allocatedKb = isThin ? disk.allocatedKb : capacityKb;
  const staleKb = staleGb === undefined ? disk.staleKb : staleGb * gibibyteKb;
  return { ...disk, capacityKb, allocatedKb, staleKb: Math.min(staleKb, allocatedKb) };
}

function isNamed(disk: ManagerDisk, name: string | number): boolean {
  return disk.key === name || disk.label === name;
}

function edit(state: ManagerState, key: string, changed: (vm: ManagerVm) => ManagerVm): void {
  const vm = findVm(state, key);
  state.vms.set(vm.id, changed(vm));
}

function findVm(state: ManagerState, key: string): ManagerVm {
  return keyed(state.vms.values(), key);
}

function keyed<T extends { readonly key: string }>(items: Iterable<T>, key: string): T {
  for (const item of items) if (item.key === key) return item;
  throw new RangeError(`the manager has no ${JSON.stringify(key)}`);
}
