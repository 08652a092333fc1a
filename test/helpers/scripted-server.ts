/** A real HTTP server on 127.0.0.1 whose answers a test writes; it keeps what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Number of the connection it came on, from 0. */
  readonly connection: number;
};

export type Answer = (request: SeenRequest, response: ServerResponse, count: number) => void;

export type ScriptedServer = {
  readonly origin: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
};

/** `answer` gets the number of the request, from 0. */
export async function startServer(answer: Answer): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const connections: Socket[] = [];
  const server = createServer((message, response) => {
    let body = "";
    message.setEncoding("utf8");
    message.on("data", (chunk: string) => (body += chunk));
    message.on("end", () => {
      const request = {
        method: message.method ?? "",
        url: message.url ?? "",
        headers: message.headers,
        body,
        connection: connections.indexOf(message.socket),
      };
      seen.push(request);
      answer(request, response, seen.length - 1);
    });
  });
  server.on("connection", (socket) => connections.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An origin where nothing listens. */
export async function closedOrigin(): Promise<string> {
  const server = await startServer(() => {});
  await server.close();
  return server.origin;
}

export type Reply = {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  readonly body?: string | Buffer;
};

export function reply(response: ServerResponse, { status = 200, headers = {}, body = "" }: Reply) {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
}
