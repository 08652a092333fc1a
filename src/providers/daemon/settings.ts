/** Settings of a daemon provider, and the endpoint they name. */

import type { Value } from "../../model/value.ts";
import {
  type ConnectionSettings,
  type Endpoint,
  endpointOf as endpointBefore,
  endpointKeyOf,
  readTrustSettings,
} from "../kit/endpoint.ts";
import { settingsReader } from "../kit/settings-reader.ts";

/** The daemon listens on the local host (wire facts B.0); in numbers, so that ::1 is not tried. */
const urlDefault = "http://127.0.0.1:8080";
const requestTimeoutDefault = "30s";
const connectTimeoutDefault = "10s";
const parallelReadsDefault = 8;
const ending = /\/+api$/;

/** Other than where a password is sent, plain http may lead to another computer. */
export type DaemonSettings = ConnectionSettings;

/** Settings with defaults. Throws `RemoteError` of kind invalid for what a schema cannot check. */
export function readSettings(settings: Value): DaemonSettings {
  const read = settingsReader("daemon", settings);
  const url = read.text("url") ?? urlDefault;
  const endpoint = endpointOf(url);
  if (endpoint === undefined) {
    throw read.invalid(`url is not an http address: ${JSON.stringify(url)}`);
  }
  return {
    ...endpoint,
    ...readTrustSettings(read),
    requestTimeoutMs: read.durationMs("request_timeout", requestTimeoutDefault),
    connectTimeoutMs: read.durationMs("connect_timeout", connectTimeoutDefault),
    parallelReads: read.count("parallel_reads", parallelReadsDefault),
  };
}

/** Key of the daemon that settings name, for locks. */
export function endpointKey(settings: Value): string {
  return endpointKeyOf(settings, ending, urlDefault);
}

/** The endpoint of a url with or without `/api` and slashes at its end. */
export function endpointOf(url: string): Endpoint | undefined {
  return endpointBefore(url, ending);
}
