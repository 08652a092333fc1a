/** TLS against real servers: whom the client believes, and that others get not one byte. */

import { createServer as createNetServer } from "node:net";
import { createServer as createRawTlsServer, rootCertificates, type TlsOptions } from "node:tls";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { CallClass, HttpTarget, HttpTls } from "../../../src/http/call.ts";
import { createHttpClients } from "../../../src/http/client.ts";
import { readTrust } from "../../../src/http/connection/trust.ts";
import { type TestPorts, testPorts, testTarget } from "../../helpers/http-ports.ts";
import { reply, startServer } from "../../helpers/scripted-server.ts";
import { failure } from "./remote-failure.ts";
import {
  type CertificateName,
  certificate,
  type Listening,
  listen,
  pathOf,
  pem,
  startTlsServer,
} from "./tls-servers.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

function keep<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

const serve = async (name: CertificateName, options: TlsOptions = {}) =>
  keep(await startTlsServer(name, options));

const trusted: HttpTls = { ca: pem("authority") };

function client(
  origin: string,
  tls: HttpTls,
  ports: TestPorts = testPorts(),
  target: Partial<HttpTarget> = {},
) {
  const opening = keep(createHttpClients(ports)(testTarget(origin, { tls, ...target })));
  return (callClass: CallClass = "read", path = "/x"): Promise<string> =>
    opening.call(
      { class: callClass, method: "GET", path, headers: { authorization: "Bearer secret" } },
      ({ text }) => text,
    );
}

describe("by authority and host name", () => {
  test.each([
    ["server", { ca: pem("authority") }],
    ["server", { ca: `Subject: x\r\n${pem("self")}\n-- \n${pem("authority")}` }],
    // A self-signed certificate is its own authority.
    ["self", { ca: pem("self") }],
    // The server's own certificate, as a browser saves it.
    ["server", { ca: pem("server") }],
  ] as const)("%s is trusted with the right file", async (name, tls) => {
    const server = await serve(name);
    const call = client(server.origin, tls);
    expect(await call()).toBe("secure");
    expect(await call("mutate")).toBe("secure");
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer secret",
      "Bearer secret",
    ]);
  });

  const issuer = "CN=vmform test authority";
  const refused: readonly (readonly [CertificateName, HttpTls, string, string])[] = [
    ["self", {}, "is self-signed", "set ca_file"],
    ["self", trusted, "is self-signed", "set ca_file"],
    ["server", {}, `is from an unknown authority (${issuer})`, "set ca_file"],
    ["server", { ca: pem("self") }, `is from an unknown authority (${issuer})`, "set ca_file"],
    ["expired", trusted, "has expired", "Jan  1 00:00:00 2001 GMT"],
    ["other-host", trusted, "is for another host (other.example.com)", "put one of its names into"],
  ];
  describe.each(refused)("%s with %j", (name, tls, problem, wayOut) => {
    test.each(["read", "session", "mutate"] as const)("%s", async (callClass) => {
      const server = await serve(name);
      const ports = testPorts();
      const error = await failure(client(server.origin, tls, ports)(callClass));
      expect(error).toMatchObject({ kind: "invalid", effect: "none", status: undefined });
      expect(error.message).toContain(`certificate of 127.0.0.1:${server.port} ${problem}`);
      expect(error.message).toContain(wayOut);
      expect(error.message).toContain(`thumbprint: "${certificate(name).fingerprint256}"`);
      expect(server.seen).toEqual([]);
      expect(ports.retries).toEqual([]);
    });
  });

  test.each(["TLSv1.2", "TLSv1.3"] as const)(
    "%s: no later connection is let in",
    async (version) => {
      // A resumed session would not be asked for its host name again.
      const server = await serve("other-host", { minVersion: version, maxVersion: version });
      const call = client(server.origin, trusted);
      for (const callClass of ["read", "read", "mutate", "mutate", "read"] as const) {
        expect((await failure(call(callClass))).message).toContain("is for another host");
      }
      expect(server.seen).toEqual([]);
    },
  );

  test("the switch of Node.js for the whole process changes nothing", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    // Node.js warns of it.
    vi.spyOn(process, "emitWarning").mockReturnValue();
    try {
      const server = await serve("self");
      expect(await failure(client(server.origin, {})())).toMatchObject({ kind: "invalid" });
    } finally {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    }
  });
});

