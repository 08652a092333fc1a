/** Settings of a host management provider: the endpoint they name, who logs in, and limits. */

import type { Value } from "../../../model/value.ts";
import { type ConnectionSettings, endpointKeyOf, readConnection } from "../../kit/endpoint.ts";
import { type SettingsReader, settingsReader } from "../../kit/settings-reader.ts";

const defaults = {
  requestTimeout: "60s",
  /** Slow TLS handshakes are a known fault of such servers. */
  connectTimeout: "120s",
  parallelReads: 4,
} as const;
/** A VM with all its devices is some 20 kB of XML. */
const pageSizeDefault = 100;
const ending = /\/+sdk$/;

export type ManagerSettings = ConnectionSettings & {
  /** Mostly `DOMAIN\user` or `user@domain`. */
  readonly user: string;
  readonly password: string;
  readonly pageSize: number;
};

/** Settings with defaults. Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): ManagerSettings {
  const read = settingsReader("manager", settings);
  return {
    ...readConnection(read, ending, defaults),
    ...readCredentials(read),
    pageSize: read.count("page_size", pageSizeDefault),
  };
}

/** Key of the server that settings name, for locks. */
export function endpointKey(settings: Value): string {
  return endpointKeyOf(settings, ending);
}

function readCredentials(read: SettingsReader): Pick<ManagerSettings, "user" | "password"> {
  const user = read.needed("user");
  const password = read.needed("password");
  if (/[\p{Cc}]/u.test(`${user}${password}`)) {
    throw read.invalid("user and password must not hold control characters");
  }
  return { user, password };
}
