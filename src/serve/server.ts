/** Listens, and answers with the application until it is stopped. */

import { createServer } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { createApp } from "./app.ts";
import { createOidcLogin } from "./oidc.ts";
import { createSessions, secretWord } from "./sessions.ts";
import { cookieOf, isLoopback, ServeProblem, type ServeSettings } from "./settings.ts";
import type { Site, SiteContext } from "./site.ts";

export type ServePorts = Pick<Site, "board" | "types" | "version" | "now" | "owner" | "onFault"> & {
  /** Of the client of an OIDC login. */
  readonly oidcSecret: string | undefined;
};

export type Served = {
  /** Where a person begins; of a login by token, with that. */
  readonly address: string;
  readonly port: number;
  /** Answers what was asked, for a moment, and ends. */
  readonly stop: () => Promise<void>;
};

const stopMs = 2000;

/** Throws `ServeProblem` where it cannot listen. */
export async function startServing(settings: ServeSettings, ports: ServePorts): Promise<Served> {
  const { host, publicUrl, login } = settings;
  const { board, types, version, now, owner, onFault, oidcSecret } = ports;
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const secure = publicUrl?.protocol === "https:";
  const token = secretWord();
  const site = {
    ...{ board, types, version, now, owner, onFault, login, hosts, origins, secure, token },
    sessions: createSessions(now),
    cookie: { name: "", path: "/" },
    oidc:
      login.kind === "oidc" && publicUrl !== undefined
        ? createOidcLogin({ settings: login, secret: oidcSecret, publicUrl, now })
        : undefined,
  };
  const app = createApp(site, peerOf);
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    createServer,
    serverOptions: { requestTimeout: 30_000, headersTimeout: 20_000, maxHeaderSize: 32 * 1024 },
  });
  const port = await listen(server, settings);
  for (const name of hostsOf(host)) {
    hosts.add(`${name}:${port}`);
    origins.add(`http://${name}:${port}`);
  }
  if (publicUrl !== undefined) {
    hosts.add(publicUrl.host);
    origins.add(publicUrl.origin);
  }
  // Cookies know no ports, and somebody may serve two databases on one machine.
  site.cookie = cookieOf(secure ? "session" : String(port), publicUrl);
  const name = host.includes(":") ? `[${host}]` : host;
  const base = publicUrl?.href ?? `http://${name}:${port}/`;
  return {
    address: login.kind === "token" ? `${base}login?token=${token}` : base,
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if (!("closeAllConnections" in server)) return;
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), stopMs).unref();
      }),
  };
}

type Server = ReturnType<typeof createAdaptorServer>;

function listen(server: Server, { host, port }: ServeSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const fix = "Choose another address or port: vmform serve --listen 127.0.0.1:8341";
      const why = error.code === "EADDRINUSE" ? "somebody listens there already" : error.message;
      reject(new ServeProblem(`It cannot listen at ${host}, port ${port}: ${why}.`, fix));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/** Names by which it is asked without a proxy in between. */
function hostsOf(host: string): readonly string[] {
  const own = host.includes(":") ? `[${host.toLowerCase()}]` : host.toLowerCase();
  return isLoopback(host) ? [own, "localhost", "127.0.0.1", "[::1]"] : [own];
}

function peerOf(context: SiteContext): string {
  const { incoming } = context.env;
  return incoming.socket.remoteAddress ?? "";
}
