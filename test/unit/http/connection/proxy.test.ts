/** Proxies of the environment: when one is used, what it learns, and what its refusals say. */

import { createServer as createNetServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { CallClass, HttpTarget, HttpTls } from "../../../../src/http/call.ts";
import { createHttpClients } from "../../../../src/http/client.ts";
import { isExempt, proxyFor } from "../../../../src/http/connection/proxy.ts";
import { isLoopback } from "../../../../src/lib/loopback.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import { type TestPorts, testPorts, testTarget } from "../../../helpers/http-ports.ts";
import { closedOrigin, reply, startServer } from "../../../helpers/scripted-server.ts";
import { failure } from "../remote-failure.ts";
import {
  type CertificateName,
  certificate,
  listen,
  pem,
  startTlsServer,
  startTunnelProxy,
} from "../tls-servers.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

function keep<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

type Asked = {
  readonly origin: string;
  readonly ports: TestPorts;
  readonly callClass?: CallClass;
  readonly tls?: HttpTls;
  readonly target?: Partial<HttpTarget>;
};

const credentials = { authorization: "Bearer secret", cookie: "session=secret" };

function ask({ origin, ports, callClass = "read", tls = {}, target = {} }: Asked): Promise<string> {
  const client = keep(createHttpClients(ports)(testTarget(origin, { tls, ...target })));
  return client.call(
    { class: callClass, method: "GET", path: "/x", headers: credentials },
    ({ status, text }) => {
      if (status === 200) return text;
      throw new RemoteError({
        kind: "unavailable",
        effect: "none",
        status,
        message: "from server",
      });
    },
  );
}

test.each([
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["localhost", true],
  ["LOCALHOST.", true],
  ["sub.localhost", true],
  ["[::1]", true],
  ["[::ffff:7f00:1]", true],
  ["localhost.example.com", false],
  ["127.example.com", false],
  ["10.0.0.1", false],
  ["[::2]", false],
])("loopback: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test.each([
  ["http://vm.example.com", { HTTP_PROXY: "http://p:1" }, "http://p:1"],
  ["http://vm.example.com", { http_proxy: "http://p:1" }, "http://p:1"],
  ["http://vm.example.com", { http_proxy: "http://p:1", HTTP_PROXY: "http://q:1" }, "http://p:1"],
  ["http://vm.example.com", { HTTP_PROXY: "p:1" }, "http://p:1"],
  ["http://vm.example.com", { HTTPS_PROXY: "http://p:1" }, undefined],
  ["http://vm.example.com", { HTTP_PROXY: "" }, undefined],
  ["https://vm.example.com", { HTTPS_PROXY: "http://p:1" }, "http://p:1"],
  ["https://vm.example.com", { HTTP_PROXY: "http://p:1" }, undefined],
  ["http://127.0.0.1:8080", { HTTP_PROXY: "http://p:1" }, undefined],
  ["http://localhost:8080", { HTTP_PROXY: "http://p:1" }, undefined],
  ["http://[::1]:8080", { HTTP_PROXY: "http://p:1" }, undefined],
  ["https://vm.example.com", { HTTPS_PROXY: "https://p" }, "https://p"],
  ["https://vm.example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: "example.com" }, undefined],
  ["https://vm.example.com", { HTTPS_PROXY: "http://p:1", no_proxy: "example.com" }, undefined],
  ["https://vm.example.com", { HTTPS_PROXY: "http://p:1", NO_PROXY: "other" }, "http://p:1"],
])("proxy for %s with %j", (origin, environment, proxy) => {
  expect(proxyFor(origin, environment)?.origin).toBe(proxy);
});

test("the user of a proxy goes to it as basic credentials, and not into names", () => {
  const proxy = proxyFor("http://vm.example.com", { HTTP_PROXY: "http://us%40er:p%3Aw@p:1" });
  expect(proxy).toEqual({
    origin: "http://p:1",
    host: "p:1",
    headers: { "proxy-authorization": `Basic ${Buffer.from("us@er:p:w").toString("base64")}` },
  });
});

test.each(["socks5://u:hidden@p:1", "http://u:hidden@", "http://u:hidden%zz@p:1", "ftp://p"])(
  "%s is no proxy",
  (written) => {
    const open = () => proxyFor("https://vm.example.com", { https_proxy: written });
    expect(open).toThrow("HTTPS_PROXY does not name an http or https proxy");
    expect(open).toThrow(expect.objectContaining({ kind: "invalid", effect: "none" }));
    expect(open).not.toThrow("hidden");
  },
);

test.each([
  ["https://vm.example.com", "vm.example.com", true],
  ["https://vm.example.com", "VM.Example.COM.", true],
  ["https://vm.example.com.", "vm.example.com", true],
  ["https://vm.example.com", "example.com", true],
  ["https://vm.example.com", ".example.com", true],
  ["https://vm.example.com", "*.example.com", true],
  ["https://vm.example.com", "ample.com", false],
  ["https://example.com.evil.org", "example.com", false],
  ["https://vm.example.com", "other.org, vm.example.com", true],
  ["https://vm.example.com", "other.org vm.example.com", true],
  ["https://vm.example.com", ",,", false],
  ["https://vm.example.com", ".", false],
  ["https://vm.example.com", "*", true],
  ["https://vm.example.com", "other.org,*", true],
  ["https://vm.example.com:8443", "example.com", true],
  ["https://vm.example.com:8443", "example.com:8443", true],
  ["https://vm.example.com:8443", "example.com:443", false],
  ["https://vm.example.com", "example.com:443", true],
  ["http://vm.example.com", "example.com:443", false],
  ["http://vm.example.com", "example.com:80", true],
  ["https://10.1.2.3", "10.1.2.3", true],
  ["https://10.1.2.3", "2.3", false],
  ["https://10.1.2.3", "10.0.0.0/8", true],
  ["https://10.1.2.3", "10.1.2.0/24", true],
  ["https://10.1.2.3", "10.1.3.0/24", false],
  ["https://10.1.2.3", "0.0.0.0/0", true],
  ["https://10.1.2.3", "10.0.0.0/33", false],
  ["https://10.1.2.3", "10.0.0.0/", false],
  ["https://10.1.2.3", "fd00::/8", false],
  ["https://10.1.2.3:8443", "10.1.2.3:8443", true],
  ["https://10.1.2.3:8443", "10.1.2.3:443", false],
  ["https://[fd00::1]", "fd00::1", true],
  ["https://[fd00::1]", "[fd00::1]", true],
  ["https://[fd00::1]:8443", "[fd00::1]:8443", true],
  ["https://[fd00::1]:8443", "[fd00::1]:443", false],
  ["https://[fd00::1]", "fd00::/8", true],
  ["https://[fd00::1]", "10.0.0.0/8", false],
  ["https://vm.example.com", "10.0.0.0/8", false],
])("%s is exempt by %j: %s", (url, noProxy, expected) => {
  expect(isExempt(new URL(url), noProxy)).toBe(expected);
});

describe("an https origin", () => {
  const trusted: HttpTls = { ca: pem("authority") };

  async function tunnelTo(name: CertificateName, user = "", host = "vm-host.invalid") {
    const server = keep(await startTlsServer(name));
    const proxy = keep(await startTunnelProxy({ port: server.port }));
    const written = proxy.origin.replace("//", `//${user}`);
    const ports = testPorts({ environment: { HTTPS_PROXY: written } });
    return { server, proxy, ports, origin: `https://${host}:${server.port}` };
  }

  test.each(["read", "session", "mutate"] as const)(
    "is reached in a tunnel that knows no credentials: %s",
    async (callClass) => {
      const { server, proxy, ports, origin } = await tunnelTo("server");
      expect(await ask({ origin, ports, callClass, tls: trusted })).toBe("secure");
      expect(proxy.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
        `CONNECT vm-host.invalid:${server.port}`,
      ]);
      expect(Object.keys(proxy.asked[0]?.headers ?? {}).sort()).toEqual(["connection", "host"]);
      expect(server.seen).toMatchObject([{ url: "/x", headers: credentials }]);
      expect(server.serverNames).toEqual(["vm-host.invalid"]);
    },
  );

  test("does not learn the credentials of the proxy", async () => {
    const { server, proxy, ports, origin } = await tunnelTo("server", "user:pass@");
    await ask({ origin, ports, tls: trusted });
    const basic = `Basic ${Buffer.from("user:pass").toString("base64")}`;
    expect(proxy.asked[0]?.headers["proxy-authorization"]).toBe(basic);
    expect(server.seen[0]?.headers["proxy-authorization"]).toBeUndefined();
    expect(JSON.stringify(ports.records)).not.toContain(basic);
  });

  test.each([
    ["self", { thumbprint: certificate("self").fingerprint256 }],
    ["expired", { allowUnverified: true }],
    ["server", trusted],
  ] as const)("is judged by its settings: %s is trusted", async (name, tls) => {
    const { ports, origin } = await tunnelTo(name);
    expect(await ask({ origin, ports, tls })).toBe("secure");
    expect(await ask({ origin, ports, tls, callClass: "mutate" })).toBe("secure");
  });

  test.each([
    ["self", {}, "vm-host.invalid", "is self-signed"],
    ["server", {}, "vm-host.invalid", "is from an unknown authority"],
    ["other-host", trusted, "vm-host.invalid", "is for another host"],
    // Good for 127.0.0.1, where the tunnel ends, but that is not who was asked for.
    ["server", trusted, "10.1.2.3", "is for another host"],
    ["server", { thumbprint: certificate("self").fingerprint256 }, "vm-host.invalid", "another"],
  ] as const)("is judged by its settings: %s with %# is not", async (name, tls, host, words) => {
    const { server, proxy, ports, origin } = await tunnelTo(name, "", host);
    const error = await failure(ask({ origin, ports, tls }));
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
    expect(error.message).toContain(`certificate of ${host}:${server.port}`);
    expect(error.message).toContain(words);
    expect(server.seen).toEqual([]);
    expect(proxy.asked).toHaveLength(1);
  });

  test.each([
    [407, "invalid", "asks for a user and password (status 407)"],
    [403, "invalid", "did not connect to vm-host.invalid (status 403)"],
    [502, "unavailable", "did not connect to vm-host.invalid (status 502)"],
    [503, "unavailable", "did not connect to vm-host.invalid (status 503)"],
  ])("a proxy that answers %i is named, and its status is not the server's", async (...row) => {
    const [status, kind, words] = row;
    const proxy = keep(await startTunnelProxy({ status }));
    const environment = { HTTPS_PROXY: proxy.origin.replace("//", "//user:hidden@") };
    for (const callClass of ["read", "mutate"] as const) {
      const ports = testPorts({ environment });
      const error = await failure(ask({ origin: "https://vm-host.invalid", ports, callClass }));
      expect(error).toMatchObject({ kind, effect: "none", status: undefined });
      expect(error.message).toContain(`proxy 127.0.0.1:${proxy.port} ${words}`);
      expect(error.message).not.toContain("hidden");
      expect(ports.retries).toHaveLength(kind === "unavailable" && callClass === "read" ? 4 : 0);
      expect(ports.sent).toEqual([]);
    }
    expect(proxy.asked[0]).toMatchObject({ method: "CONNECT", url: "vm-host.invalid:443" });
  });

  test("a proxy that is not there is named", async () => {
    const proxy = await closedOrigin();
    const ports = testPorts({ environment: { HTTPS_PROXY: proxy } });
    const error = await failure(ask({ origin: "https://vm-host.invalid", ports }));
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(error.message).toBe(`GET /x: connection refused by proxy ${proxy.slice(7)}`);
    expect(ports.retries).toEqual([]);
  });

  test("a proxy that says nothing ends with the limit of connecting", async () => {
    const proxy = keep(await startTunnelProxy({ status: 0 }));
    const ports = testPorts({ environment: { HTTPS_PROXY: proxy.origin } });
    const target = { connectTimeoutMs: 20 };
    const asked: Asked = { origin: "https://vm-host.invalid", ports, callClass: "mutate", target };
    const error = await failure(ask(asked));
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(error.message).toContain(`no tunnel from proxy 127.0.0.1:${proxy.port} within 0.02 s`);
  });

  test("a proxy with a certificate of its own is not judged by the origin's settings", async () => {
    const server = keep(await startTlsServer("self"));
    const proxy = keep(await startTunnelProxy({ port: server.port }, "self"));
    const ports = testPorts({ environment: { HTTPS_PROXY: proxy.origin } });
    for (const tls of [
      { allowUnverified: true },
      { ca: pem("self") },
      { thumbprint: certificate("self").fingerprint256 },
    ]) {
      const error = await failure(ask({ origin: `https://vm-host.invalid`, ports, tls }));
      expect(error).toMatchObject({ kind: "invalid", effect: "none" });
      expect(error.message).toContain(
        `certificate of proxy 127.0.0.1:${proxy.port} is self-signed; NODE_EXTRA_CA_CERTS`,
      );
    }
    expect(proxy.asked).toEqual([]);
  });

  test("a proxy written with https that speaks plain http", async () => {
    const proxy = keep(await startTunnelProxy({ status: 502 }));
    const environment = { HTTPS_PROXY: proxy.origin.replace("http:", "https:") };
    const ports = testPorts({ environment });
    const error = await failure(ask({ origin: "https://vm-host.invalid", ports }));
    expect(error.message).toContain(`proxy 127.0.0.1:${proxy.port} does not answer with TLS`);
  });

  test.each(["vm-host.invalid", "*.invalid:8443"])("NO_PROXY goes past it: %s", async (noProxy) => {
    const proxy = keep(await startTunnelProxy({ status: 502 }));
    const environment = { HTTPS_PROXY: proxy.origin, NO_PROXY: noProxy };
    const ports = testPorts({ environment });
    const error = await failure(ask({ origin: "https://vm-host.invalid:8443", ports }));
    expect(error.message).toContain("host name of vm-host.invalid:8443 cannot be resolved");
    expect(proxy.asked).toEqual([]);
  });
});

