/** Where recorded state is kept in a PostgreSQL database, as the configuration says it. */

import type { SecretReference } from "../value/secret-reference.ts";

export type PostgresStoreSettings = {
  readonly kind: "postgres";
  /** Without a password. What it leaves out comes from the environment, as of `psql`. */
  readonly url?: string;
  readonly password?: SecretReference;
  /** Certificates that are trusted instead of those of the system; an absolute path. */
  readonly caFile?: string;
  /** Which of the states that are kept in that schema. */
  readonly name: string;
  readonly schema: string;
  /** Folder of the configuration: what files of secrets are relative to. */
  readonly directory: string;
};
