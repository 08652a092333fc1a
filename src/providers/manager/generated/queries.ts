/** Generated from schemas/data/manager_* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * By the name of the data source.
 */
export interface ManagerQueries {
  manager_disks: ManagerDisks;
  manager_host: ManagerHost;
  manager_login_events: ManagerLoginEvents;
  manager_vm: ManagerVm;
}
export interface ManagerDisks {
  vm: string;
}
export interface ManagerHost {
  name?: string;
  moref?: string;
}
export interface ManagerLoginEvents {
  user_name?: string;
  since?: string;
  limit: number;
}
export interface ManagerVm {
  moref?: string;
  name?: string;
  path?: string;
  instance_uuid?: string;
}
