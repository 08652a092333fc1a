/** The life of a session over real HTTP: versions, login, expiry, logout. */

import { afterEach, describe, expect, test } from "vitest";
import { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import type { CloudClient } from "../../../../../src/providers/cloud/client/client.ts";
import { testEpochMs } from "../../../../helpers/http-ports.ts";
import { remoteErrorOf } from "../../../../helpers/remote-error.ts";
import {
  type CloudScript,
  errorXml,
  neutralWords,
  type ScriptedCloud,
  sessionXml,
  startCloud,
  vendorWords,
} from "../scripted-cloud.ts";

let cloud: ScriptedCloud;
afterEach(() => cloud.close());

async function open(script: CloudScript = {}): Promise<CloudClient> {
  cloud = await startCloud(script);
  return cloud.connection.client();
}

const vm = `<Vm xmlns="${neutralWords.namespace}" name="web" id="urn:cloud:vm:1" href="x"/>`;

describe("login", () => {
  test("nothing is sent before the first use, nor by closing", async () => {
    cloud = await startCloud();
    await cloud.connection.close();
    await cloud.connection.close();
    expect(cloud.server.seen).toEqual([]);
    expect((await remoteErrorOf(cloud.connection.client())).message).toContain("closed here");
  });

  test("versions without Accept, then credentials once, then the token alone", async () => {
    const client = await open({
      handle: ({ url }) => (url === "/api/vApp/vm-1" ? { body: vm } : undefined),
    });
    await client.get("/api/vApp/vm-1", { root: "Vm" });
    const [versions, login, get] = cloud.server.seen;
    expect(versions?.url).toBe("/api/versions");
    expect(versions?.headers).not.toHaveProperty("accept");
    expect(versions?.headers).not.toHaveProperty("authorization");
    const basic = Buffer.from("admin@system:pass&word").toString("base64");
    expect(login).toMatchObject({ method: "POST", url: "/api/sessions", body: "" });
    expect(login?.headers).toMatchObject({
      accept: "application/*+xml;version=5.1",
      authorization: `Basic ${basic}`,
      "content-length": "0",
    });
    expect(login?.headers).not.toHaveProperty("content-type");
    expect(get?.headers).toMatchObject({
      accept: "application/*+xml;version=5.1",
      "x-cloud-authorization": "C6De1/+x==",
    });
    expect(get?.headers).not.toHaveProperty("authorization");
    expect(get?.headers).not.toHaveProperty("cookie");
  });

  test.each([
    ["the neutral words", neutralWords],
    ["the real vendor's", vendorWords],
  ])("learns %s", async (_which, words) => {
    const client = await open({ words });
    expect(client.dialect).toEqual({
      tokenHeader: words.tokenHeader.toLowerCase(),
      cookie: words.cookie,
      mediaPrefix: words.media,
      adminPrefix: words.admin,
      namespace: words.namespace,
    });
    expect(client.who).toEqual({ user: "admin", org: "System", isSystem: true });
  });

  test("an organization of its own is no system organization", async () => {
    const client = await open({ org: "Org1" });
    expect(client.who).toEqual({ user: "admin", org: "Org1", isSystem: false });
  });

  test.each([
    [["1.5", "5.1", "5.5"], undefined, "5.1"],
    [["1.5"], undefined, "1.5"],
    [["5.10", "5.9", "1.5"], undefined, "1.5"],
    [["5.5", "5.10"], "5.10", "5.10"],
  ])("of %s, with api_version %s, %s is spoken", async (versions, wanted, spoken) => {
    const settings = wanted === undefined ? {} : { api_version: wanted };
    const client = await open({ versions, settings });
    expect(client.apiVersion).toBe(spoken);
  });

  test.each([
    [["1.5", "5.10"], "5.1", /does not offer api_version 5\.1; it offers 1\.5, 5\.10/],
    [["27.0", "5.10"], undefined, /neither API version 5\.1 nor 1\.5, only 5\.10, 27\.0/],
  ])("of %s, with api_version %s, nothing is spoken", async (versions, wanted, message) => {
    const settings = wanted === undefined ? {} : { api_version: wanted };
    const error = await remoteErrorOf(open({ versions, settings }));
    expect(error.kind).toBe("invalid");
    expect(error.message).toMatch(message);
    expect(cloud.count("POST")).toBe(0);
  });

  test("refused credentials are asked about once, whoever asks", async () => {
    cloud = await startCloud({
      handle: ({ url }) =>
        url.endsWith("/sessions")
          ? { status: 401, headers: { "www-authenticate": 'BASIC realm="x"' } }
          : undefined,
    });
    const { connection } = cloud;
    const errors = await Promise.all([1, 2, 3].map(() => remoteErrorOf(connection.client())));
    errors.push(await remoteErrorOf(connection.client()));
    expect(errors.map(({ kind }) => kind)).toEqual(Array(4).fill("unauthorized"));
    expect(errors[0]?.message).toContain("login refused for admin@system");
    expect(cloud.count("POST /api/sessions")).toBe(1);
    await connection.close();
    expect(cloud.count("DELETE")).toBe(0);
  });

  const body = sessionXml(neutralWords, "System", "http://h");
  const token = { "x-cloud-authorization": "T0ken" };
  test.each([
    ["no token", { body }, /status 200, .*without a session token/],
    ["two tokens", { headers: { ...token, "x-other-authorization": "b" }, body }, /several/],
    [
      "an HTML page",
      { headers: token, body: "<html>Sign in</html>" },
      /an HTML page \(not shown, it answers a login\)/,
    ],
    ["nothing", { headers: token, body: "" }, /status 200, empty body/],
    [
      "a cut body",
      { headers: token, body: body.slice(0, 90) },
      /status 200, body \(not shown, it answers a login\) instead of XML/,
    ],
    [
      "another document",
      { headers: token, body: "<Org/>" },
      /body \(not shown, it answers a login\) instead of Session/,
    ],
    [
      "another version",
      {
        headers: {
          ...token,
          "content-type": "application/vnd.vendor.cloud.session+xml; version=5.5",
        },
        body,
      },
      /in version 5\.5, though 5\.1 was asked for/,
    ],
  ])("answered by %s is an error, and leaves no session", async (_what, answer, message) => {
    const error = await remoteErrorOf(
      open({
        tokenless: true,
        handle: ({ url }) => (url.endsWith("/sessions") ? answer : undefined),
      }),
    );
    expect(error).toMatchObject({ kind: "protocol", status: 200 });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain("T0ken");
    expect(cloud.count("DELETE /api/session")).toBe("headers" in answer ? 1 : 0);
  });

  test.each([
    [{ body: "<html>Sign in</html>" }, "protocol"],
    [{ body: "<Session/>" }, "protocol"],
    [{ status: 404, body: "<html>nginx</html>" }, "not-found"],
  ])("%j instead of versions is an error", async (answer, kind) => {
    const error = await remoteErrorOf(
      open({ handle: ({ url }) => (url.endsWith("/versions") ? answer : undefined) }),
    );
    expect(error.kind).toBe(kind);
    expect(error.message).toContain("GET /api/versions");
  });

  test("a cloud that is busy is asked again; a login without a reply is, twice more", async () => {
    const client = await open({
      handle: ({ url }, count) =>
        url.endsWith("/sessions") && count === 0
          ? { status: 503, body: "<html>later</html>" }
          : undefined,
    });
    expect(client.apiVersion).toBe("5.1");
    expect(cloud.count("POST")).toBe(2);
    await cloud.close();
    const error = await remoteErrorOf(
      open({ handle: ({ url }) => (url.endsWith("/sessions") ? "reset" : undefined) }),
    );
    expect(error.kind).toBe("unavailable");
    await cloud.connection.close();
    expect(cloud.requests()).toEqual([]);
    expect(cloud.count("POST")).toBe(3);
  });
});

describe("expiry", () => {
  const expiring = (limit: number): CloudScript => ({
    handle: ({ url }, count) => {
      if (!url.startsWith("/api/vApp/")) return undefined;
      return count < limit ? { status: 401 } : undefined;
    },
  });

  test("one login serves every request that found the session expired", async () => {
    const script: CloudScript = {
      handle: ({ url, headers }) => {
        if (!url.startsWith("/api/vApp/")) return undefined;
        return headers["x-cloud-authorization"] === "C6De1/+x==" ? { status: 401 } : { body: vm };
      },
      settings: { parallel_reads: 16 },
    };
    const client = await open(script);
    const ids = Array.from({ length: 40 }, (_, index) => index);
    await Promise.all(ids.map((id) => client.get(`/api/vApp/vm-${id}`)));
    expect(cloud.count("POST /api/sessions")).toBe(2);
    expect(cloud.count("GET /api/versions")).toBe(1);
    const sent = ids.map(
      (id) => cloud.requests().filter((one) => one === `GET /api/vApp/vm-${id}`).length,
    );
    // What waited for its turn began under the new session.
    expect(Math.max(...sent)).toBe(2);
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(1);
  });

  test("a change that was refused is sent once more, after the login", async () => {
    const client = await open(expiring(1));
    const error = await remoteErrorOf(
      client.send({ method: "POST", path: "/api/vApp/vm-1/action/x" }),
    );
    expect(error.kind).toBe("not-found");
    expect(cloud.count("POST /api/vApp/vm-1/action/x")).toBe(2);
    expect(cloud.count("POST /api/sessions")).toBe(2);
  });

  test("a second refusal is an error, and more of them log in no more", async () => {
    const client = await open(expiring(99));
    for (const _ of [1, 2, 3]) {
      const error = await remoteErrorOf(client.get("/api/vApp/vm-1"));
      expect(error).toMatchObject({ kind: "unauthorized", effect: "none", status: 401 });
      expect(error.message).toContain("GET /api/vApp/vm-1");
    }
    expect(cloud.count("POST /api/sessions")).toBe(2);
  });

  test("the login in between is refused", async () => {
    const client = await open({
      handle: ({ url }, count) => {
        if (url.startsWith("/api/vApp/")) return { status: 401 };
        return url.endsWith("/sessions") && count > 0 ? { status: 401 } : undefined;
      },
    });
    const error = await remoteErrorOf(client.get("/api/vApp/vm-1"));
    expect(error.message).toContain("login refused for admin@system");
    await remoteErrorOf(client.get("/api/vApp/vm-1"));
    expect(cloud.count("POST /api/sessions")).toBe(2);
  });

  test.each([
    ["dead", 401, 2, "not-found"],
    ["dead, in the words of 403", 403, 2, "not-found"],
    ["alive", 200, 1, "forbidden"],
  ])("403 without words: the session is %s", async (_what, status, logins, kind) => {
    const client = await open({
      handle: ({ method, url }, count) => {
        if (url.startsWith("/api/vApp/") && count === 0) return { status: 403 };
        if (method === "GET" && url === "/api/session") return { status };
        return undefined;
      },
    });
    const error = await remoteErrorOf(
      client.send({ method: "POST", path: "/api/vApp/vm-1/action/x" }),
    );
    expect(error).toMatchObject({ kind, effect: "none" });
    expect(cloud.count("GET /api/session")).toBe(1);
    expect(cloud.count("POST /api/sessions")).toBe(logins);
  });

  test("403 in the server's words is about the object: nothing is asked", async () => {
    const body = errorXml(neutralWords, 403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No access");
    const client = await open({
      handle: ({ url }) => (url.startsWith("/api/vApp/") ? { status: 403, body } : undefined),
    });
    expect((await remoteErrorOf(client.get("/api/vApp/vm-1"))).kind).toBe("forbidden");
    expect(cloud.requests()).toEqual(["GET /api/vApp/vm-1"]);
  });

  test.each([
    ["has ended", 401, 2, "not-found"],
    ["goes on", 200, 1, "forbidden"],
  ])("after a while of quiet it may be about the session, which %s", async (...row) => {
    const [, status, logins, kind] = row;
    const body = errorXml(neutralWords, 403, "ACCESS_TO_RESOURCE_IS_FORBIDDEN", "No access");
    const client = await open({
      handle: ({ method, url }, count) => {
        if (url.startsWith("/api/vApp/") && count === 0) return { status: 403, body };
        return method === "GET" && url === "/api/session" ? { status } : undefined;
      },
    });
    await cloud.ports.clock.sleep(31 * 60_000);
    expect((await remoteErrorOf(client.get("/api/vApp/vm-1"))).kind).toBe(kind);
    expect(cloud.count("GET /api/session")).toBe(1);
    expect(cloud.count("POST /api/sessions")).toBe(logins);
  });
});

describe("logout", () => {
  test("the session is ended once, by its token", async () => {
    await open();
    expect(cloud.alive.size).toBe(1);
    await cloud.connection.close();
    await cloud.connection.close();
    expect(cloud.alive.size).toBe(0);
    expect(cloud.requests()).toEqual(["DELETE /api/session"]);
  });

  test.each([
    ["refused", { status: 500, body: "no" }],
    ["cut off", "reset" as const],
  ])("that is %s is no error", async (_what, answer) => {
    await open({ handle: ({ method }) => (method === "DELETE" ? answer : undefined) });
    await expect(cloud.connection.close()).resolves.toBeUndefined();
    expect(cloud.count("DELETE /api/session")).toBe(answer === "reset" ? 3 : 1);
  });

  test("while requests are in flight: they fail, none logs in again", async () => {
    let hanging = (): void => {};
    const reached = new Promise<void>((resolve) => (hanging = resolve));
    const client = await open({
      handle: ({ url }) => {
        if (!url.startsWith("/api/vApp/")) return undefined;
        hanging();
        return "hang";
      },
    });
    const failed = remoteErrorOf(client.get("/api/vApp/vm-1"));
    await reached;
    await cloud.connection.close();
    expect((await failed).kind).toBe("unavailable");
    expect(cloud.alive.size).toBe(0);
    expect(cloud.count("POST /api/sessions")).toBe(1);
    expect((await remoteErrorOf(client.get("/api/vApp/vm-1"))).message).toContain("closed here");
  });

  /** Closes once the request that ends with `path` has come; what the opening became. */
  async function closeAt(path: string, answer?: "hang"): Promise<RemoteError | CloudClient> {
    let arrive = (): void => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    // Nobody's patience ends, unless the login hangs.
    const clock = { now: () => testEpochMs, sleep: () => new Promise<void>(() => {}) };
    cloud = await startCloud({
      ...(answer === undefined ? { clock } : {}),
      handle: ({ url }) => {
        if (!url.endsWith(path)) return undefined;
        arrive();
        return answer;
      },
    });
    const opening = cloud.connection.client().catch((error: unknown) => error);
    await arrived;
    await cloud.connection.close();
    const opened = await opening;
    if (opened instanceof RemoteError) return opened;
    return opened as CloudClient;
  }

  test("while logging in: the session that opens then is ended", async () => {
    expect(await closeAt("/sessions")).toMatchObject({ apiVersion: "5.1" });
    expect(cloud.requests()).toEqual(["DELETE /api/session"]);
    expect(cloud.alive.size).toBe(0);
  });

  test("before the login: there is none", async () => {
    expect(await closeAt("/versions")).toMatchObject({ kind: "unavailable" });
    expect(cloud.count("POST")).toBe(0);
  });

  test("a login that does not answer is given up, and nothing is ended", async () => {
    expect(await closeAt("/sessions", "hang")).toMatchObject({ kind: "unavailable" });
    expect(cloud.requests()).toEqual([]);
  });

  test("after a renewal the living session is ended, not the dead one", async () => {
    const client = await open({
      handle: ({ url }, count) =>
        url === "/api/vApp/vm-1" && count === 0 ? { status: 401 } : undefined,
    });
    await remoteErrorOf(client.get("/api/vApp/vm-1"));
    await cloud.connection.close();
    const ended = cloud.server.seen.filter(({ method }) => method === "DELETE");
    expect(ended.map(({ headers }) => headers["x-cloud-authorization"])).toEqual(["C6De2/+x=="]);
  });
});
