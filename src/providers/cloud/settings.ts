/** Settings of a cloud provider: the endpoint they name, who logs in, and limits. */

import { parseDurationMs } from "../../lib/duration.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";

const requestTimeoutDefault = "60s";
/** Slow TLS handshakes are a known fault of such servers (wire facts A.7). */
const connectTimeoutDefault = "120s";
const parallelReadsDefault = 4;
/** What servers allow at most by default (wire facts A.2.2). */
const pageSizeDefault = 128;

export type CloudEndpoint = {
  readonly origin: string;
  /** Path before `/api`, mostly empty, without a slash at its end. */
  readonly basePath: string;
};

export type Credentials = {
  readonly user: string;
  readonly org: string;
  readonly password: string;
};

export type CloudSettings = CloudEndpoint & {
  readonly credentials: Credentials;
  /** Absent: negotiated. */
  readonly apiVersion?: string;
  readonly caFile?: string;
  readonly thumbprint?: string;
  readonly allowUnverified: boolean;
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly parallelReads: number;
  readonly pageSize: number;
  /** By the names of the schema, such as `relocates_per_datastore`. */
  readonly limits: { readonly [name: string]: number };
};

/** Settings with defaults. Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): CloudSettings {
  const allowUnverified = member(settings, "allow_unverified_ssl") === true;
  const optional = {
    apiVersion: text(settings, "api_version"),
    caFile: text(settings, "ca_file"),
    thumbprint: text(settings, "thumbprint"),
  };
  return {
    ...readEndpoint(settings, allowUnverified),
    credentials: readCredentials(settings),
    ...(optional.apiVersion === undefined ? {} : { apiVersion: optional.apiVersion }),
    ...(optional.caFile === undefined ? {} : { caFile: optional.caFile }),
    ...(optional.thumbprint === undefined ? {} : { thumbprint: optional.thumbprint }),
    allowUnverified,
    requestTimeoutMs: durationMs(settings, "request_timeout", requestTimeoutDefault),
    connectTimeoutMs: durationMs(settings, "connect_timeout", connectTimeoutDefault),
    parallelReads: count(
      "parallel_reads",
      member(settings, "parallel_reads"),
      parallelReadsDefault,
    ),
    pageSize: count("page_size", member(settings, "page_size"), pageSizeDefault),
    limits: readLimits(member(settings, "limits")),
  };
}

/**
 * Key of the cloud that settings name, for locks: equal for every spelling of one address. Settings
 * that cannot be read give a key of their own, since planning must not fail on them.
 */
export function endpointKey(settings: Value): string {
  const url = text(settings, "url") ?? "";
  const endpoint = endpointOf(url);
  return endpoint === undefined ? url : `${endpoint.origin}${endpoint.basePath}`;
}

/** The endpoint of a url with or without `/api` and slashes at its end. */
function endpointOf(url: string): CloudEndpoint | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (search !== "" || hash !== "" || username !== "" || password !== "") return undefined;
  return { origin, basePath: pathname.replace(/\/+$/, "").replace(/\/+api$/, "") };
}

function readEndpoint(settings: Value, allowUnverified: boolean): CloudEndpoint {
  const url = needed(settings, "url");
  const endpoint = endpointOf(url);
  // Not printed: a user name and a password may stand in it.
  if (endpoint === undefined) throw invalid("url is not an http or https address without login");
  const { protocol, hostname } = new URL(endpoint.origin);
  if (protocol === "http:" && !isLoopback(hostname) && !allowUnverified) {
    throw invalid(
      `url ${endpoint.origin} is plain http: the password would be readable on its way; ` +
        "use https://, or set allow_unverified_ssl: true",
    );
  }
  return endpoint;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

/** User names may hold `@`: the organization follows the last one (wire facts A.1.1). */
function readCredentials(settings: Value): Credentials {
  const written = needed(settings, "user");
  const password = needed(settings, "password");
  const at = written.lastIndexOf("@");
  const given = text(settings, "org");
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

/** How many moves one datastore takes at once; undefined where nothing limits them. */
export function relocatesPerDatastore(settings: Value): number | undefined {
  const limit = member(member(settings, "limits") ?? null, "relocates_per_datastore");
  const number = Number(limit ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 1 ? number : undefined;
}

function readLimits(value: Value | undefined): CloudSettings["limits"] {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("limits is not a map");
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, limit]) => limit !== null)
      .map(([name, limit]) => [name, count(`limits.${name}`, limit, 1)]),
  );
}

function count(name: string, value: Value | undefined, fallback: number): number {
  const number = Number(value ?? fallback);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw invalid(`${name} is not a whole number of at least 1`);
}

function durationMs(settings: Value, name: string, fallback: string): number {
  const ms = parseDurationMs(text(settings, name) ?? fallback);
  if (ms === undefined || ms === 0) throw invalid(`${name} is not a duration such as 30s`);
  return ms;
}

function needed(settings: Value, name: string): string {
  const value = text(settings, name);
  if (value === undefined || value === "") throw invalid(`${name} is not set`);
  return value;
}

function text(settings: Value, name: string): string | undefined {
  const value = member(settings, name);
  return typeof value === "string" ? value : undefined;
}

function member(settings: Value, name: string): Value | undefined {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    return undefined;
  for (const [key, value] of Object.entries(settings)) if (key === name) return value ?? undefined;
  return undefined;
}

function invalid(message: string): RemoteError {
  return new RemoteError({
    kind: "invalid",
    effect: "none",
    message: `provider cloud: ${message}`,
  });
}
