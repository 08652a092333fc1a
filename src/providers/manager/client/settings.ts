/** Settings of a host management provider: the endpoint they name, who logs in, and limits. */

import { uncarriedIn } from "../../../lib/xml/xml-text.ts";
import type { Value } from "../../../model/value/value.ts";
import { type ConnectionSettings, readLoginConnection } from "../../kit/endpoint.ts";
import { decodeSettings, invalidSetting } from "../../kit/schema/settings.ts";
import type { ManagerBlock } from "../generated/settings.ts";

/** May stand at the end of a url. */
export const urlEnding = /\/+sdk$/;

export type ManagerSettings = ConnectionSettings & {
  /** Mostly `DOMAIN\user` or `user@domain`. */
  readonly user: string;
  readonly password: string;
  readonly pageSize: number;
};

/** Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): ManagerSettings {
  const block = decodeSettings<ManagerBlock>("manager", settings);
  const { user, password, page_size: pageSize } = block;
  const connection = readLoginConnection("manager", block, urlEnding);
  const login = `${user}${password}`;
  if (/\p{Cc}/u.test(login) || uncarriedIn(login) !== undefined) {
    throw invalidSetting("manager", "user and password must not hold control characters");
  }
  return { ...connection, user, password, pageSize };
}
