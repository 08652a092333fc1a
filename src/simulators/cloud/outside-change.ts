/**
 * Changes behind the client's back: what other people do to the cloud. They happen at once,
 * whatever tasks are running; a task whose VM is gone at its end fails.
 */

import type { Cursor } from "../decode.ts";
import { isAbsent, readChoice, readCount, readFlag, readMembers, readText } from "../decode.ts";
import type { CloudState } from "./cloud-state.ts";
import { settleCloud } from "./cloud-state.ts";
import type { CloudRole, CloudUser, CloudVapp } from "./inventory.ts";
import { cloudRoles, isSameOrg } from "./inventory.ts";
import { beginTask } from "./tasks.ts";
import type { CloudVmChangeDocument } from "./vm-change.ts";
import { findVm, readVmChange, vmChangeNames } from "./vm-change.ts";

/** As written in fault scripts and sent to the control surface. Things are named by their keys. */
export type CloudChangeDocument =
  | CloudVmChangeDocument
  | {
      /** The user (`name` or `name@org`), or everybody, has no rights on the VM, or has again. */
      readonly deny_cloud_vm: {
        readonly vm: string;
        readonly user?: string;
        readonly denied?: boolean;
      };
    }
  | { readonly set_cloud_role: { readonly user: string; readonly role: CloudRole } }
  | {
      readonly change_cloud_datastore: {
        readonly datastore: string;
        readonly name?: string;
        readonly enabled?: boolean;
      };
    }
  | {
      /** A task of somebody else on a VM or a vApp, without effect, that keeps the vApp busy. */
      readonly start_cloud_task: {
        readonly vm?: string;
        readonly vapp?: string;
        readonly duration_ms: number;
        /** `vappUpdateVm` by default. */
        readonly operation?: string;
        /** `somebody` by default. */
        readonly user?: string;
      };
    }
  | { readonly end_cloud_sessions: { readonly user?: string } };

/** A change that was read; throws `RangeError` when what it names is not there. */
export type CloudChange = (state: CloudState, nowMs: number) => void;

const ownChangeNames = [
  "deny_cloud_vm",
  "set_cloud_role",
  "change_cloud_datastore",
  "start_cloud_task",
  "end_cloud_sessions",
] as const;

export const cloudChangeNames: readonly string[] = [...vmChangeNames, ...ownChangeNames];

/** Reads the change of the given name. */
export function readCloudChange(name: string, cursor: Cursor, seed: number): CloudChange {
  const own = ownChangeNames.find((each) => each === name);
  const change = own === undefined ? readVmChange(name, cursor, seed) : readers[own](cursor);
  return (state, nowMs) => {
    settleCloud(state, nowMs);
    change(state, nowMs);
  };
}

const readers: { readonly [name in (typeof ownChangeNames)[number]]: (c: Cursor) => CloudChange } =
  {
    deny_cloud_vm: readDenial,
    set_cloud_role: readRole,
    change_cloud_datastore: readDatastoreChange,
    start_cloud_task: readTask,
    end_cloud_sessions: readEndOfSessions,
  };

function readDenial(cursor: Cursor): CloudChange {
  const member = readMembers(cursor, ["vm", "user", "denied"]);
  const key = readText(member("vm"));
  const user = optionalText(member("user"));
  const denied = readFlag(member("denied"), true);
  return (state) => {
    const vm = findVm(state, key);
    if (user === undefined) {
      // Rights that everybody has again, every single user has again.
      state.vms.set(vm.id, {
        ...vm,
        denied,
        deniedUserIds: denied ? vm.deniedUserIds : [],
      });
      return;
    }
    const { id } = findUser(state, user);
    const others = vm.deniedUserIds.filter((each) => each !== id);
    state.vms.set(vm.id, { ...vm, deniedUserIds: denied ? [...others, id] : others });
  };
}

