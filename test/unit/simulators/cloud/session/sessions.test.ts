/** Versions, login in both dialects, idle time, logout, and versions that are refused. */

import { describe, expect, test } from "vitest";
import { attributeOf, childrenOf, textOf } from "../../../../../src/lib/xml/xml.ts";
import { createClock } from "../../../../../src/simulators/kit/clock.ts";
import { simulate, stopNow } from "../../simulation.ts";
import { accept, basic, errorOf, logIn, neutral, rawSend, relsOf } from "../cloud-client.ts";

const users = [
  { name: "admin", password: "secret" },
  { name: "alice", org: "Acme", password: "pa:ss@word" },
  { name: "bob@example.com", org: "Acme", password: "b" },
];

test("versions are listed without login, in a namespace of their own", async () => {
  const simulators = await simulate({
    world: { cloud: { rules: { versions: ["1.5", "5.1", "5.10"] } } },
  });
  const reply = await rawSend(simulators, "GET /api/versions", {});
  expect(reply.status).toBe(200);
  expect(reply.headers.get("content-type")).toMatch(/^text\/xml/);
  const namespace = "http://www.vendor.com/cloud/versions";
  const infos = childrenOf(reply.root, namespace, "VersionInfo");
  expect(infos.flatMap((info) => childrenOf(info, namespace, "Version").map(textOf))).toEqual([
    "1.5",
    "5.1",
    "5.10",
  ]);
  const url = infos.flatMap((info) => childrenOf(info, namespace, "LoginUrl").map(textOf))[0];
  expect(url).toBe(`${simulators.origins.cloud}/api/sessions`);
});

describe.each([
  ["neutral", neutral.header, neutral.cookie, neutral.media, neutral.namespace],
  [
    "vendor",
    "x-vcloud-authorization",
    "vcloud-token",
    "application/vnd.vmware.vcloud.",
    "http://www.vmware.com/vcloud/v1.5",
  ],
] as const)("in the %s dialect", (dialect, header, cookie, media, namespace) => {
  test("login answers a session, a token and a cookie", async () => {
    const simulators = await simulate({ world: { cloud: { rules: { dialect } } } });
    const reply = await rawSend(simulators, "POST /api/sessions", {
      accept: accept("5.1"),
      authorization: basic("admin@system", "secret"),
    });
    expect(reply.status).toBe(200);
    const token = reply.headers.get(header) ?? "";
    expect(token).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(reply.headers.get("set-cookie")).toBe(`${cookie}=${token}; Secure; Path=/`);
    expect(reply.headers.get("content-type")).toBe(`${media}session+xml;version=5.1`);
    expect(reply.root).toMatchObject({ namespace, local: "Session" });
    expect(attributeOf(reply.root, "org")).toBe("System");
    expect(attributeOf(reply.root, "user")).toBe("admin");
    const links = childrenOf(reply.root, namespace, "Link");
    expect(links.map((link) => attributeOf(link, "rel"))).toContain("entityResolver");
    const client = await logIn(simulators, { header });
    const session = await client.send("GET /api/session");
    expect(session.status).toBe(200);
    expect(attributeOf(session.root, "href")).toBe(`${simulators.origins.cloud}/api/session/`);
  });
});

test.each([
  ["alice@Acme", "pa:ss@word", "alice", "Acme"],
  ["alice@acme", "pa:ss@word", "alice", "Acme"],
  ["bob@example.com@ACME", "b", "bob@example.com", "Acme"],
])("%s logs in", async (login, password, user, org) => {
  const simulators = await simulate({ world: { cloud: { users } } });
  const client = await logIn(simulators, { user: login, password });
  const { root } = await client.send("GET /api/session/");
  expect([attributeOf(root, "user"), attributeOf(root, "org")]).toEqual([user, org]);
});

