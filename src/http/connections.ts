/** Connection pools of one endpoint: direct or through the proxy that the environment names. */

import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";

export type Environment = { readonly [name: string]: string | undefined };

export type ConnectionOptions = {
  /** The origin that is really connected to. */
  readonly origin: string;
  readonly connectTimeoutMs: number;
  readonly environment: Environment;
};

/**
 * Pool for one origin. Proxies come from `HTTPS_PROXY` or `HTTP_PROXY` by the scheme of the origin,
 * less the hosts of `NO_PROXY`; the lower-case spelling wins, as in curl. Loopback has no proxy.
 */
export function openConnections(options: ConnectionOptions): Dispatcher {
  const connect = { timeout: options.connectTimeoutMs };
  const proxy = proxyFor(options.origin, options.environment);
  if (proxy === undefined) return new Agent({ connect });
  return new EnvHttpProxyAgent({
    // Both are given, always: undici would read process.env for an absent one, and would use the
    // proxy for http also for https.
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy: variable(options.environment, "no_proxy") ?? "",
    // Proxies often allow CONNECT for https only; plain http goes to them in absolute form.
    proxyTunnel: false,
    connect,
    proxyTls: connect,
    requestTls: connect,
  });
}

/** URL of the proxy variable for this origin, before `NO_PROXY`; undefined for loopback. */
export function proxyFor(origin: string, environment: Environment): string | undefined {
  const url = new URL(origin);
  if (isLoopback(url.hostname)) return undefined;
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = variable(environment, name);
  if (proxy === undefined) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  // URL has made every spelling of an IPv4 address dotted decimal.
  return /^127(\.\d{1,3}){3}$/.test(host) || host === "[::1]" || host.startsWith("[::ffff:7f");
}

function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name] ?? environment[name.toUpperCase()];
  return value === undefined || value === "" ? undefined : value;
}
