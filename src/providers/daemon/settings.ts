/** Settings of a daemon provider, and the endpoint they name. */

import { parseDurationMs } from "../../lib/duration.ts";
import { RemoteError } from "../../model/remote-error.ts";
import type { Value } from "../../model/value.ts";

/** The daemon listens on the local host (wire facts B.0); in numbers, so that ::1 is not tried. */
const urlDefault = "http://127.0.0.1:8080";
const requestTimeoutDefault = "30s";
const connectTimeoutDefault = "10s";
const parallelReadsDefault = 8;

export type Endpoint = {
  readonly origin: string;
  /** Path before `/api`, mostly empty, without a slash at its end. */
  readonly basePath: string;
};

export type DaemonSettings = Endpoint & {
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly parallelReads: number;
};

/** Settings with defaults. Throws `RemoteError` of kind invalid for what a schema cannot check. */
export function readSettings(settings: Value): DaemonSettings {
  const url = text(settings, "url") ?? urlDefault;
  const endpoint = endpointOf(url);
  if (endpoint === undefined) throw invalid(`url is not an http address: ${JSON.stringify(url)}`);
  const parallel = Number(member(settings, "parallel_reads") ?? parallelReadsDefault);
  if (!Number.isSafeInteger(parallel) || parallel < 1) {
    throw invalid("parallel_reads is not a whole number of at least 1");
  }
  return {
    ...endpoint,
    requestTimeoutMs: durationMs(settings, "request_timeout", requestTimeoutDefault),
    connectTimeoutMs: durationMs(settings, "connect_timeout", connectTimeoutDefault),
    parallelReads: parallel,
  };
}

/**
 * Key of the daemon that settings name, for locks: equal for every spelling of one address.
 * Settings that cannot be read give a key of their own, since planning must not fail on them.
 */
export function endpointKey(settings: Value): string {
  const url = text(settings, "url") ?? urlDefault;
  const endpoint = endpointOf(url);
  return endpoint === undefined ? url : `${endpoint.origin}${endpoint.basePath}`;
}

/** The endpoint of a url with or without `/api` and slashes at its end. */
export function endpointOf(url: string): Endpoint | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (search !== "" || hash !== "" || username !== "" || password !== "") return undefined;
  return { origin, basePath: pathname.replace(/\/+$/, "").replace(/\/+api$/, "") };
}

function durationMs(settings: Value, name: string, fallback: string): number {
  const written = text(settings, name) ?? fallback;
  const ms = parseDurationMs(written);
  if (ms === undefined || ms === 0) throw invalid(`${name} is not a duration such as 30s`);
  return ms;
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
    message: `provider daemon: ${message}`,
  });
}
