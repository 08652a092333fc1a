/** Settings of a cloud provider: the endpoint they name, who logs in, and limits. */

import type { Value } from "../../../model/value.ts";
import { type ConnectionSettings, endpointKeyOf, readConnection } from "../../kit/endpoint.ts";
import { countOf, type SettingsReader, settingsReader } from "../../kit/settings-reader.ts";

const defaults = {
  requestTimeout: "60s",
  /** Slow TLS handshakes are a known fault of such servers (wire facts A.7). */
  connectTimeout: "120s",
  parallelReads: 4,
} as const;
/** What servers allow at most by default (wire facts A.2.2). */
const pageSizeDefault = 128;
const ending = /\/+api$/;

export type Credentials = {
  readonly user: string;
  readonly org: string;
  readonly password: string;
};

export type CloudSettings = ConnectionSettings & {
  readonly credentials: Credentials;
  /** Absent: negotiated. */
  readonly apiVersion?: string;
  readonly pageSize: number;
  /** By the names of the schema, such as `relocates_per_datastore`. */
  readonly limits: { readonly [name: string]: number };
};

/** Settings with defaults. Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): CloudSettings {
  const read = settingsReader("cloud", settings);
  const apiVersion = read.text("api_version");
  return {
    ...readConnection(read, ending, defaults),
    credentials: readCredentials(read),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    pageSize: read.count("page_size", pageSizeDefault),
    limits: readLimits(read),
  };
}

/** Key of the cloud that settings name, for locks. */
export function endpointKey(settings: Value): string {
  return endpointKeyOf(settings, ending);
}

/** User names may hold `@`: the organization follows the last one (wire facts A.1.1). */
function readCredentials(read: SettingsReader): Credentials {
  const written = read.needed("user");
  const password = read.needed("password");
  const at = written.lastIndexOf("@");
  const given = read.text("org");
  const user = given === undefined ? written.slice(0, Math.max(at, 0)) : written;
  const org = given ?? written.slice(at + 1);
  if (given === undefined && at === -1) {
    throw read.invalid("org is not set; set it, or write user as user@org");
  }
  if (user === "" || org === "") throw read.invalid("user and org must not be empty");
  if (/[\p{Cc}]/u.test(`${user}${org}${password}`)) {
    throw read.invalid("user, org and password must not hold control characters");
  }
  // HTTP basic credentials end the name at the first colon.
  if (`${user}${org}`.includes(":")) throw read.invalid("user and org must not hold a colon");
  if (org.includes("@")) throw read.invalid("org must not hold an @");
  return { user, org, password };
}

function readLimits(read: SettingsReader): CloudSettings["limits"] {
  const value = read.member("limits");
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw read.invalid("limits is not a map");
  }
  const limits: { [name: string]: number } = {};
  for (const [name, limit] of Object.entries(value)) {
    if (limit === null) continue;
    const number = countOf(limit);
    if (number === undefined) {
      throw read.invalid(`limits.${name} is not a whole number of at least 1`);
    }
    limits[name] = number;
  }
  return limits;
}
