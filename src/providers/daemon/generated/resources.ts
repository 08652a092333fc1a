/** Generated from schemas/resources/daemon_* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * By the name of the resource type.
 */
export interface DaemonResources {
  daemon_shared_folder: {
    vm_id?: string;
    guest_path?: string;
    host_path?: string;
    writable?: boolean;
  };
  daemon_vm: {
    id?: string;
    name?: string;
    parent_id?: string;
    tag?: string;
    power?: string;
    folder_sharing?: boolean;
    shutdown_timeout?: string;
    power_state?: string;
    ip_address?: string;
  };
}
