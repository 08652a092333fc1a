/** Login at a server by OpenID Connect, before one of the test's own. */

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { amount } from "../../helpers/amount.ts";
import { type LoginServer, startLoginServer } from "../../helpers/oidc-server.ts";
import { type Answer, type Browser, browse, type Serving, serveBoard } from "./browsing.ts";

const secret = "s3cret of the client";
let login: LoginServer;
const servings: Serving[] = [];
beforeAll(async () => {
  login = await startLoginServer(secret);
});
afterAll(() => login.stop());
afterEach(async () => {
  for (const serving of servings.splice(0)) await serving.stop();
});

async function serve(oidcIssuer = login.issuer, clientSecret = secret): Promise<Serving> {
  const options = {
    ...{ oidcIssuer, oidcClient: "vmform", oidcRolesClaim: "realm_access.roles" },
    ...{ url: "http://127.0.0.1:8340/", roles: ["vm-admins=operate", "ops=approve"] },
  };
  const serving = await serveBoard(options, clientSecret);
  servings.push(serving);
  return serving;
}

const from = { host: "127.0.0.1:8340" };

/** Asks for a page, is sent to the login server, and comes back with what that gave. */
async function comesBack(browser: Browser, path = "/login?to=runs"): Promise<string> {
  const sent = await browser.get(path, from);
  expect(sent.status).toBe(302);
  const { status, headers } = await fetch(String(sent.headers.location), { redirect: "manual" });
  expect(status).toBe(302);
  const back = new URL(headers.get("location") ?? "");
  return `${back.pathname}${back.search}`;
}

async function logIn(serving: Serving): Promise<{ browser: Browser; answer: Answer }> {
  const browser = browse(serving);
  return { browser, answer: await browser.get(await comesBack(browser), from) };
}

test.each([
  ["the highest role of all groups counts", ["ops", "vm-admins", "x"], "kim (operate)"],
  ["a group with a lower one", ["ops"], "kim (approve)"],
])("%s", async (_, roles, shown) => {
  login.say({ preferred_username: "kim", realm_access: { roles } });
  const { browser, answer } = await logIn(await serve());
  // A page of its own leads on, since a strict cookie does not come along from another site.
  expect(answer.status).toBe(200);
  expect(answer.body).toContain('href="runs"');
  const page = await browser.get("/states", from);
  expect(page.status).toBe(200);
  expect(page.body).toContain(shown);
});

test("whoever is in no group is not let in, and is told which claim was looked at", async () => {
  login.say({ preferred_username: "eve", realm_access: { roles: ["guests"] } });
  const { browser, answer } = await logIn(await serve());
  expect(answer.status).toBe(403);
  expect(answer.body).toContain("eve");
  expect(answer.body).toContain("realm_access.roles");
  expect((await browser.get("/states", from)).status).not.toBe(200);
});

const past = Math.floor(Date.now() / 1000) - 3600;

test.each([
  ["for another login", { claims: { nonce: "of another" } }],
  ["for another application", { claims: { aud: "another" } }],
  ["of another login server", { claims: { iss: "https://elsewhere.example" } }],
  ["that has expired", { claims: { exp: past, iat: past - 60 } }],
  ["signed by somebody else", { foreignKey: true }],
])("a confirmation %s lets nobody in", async (_, how) => {
  login.say({ preferred_username: "kim", realm_access: { roles: ["vm-admins"] } });
  login.spoil(how);
  const { browser, answer } = await logIn(await serve());
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect((await browser.get("/states", from)).status).not.toBe(200);
});

test("a login that another browser began is not ended in this one", async () => {
  login.say({ preferred_username: "kim", realm_access: { roles: ["vm-admins"] } });
  const serving = await serve();
  const path = await comesBack(browse(serving));
  const victim = browse(serving);
  expect((await victim.get(path, from)).status).toBe(403);
  await victim.get("/login", from);
  const answer = await victim.get(path, from);
  expect([answer.status, victim.cookies.has("vmform_login")]).toEqual([403, false]);
  expect((await victim.get("/states", from)).status).not.toBe(200);
});

test("a code is used once, and only with what this server began it with", async () => {
  login.say({ preferred_username: "kim", realm_access: { roles: ["vm-admins"] } });
  const serving = await serve();
  const browser = browse(serving);
  const path = await comesBack(browser);
  expect((await browser.get(path, from)).status).toBe(200);
  expect((await browser.get(path, from)).status).toBe(403);
});

test("a wrong secret of the client is told", async () => {
  const { answer } = await logIn(await serve(login.issuer, "another"));
  expect(answer.status).toBe(403);
  expect(answer.body).toContain("did not confirm");
});

test("a login server that is not there is told, with a way on", async () => {
  const answer = await browse(await serve("http://127.0.0.1:1")).get("/login", from);
  expect(answer.status).toBe(503);
  expect(answer.body).toContain("The login server cannot be used");
});

test("a login that was begun is not crowded out, and what somebody else has sealed is none", async () => {
  login.say({ preferred_username: "kim", realm_access: { roles: ["vm-admins"] } });
  const serving = await serve();
  const browser = browse(serving);
  const path = await comesBack(browser);
  for (let others = 0; others < amount(20, 1100); others += 1)
    await browse(serving).get("/login", from);
  const kept = browser.cookies.get("vmform_login") ?? "";
  const bytes = Buffer.from(kept, "base64url");
  for (const at of [0, 12, 28, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    browser.cookies.set("vmform_login", changed.toString("base64url"));
    expect((await browser.get(path, from)).status).toBe(403);
  }
  for (const text of ["", "x", "x".repeat(3000)]) {
    browser.cookies.set("vmform_login", text);
    expect((await browser.get(path, from)).status).toBe(403);
  }
  browser.cookies.set("vmform_login", kept);
  expect((await browser.get(path, from)).status).toBe(200);
});

test("over https no other host can set the cookie of a login", async () => {
  const options = { oidcIssuer: login.issuer, oidcClient: "vmform", roles: ["ops=see"] };
  const serving = await serveBoard({ ...options, url: "https://vmform.example.org/" }, secret);
  servings.push(serving);
  const { headers } = await browse(serving).get("/login", { host: "vmform.example.org" });
  const [cookie = ""] = headers["set-cookie"] ?? [];
  expect(cookie).toMatch(/^__Host-vmform-login=/);
  expect(cookie).toContain("Secure");
});
