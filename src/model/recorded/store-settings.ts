/** Where recorded state is kept, as the configuration says it, by kind of store. */

import type { HttpStoreSettings } from "./http-settings.ts";
import type { PostgresStoreSettings } from "./postgres-settings.ts";
import type { S3StoreSettings } from "./s3-settings.ts";

/** A snapshot, a journal and a lock beside each other. */
export type LocalStoreSettings = {
  readonly kind: "local";
  /** The snapshot's file, absolute or relative to the process. */
  readonly path: string;
};

export type StoreSettings = (
  | LocalStoreSettings
  | HttpStoreSettings
  | S3StoreSettings
  | PostgresStoreSettings
) & {
  /**
   * What paths begin with of files that are kept beside recorded state on this machine, whatever
   * the store: backups of a push, emergency copies.
   */
  readonly beside: string;
};
