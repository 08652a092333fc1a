/**
 * Changes behind the client's back: what other people do to the manager. They happen at once,
 * whatever tasks are running; a task whose VM is gone at its end fails.
 */

import type { Cursor } from "../decode.ts";
import { isAbsent, readChoice, readCount, readFlag, readMembers, readText } from "../decode.ts";
import type { AlarmChangeDocument } from "./alarm-change.ts";
import { alarmChangeNames, readAlarmChange } from "./alarm-change.ts";
import type { ManagerDisk, ManagerVm, PowerState } from "./inventory.ts";
import { withPower } from "./inventory.ts";
import type { ManagerState } from "./manager-state.ts";
import { settleManager, takeNumber } from "./manager-state.ts";
import { nameWithDomain, postEvent } from "./session.ts";
import { beginTask } from "./task-methods.ts";

type Power = "on" | "off" | "suspended";

/** As written in fault scripts and sent to the control surface. Things are named by their keys. */
export type ManagerChangeDocument =
  | AlarmChangeDocument
  | { readonly power_manager_vm: { readonly vm: string; readonly power: Power } }
  | {
      readonly change_manager_vm: {
        readonly vm: string;
        readonly name?: string;
        readonly nested?: boolean;
        readonly host?: string;
        readonly datastore?: string;
        readonly tools?: ManagerVm["tools"];
        readonly connection?: ManagerVm["connection"];
      };
    }
  | { readonly delete_manager_vm: { readonly vm: string } }
  | {
      /** A snapshot is made, or all of them are removed. */
      readonly snapshot_manager_vm: {
        readonly vm: string;
        readonly name?: string;
        readonly remove?: boolean;
      };
    }
  | {
      /** `disk` is a label such as `Hard disk 1`, or a device key. */
      readonly change_manager_disk: {
        readonly vm: string;
        readonly disk: string | number;
        readonly size_gb?: number;
        /** Space that the guest does not use any more; a wipe of before has not seen it. */
        readonly stale_gb?: number;
      };
    }
  | {
      /** Somebody else's task on a VM, without effect, that keeps it busy. */
      readonly start_manager_task: {
        readonly vm: string;
        readonly duration_ms: number;
        /** `ReconfigVM_Task` by default. */
        readonly operation?: string;
        /** `somebody` by default. */
        readonly user?: string;
      };
    }
  | {
      /** Task objects are gone, and running work with them; of one VM, or of all. */
      readonly forget_manager_tasks: { readonly vm?: string };
    }
  | { readonly log_in_manager_user: { readonly user: string; readonly ip_address?: string } }
  | { readonly end_manager_sessions: { readonly user?: string } };

/** A change that was read; throws `RangeError` when what it names is not there. */
export type ManagerChange = (state: ManagerState, nowMs: number) => void;

const ownChangeNames = [
  "power_manager_vm",
  "change_manager_vm",
  "delete_manager_vm",
  "snapshot_manager_vm",
  "change_manager_disk",
  "start_manager_task",
  "forget_manager_tasks",
  "log_in_manager_user",
  "end_manager_sessions",
] as const;

export const managerChangeNames: readonly string[] = [...ownChangeNames, ...alarmChangeNames];

/** Reads the change of the given name. */
export function readManagerChange(name: string, cursor: Cursor): ManagerChange {
  const own = ownChangeNames.find((each) => each === name);
  const change = own === undefined ? readAlarmChange(name, cursor) : readers[own](cursor);
  return (state, nowMs) => {
    settleManager(state, nowMs);
    change(state, nowMs);
  };
}

type Reader = (cursor: Cursor) => ManagerChange;

const readers: { readonly [name in (typeof ownChangeNames)[number]]: Reader } = {
  power_manager_vm: readPower,
  change_manager_vm: readVmChange,
  delete_manager_vm(cursor) {
    const key = readText(readMembers(cursor, ["vm"])("vm"));
    return (state) => {
      state.vms.delete(findVm(state, key).id);
    };
  },
  snapshot_manager_vm: readSnapshot,
  change_manager_disk: readDiskChange,
  start_manager_task: readTask,
  forget_manager_tasks(cursor) {
    const key = optionalText(readMembers(cursor, ["vm"])("vm"));
    return (state) => {
      const only = key === undefined ? undefined : findVm(state, key).id;
      for (const task of [...state.tasks.values()]) {
        if (only === undefined || task.vmId === only) state.tasks.delete(task.id);
      }
    };
  },
  log_in_manager_user: readLogin,
  end_manager_sessions: readEndOfSessions,
};

const powers: { readonly [word in Power]: PowerState } = {
  on: "poweredOn",
  off: "poweredOff",
  suspended: "suspended",
};

function readPower(cursor: Cursor): ManagerChange {
  const member = readMembers(cursor, ["vm", "power"]);
  const key = readText(member("vm"));
  const power = powers[readChoice(member("power"), ["on", "off", "suspended"])];
  return edit(key, (vm, state, nowMs) => withPower(vm, power, nowMs, state.durations.tools));
}

