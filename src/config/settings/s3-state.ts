/** `vmform.state.s3`: recorded state in an object store. */

import type { Configuration } from "../../model/generated/config.ts";
import type { S3StoreSettings } from "../../model/recorded/s3-settings.ts";
import { secretSetting } from "./secret-setting.ts";

export type S3Block = NonNullable<NonNullable<NonNullable<Configuration["vmform"]>["state"]>["s3"]>;

/** Secrets are relative to `directory`; `at` makes a path absolute. */
export function s3Settings(
  block: S3Block,
  directory: string,
  at: (path: string) => string,
): S3StoreSettings {
  const { bucket, key, region, endpoint, use_path_style: usePathStyle = true } = block;
  const { access_key: accessKey, ca_file: caFile } = block;
  const { allow_unverified_ssl: allowUnverified = false } = block;
  const secretKey = secretSetting(block.secret_key);
  return {
    kind: "s3",
    directory,
    bucket,
    key,
    usePathStyle,
    allowUnverified,
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(secretKey === undefined ? {} : { secretKey }),
    ...(caFile === undefined ? {} : { caFile: at(caFile) }),
  };
}
