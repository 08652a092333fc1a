/** Generated from schemas/data/daemon_* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * By the name of the data source.
 */
export interface DaemonQueries {
  daemon_vms: DaemonVms;
}
export interface DaemonVms {
  /**
   * @minItems 1
   */
  tags?: [string, ...string[]];
}
