/** Settings of an appliance provider: the endpoint they name, who logs in, and limits. */

import type { Value } from "../../../model/value/value.ts";
import { type ConnectionSettings, readLoginConnection } from "../../kit/endpoint.ts";
import { decodeSettings, invalidSetting } from "../../kit/schema/settings.ts";
import type { ApplianceBlock } from "../generated/settings.ts";

/** May stand at the end of a url. */
export const urlEnding = /\/+(rest|api)$/;

/** `release` and `prefix` are found by asking where they are absent. */
export type ApplianceSettings = ConnectionSettings &
  Pick<ApplianceBlock, "login" | "release" | "prefix"> & {
    readonly credentials: Pick<ApplianceBlock, "user" | "password">;
  };

/** Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): ApplianceSettings {
  const block = decodeSettings<ApplianceBlock>("appliance", settings);
  const { user, password, login, release, prefix } = block;
  const connection = readLoginConnection("appliance", block, urlEnding);
  if (/[\p{Cc}]/u.test(`${user}${password}`)) {
    throw invalidSetting("appliance", "user and password must not hold control characters");
  }
  // HTTP basic credentials end the name at the first colon.
  if (user.includes(":")) throw invalidSetting("appliance", "user must not hold a colon");
  return {
    ...connection,
    credentials: { user, password },
    login,
    ...(release === undefined ? {} : { release }),
    ...(prefix === undefined ? {} : { prefix }),
  };
}
