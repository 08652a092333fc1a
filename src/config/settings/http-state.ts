/** `vmform.state.http`: recorded state on a server that speaks Terraform's http protocol. */

import type { Configuration } from "../../model/generated/config.ts";
import type { HttpStoreSettings } from "../../model/recorded/http-settings.ts";
import { secretSetting } from "./secret-setting.ts";

export type HttpBlock = NonNullable<
  NonNullable<NonNullable<Configuration["vmform"]>["state"]>["http"]
>;

/** Paths are relative to `directory`; `at` makes one absolute, and tells what is wrong with it. */
export function httpSettings(
  block: HttpBlock,
  directory: string,
  at: (path: string) => string,
): HttpStoreSettings {
  const { ca_file: caFile, allow_unverified_ssl: allowUnverified = false } = block;
  const { without_lock: withoutLock = false, address, username, thumbprint } = block;
  const { update_method: updateMethod, lock_address: lockAddress } = block;
  const { lock_method: lockMethod, unlock_address: unlockAddress } = block;
  const { unlock_method: unlockMethod } = block;
  const password = secretSetting(block.password);
  return {
    kind: "http",
    directory,
    ...given({ address, updateMethod, lockAddress, lockMethod, unlockAddress, unlockMethod }),
    ...given({ username, thumbprint }),
    ...(password === undefined ? {} : { password }),
    ...(caFile === undefined ? {} : { caFile: at(caFile) }),
    allowUnverified,
    withoutLock,
  };
}

/** Without what is undefined. */
function given<T extends { readonly [name: string]: string | undefined }>(
  values: T,
): { readonly [K in keyof T]?: string } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names, and texts
  return Object.fromEntries(entries) as { readonly [K in keyof T]?: string };
}
