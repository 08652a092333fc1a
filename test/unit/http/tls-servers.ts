/** Real servers that use TLS, and a proxy that opens tunnels to them, all on 127.0.0.1. */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Server as NetServer, type Socket } from "node:net";
import type { TLSSocket, TlsOptions } from "node:tls";

export type CertificateName = "authority" | "server" | "other-host" | "expired" | "self";

export function pathOf(name: CertificateName | "key"): string {
  return new URL(`certificates/${name}.pem`, import.meta.url).pathname;
}

export function pem(name: CertificateName | "key"): string {
  return readFileSync(pathOf(name), "utf8");
}

export function certificate(name: CertificateName): X509Certificate {
  return new X509Certificate(pem(name));
}

export type Listening = {
  readonly origin: string;
  readonly port: number;
  close(): Promise<void>;
};

export type TlsServer = Listening & {
  readonly seen: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  /** Host name that each connection asked for, false for none. */
  readonly serverNames: (string | false)[];
};

/** Answers everything with `secure`. */
export async function startTlsServer(
  name: CertificateName,
  options: TlsOptions = {},
): Promise<TlsServer> {
  const seen: TlsServer["seen"][number][] = [];
  const serverNames: TlsServer["serverNames"][number][] = [];
  const server = createHttpsServer(
    { ...options, cert: pem(name), key: pem("key") },
    (request, response) => {
      seen.push({ url: request.url ?? "", headers: request.headers });
      response.end("secure");
    },
  );
  server.on("secureConnection", (socket: TLSSocket & { servername?: string | false }) => {
    serverNames.push(socket.servername ?? false);
  });
  return { ...(await listen(server, "https")), seen, serverNames };
}

export type TunnelProxy = Listening & {
  /** Heads of everything that was asked for, in order. */
  readonly asked: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
  }[];
};

/**
 * Leads every tunnel to one port of 127.0.0.1, whatever host was asked for. With a status it
 * refuses instead; with 0 it says nothing at all.
 */
export async function startTunnelProxy(
  to: { readonly port: number } | { readonly status: number },
  secure?: CertificateName,
): Promise<TunnelProxy> {
  const asked: TunnelProxy["asked"][number][] = [];
  const server: Server =
    secure === undefined
      ? createServer()
      : createHttpsServer({ cert: pem(secure), key: pem("key") });
  server.on("request", (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers });
    response.statusCode = "status" in to ? to.status : 200;
    response.end("from the proxy");
  });
  server.on("connect", (request, socket: Socket) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers });
    socket.on("error", () => {});
    if ("status" in to) {
      if (to.status !== 0) socket.end(`HTTP/1.1 ${to.status} Refused\r\n\r\nfrom the proxy`);
      return;
    }
    const onward = connect(to.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
  });
  return { ...(await listen(server, secure === undefined ? "http" : "https")), asked };
}

/** Listens, and keeps every connection so that closing ends tunnels and silent ones too. */
export async function listen(server: NetServer, scheme: "http" | "https"): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