function readRole(cursor: Cursor): CloudChange {
  const member = readMembers(cursor, ["user", "role"]);
  const name = readText(member("user"));
  const role = readChoice(member("role"), cloudRoles);
  return (state) => {
    const { id } = findUser(state, name);
    state.users = state.users.map((user) => (user.id === id ? { ...user, role } : user));
  };
}

function readDatastoreChange(cursor: Cursor): CloudChange {
  const member = readMembers(cursor, ["datastore", "name", "enabled"]);
  const key = readText(member("datastore"));
  const name = optionalText(member("name"));
  const enabled = isAbsent(member("enabled")) ? undefined : readFlag(member("enabled"));
  return (state) => {
    const found = [...state.datastores.values()].find((each) => each.key === key);
    if (found === undefined) throw new RangeError(`there is no datastore ${JSON.stringify(key)}`);
    state.datastores.set(found.id, {
      ...found,
      name: name ?? found.name,
      enabled: enabled ?? found.enabled,
    });
  };
}

function readTask(cursor: Cursor): CloudChange {
  const member = readMembers(cursor, ["vm", "vapp", "duration_ms", "operation", "user"]);
  const vapp = optionalText(member("vapp"));
  const vm = vapp === undefined ? readText(member("vm")) : undefined;
  if (vapp !== undefined && !isAbsent(member("vm"))) {
    cursor.report(cursor.path, "only one of vm, vapp may be given");
  }
  const durationMs = readCount(member("duration_ms"), 1);
  const operationName = readText(member("operation"), "vappUpdateVm");
  const user = readText(member("user"), "somebody");
  return (state, nowMs) => {
    const owner = ownerOf(state, vm, vapp);
    const what = owner.kind === "vm" ? "Virtual Machine" : "Virtual Application";
    const start = {
      operationName,
      runningText: `Updating ${what} ${owner.name}(${owner.id})`,
      endedText: `Updated ${what} ${owner.name}(${owner.id})`,
      owner: { kind: owner.kind, id: owner.id, name: owner.name },
      vappId: owner.vappId,
      durationMs,
      effect: { kind: "none", vmIds: owner.kind === "vm" ? [owner.id] : [] },
    } as const;
    const found = state.users.find((each) => each.name === user);
    beginTask(state, start, { name: user, org: found?.org ?? "System" }, nowMs);
  };
}

function ownerOf(state: CloudState, vmKey: string | undefined, vappKey: string | undefined) {
  if (vmKey !== undefined) return { kind: "vm", ...findVm(state, vmKey) } as const;
  const vapp = findVapp(state, vappKey ?? "");
  return { kind: "vApp", ...vapp, vappId: vapp.id } as const;
}

function readEndOfSessions(cursor: Cursor): CloudChange {
  const user = optionalText(readMembers(cursor, ["user"])("user"));
  return (state) => {
    const only = user === undefined ? undefined : findUser(state, user).id;
    for (const [token, session] of state.sessions) {
      if (only !== undefined && session.userId !== only) continue;
      state.sessions.delete(token);
      state.sessionCounts.endedByOthers += 1;
    }
  };
}

function optionalText(cursor: Cursor): string | undefined {
  return isAbsent(cursor) ? undefined : readText(cursor);
}

/** By `name` or `name@org`. */
function findUser(state: CloudState, text: string): CloudUser {
  const at = text.lastIndexOf("@");
  const found = state.users.find(
    ({ name, org }) =>
      name === text || (name === text.slice(0, at) && isSameOrg(org, text.slice(at + 1))),
  );
  if (found === undefined) throw new RangeError(`there is no cloud user ${JSON.stringify(text)}`);
  return found;
}

function findVapp(state: CloudState, key: string): CloudVapp {
  const vapp = [...state.vapps.values()].find((each) => each.key === key);
  if (vapp === undefined) throw new RangeError(`there is no vApp ${JSON.stringify(key)}`);
  return vapp;
}
