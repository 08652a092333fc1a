/** Where recorded state is kept in an object store, as it is configured. */

import type { SecretReference } from "../value/secret-reference.ts";

/** What is absent comes from the variables that the tools of AWS read. */
export type S3StoreSettings = {
  readonly kind: "s3";
  /** Folder of the configuration: what secrets name is relative to it. */
  readonly directory: string;
  readonly bucket: string;
  readonly key: string;
  readonly region?: string;
  /** Of another vendor, without credentials. */
  readonly endpoint?: string;
  /** `ENDPOINT/BUCKET/KEY` instead of `BUCKET.ENDPOINT/KEY`. */
  readonly usePathStyle: boolean;
  readonly accessKey?: string;
  readonly secretKey?: SecretReference;
  /** Certificates trusted besides those of the system; an absolute path. */
  readonly caFile?: string;
  readonly allowUnverified: boolean;
};
