/** The endpoint that settings name, whom it is believed to be, and the client that speaks to it. */

import type { HttpClient } from "../../http/call.ts";
import { isLoopback, urlSeenFrom } from "../../lib/loopback.ts";
import type { Value } from "../../model/value/value.ts";
import type { ProviderPorts } from "./factory.ts";
import { textIn } from "./narrow.ts";
import { loadSchema } from "./schema/schema-file.ts";
import { durationSetting, invalidSetting } from "./schema/settings.ts";

export type Endpoint = {
  readonly origin: string;
  /** Path before that of the interface, mostly empty, without a slash at its end. */
  readonly basePath: string;
};

/** Which certificates are trusted beside those that Node.js trusts by itself. */
type TrustSettings = {
  readonly caFile?: string;
  readonly thumbprint?: string;
  readonly allowUnverified: boolean;
};

export type ConnectionSettings = Endpoint &
  TrustSettings & {
    readonly requestTimeoutMs: number;
    readonly connectTimeoutMs: number;
    readonly parallelReads: number;
  };

/** What the blocks of all providers hold, as the schemas name it. */
type ConnectionBlock = {
  readonly url: string;
  readonly ca_file?: string;
  readonly thumbprint?: string;
  readonly allow_unverified_ssl?: boolean;
  readonly request_timeout: string;
  readonly connect_timeout: string;
  readonly parallel_reads: number;
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
export function endpointKeyOf(provider: string, settings: Value, ending: RegExp): string {
  const url = textIn(settings, "url") ?? urlDefault(provider);
  const endpoint = endpointOf(url, ending);
  const known = endpoint === undefined ? url : urlOf(endpoint);
  const site = textIn(settings, "via");
  return site === undefined ? known : urlSeenFrom(site, known);
}

function urlDefault(provider: string): string {
  const { url } = loadSchema("providers", provider).attributes;
  return typeof url?.default === "string" ? url.default : "";
}

/** Throws `RemoteError` of kind invalid for what the schema cannot check. */
export function readConnection(
  provider: string,
  block: ConnectionBlock,
  ending: RegExp,
): ConnectionSettings {
  const { url, ca_file: caFile, thumbprint, allow_unverified_ssl: unverified = false } = block;
  const endpoint = endpointOf(url, ending);
  // Not printed: a user name and a password may stand in it.
  if (endpoint === undefined) {
    throw invalidSetting(provider, "url is not an http or https address without login");
  }
  return {
    ...endpoint,
    ...(caFile === undefined ? {} : { caFile }),
    ...(thumbprint === undefined ? {} : { thumbprint }),
    allowUnverified: unverified,
    requestTimeoutMs: durationSetting(provider, "request_timeout", block.request_timeout),
    connectTimeoutMs: durationSetting(provider, "connect_timeout", block.connect_timeout),
    parallelReads: block.parallel_reads,
  };
}

/** Where a password is sent, plain http to another computer is a wish of its own. */
export function readLoginConnection(
  provider: string,
  block: ConnectionBlock,
  ending: RegExp,
): ConnectionSettings {
  const connection = readConnection(provider, block, ending);
  const { protocol, hostname } = new URL(connection.origin);
  if (protocol === "http:" && !isLoopback(hostname) && !connection.allowUnverified) {
    throw invalidSetting(
      provider,
      `url ${connection.origin} is plain http: the password would be readable on its way; ` +
        "use https://, or set allow_unverified_ssl: true",
    );
  }
  return connection;
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
