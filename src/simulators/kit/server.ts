/** Plumbing of node:http for the simulators: whole requests in, and every way a reply can end. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import type { RequestHeaders, SimulatorReply } from "./answer.ts";

export type IncomingRequest = {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly body: string;
};

/** What may be done with the connection of one request. Each returns once it is handed over. */
export type Connection = {
  /** The client has closed its side; nothing reaches it any more. */
  isGone(): boolean;
  reply(reply: SimulatorReply): void;
  /** Sends the head, which announces the whole body, and only `bytes` of the body; then closes. */
  replyCut(reply: SimulatorReply, bytes: number): void;
  /** Resets the connection (the client sees ECONNRESET). */
  reset(): void;
};

export type HttpServer = {
  readonly origin: string;
  /** Closes the listener and all connections. */
  stop(): Promise<void>;
};

/** Requests whose bodies did not arrive completely are dropped; they can have no effect. */
export async function startHttpServer(options: {
  readonly host: string;
  readonly port: number;
  readonly handle: (request: IncomingRequest, connection: Connection) => Promise<void>;
  readonly onError: (error: unknown) => void;
}): Promise<HttpServer> {
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing, options.handle).catch((error: unknown) => {
      options.onError(error);
      outgoing.destroy();
    });
  });
  // Long requests and idle connections are part of the simulated interfaces.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    origin: `http://${host}:${address.port}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => {
          if (error === undefined) resolve();
          else reject(error);
        });
        server.closeAllConnections();
      }),
  };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: IncomingRequest, connection: Connection) => Promise<void>,
): Promise<void> {
  // Writing to a client that has gone is not an error here.
  outgoing.on("error", () => {});
  let body: Buffer;
  try {
    body = await buffer(incoming);
  } catch {
    outgoing.destroy();
    return;
  }
  await handle(
    {
      method: incoming.method ?? "",
      url: incoming.url ?? "/",
      headers: headersOf(incoming),
      body: body.toString("utf8"),
    },
    connectionOf(outgoing),
  );
}

function headersOf(incoming: IncomingMessage): RequestHeaders {
  const entries = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return Object.fromEntries(entries);
}

function connectionOf(outgoing: ServerResponse): Connection {
  const writeHead = (reply: SimulatorReply): void => {
    const length =
      reply.status === 204 || reply.status === 304
        ? {}
        : { "content-length": Buffer.byteLength(reply.body) };
    for (const [name, value] of Object.entries({ ...length, ...reply.headers })) {
      outgoing.setHeader(name, value);
    }
    outgoing.writeHead(reply.status);
  };
  return {
    isGone: () => outgoing.destroyed || outgoing.socket === null || outgoing.socket.destroyed,
    reply(reply) {
      writeHead(reply);
      outgoing.end(reply.body);
    },
    replyCut(reply, bytes) {
      writeHead(reply);
      outgoing.flushHeaders();
      outgoing.write(Buffer.from(reply.body).subarray(0, bytes), () => outgoing.destroy());
    },
    reset() {
      outgoing.socket?.resetAndDestroy();
    },
  };
}
