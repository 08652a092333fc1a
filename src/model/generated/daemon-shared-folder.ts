/** Generated from schemas/resources/daemon_shared_folder.schema.json by scripts/generate-types.mjs; not for editing by hand. */

/**
 * A folder of the host shared into a VM of the local VM daemon. Owned; content of its VM.
 */
export interface DaemonSharedFolder {
  /**
   * Id of the VM it is shared into. The VM must be on, with folder_sharing: true.
   */
  vm_id: string;
  /**
   * Name of the share inside the guest; a name, not a path.
   */
  guest_path: string;
  /**
   * Existing folder on the host.
   */
  host_path: string;
  /**
   * Whether the guest may write.
   */
  writable?: boolean;
}
