/** Where recorded state is kept, as the configuration says it, by kind of store. */

import type { HttpStoreSettings } from "./http-settings.ts";
import type { PostgresStoreSettings } from "./postgres-settings.ts";
import type { S3StoreSettings } from "./s3-settings.ts";
import type { EncryptionSettings } from "./seal.ts";

/** A snapshot, a journal and a lock beside each other. */
export type LocalStoreSettings = {
  readonly kind: "local";
  /** The snapshot's file, absolute or relative to the process. */
  readonly path: string;
};

/** What is said of every store. */
export type StoreCommons = {
  /**
   * What paths begin with of files that are kept beside recorded state on this machine, whatever
   * the store: backups of a push, emergency copies.
   */
  readonly beside: string;
  /** How it is encrypted there, and saved plans as well. Absent: not at all. */
  readonly encryption?: EncryptionSettings;
};

export type StoreSettings = StoreCommons &
  (LocalStoreSettings | HttpStoreSettings | S3StoreSettings | PostgresStoreSettings);
