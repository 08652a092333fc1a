/** Generated from schemas/resources/cloud_* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * By the name of the resource type.
 */
export interface CloudResources {
  cloud_snapshot: {
    vm?: string;
    name?: string;
    description?: string;
    memory?: boolean;
    quiesce?: boolean;
    created_at?: string;
    powered_on?: boolean;
    size_bytes?: number;
    vapp_href?: string;
    vm_moref?: string;
  };
  cloud_vm: {
    href?: string;
    name?: string;
    vapp_name?: string;
    datastore?: string;
    power?: string;
    nested_hv_enabled?: boolean;
    on_destroy?: string;
    power_state?: string;
    vapp_href?: string;
    hardware_version?: number;
    guest_os?: string;
    cpu_count?: number;
    memory_mb?: number;
    moref?: string;
    vc?: string;
  };
}
