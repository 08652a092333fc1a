/** Settings of a host management provider: the endpoint they name, who logs in, and limits. */

import { parseDurationMs } from "../../lib/duration.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";

const requestTimeoutDefault = "60s";
/** Slow TLS handshakes are a known fault of such servers. */
const connectTimeoutDefault = "120s";
const parallelReadsDefault = 4;
/** A VM with all its devices is some 20 kB of XML. */
const pageSizeDefault = 100;

export type ManagerEndpoint = {
  readonly origin: string;
  /** Path before `/sdk` and `/mob`, mostly empty, without a slash at its end. */
  readonly basePath: string;
};

export type ManagerSettings = ManagerEndpoint & {
  /** Mostly `DOMAIN\user` or `user@domain`. */
  readonly user: string;
  readonly password: string;
  readonly caFile?: string;
  readonly thumbprint?: string;
  readonly allowUnverified: boolean;
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly parallelReads: number;
  readonly pageSize: number;
};

/** Settings with defaults. Throws `RemoteError` of kind invalid that names the setting. */
export function readSettings(settings: Value): ManagerSettings {
  const allowUnverified = member(settings, "allow_unverified_ssl") === true;
  const caFile = text(settings, "ca_file");
  const thumbprint = text(settings, "thumbprint");
  return {
    ...readEndpoint(settings, allowUnverified),
    ...readCredentials(settings),
    ...(caFile === undefined ? {} : { caFile }),
    ...(thumbprint === undefined ? {} : { thumbprint }),
    allowUnverified,
    requestTimeoutMs: durationMs(settings, "request_timeout", requestTimeoutDefault),
    connectTimeoutMs: durationMs(settings, "connect_timeout", connectTimeoutDefault),
    parallelReads: count(settings, "parallel_reads", parallelReadsDefault),
    pageSize: count(settings, "page_size", pageSizeDefault),
  };
}

/**
 * Key of the server that settings name, for locks: equal for every spelling of one address.
 * Settings that cannot be read give a key of their own, since planning must not fail on them.
 */
export function endpointKey(settings: Value): string {
  const url = text(settings, "url") ?? "";
  const endpoint = endpointOf(url);
  return endpoint === undefined ? url : `${endpoint.origin}${endpoint.basePath}`;
}

/** A number below `limits`, such as `relocates_per_datastore`; undefined where there is none. */
export function limitOf(settings: Value, name: string): number | undefined {
  const limit = Number(member(member(settings, "limits") ?? null, name) ?? Number.NaN);
  return Number.isSafeInteger(limit) && limit >= 1 ? limit : undefined;
}

/** The endpoint of a url with or without `/sdk` and slashes at its end. */
function endpointOf(url: string): ManagerEndpoint | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (search !== "" || hash !== "" || username !== "" || password !== "") return undefined;
  return { origin, basePath: pathname.replace(/\/+$/, "").replace(/\/+sdk$/, "") };
}

function readEndpoint(settings: Value, allowUnverified: boolean): ManagerEndpoint {
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

function readCredentials(settings: Value): Pick<ManagerSettings, "user" | "password"> {
  const user = needed(settings, "user");
  const password = needed(settings, "password");
  if (/[\p{Cc}]/u.test(`${user}${password}`)) {
    throw invalid("user and password must not hold control characters");
  }
  return { user, password };
}

function count(settings: Value, name: string, fallback: number): number {
  const number = Number(member(settings, name) ?? fallback);
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
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
    return undefined;
  }
  for (const [key, value] of Object.entries(settings)) if (key === name) return value ?? undefined;
  return undefined;
}

function invalid(message: string): RemoteError {
  return new RemoteError({
    kind: "invalid",
    effect: "none",
    message: `provider manager: ${message}`,
  });
}
