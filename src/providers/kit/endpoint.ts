/** The endpoint that settings name, whom it is believed to be, and the client that speaks to it. */

import type { HttpClient } from "../../http/call.ts";
import { isLoopback } from "../../http/connection/proxy.ts";
import type { Value } from "../../model/value.ts";
import type { ProviderPorts } from "./factory.ts";
import { type SettingsReader, textSetting } from "./settings-reader.ts";

export type Endpoint = {
  readonly origin: string;
  /** Path before that of the interface, mostly empty, without a slash at its end. */
  readonly basePath: string;
};

/** Which certificates are trusted beside those that Node.js trusts by itself. */
export type TrustSettings = {
  readonly caFile?: string;
  readonly thumbprint?: string;
  readonly allowUnverified: boolean;
};

/** Settings of a connection that logs in. */
export type ConnectionSettings = Endpoint &
  TrustSettings & {
    readonly requestTimeoutMs: number;
    readonly connectTimeoutMs: number;
    readonly parallelReads: number;
  };

/** As written in a configuration. */
export type ConnectionDefaults = {
  readonly requestTimeout: string;
  readonly connectTimeout: string;
  readonly parallelReads: number;
};

/** As one text, the same for every spelling. */
export function urlOf({ origin, basePath }: Endpoint): string {
  return `${origin}${basePath}`;
}

/** The endpoint of a url. `ending`: a path of the interface that may stand at the url's end. */
export function endpointOf(url: string, ending: RegExp): Endpoint | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (search !== "" || hash !== "" || username !== "" || password !== "") return undefined;
  return { origin, basePath: pathname.replace(/\/+$/, "").replace(ending, "") };
}

/**
 * Key of the endpoint that settings name, for locks: equal for every spelling of one address.
 * Settings that cannot be read give a key of their own, since planning must not fail on them.
 */
export function endpointKeyOf(settings: Value, ending: RegExp, urlDefault = ""): string {
  const url = textSetting(settings, "url") ?? urlDefault;
  const endpoint = endpointOf(url, ending);
  return endpoint === undefined ? url : urlOf(endpoint);
}

/** Throws `RemoteError` of kind invalid; plain http elsewhere than here is a wish of its own. */
export function readConnection(
  read: SettingsReader,
  ending: RegExp,
  defaults: ConnectionDefaults,
): ConnectionSettings {
  const trust = readTrustSettings(read);
  return {
    ...readEndpoint(read, ending, trust.allowUnverified),
    ...trust,
    requestTimeoutMs: read.durationMs("request_timeout", defaults.requestTimeout),
    connectTimeoutMs: read.durationMs("connect_timeout", defaults.connectTimeout),
    parallelReads: read.count("parallel_reads", defaults.parallelReads),
  };
}

export function readTrustSettings(read: SettingsReader): TrustSettings {
  const caFile = read.text("ca_file");
  const thumbprint = read.text("thumbprint");
  return {
    ...(caFile === undefined ? {} : { caFile }),
    ...(thumbprint === undefined ? {} : { thumbprint }),
    allowUnverified: read.flag("allow_unverified_ssl"),
  };
}

function readEndpoint(read: SettingsReader, ending: RegExp, allowUnverified: boolean): Endpoint {
  const endpoint = endpointOf(read.needed("url"), ending);
  // Not printed: a user name and a password may stand in it.
  if (endpoint === undefined) {
    throw read.invalid("url is not an http or https address without login");
  }
  const { protocol, hostname } = new URL(endpoint.origin);
  if (protocol === "http:" && !isLoopback(hostname) && !allowUnverified) {
    throw read.invalid(
      `url ${endpoint.origin} is plain http: the password would be readable on its way; ` +
        "use https://, or set allow_unverified_ssl: true",
    );
  }
  return endpoint;
}

/** The client of a connection. Throws `RemoteError` of kind invalid, for an unreadable file too. */
export async function openHttp(
  ports: ProviderPorts,
  settings: Omit<ConnectionSettings, "basePath">,
): Promise<HttpClient> {
  const { origin, requestTimeoutMs, connectTimeoutMs, parallelReads, caFile, thumbprint } =
    settings;
  const ca = caFile === undefined ? undefined : await ports.readTextFile(caFile);
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(thumbprint === undefined ? {} : { thumbprint }),
    // False is the default, and some settings exclude each other.
    ...(settings.allowUnverified ? { allowUnverified: true } : {}),
  };
  return ports.http({ origin, tls, requestTimeoutMs, connectTimeoutMs, parallelReads });
}
