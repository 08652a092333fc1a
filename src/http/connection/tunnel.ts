/** Connections inside a tunnel that a proxy opens on request (RFC 9110, section 9.3.6). */

import { Socket } from "node:net";
import type { Pool } from "undici";
import connect from "undici/lib/api/api-connect.js";
import type { Connector } from "./certificate.ts";
import type { Proxy } from "./proxy.ts";

/** The proxy gave no connection: it refused with `status`, or could not be asked (`cause`). */
export class ProxyError extends Error {
  readonly status: number | undefined;

  constructor(status: number | undefined, cause?: unknown) {
    super("the proxy gave no connection", { cause });
    this.name = "ProxyError";
    this.status = status;
  }
}

/**
 * Connects with `toOrigin` inside a tunnel, for which `toProxy` asks the proxy. The proxy learns
 * host and port of the origin and its own credentials, nothing of what follows. Fails with
 * `ProxyError` as long as there is no tunnel, then as `toOrigin` does.
 */
export function tunnelConnector(proxy: Proxy, toProxy: Pool, toOrigin: Connector): Connector {
  return (options, callback) => {
    const { hostname, port } = options;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const authority = `${host}:${port === "" ? "443" : port}`;
    const open = async () => {
      try {
        toOrigin({ ...options, httpSocket: await openTunnel(proxy, toProxy, authority) }, callback);
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
      }
    };
    void open();
  };
}

async function openTunnel(proxy: Proxy, toProxy: Pool, authority: string): Promise<Socket> {
  const headers = { ...proxy.headers, host: authority };
  const { statusCode, socket } = await connect
    .call(toProxy, { path: authority, headers })
    .catch((error: unknown) => {
      throw new ProxyError(undefined, error);
    });
  const isOpen = statusCode >= 200 && statusCode < 300;
  if (isOpen && socket instanceof Socket) return socket;
  socket.on("error", () => {}).destroy();
  throw new ProxyError(statusCode);
}
