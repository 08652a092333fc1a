/** The life of a session over real HTTP: which form is spoken, login, expiry, logout. */

import { afterEach, describe, expect, test } from "vitest";
import { remoteErrorOf } from "../../../../helpers/remote-error.ts";
import type { SeenRequest } from "../../../../helpers/scripted-server.ts";
import {
  type Answered,
  type ApplianceScript,
  apiError,
  json,
  restError,
  restSession,
  type ScriptedAppliance,
  startAppliance,
} from "../scripted-appliance.ts";

let appliance: ScriptedAppliance;
afterEach(() => appliance.close());

async function start(script: ApplianceScript = {}): Promise<ScriptedAppliance> {
  appliance = await startAppliance(script);
  return appliance;
}

const list = () => appliance.session.list?.("appliance_storage");
const read = () => appliance.session.readData?.("appliance_storage", {});
const sessions = () =>
  appliance.server.seen
    .map(({ method, url }) => `${method} ${url}`)
    .filter((one) => one.endsWith("/session"));

test("nothing is sent before the first use, nor by closing", async () => {
  const { session, server } = await start();
  await session.close();
  await session.close();
  expect(server.seen).toEqual([]);
  expect((await remoteErrorOf(list())).message).toContain("closed here");
});

test("credentials once, then the id alone, then out", async () => {
  const { server, session, alive } = await start();
  await read();
  expect(alive.size).toBe(1);
  const [id] = alive;
  const basic = Buffer.from("admin@local:pass&word").toString("base64");
  expect(server.seen[0]).toMatchObject({ method: "POST", url: restSession, body: "" });
  expect(server.seen[0]?.headers).toMatchObject({
    authorization: `Basic ${basic}`,
    "content-type": "application/json",
    "content-length": "0",
  });
  for (const { headers } of server.seen.slice(1)) {
    expect(headers).toMatchObject({ "vmware-api-session-id": id });
    expect(headers).not.toHaveProperty("authorization");
    expect(headers).not.toHaveProperty("cookie");
  }
  await session.close();
  expect(sessions()).toEqual([`POST ${restSession}`, `DELETE ${restSession}`]);
  expect(alive.size).toBe(0);
});

describe("credentials with every request", () => {
  const settings = { login: "basic" };
  const basic = Buffer.from("admin@local:pass&word").toString("base64");

  test.each(["6.5", "6.7", "7.0"] as const)("release %s", async (release) => {
    const { server, session, alive } = await start({ release, settings });
    await read();
    await session.close();
    expect(sessions()).toEqual([]);
    expect(alive.size).toBe(0);
    expect(server.seen.length).toBeGreaterThan(2);
    for (const { headers, method } of server.seen) {
      expect(method).toBe("GET");
      expect(headers).toMatchObject({ authorization: `Basic ${basic}` });
      expect(headers).not.toHaveProperty("vmware-api-session-id");
    }
  });

  test("that are refused are tried once", async () => {
    const refused = restError(401, "unauthenticated", `Who is ${basic}?`);
    const { server } = await start({ settings, handle: () => refused });
    const errors = [await remoteErrorOf(read()), await remoteErrorOf(list())];
    for (const { kind, message } of errors) {
      expect(kind).toBe("unauthorized");
      expect(message).toMatch(/login refused for admin@local/);
      expect(message).not.toContain(basic);
    }
    expect(server.seen.length).toBe(1);
  });

  test("that are refused later are tried once more", async () => {
    let isRefusing = false;
    const { server } = await start({
      settings,
      handle: () => (isRefusing ? restError(401, "unauthenticated") : undefined),
    });
    await read();
    const before = server.seen.length;
    isRefusing = true;
    for (const error of [await remoteErrorOf(read()), await remoteErrorOf(read())]) {
      expect(error.message).toMatch(/login refused for admin@local/);
    }
    // Reads that were under way, and one attempt to be let in.
    expect(server.seen.length - before).toBeLessThanOrEqual(5);
  });

  test("a page is no answer", async () => {
    const page = { status: 200, headers: { "content-type": "text/html" }, body: "<html></html>" };
    await start({ settings, handle: () => page });
    expect((await remoteErrorOf(read())).message).toMatch(/HTML|instead of/);
  });
});

describe("the form that is spoken", () => {
  const rest = `POST ${restSession}`;
  test.each([
    ["6.5", {}, [rest], "6.5"],
    ["6.7", {}, [rest], "6.7"],
    ["7.0", {}, [rest, "POST /api/session"], "7.0"],
    ["7.0", { release: "7.0" }, ["POST /api/session"], "7.0"],
    ["6.7", { release: "6.5" }, [rest], "6.5"],
  ] as const)("of a %s appliance with %j", async (release, settings, asked, spoken) => {
    await start({ release, settings });
    expect(await read()).toMatchObject({ release: spoken, health: "green" });
    expect(sessions()).toEqual(asked);
  });

  test("is none where neither is known", async () => {
    await start({ handle: () => ({ status: 404, body: "<html>Not Found</html>" }) });
    const error = await remoteErrorOf(list());
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
    expect(error.message).toMatch(/knows neither .*cis\/session nor \/api\/session .*url/);
  });

  test("is not guessed where the first is only not to be had now", async () => {
    await start({ handle: ({ url }) => (url === restSession ? { status: 503 } : undefined) });
    expect(await remoteErrorOf(list())).toMatchObject({ kind: "unavailable" });
    expect(new Set(sessions())).toEqual(new Set([rest]));
  });
});

