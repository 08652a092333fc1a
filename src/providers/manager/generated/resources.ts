/** Generated from schemas/resources/manager_* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * By the name of the resource type.
 */
export interface ManagerResources {
  manager_disk: {
    vm?: string;
    disk_id?: string;
    label?: string;
    size_gb?: number;
    capacity_bytes?: number;
    disk_uuid?: string;
    vm_instance_uuid?: string;
    format?: string;
    file_name?: string;
    datastore?: string;
  };
  manager_disk_reclaim: {
    vm?: string;
    disk_id?: string;
    triggers?: unknown;
    every?: string;
    wiped_at?: string;
    shrunk_at?: string;
    shrinkable_bytes?: unknown;
    reclaimed_bytes?: unknown;
    vm_instance_uuid?: string;
    pending?: boolean;
  };
  manager_login_alarm: {
    name?: string;
    user_name?: string;
    enabled?: boolean;
    description?: string;
    expression?: string;
    moref?: string;
  };
  manager_vm: {
    moref?: string;
    name?: string;
    path?: string;
    instance_uuid?: string;
    datastore?: string;
    delta_disk_format?: string;
    power?: string;
    nested_hv_enabled?: boolean;
    on_destroy?: string;
    power_state?: string;
    bios_uuid?: string;
    host?: string;
    hardware_version?: number;
    tools_status?: string;
  };
}
