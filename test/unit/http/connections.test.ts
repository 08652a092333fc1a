import { afterEach, describe, expect, test } from "vitest";
import { createHttpClients } from "../../../src/http/client.ts";
import { isLoopback, proxyFor } from "../../../src/http/proxy.ts";
import { testPorts, testTarget } from "../../helpers/http-ports.ts";
import { reply, type ScriptedServer, startServer } from "../../helpers/scripted-server.ts";

const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

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
])("proxy for %s with %j", (origin, environment, proxy) => {
  expect(proxyFor(origin, environment)?.origin).toBe(proxy);
});

describe("a proxy of the environment", () => {
  async function callThrough(environment: (proxy: string) => { [name: string]: string }) {
    const proxy = await startServer((_request, response) => reply(response, { body: "proxied" }));
    servers.push(proxy);
    const client = createHttpClients(testPorts({ environment: environment(proxy.origin) }))(
      testTarget("http://vm-host.invalid:8080"),
    );
    const outcome = await client
      .call({ class: "mutate", method: "POST", path: "/api/vms", body: "{}" }, ({ text }) => text)
      .catch((error: unknown) => error);
    await client.close();
    return { outcome, proxy };
  }

  test("gets plain http in absolute form", async () => {
    const { outcome, proxy } = await callThrough((origin) => ({ HTTP_PROXY: origin }));
    expect(outcome).toBe("proxied");
    expect(proxy.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST http://vm-host.invalid:8080/api/vms",
    ]);
    expect(proxy.seen[0]?.headers.host).toBe("vm-host.invalid:8080");
  });

  test.each(["no_proxy", "NO_PROXY"])("is not used for hosts of %s", async (name) => {
    const { outcome, proxy } = await callThrough((origin) => ({
      HTTP_PROXY: origin,
      [name]: "other.example.com,vm-host.invalid",
    }));
    expect(outcome).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(proxy.seen).toEqual([]);
  });
});