describe("login", () => {
  test.each<[string, "6.5" | "7.0", Answered]>([
    ["its own words", "6.5", restError(401, "unauthenticated")],
    ["an empty reply", "6.5", { status: 401 }],
    ["the words of 7.0", "7.0", apiError(401, "UNAUTHENTICATED")],
  ])("refused with %s is asked about once, whoever asks", async (_, release, refusal) => {
    const path = release === "7.0" ? "/api/session" : restSession;
    const handle = ({ url }: { readonly url: string }) => (url === path ? refusal : undefined);
    await start({ release, handle, settings: { release } });
    const errors = [...(await Promise.all([1, 2, 3].map(() => remoteErrorOf(list()))))];
    errors.push(await remoteErrorOf(list()));
    expect(errors.map(({ kind }) => kind)).toEqual(Array(4).fill("unauthorized"));
    expect(errors[0]?.message).toContain("login refused for admin@local; check user and password");
    expect(sessions()).toEqual([`POST ${path}`]);
    await appliance.session.close();
    expect(sessions()).toEqual([`POST ${path}`]);
  });

  test.each<[string, Answered]>([
    ["a number", json({ value: 7 })],
    ["nothing", { status: 200 }],
    ["no value", json({ id: "x" })],
    ["a form of later releases", json("the-very-id")],
    ["what no header can carry", json({ value: "a b" })],
    ["a page", { status: 200, body: "<html>Sign in</html>" }],
  ])("answered with %s is an error without it", async (_, answer) => {
    await start({ handle: ({ url }) => (url === restSession ? answer : undefined) });
    const error = await remoteErrorOf(list());
    expect(error).toMatchObject({ kind: "protocol", status: 200 });
    expect(error.message).not.toContain("the-very-id");
  });
});

describe("a session that expired", () => {
  test("is renewed once for all requests, and each is repeated", async () => {
    await start();
    await read();
    appliance.alive.clear();
    expect(await read()).toMatchObject({ health: "green" });
    expect(sessions()).toEqual([`POST ${restSession}`, `POST ${restSession}`]);
  });

  test("is not renewed again when the next is refused before it was ever taken", async () => {
    const handle = ({ url }: { readonly url: string }) =>
      url.endsWith("/session") ? undefined : restError(401, "unauthenticated");
    await start({ handle });
    const errors = [await remoteErrorOf(read()), await remoteErrorOf(read())];
    expect(errors.map(({ kind }) => kind)).toEqual(["unauthorized", "unauthorized"]);
    expect(sessions()).toEqual([`POST ${restSession}`, `POST ${restSession}`]);
  });

  test("is renewed again when the next has been taken, be it for a request that failed", async () => {
    let isFailing = false;
    const handle = ({ url, headers }: SeenRequest) =>
      isFailing && !url.endsWith("/session") && isAlive(headers)
        ? restError(500, "internal_server_error")
        : undefined;
    const isAlive = (headers: SeenRequest["headers"]) =>
      appliance.alive.has(String(headers["vmware-api-session-id"]));
    await start({ handle });
    await read();
    isFailing = true;
    appliance.alive.clear();
    expect((await remoteErrorOf(read())).status).toBe(500);
    isFailing = false;
    appliance.alive.clear();
    expect(await read()).toMatchObject({ health: "green" });
    expect(sessions()).toEqual([restSession, restSession, restSession].map((url) => `POST ${url}`));
  });
});

test("neither the password nor an id is in an error or in the log", async () => {
  const handle = ({ url, headers }: { readonly url: string; readonly headers: object }) =>
    url.endsWith("/health/storage")
      ? { status: 500, body: JSON.stringify(headers) + Buffer.from("pass&word").toString("base64") }
      : undefined;
  await start({ handle });
  const { message } = await remoteErrorOf(read());
  expect(message).toContain("***");
  const [id = "none"] = appliance.alive;
  const basic = Buffer.from("admin@local:pass&word").toString("base64");
  for (const secret of [id, "pass&word", Buffer.from("pass&word").toString("base64")]) {
    expect(message).not.toContain(secret);
  }
  // The client's own mask knows the password as soon as it is read; the id is known here alone.
  const bodies = appliance.ports.records.filter(({ url }) => url.endsWith("/session"));
  expect(JSON.stringify(bodies)).not.toContain(id);
  expect(JSON.stringify(bodies)).not.toContain(basic);
});