describe("a plain http origin", () => {
  const origin = "http://vm-host.invalid:8080";

  async function through(status: number, user = "") {
    const proxy = keep(
      await startServer((_request, response) => reply(response, { status, body: "proxied" })),
    );
    const environment = { HTTP_PROXY: proxy.origin.replace("//", `//${user}`) };
    return { proxy, ports: testPorts({ environment }) };
  }

  test.each(["read", "mutate"] as const)("is asked for in absolute form: %s", async (callClass) => {
    const { proxy, ports } = await through(200, "user:pass@");
    expect(await ask({ origin, ports, callClass })).toBe("proxied");
    expect(proxy.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([`GET ${origin}/x`]);
    expect(proxy.seen[0]?.headers).toMatchObject({
      host: "vm-host.invalid:8080",
      "proxy-authorization": `Basic ${Buffer.from("user:pass").toString("base64")}`,
    });
  });

  test("407 is the proxy's, whatever a provider makes of it", async () => {
    const { proxy, ports } = await through(407);
    const error = await failure(ask({ origin, ports, callClass: "mutate" }));
    expect(error).toMatchObject({ kind: "invalid", effect: "none", status: undefined });
    expect(error.message).toContain(`proxy 127.0.0.1:${proxy.port} asks for a user and password`);
  });

  test.each([502, 503, 504])("%i may be the proxy's", async (status) => {
    const { proxy, ports } = await through(status);
    const error = await failure(ask({ origin, ports, callClass: "mutate" }));
    expect(error.message).toContain(`from server (by way of proxy 127.0.0.1:${proxy.port})`);
  });

  test("500 is the server's", async () => {
    const { ports } = await through(500);
    expect((await failure(ask({ origin, ports }))).message).toBe("GET /x: from server");
  });

  test("a proxy that is not there is named", async () => {
    const proxy = await closedOrigin();
    const ports = testPorts({ environment: { HTTP_PROXY: proxy } });
    const error = await failure(ask({ origin, ports }));
    expect(error.message).toBe(`GET /x: connection refused by proxy ${proxy.slice(7)}`);
  });

  test("a proxy that hangs up is named, and a change may have been passed on", async () => {
    const net = createNetServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.destroy());
    });
    const proxy = keep(await listen(net, "http"));
    const ports = testPorts({ environment: { HTTP_PROXY: proxy.origin } });
    const error = await failure(ask({ origin, ports, callClass: "mutate" }));
    expect(error).toMatchObject({ kind: "unavailable", effect: "unknown" });
    expect(error.message).toContain(`proxy 127.0.0.1:${proxy.port}`);
  });

  test.each(["no_proxy", "NO_PROXY"])("is not asked for when %s names it", async (name) => {
    const { proxy, ports } = await through(200);
    const environment = { ...ports.environment, [name]: "other.example.com,vm-host.invalid" };
    const error = await failure(ask({ origin, ports: testPorts({ environment }) }));
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(proxy.seen).toEqual([]);
  });
});
