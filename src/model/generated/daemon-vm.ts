/** Generated from schemas/resources/daemon_vm.schema.json by scripts/generate-types.mjs; not for editing by hand. */

/**
 * A VM of the local VM daemon. Owned: made, powered and deleted by vmform.
 */
export interface DaemonVm {
  /**
   * Identifier chosen by you, unique on the daemon.
   */
  id: string;
  /**
   * Display name. The daemon cannot rename: a new name replaces the VM. Read back only while the VM is on.
   */
  name?: string;
  /**
   * Id of the VM to clone (a full copy). Without it the VM is made from the daemon's default template. Never read back.
   */
  parent_id?: string;
  /**
   * Text kept with the VM. A new tag replaces the VM. Read back only while the VM is on.
   */
  tag?: string;
  /**
   * Wanted power. Unset: left as it is; a new VM is off.
   */
  power?: "on" | "off" | "suspended" | "paused";
  /**
   * Whether the guest sees shared folders. Sent while the VM is on; never read back.
   */
  folder_sharing?: boolean;
  /**
   * How long a graceful shutdown may take before the VM is turned off hard, such as 90s. Default 2m.
   */
  shutdown_timeout?: string;
  /**
   * Power as last read: on, off, suspended or paused.
   */
  power_state?: string;
  /**
   * Address of the guest, once it has one. Changes by itself and is never drift; a reference to it waits for it.
   */
  ip_address?: string;
}
