/** Redirects with credentials at stake: who gets to see them, and who not even a connection. */

import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createHttpClients } from "../../../src/http/client.ts";
import { redirectPath } from "../../../src/http/redirect.ts";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import { testPorts, testTarget } from "../../helpers/http-ports.ts";
import { reply, startServer } from "../../helpers/scripted-server.ts";
import { listen } from "./tls-servers.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

function keep<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one);
  return one;
}

const credentials = {
  authorization: "Bearer secret",
  cookie: "session=secret",
  "x-cloud-authorization": "secret",
};
const statuses = [301, 302, 303, 307, 308] as const;

describe("from one origin to another", () => {
  const from = "https://vm.example.com:8443";
  const elsewhere = [
    "http://vm.example.com:8443/x",
    "https://vm.example.com/x",
    "https://vm.example.com:8444/x",
    "https://vm.example.com.:8443/x",
    "https://other.example.com:8443/x",
    "//other.example.com:8443/x",
    "\\\\other.example.com\\x",
    "https:\\\\other.example.com",
    "https://vm.example.com:8443@other.example.com/x",
    "ftp://vm.example.com:8443/x",
    "data:text/plain,x",
    "https://[",
  ];
  describe.each(statuses)("%i", (status) => {
    test.each(elsewhere)("to %s is an error", (location) => {
      const moved = { status, headers: { location } };
      const follow = () =>
        redirectPath(moved, { class: "read", method: "GET" }, { origin: from, path: "/a/b" });
      expect(follow).toThrow(RemoteError);
      expect(follow).toThrow(/server moved to .*set url/);
    });
  });

  test.each([
    ["/x", "/x"],
    ["x?y=1", "/a/x?y=1"],
    ["?y=1", "/a/b?y=1"],
    [`${from}/x#part`, "/x"],
    ["HTTPS://VM.EXAMPLE.COM:8443/x", "/x"],
    // A user in it is not used.
    ["https://user:pass@vm.example.com:8443/x", "/x"],
  ])("to %s stays and is followed", (location, path) => {
    const moved = { status: 307, headers: { location } };
    const call = { class: "read", method: "GET" } as const;
    expect(redirectPath(moved, call, { origin: from, path: "/a/b" })).toBe(path);
  });

  test("the port of a scheme may be written", () => {
    const moved = { status: 307, headers: { location: "https://vm.example.com:443/x" } };
    const call = { class: "read", method: "GET" } as const;
    const origin = "https://vm.example.com";
    expect(redirectPath(moved, call, { origin, path: "/" })).toBe("/x");
  });
});

/** A port that counts who comes, whatever they speak. */
async function watchedPort() {
  const came: string[] = [];
  const net = createServer((socket) => {
    socket.on("error", () => {});
    came.push("a connection");
  });
  return { came, ...keep(await listen(net, "http")) };
}

describe.each(statuses)("%i of a read with credentials", (status) => {
  async function redirected(location: (port: number) => string) {
    const server = keep(
      await startServer((_request, response) =>
        reply(response, { status, headers: { location: location(server.port) } }),
      ),
    );
    const client = keep(createHttpClients(testPorts())(testTarget(server.origin)));
    const outcome: unknown = await client
      .call({ class: "read", method: "GET", path: "/x", headers: credentials }, ({ text }) => text)
      .catch((error: unknown) => error);
    return { server, outcome };
  }

  test("does not even connect to another port or host", async () => {
    const other = await watchedPort();
    for (const host of ["127.0.0.1", "localhost"]) {
      const { server, outcome } = await redirected(() => `http://${host}:${other.port}/x`);
      expect(outcome).toMatchObject({ kind: "protocol", effect: "none", status });
      expect(server.seen).toHaveLength(1);
    }
    expect(other.came).toEqual([]);
  });

  test("does not even connect by another scheme", async () => {
    const other = await watchedPort();
    const { outcome } = await redirected(() => `https://127.0.0.1:${other.port}/x`);
    expect(outcome).toMatchObject({ kind: "protocol", status });
    expect(other.came).toEqual([]);
    // Same host, same port: only the scheme differs.
    const same = await redirected((port) => `https://127.0.0.1:${port}/x`);
    expect(same.outcome).toMatchObject({ kind: "protocol", status });
    expect(same.server.seen).toHaveLength(1);
  });

  test("within the origin keeps them", async () => {
    const server = keep(
      await startServer((request, response) => {
        if (request.url === "/end") return reply(response, { body: "end" });
        reply(response, { status, headers: { location: "/end" } });
      }),
    );
    const client = keep(createHttpClients(testPorts())(testTarget(server.origin)));
    const call = { class: "read", method: "GET", path: "/x", headers: credentials } as const;
    expect(await client.call(call, ({ text }) => text)).toBe("end");
    expect(server.seen).toMatchObject([{ headers: credentials }, { headers: credentials }]);
  });
});
