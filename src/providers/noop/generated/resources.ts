/** Generated from schemas/resources/noop_* by scripts/generate-types.mjs; not for editing by hand. */

/**
 * By the name of the resource type.
 */
export interface NoopResources {
  noop_resource: {
    name?: string;
    value?: string;
    trigger?: string;
    task_duration?: string;
  };
}