test.each([
  ["a wrong password", basic("admin@system", "wrong")],
  ["another organization", basic("admin@acme", "secret")],
  ["no organization", basic("admin", "secret")],
  ["no credentials", ""],
  ["another scheme", "Bearer abc"],
])("login with %s is 401 with an empty body", async (_name, authorization) => {
  const simulators = await simulate({ world: { cloud: { users } } });
  const headers = { accept: accept("5.1"), authorization };
  const reply = await rawSend(simulators, "POST /api/sessions", headers);
  expect([reply.status, reply.text]).toEqual([401, ""]);
  expect(reply.headers.get("www-authenticate")).toBe('BASIC realm="Cloud"');
  expect(reply.headers.get("content-type")).toBeNull();
  expect(reply.headers.get(neutral.header)).toBeNull();
});

test.each([
  ["no Accept", {}],
  ["no version", { accept: "application/*+xml" }],
  ["an unknown version", { accept: accept("5.6") }],
  ["a number that looks equal", { accept: accept("5.10") }],
])("%s is 406 with the supported versions", async (_name, headers) => {
  const simulators = await simulate({ world: {} });
  for (const target of ["POST /api/sessions", "GET /api/query?type=vm"]) {
    const reply = await rawSend(simulators, target, headers);
    expect(errorOf(reply)).toEqual([
      406,
      "NOT_ACCEPTABLE",
      "The request has invalid accept header. Supported API versions are: [1.5, 5.1].",
    ]);
  }
});

test("a version with spaces, and links of 1.5", async () => {
  const simulators = await simulate({ world: {} });
  const later = await logIn(simulators, { version: " 5.1" });
  expect(relsOf((await later.send("GET /api/session")).root)).toContain("down:extensibility");
  const client = await logIn(simulators, { version: "1.5" });
  const reply = await client.send("GET /api/session");
  expect(reply.headers.get("content-type")).toBe(`${neutral.media}session+xml;version=1.5`);
  expect(relsOf(reply.root)).toEqual(["down", "down", "down", "down", "down", "entityResolver"]);
});

test("no token, a wrong one, and the cookie alone", async () => {
  const simulators = await simulate({ world: {} });
  const client = await logIn(simulators);
  const token = (
    await rawSend(simulators, "POST /api/sessions", {
      accept: accept("5.1"),
      authorization: basic("admin@system", "secret"),
    })
  ).headers.get(neutral.header);
  const common = { accept: accept("5.1") };
  const target = "GET /api/session";
  expect((await rawSend(simulators, target, common)).status).toBe(401);
  const wrong = { ...common, [neutral.header]: "x" };
  expect((await rawSend(simulators, target, wrong)).status).toBe(401);
  const cookie = { ...common, cookie: `a=b; ${neutral.cookie}=${token}` };
  expect((await rawSend(simulators, target, cookie)).status).toBe(200);
  expect((await client.send(target)).status).toBe(200);
});

test("a session ends by idling, and every call begins its time anew", async () => {
  const simulators = await simulate({ world: {} });
  const client = await logIn(simulators);
  const minutes = (count: number): void => simulators.clock.advance(count * 60_000);
  minutes(29);
  expect((await client.send("GET /api/query")).status).toBe(200);
  minutes(29);
  expect((await client.send("GET /api/session")).status).toBe(200);
  minutes(30);
  const reply = await client.send("GET /api/session");
  expect([reply.status, reply.text]).toEqual([401, ""]);
});

test("an expired session may be 403, and idle time is a setting", async () => {
  const rules = { session_minutes: 1, expired_session: 403 } as const;
  const simulators = await simulate({ world: { cloud: { rules } } });
  const client = await logIn(simulators);
  simulators.clock.advance(60_000);
  expect((await client.send("GET /api/session")).status).toBe(403);
});

test("logout ends the session of its token only", async () => {
  const simulators = await simulate({ world: {} });
  const [first, second] = [await logIn(simulators), await logIn(simulators)];
  const reply = await first.send("DELETE /api/session");
  expect([reply.status, reply.text]).toEqual([204, ""]);
  expect(reply.headers.get("content-type")).toBe("application/*+xml;version=5.1");
  expect((await first.send("GET /api/session")).status).toBe(401);
  expect((await second.send("GET /api/session")).status).toBe(200);
  await simulators.change({ end_cloud_sessions: {} });
  expect((await second.send("GET /api/session")).status).toBe(401);
});

