/** Settings of an appliance provider: the endpoint they name, who logs in, and limits. */

import type { Value } from "../../../model/value.ts";
import { type ConnectionSettings, endpointKeyOf, readConnection } from "../../kit/endpoint.ts";
import { type SettingsReader, settingsReader } from "../../kit/settings-reader.ts";
import { isPrefixName, isRelease, type PrefixName, type Release } from "./release.ts";

const defaults = { requestTimeout: "60s", connectTimeout: "30s", parallelReads: 4 } as const;
const ending = /\/+(rest|api)$/;

export type Credentials = { readonly user: string; readonly password: string };

export type ApplianceSettings = ConnectionSettings & {
  readonly credentials: Credentials;
  /** `session`: credentials once, for a session. `basic`: credentials with every request. */
  readonly login: "session" | "basic";
  /** Absent: found by asking. */
  readonly release?: Release;
  /** What stands before the paths of the interface. Absent: found by asking, or the release's. */
  readonly prefix?: PrefixName;
};

/** Settings with defaults. Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): ApplianceSettings {
  const read = settingsReader("appliance", settings);
  const release = readRelease(read);
  const prefix = readPrefix(read);
  return {
    ...readConnection(read, ending, defaults),
    credentials: readCredentials(read),
    login: readLogin(read),
    ...(release === undefined ? {} : { release }),
    ...(prefix === undefined ? {} : { prefix }),
  };
}

/** Key of the appliance that settings name, for locks. */
export function endpointKey(settings: Value): string {
  return endpointKeyOf(settings, ending);
}

function readCredentials(read: SettingsReader): Credentials {
  const user = read.needed("user");
  const password = read.needed("password");
  if (/[\p{Cc}]/u.test(`${user}${password}`)) {
    throw read.invalid("user and password must not hold control characters");
  }
  // HTTP basic credentials end the name at the first colon.
  if (user.includes(":")) throw read.invalid("user must not hold a colon");
  return { user, password };
}

function readLogin(read: SettingsReader): "session" | "basic" {
  const login = read.text("login") ?? "session";
  if (login === "session" || login === "basic") return login;
  throw read.invalid("login is neither session nor basic");
}

function readPrefix(read: SettingsReader): PrefixName | undefined {
  const prefix = read.text("prefix");
  if (prefix === undefined || isPrefixName(prefix)) return prefix;
  throw read.invalid("prefix is none of rest, api and none");
}

function readRelease(read: SettingsReader): Release | undefined {
  const release = read.text("release");
  if (release === undefined || isRelease(release)) return release;
  throw read.invalid("release is none of 6.5, 6.7 and 7.0");
}
