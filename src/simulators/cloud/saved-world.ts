/**
 * Worlds that an earlier version has persisted: what has come since then is filled in, so that they
 * go on as they were.
 */

import { uuidOf } from "../uuid.ts";
import type { CloudWorld } from "./cloud-state.ts";
import type { CloudDurations } from "./durations.ts";
import { readCloudDurations } from "./durations.ts";
import type { CloudDatastore, CloudUser, CloudVm } from "./inventory.ts";
import { defaultRole } from "./inventory.ts";
import type { CloudRules } from "./settings.ts";
import { readCloudRules } from "./settings.ts";
import type { CloudTask } from "./task.ts";

/** `T`, of which an earlier version did not know the members `K`. */
type Earlier<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;

export type SavedCloudWorld = Omit<
  CloudWorld,
  "durations" | "rules" | "users" | "managers" | "datastores" | "vms" | "tasks"
> & {
  readonly durations: Partial<CloudDurations>;
  readonly rules: Partial<CloudRules>;
  readonly users: readonly Earlier<CloudUser, "role" | "withheld">[];
  readonly managers?: CloudWorld["managers"];
  readonly datastores: readonly Earlier<CloudDatastore, "managerId">[];
  readonly vms: readonly Earlier<CloudVm, "adminPassword" | "deniedUserIds" | "independentDisk">[];
  readonly tasks: readonly Earlier<CloudTask, "preRunMs" | "cancelMs">[];
};

/** A world of this version is given back as it is. */
export function upgradeCloudWorld(saved: SavedCloudWorld, seed: number): CloudWorld {
  const absent = { value: undefined, path: [], report: () => {} };
  const rules = { ...readCloudRules(absent), ...saved.rules };
  const name = rules.managerName;
  // The one manager there was had no record of its own, only a name.
  const managers = saved.managers ?? [{ key: name, id: uuidOf(seed, "manager", name), name }];
  const managerId = managers[0]?.id ?? "";
  return {
    durations: { ...readCloudDurations(absent), ...saved.durations },
    rules,
    users: saved.users.map((user) => ({ role: defaultRole(user.org), withheld: [], ...user })),
    managers,
    datastores: saved.datastores.map((datastore) => ({ managerId, ...datastore })),
    vapps: saved.vapps,
    vms: saved.vms.map((vm) => ({
      adminPassword: null,
      deniedUserIds: [],
      independentDisk: false,
      ...vm,
    })),
    tasks: saved.tasks.map((task) => ({ preRunMs: task.runMs, cancelMs: null, ...task })),
    nextNumber: saved.nextNumber,
  };
}