describe("the authorities of a file", () => {
  test("come after those of Node.js", () => {
    const trust = readTrust(trusted, "https://vm.example.com", {});
    const authorities = trust.by === "authorities" ? trust.authorities : undefined;
    expect(authorities).toEqual(expect.arrayContaining([...rootCertificates]));
    expect(authorities?.at(-1)).toBe(pem("authority"));
  });

  test("and after NODE_EXTRA_CA_CERTS", async () => {
    const environment = { NODE_EXTRA_CA_CERTS: pathOf("authority") };
    for (const name of ["server", "self"] as const) {
      const server = await serve(name);
      const call = client(server.origin, { ca: pem("self") }, testPorts({ environment }));
      expect(await call()).toBe("secure");
    }
  });

  test("an extra file that is not there is passed over, as by Node.js", async () => {
    const environment = { NODE_EXTRA_CA_CERTS: "/nowhere/extra.pem" };
    const server = await serve("server");
    expect(await client(server.origin, trusted, testPorts({ environment }))()).toBe("secure");
  });
});

describe("by thumbprint", () => {
  const spellings = (name: CertificateName) => {
    const { fingerprint, fingerprint256 } = certificate(name);
    return [fingerprint, fingerprint256].flatMap((text) => [
      text,
      text.toLowerCase(),
      text.replaceAll(":", ""),
      ` ${text.replaceAll(":", "").toLowerCase()}\n`,
    ]);
  };
  test.each(["server", "self", "expired", "other-host"] as const)(
    "%s is trusted, whatever else is wrong with it",
    async (name) => {
      const server = await serve(name);
      for (const thumbprint of spellings(name)) {
        const call = client(server.origin, { thumbprint });
        expect(await call()).toBe("secure");
        expect(await call("mutate")).toBe("secure");
      }
    },
  );

  test.each([
    ["SHA-256", "fingerprint256"],
    ["SHA-1", "fingerprint"],
  ] as const)("%s of another certificate: nothing is sent", async (algorithm, field) => {
    const received: Buffer[] = [];
    const ended: Promise<void>[] = [];
    const raw = createRawTlsServer({ cert: pem("server"), key: pem("key") }, (socket) => {
      socket.on("data", (data: Buffer) => received.push(data));
      socket.on("error", () => {});
    });
    raw.on("tlsClientError", () => {});
    raw.on("connection", (socket) => {
      ended.push(new Promise((resolve) => socket.on("close", () => resolve())));
    });
    const server: Listening = keep(await listen(raw, "https"));
    // Its authority is trusted, and yet the thumbprint decides.
    const tls = { ...trusted, thumbprint: certificate("self")[field] };
    const ports = testPorts();
    const error = await failure(client(server.origin, tls, ports)("session"));
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
    const shown = certificate("server")[field];
    expect(error.message).toContain(
      `127.0.0.1:${server.port} has another fingerprint (${algorithm} ${shown})`,
    );
    await Promise.all(ended);
    expect(ended).toHaveLength(1);
    expect(received).toEqual([]);
    expect(ports.retries).toEqual([]);
  });
});

test.each(["server", "self", "expired", "other-host"] as const)(
  "anybody is believed when that is asked for: %s",
  async (name) => {
    const server = await serve(name);
    const call = client(server.origin, { allowUnverified: true });
    expect(await call()).toBe("secure");
    expect(await call("mutate")).toBe("secure");
  },
);

describe("settings that cannot hold", () => {
  const { fingerprint256 } = certificate("self");
  const corrupt = pem("self").replace(/\n./, "\n!");
  const cases: readonly (readonly [string, HttpTls, string])[] = [
    ["contradict", { thumbprint: fingerprint256, allowUnverified: true }, "contradict each other"],
    ["are short", { thumbprint: fingerprint256.slice(3) }, "thumbprint is no fingerprint"],
    ["are empty", { thumbprint: "" }, "thumbprint is no fingerprint"],
    ["are MD5", { thumbprint: "00:".repeat(16).slice(0, -1) }, "thumbprint is no fingerprint"],
    ["are not hex", { thumbprint: "x".repeat(64) }, "thumbprint is no fingerprint"],
    ["name no certificate", { ca: "" }, "ca_file holds no certificate"],
    ["name a key", { ca: pem("key") }, "ca_file holds no certificate"],
    ["are dismissed", { ca: "x", allowUnverified: true }, "ca_file holds no certificate"],
    ["are corrupt", { ca: pem("authority") + corrupt }, "certificate 2 of ca_file cannot be read"],
  ];
  test.each(cases)("%s", (_name, tls, words) => {
    const open = () => createHttpClients(testPorts())(testTarget("https://h.invalid", { tls }));
    expect(open).toThrow(expect.objectContaining({ kind: "invalid", effect: "none" }));
    expect(open).toThrow(words);
  });

  test.each([trusted, { thumbprint: fingerprint256 }])("judge no plain http: %#", (tls) => {
    const open = () => createHttpClients(testPorts())(testTarget("http://h.invalid", { tls }));
    expect(open).toThrow("http://h.invalid has no certificate");
  });

  test("but an https origin may be dialled to plain http", async () => {
    const server = keep(await startServer((_request, response) => reply(response, { body: "ok" })));
    const dial = new Map([["https://cloud.example.com", server.origin]]);
    const tls = { thumbprint: fingerprint256 };
    expect(await client("https://cloud.example.com", tls, testPorts({ dial }))()).toBe("ok");
  });
});

