/** Generated from schemas/resources/noop_resource.schema.json by scripts/generate-types.mjs; not for editing by hand. */

/**
 * A resource without a remote side, for benchmarks and trials: it is planned, ordered, journaled and recorded like any other, and its requests go nowhere.
 */
export interface NoopResource {
  /**
   * Key of the resource, unique among its kind.
   */
  name: string;
  /**
   * Any text. A new value is an update in place.
   */
  value?: string;
  /**
   * Any text. A new trigger replaces the resource.
   */
  trigger?: string;
  /**
   * Every change becomes a remote task of this duration, such as 2s, that is polled. Unset: done at once.
   */
  task_duration?: string;
}
