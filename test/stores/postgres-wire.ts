/**
 * What stands between a client and a PostgreSQL server in tests: a wire that is cut when a statement
 * passes, and a pooler that hands each transaction to whichever session is free.
 */

import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

type Address = { readonly host: string; readonly port: number };

export type Wire = {
  readonly port: number;
  /**
   * Once, when a client sends this text: it arrives and its reply is lost, or it is lost itself.
   * Either way the connection is cut. Resolves when that has happened.
   */
  readonly cutAt: (text: string, what: "request" | "reply") => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openWire(server: Address): Promise<Wire> {
  let trap: { text: string; what: "request" | "reply"; done: () => void } | undefined;
  const { port, close } = await listen((client) => {
    const backend = connect(server.port, server.host);
    let losing: (() => void) | undefined;
    const cut = (): void => {
      client.destroy();
      backend.destroy();
    };
    client.on("data", (data: Buffer) => {
      const found = trap !== undefined && data.includes(trap.text) ? trap : undefined;
      if (found !== undefined) trap = undefined;
      if (found?.what === "request") {
        cut();
        found.done();
        return;
      }
      if (found !== undefined) losing = found.done;
      backend.write(data);
    });
    backend.on("data", (data: Buffer) => {
      if (losing === undefined) {
        client.write(data);
        return;
      }
      cut();
      losing();
    });
    join(client, backend);
  });
  return {
    port,
    close,
    cutAt: (text, what) =>
      new Promise((resolve) => {
        trap = { text, what, done: resolve };
      }),
  };
}

/** A pool of sessions that a transaction has each for itself, in turn. */
export async function openPooler(server: Address, size: number): Promise<Omit<Wire, "cutAt">> {
  let pool: readonly Pooled[] | undefined;
  const free: Pooled[] = [];
  const waiting: ((one: Pooled) => void)[] = [];
  const take = (): Promise<Pooled> => {
    const one = free.shift();
    if (one !== undefined) return Promise.resolve(one);
    return new Promise((resolve) => waiting.push(resolve));
  };
  const give = (one: Pooled): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(one);
    else next(one);
  };
  const serve = async (client: Socket): Promise<void> => {
    const read = reader(client);
    const startup = await read.raw();
    if (pool === undefined) {
      pool = await Promise.all(Array.from({ length: size }, () => startSession(server, startup)));
      free.push(...pool);
    }
    // The pooler speaks for itself: it has a number of its own.
    client.write(Buffer.concat([authenticationOk, keyData, ready]));
    let one: Pooled | undefined;
    for (;;) {
      const batch = await read.batch();
      if (batch === undefined) {
        if (one === undefined) return;
        await one.ask(rollback);
        give(one);
        return;
      }
      one ??= await take();
      const { reply, idle } = await one.ask(batch);
      client.write(reply);
      if (!idle) continue;
      give(one);
      one = undefined;
    }
  };
  const { port, close } = await listen((client) => {
    client.on("error", () => undefined);
    serve(client).catch(() => client.destroy());
  });
  return {
    port,
    close: async () => {
      for (const one of pool ?? []) one.end();
      await close();
    },
  };
}

const authenticationOk = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const keyData = Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 1]);
const rollback = Buffer.concat([Buffer.from([0x51, 0, 0, 0, 13]), Buffer.from("rollback\0")]);
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

type Pooled = {
  readonly ask: (batch: Buffer) => Promise<{ readonly reply: Buffer; readonly idle: boolean }>;
  readonly end: () => void;
};

async function startSession(server: Address, startup: Buffer): Promise<Pooled> {
  const socket = connect(server.port, server.host);
  socket.on("error", () => undefined);
  const read = reader(socket);
  socket.write(startup);
  await read.untilReady();
  return {
    ask: async (batch) => {
      socket.write(batch);
      return read.untilReady();
    },
    end: () => socket.destroy(),
  };
}

/** Messages of a socket: a letter, a length, a body; the first of a client has no letter. */
function reader(socket: Socket) {
  let bytes = Buffer.alloc(0);
  let ended = false;
  let wake = (): void => undefined;
  socket.on("data", (data: Buffer) => {
    bytes = Buffer.concat([bytes, data]);
    wake();
  });
  socket.on("close", () => {
    ended = true;
    wake();
  });
  const more = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const cut = (length: number): Buffer => {
    const head = bytes.subarray(0, length);
    bytes = bytes.subarray(length);
    return head;
  };
  const framed = async (offset: number): Promise<Buffer | undefined> => {
    for (;;) {
      const length = bytes.length < offset + 4 ? undefined : offset + bytes.readUInt32BE(offset);
      if (length !== undefined && bytes.length >= length) return cut(length);
      if (ended) return undefined;
      await more();
    }
  };
  /** All messages up to one of these kinds. */
  const until = async (kinds: string): Promise<Buffer | undefined> => {
    const parts: Buffer[] = [];
    for (;;) {
      const message = await framed(1);
      if (message === undefined) return undefined;
      const kind = String.fromCharCode(message[0] ?? 0);
      if (kind === "X") return undefined;
      parts.push(message);
      if (kinds.includes(kind)) return Buffer.concat(parts);
    }
  };
  return {
    raw: async () => (await framed(0)) ?? Buffer.alloc(0),
    batch: () => until("QS"),
    untilReady: async () => {
      const reply = await until("Z");
      if (reply === undefined) throw new Error("the server has ended the session");
      return { reply, idle: reply.at(-1) === 0x49 };
    },
  };
}

function join(left: Socket, right: Socket): void {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    one.on("error", () => undefined);
    one.on("close", () => other.destroy());
  }
}

/** A server on a free port; `close` ends what is connected. */
export async function listen(
  serve: (client: Socket) => void,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const clients = new Set<Socket>();
  const server: Server = createServer((client) => {
    clients.add(client);
    serve(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    close: async () => {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