test("open sessions are counted, and how the others ended", async () => {
  const simulators = await simulate({ world: { cloud: { users } } });
  const report = async (): Promise<unknown> =>
    (await fetch(`${simulators.origins.cloud}/_simulator/sessions`)).json();
  const none = { open: [], opened: 0, loggedOut: 0, idledOut: 0, endedByOthers: 0 };
  expect(await report()).toEqual(none);
  const admin = await logIn(simulators);
  const alice = await logIn(simulators, { user: "alice@acme", password: "pa:ss@word" });
  await logIn(simulators);
  simulators.clock.advance(1000);
  await alice.send("GET /api/session");
  const idle = { user: "admin", org: "System", idleMs: 1000 };
  expect(await report()).toEqual({
    ...none,
    open: [idle, { user: "alice", org: "Acme", idleMs: 0 }, idle],
    opened: 3,
  });
  await admin.send("DELETE /api/session");
  expect((await admin.send("DELETE /api/session")).status).toBe(401);
  simulators.clock.advance(30 * 60_000 - 1000);
  expect(simulators.sessions()).toMatchObject({ loggedOut: 1, idledOut: 1 });
  expect(simulators.sessions().open).toHaveLength(1);
  await simulators.change({ end_cloud_sessions: { user: "alice" } });
  expect(await report()).toEqual({
    ...none,
    opened: 3,
    loggedOut: 1,
    idledOut: 1,
    endedByOthers: 1,
  });
});

test("tokens are never given out twice, not after a restart either", async () => {
  const world = { cloud: { users } };
  const clock = createClock({ startMs: 1000, timeScale: 0 });
  const tokens = async (): Promise<readonly (string | null)[]> => {
    const simulators = await simulate({ world, clock });
    const headers = { accept: accept("5.1"), authorization: basic("admin@system", "secret") };
    const login = () => rawSend(simulators, "POST /api/sessions", headers);
    const replies = [await login(), await login()];
    await stopNow(simulators);
    return replies.map((reply) => reply.headers.get(neutral.header));
  };
  expect(new Set([...(await tokens()), ...(await tokens())]).size).toBe(4);
});

test("requests are classed, unknown routes too, and are the cloud's in the log", async () => {
  const simulators = await simulate({ world: {} });
  await rawSend(simulators, "GET /api/versions", {});
  const client = await logIn(simulators);
  await client.send("GET /api/query");
  const unknown = await client.send("POST /api/nothing");
  expect(errorOf(unknown).slice(0, 2)).toEqual([404, "RESOURCE_NOT_FOUND"]);
  expect(errorOf(await client.send("PATCH /api/query")).slice(0, 2)).toEqual([
    405,
    "METHOD_NOT_ALLOWED",
  ]);
  await client.send("DELETE /api/session");
  expect(simulators.log().map((entry) => entry.violation !== undefined)).toEqual([
    false,
    false,
    false,
    true,
    true,
    false,
  ]);
  expect(simulators.log().map((entry) => [entry.class, entry.interface, entry.effect])).toEqual([
    ["session", "cloud", false],
    ["session", "cloud", false],
    ["read", "cloud", false],
    ["mutate", "cloud", false],
    ["mutate", "cloud", false],
    ["session", "cloud", false],
  ]);
});

test("hrefs follow the address of the client, or a public one", async () => {
  const local = await simulate({ world: {} });
  const { root } = await (await logIn(local)).send("GET /api/session");
  expect(attributeOf(root, "href")).toBe(`${local.origins.cloud}/api/session/`);
  const world = { cloud: { rules: { public_url: "https://cloud.example.com" } } };
  const other = await logIn(await simulate({ world }));
  const reply = await other.send("GET /api/session");
  expect(attributeOf(reply.root, "href")).toBe("https://cloud.example.com/api/session/");
});
