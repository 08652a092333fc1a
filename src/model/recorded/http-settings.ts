/** Where recorded state is kept by a server of Terraform's http protocol, as it is configured. */

import type { SecretReference } from "../value/secret-reference.ts";

/** What is absent comes from the variables that Terraform reads, `TF_HTTP_ADDRESS` and so on. */
export type HttpStoreSettings = {
  readonly kind: "http";
  /** Folder of the configuration: what the password names is relative to it. */
  readonly directory: string;
  /** Without credentials. */
  readonly address?: string;
  readonly updateMethod?: string;
  readonly lockAddress?: string;
  readonly lockMethod?: string;
  readonly unlockAddress?: string;
  readonly unlockMethod?: string;
  readonly username?: string;
  readonly password?: SecretReference;
  /** Certificates trusted besides those of the system; an absolute path. */
  readonly caFile?: string;
  readonly thumbprint?: string;
  readonly allowUnverified: boolean;
  /** A server that has no locks is used all the same. */
  readonly withoutLock: boolean;
};
