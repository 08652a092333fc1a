/** Connections to one endpoint: direct, or by way of the proxy that the environment names. */

import type { Dispatcher } from "undici";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { judgedConnector } from "./certificate.ts";
import type { Proxy } from "./proxy.ts";
import type { Trust } from "./trust.ts";
import { tunnelConnector } from "./tunnel.ts";

export type ConnectionOptions = {
  /** The origin that is really connected to. */
  readonly origin: string;
  readonly proxy: Proxy | undefined;
  readonly trust: Trust;
  readonly connectTimeoutMs: number;
};

/** How a request gets to the origin. */
export type Connections = {
  readonly dispatcher: Dispatcher;
  /** The origin that requests are handed to: the endpoint's, or that of a proxy that reads them. */
  readonly origin: string;
  /** Before the path of each request: a proxy that reads requests wants whole URLs. */
  readonly pathPrefix: string;
  /** For that proxy, besides the headers of each request. */
  readonly headers: { readonly [name: string]: string };
  /** Ends every connection. */
  destroy(): Promise<void>;
};

/** Whom a proxy's own certificate is judged by, whatever the settings of the endpoint say. */
const proxyTrust: Trust = { by: "authorities" };

export function openConnections(options: ConnectionOptions): Connections {
  const { origin, proxy, connectTimeoutMs } = options;
  const toOrigin = judgedConnector(options.trust, connectTimeoutMs);
  if (proxy === undefined) return direct(origin, new Agent({ connect: toOrigin }));
  const toProxy = judgedConnector(proxyTrust, connectTimeoutMs);
  if (new URL(origin).protocol === "http:") {
    // Proxies often allow tunnels to https only.
    return {
      ...direct(proxy.origin, new Agent({ connect: toProxy })),
      pathPrefix: origin,
      headers: proxy.headers,
    };
  }
  const pool = new Pool(proxy.origin, { connect: toProxy, headersTimeout: connectTimeoutMs });
  const agent = new Agent({ connect: tunnelConnector(proxy, pool, toOrigin) });
  return {
    ...direct(origin, agent),
    destroy: async () => {
      await Promise.all([agent.destroy(), pool.destroy()]);
    },
  };
}

function direct(origin: string, dispatcher: Dispatcher): Connections {
  return { dispatcher, origin, pathPrefix: "", headers: {}, destroy: () => dispatcher.destroy() };
}
