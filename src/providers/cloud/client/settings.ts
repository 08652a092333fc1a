/** Settings of a cloud provider: the endpoint they name, who logs in, and limits. */

import type { Value } from "../../../model/value/value.ts";
import { type ConnectionSettings, readLoginConnection } from "../../kit/endpoint.ts";
import { decodeSettings, invalidSetting } from "../../kit/schema/settings.ts";
import type { CloudBlock } from "../generated/settings.ts";

/** May stand at the end of a url. */
export const urlEnding = /\/+api$/;

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
};

/** Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): CloudSettings {
  const block = decodeSettings<CloudBlock>("cloud", settings);
  const { api_version: apiVersion, page_size: pageSize } = block;
  return {
    ...readLoginConnection("cloud", block, urlEnding),
    credentials: readCredentials(block),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    pageSize,
  };
}

/** User names may hold `@`: the organization follows the last one (wire facts A.1.1). */
function readCredentials({ user: written, org: given, password }: CloudBlock): Credentials {
  const invalid = (message: string): Error => invalidSetting("cloud", message);
  const at = written.lastIndexOf("@");
  const user = given === undefined ? written.slice(0, Math.max(at, 0)) : written;
  const org = given ?? written.slice(at + 1);
  if (given === undefined && at === -1) {
    throw invalid("org is not set; set it, or write user as user@org");
  }
  if (user === "" || org === "") throw invalid("user and org must not be empty");
  if (/[\p{Cc}]/u.test(`${user}${org}${password}`)) {
    throw invalid("user, org and password must not hold control characters");
  }
  // HTTP basic credentials end the name at the first colon.
  if (`${user}${org}`.includes(":")) throw invalid("user and org must not hold a colon");
  if (org.includes("@")) throw invalid("org must not hold an @");
  return { user, org, password };
}
