/**
 * Changes behind the client's back: what other people do to the cloud. They happen at once,
 * whatever tasks are running; a task whose VM is gone at its end fails.
 */

import type { ChangesOf } from "../kit/change.ts";
import { endSessions } from "../kit/sessions.ts";
import { beginTask } from "./vm/tasks.ts";
import { findVm, vmChanges } from "./vm-change.ts";
import type { CloudState } from "./world/cloud-state.ts";
import type { CloudUser, CloudVapp } from "./world/inventory.ts";
import { isSameOrg } from "./world/inventory.ts";

export const cloudChanges = {
  ...vmChanges,
  deny_cloud_vm(state, { vm: key, user, denied }) {
    const vm = findVm(state, key);
    if (user === undefined) {
      // Rights that everybody has again, every single user has again.
      state.vms.set(vm.id, { ...vm, denied, deniedUserIds: denied ? vm.deniedUserIds : [] });
      return;
    }
    const { id } = findUser(state, user);
    const others = vm.deniedUserIds.filter((each) => each !== id);
    state.vms.set(vm.id, { ...vm, deniedUserIds: denied ? [...others, id] : others });
  },
  set_cloud_role(state, { user: name, role }) {
    const { id } = findUser(state, name);
    state.users = state.users.map((user) => (user.id === id ? { ...user, role } : user));
  },
  change_cloud_datastore(state, { datastore: key, name, enabled }) {
    const found = [...state.datastores.values()].find((each) => each.key === key);
    if (found === undefined) throw new RangeError(`there is no datastore ${JSON.stringify(key)}`);
    state.datastores.set(found.id, {
      ...found,
      name: name ?? found.name,
      enabled: enabled ?? found.enabled,
    });
  },
  start_cloud_task(state, { vm, vapp, duration_ms: durationMs, operation, user }, nowMs) {
    const owner = ownerOf(state, vm, vapp);
    const what = owner.kind === "vm" ? "Virtual Machine" : "Virtual Application";
    const start = {
      operationName: operation,
      runningText: `Updating ${what} ${owner.name}(${owner.id})`,
      endedText: `Updated ${what} ${owner.name}(${owner.id})`,
      owner: { kind: owner.kind, id: owner.id, name: owner.name },
      vappId: owner.vappId,
      durationMs,
      effect: { kind: "none", vmIds: owner.kind === "vm" ? [owner.id] : [] },
    } as const;
    const found = state.users.find((each) => each.name === user);
    beginTask(state, start, { name: user, org: found?.org ?? "System" }, nowMs);
  },
  end_cloud_sessions(state, { user }) {
    const only = user === undefined ? undefined : findUser(state, user).id;
    endSessions(state, ({ userId }) => only === undefined || userId === only);
  },
} satisfies ChangesOf<CloudState>;

function ownerOf(state: CloudState, vmKey: string | undefined, vappKey: string | undefined) {
  if ((vmKey === undefined) === (vappKey === undefined)) {
    throw new RangeError("only one of vm, vapp may be given, and one of them is needed");
  }
  if (vmKey !== undefined) return { kind: "vm", ...findVm(state, vmKey) } as const;
  const vapp = findVapp(state, vappKey ?? "");
  return { kind: "vApp", ...vapp, vappId: vapp.id } as const;
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