function readVmChange(cursor: Cursor): ManagerChange {
  const names = ["vm", "name", "nested", "host", "datastore", "tools", "connection"];
  const member = readMembers(cursor, names);
  const key = readText(member("vm"));
  const host = optionalText(member("host"));
  const datastore = optionalText(member("datastore"));
  const name = optionalText(member("name"));
  const nested = isAbsent(member("nested")) ? undefined : readFlag(member("nested"));
  const tools = isAbsent(member("tools"))
    ? undefined
    : readChoice(member("tools"), ["running", "absent"]);
  const connection = isAbsent(member("connection"))
    ? undefined
    : readChoice(member("connection"), ["connected", "disconnected", "inaccessible", "orphaned"]);
  return edit(key, (vm, state, nowMs) => {
    const datastoreId =
      datastore === undefined ? undefined : keyed(state.datastores.values(), datastore).id;
    const runs = (tools ?? vm.tools) === "running" && vm.power === "poweredOn";
    return {
      ...vm,
      name: name ?? vm.name,
      nested: nested ?? vm.nested,
      hostId: host === undefined ? vm.hostId : keyed(state.hosts, host).id,
      datastoreId: datastoreId ?? vm.datastoreId,
      disks: vm.disks.map((disk) => ({ ...disk, datastoreId: datastoreId ?? disk.datastoreId })),
      tools: tools ?? vm.tools,
      toolsMs: runs ? (vm.toolsMs ?? nowMs) : null,
      connection: connection ?? vm.connection,
      changes: vm.changes + 1,
      changedMs: nowMs,
    };
  });
}

function readSnapshot(cursor: Cursor): ManagerChange {
  const member = readMembers(cursor, ["vm", "name", "remove"]);
  const key = readText(member("vm"));
  const name = readText(member("name"), "snapshot");
  const isRemoved = readFlag(member("remove"), false);
  return edit(key, (vm, state, nowMs) => {
    if (isRemoved) return { ...vm, snapshots: [] };
    const number = takeNumber(state);
    const made = { id: `snapshot-${number}`, number, name, description: "", createdMs: nowMs };
    return { ...vm, snapshots: [...vm.snapshots, made] };
  });
}

const gibibyteKb = 1024 * 1024;

function readDiskChange(cursor: Cursor): ManagerChange {
  const member = readMembers(cursor, ["vm", "disk", "size_gb", "stale_gb"]);
  const key = readText(member("vm"));
  const written = member("disk").value;
  const disk = typeof written === "number" ? written : readText(member("disk"));
  const kbOf = (name: string): number | undefined =>
    isAbsent(member(name)) ? undefined : readCount(member(name), 0) * gibibyteKb;
  const sizeKb = kbOf("size_gb");
  const staleKb = kbOf("stale_gb");
  return edit(key, (vm) => {
    if (!vm.disks.some((each) => isNamed(each, disk))) {
      throw new RangeError(`there is no disk ${JSON.stringify(disk)}`);
    }
    const disks = vm.disks.map((each) => {
      if (!isNamed(each, disk)) return each;
      const capacityKb = sizeKb ?? each.capacityKb;
      const isThin = each.format === "thin" || each.format === "sesparse";
      const allocatedKb = isThin ? each.allocatedKb : capacityKb;
      return {
        ...each,
        capacityKb,
        allocatedKb,
        staleKb: Math.min(staleKb ?? each.staleKb, allocatedKb),
      };
    });
    return { ...vm, disks, changes: vm.changes + 1 };
  });
}

function isNamed(disk: ManagerDisk, name: string | number): boolean {
  return disk.key === name || disk.label === name;
}

function readTask(cursor: Cursor): ManagerChange {
  const member = readMembers(cursor, ["vm", "duration_ms", "operation", "user"]);
  const key = readText(member("vm"));
  const durationMs = readCount(member("duration_ms"), 1);
  const name = readText(member("operation"), "ReconfigVM_Task");
  const user = readText(member("user"), "somebody");
  return (state, nowMs) => {
    const method = name.replace(/(VM)?_Task$/, "");
    const word =
      method === "Reconfig" ? "reconfigure" : `${method[0]?.toLowerCase()}${method.slice(1)}`;
    const start = {
      name,
      descriptionId: `VirtualMachine.${word}`,
      vm: findVm(state, key),
      durationMs,
      effect: { kind: "none" } as const,
    };
    beginTask(state, start, nameWithDomain(state, user), nowMs);
  };
}

function readLogin(cursor: Cursor): ManagerChange {
  const member = readMembers(cursor, ["user", "ip_address"]);
  const user = readText(member("user"));
  const ipAddress = readText(member("ip_address"), "192.0.2.10");
  return (state, nowMs) => {
    postEvent(state, {
      kind: "login",
      createdMs: nowMs,
      user: nameWithDomain(state, user),
      ipAddress,
      userAgent: "browser",
      sessionId: `key-${state.nextNumber}`,
      loginMs: null,
    });
  };
}

function readEndOfSessions(cursor: Cursor): ManagerChange {
  const user = optionalText(readMembers(cursor, ["user"])("user"));
  return (state) => {
    if (user !== undefined && !state.users.some((each) => each.name === user)) {
      throw new RangeError(`there is no user ${JSON.stringify(user)}`);
    }
    for (const session of [...state.sessions.values()]) {
      if (user !== undefined && session.user.name !== user) continue;
      state.sessions.delete(session.id);
      state.sessionCounts.endedByOthers += 1;
    }
  };
}

function edit(
  key: string,
  changed: (vm: ManagerVm, state: ManagerState, nowMs: number) => ManagerVm,
): ManagerChange {
  return (state, nowMs) => {
    const vm = findVm(state, key);
    state.vms.set(vm.id, changed(vm, state, nowMs));
  };
}

function findVm(state: ManagerState, key: string): ManagerVm {
  return keyed(state.vms.values(), key);
}

function keyed<T extends { readonly key: string }>(items: Iterable<T>, key: string): T {
  for (const item of items) if (item.key === key) return item;
  throw new RangeError(`the manager has no ${JSON.stringify(key)}`);
}

function optionalText(cursor: Cursor): string | undefined {
  return isAbsent(cursor) ? undefined : readText(cursor);
}