describe("a port for the other of http and https", () => {
  const swapped = (origin: string) =>
    origin.startsWith("https:")
      ? origin.replace("https:", "http:")
      : origin.replace("http:", "https:");

  test("https to a server of plain http", async () => {
    const server = keep(await startServer((_request, response) => reply(response, {})));
    const ports = testPorts();
    const error = await failure(client(swapped(server.origin), {}, ports)("session"));
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
    expect(error.message).toContain("does not answer with TLS");
    expect(error.message).toContain("use http://");
    expect(ports.retries).toEqual([]);
  });

  test("plain http to a server that hangs up", async () => {
    const server = await serve("self");
    const error = await failure(client(swapped(server.origin), {})("mutate"));
    expect(error.message).toContain("use https://");
  });

  /** Answers the first bytes of each connection. */
  async function answering(bytes: Buffer | string): Promise<string> {
    const net = createNetServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(bytes));
    });
    return keep(await listen(net, "http")).origin;
  }

  test.each(["read", "mutate"] as const)(
    "plain http answered by an alert: %s",
    async (callClass) => {
      const alert = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]);
      const origin = await answering(alert);
      const ports = testPorts();
      const error = await failure(client(origin, {}, ports)(callClass));
      expect(error).toMatchObject({ kind: "invalid", effect: "none" });
      expect(error.message).toContain("expects TLS; use https://");
      expect(ports.retries).toEqual([]);
    },
  );

  test("plain http answered by something else", async () => {
    const origin = await answering("SSH-2.0-OpenSSH_9.9\r\n");
    const error = await failure(client(origin, {})("mutate"));
    expect(error).toMatchObject({ kind: "protocol", effect: "unknown" });
    expect(error.message).toContain("does not speak HTTP");
  });

  const answers = [
    "<html><h1>400 Bad Request</h1><p>The plain HTTP request was sent to HTTPS port",
    "Client sent an HTTP request to an HTTPS server.\n",
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    "Bad Request\nThis combination of host and port requires TLS.\r\n",
  ];
  test.each(answers)("plain http answered by %j", async (body) => {
    const server = keep(
      await startServer((_request, response) => reply(response, { status: 400, body })),
    );
    const error = await failure(client(server.origin, {})("mutate"));
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
    expect(error.message).toContain("expects TLS; use https://");
  });

  test("a 400 of another kind is the server's", async () => {
    const server = keep(
      await startServer((_request, response) => reply(response, { status: 400, body: "no TLS" })),
    );
    expect(await client(server.origin, {})()).toBe("no TLS");
  });
});

test("no version of TLS in common: said once, nothing sent", async () => {
  const server = await serve("self", { minVersion: "TLSv1", maxVersion: "TLSv1.1" });
  const ports = testPorts();
  const error = await failure(client(server.origin, { allowUnverified: true }, ports)());
  expect(error).toMatchObject({ kind: "protocol", effect: "none" });
  expect(error.message).toMatch(/connection to 127\.0\.0\.1:\d+ failed \(.*ERR_SSL_/);
  expect(ports.retries).toEqual([]);
});

test("a handshake that never ends ends with the limit of connecting", async () => {
  const net = createNetServer((socket) => void socket.on("error", () => {}));
  const { port } = keep(await listen(net, "https"));
  const call = client(`https://127.0.0.1:${port}`, {}, testPorts(), { connectTimeoutMs: 20 });
  const error = await failure(call("mutate"));
  expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
  expect(error.message).toBe(`GET /x: no connection to 127.0.0.1:${port} within 0.02 s`);
});
