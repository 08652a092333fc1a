import { afterEach, expect, test } from "vitest";
import type { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import { invokeInBrowser } from "../../../../../src/providers/manager/reclaim/browser.ts";
import {
  type BrowserCall,
  browserRequest,
} from "../../../../../src/providers/manager/reclaim/browser-request.ts";
import {
  type BrowserScript,
  formPage,
  html,
  nonce,
  password,
  resultPage,
  type ScriptedBrowser,
  sessionCookie,
  startBrowser,
  taskResult,
  user,
  withCookie,
} from "../browser-server.ts";

const wipe: BrowserCall = {
  moid: "vm-12",
  method: "wipeDisk",
  parameters: [],
  deadlineMs: Number.MAX_SAFE_INTEGER,
};
const page = "/mob/?moid=vm-12&method=wipeDisk";
const whole = [`GET ${page}`, `POST ${page}`, "GET /mob/logout"];

let open: ScriptedBrowser | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(script: BrowserScript = {}): Promise<ScriptedBrowser> {
  open = await startBrowser(script);
  return open;
}

async function failure(browser: ScriptedBrowser, call = wipe): Promise<RemoteError> {
  return invokeInBrowser(browser.ports, call).then(
    (task) => {
      throw new Error(`it began ${task}`);
    },
    (error: RemoteError) => error,
  );
}

test("one call: the page, the form once, the end of the session", async () => {
  const browser = await start();
  expect(await invokeInBrowser(browser.ports, wipe)).toBe("task-123");
  expect(browser.requests()).toEqual(whole);
  const [get, post, logout] = browser.server.seen;
  expect(get?.headers.authorization).toBe(
    `Basic ${Buffer.from(`${user}:${password}`, "utf8").toString("base64")}`,
  );
  expect(post?.headers).toMatchObject({
    cookie: sessionCookie,
    "content-type": "application/x-www-form-urlencoded",
  });
  expect(post?.headers.authorization).toBeUndefined();
  expect(post?.body).toBe("vmware-session-nonce=a1b2%2Bc3%2Fd4%3D%3D");
  expect(logout?.headers.cookie).toBe(sessionCookie);
  expect(browser.test.sent.map((request) => request.class)).toEqual([
    "session",
    "mutate",
    "session",
  ]);
});

test("parameters are one field each, below the path of the settings", async () => {
  const browser = await start({ basePath: "/lab" });
  const call = { ...wipe, method: "shrinkDisk", parameters: [["diskId", "2000 &"]] as const };
  expect(await invokeInBrowser(browser.ports, call)).toBe("task-123");
  expect(browser.server.seen[1]?.body).toBe(
    "vmware-session-nonce=a1b2%2Bc3%2Fd4%3D%3D&diskId=2000+%26",
  );
  expect(browser.requests()).toEqual([
    "GET /lab/mob/?moid=vm-12&method=shrinkDisk",
    "POST /lab/mob/?moid=vm-12&method=shrinkDisk",
    "GET /lab/mob/logout",
  ]);
});

test("the preview is what is sent, without what only a session knows", () => {
  expect(browserRequest({ ...wipe, parameters: [["diskId", "2000"]] })).toEqual({
    method: "POST",
    path: page,
    contentType: "application/x-www-form-urlencoded",
    body: "vmware-session-nonce=(of the page)&diskId=2000",
  });
});

test.each([
  [404, "precondition", "turned off"],
  [503, "precondition", "turned off"],
  [401, "unauthorized", "refused the login of DOMAIN\\admin"],
  [403, "forbidden", "status 403"],
  [502, "unavailable", "status 502"],
  [500, "protocol", "status 500"],
])("a page of status %i: nothing is sent", async (status, kind, words) => {
  const browser = await start({ page: () => html("<html><p>no</p></html>", status) });
  const error = await failure(browser);
  expect(error).toMatchObject({ kind, effect: "none", status });
  expect(error.message).toContain(words);
  expect(browser.requests()).toEqual([`GET ${page}`]);
});

test("a server that says when to come again is not one without browser", async () => {
  const browser = await start({
    page: () => ({ status: 503, headers: { "retry-after": "7" }, body: "" }),
  });
  const error = await failure(browser);
  expect(error).toMatchObject({ kind: "unavailable", effect: "none", retryAfterMs: 7000 });
});

test.each([
  ["elsewhere", "https://sso.example.com/login", "https://sso.example.com/login", 1],
  ["within itself", "/ui/login", "login form", 2],
])("a redirect %s to a login", async (_where, location, words, count) => {
  const browser = await start({
    page: ({ url }) =>
      url === page
        ? { status: 302, headers: { location } }
        : html('<form><input name="u"><input type="password"></form>'),
  });
  const error = await failure(browser);
  expect(error).toMatchObject({ kind: "precondition", effect: "none" });
  expect(error.message).toContain(words);
  expect(error.message).toContain("enableMob");
  expect(browser.server.seen).toHaveLength(count);
});

test.each([
  ["no nonce", withCookie("<html><p>Managed Object Browser</p></html>"), "protocol", "without the"],
  [
    "a fault",
    withCookie(
      "<table><tr><td>faultCause</td><td>MethodFault</td><td>Unset</td></tr>" +
        "<tr><td>fault</td><td>ManagedObjectNotFound</td><td>x</td></tr></table>",
    ),
    "not-found",
    "ManagedObjectNotFound",
  ],
  ["no page at all", withCookie("", 404), "precondition", "turned off"],
])("a session that is of no use is ended: %s", async (_what, answered, kind, words) => {
  const browser = await start({ page: () => answered });
  const error = await failure(browser);
  expect(error).toMatchObject({ kind, effect: "none" });
  expect(error.message).toContain(words);
  expect(browser.requests()).toEqual([`GET ${page}`, "GET /mob/logout"]);
});

test("a form without cookie is not sent", async () => {
  const browser = await start({ page: () => html(formPage) });
  const error = await failure(browser);
  expect(error).toMatchObject({ kind: "protocol", effect: "none" });
  expect(error.message).toContain("without a session cookie");
  expect(browser.requests()).toEqual([`GET ${page}`]);
});

test("a page that does not come had no effect", async () => {
  const browser = await start({ page: () => "reset" });
  expect(await failure(browser)).toMatchObject({ kind: "unavailable", effect: "none" });
  // It is only read, and read again: twice, as every login is.
  expect(browser.requests()).toEqual([`GET ${page}`, `GET ${page}`, `GET ${page}`]);
});

const busy = resultPage(
  "TaskInProgress</p><table><tr><td>faultCause</td><td>MethodFault</td><td>Unset</td></tr></table>",
);

test.each([
  ["a fault", html(busy), "busy", "none", "TaskInProgress"],
  ["a fault of status 500", html(busy, 500), "busy", "none", "TaskInProgress"],
  ["void", html(resultPage("void")), "protocol", "unknown", "void instead of a task"],
  ["another page", html("<p>welcome</p>"), "protocol", "unknown", "not as known"],
  ["a task of status 502", html(resultPage(taskResult), 502), "unavailable", "unknown", "502"],
  ["no rights", html("<p>no</p>", 403), "forbidden", "none", "403"],
  ["a forged form", html("<p>CSRF error</p>", 200), "precondition", "none", "drops cookies"],
  ["a forgotten session", html("<p>no</p>", 401), "unauthorized", "none", "refused the form"],
  ["an empty reply", { status: 200, body: "" }, "protocol", "unknown", "empty body"],
  ["a redirect", { status: 302, headers: { location: "/x" } }, "protocol", "unknown", "moved"],
  ["no reply", "reset", "unavailable", "unknown", "without a reply"],
] as const)("the form answered with %s", async (_what, answered, kind, effect, words) => {
  const browser = await start({ form: () => answered });
  const error = await failure(browser);
  expect(error).toMatchObject({ kind, effect });
  expect(error.message).toContain(words);
  expect(browser.requests()).toEqual(whole);
});

test("a page that shows its own nonce and cookie leaves no trace of them", async () => {
  const leak = html(`<p>nonce ${nonce}, cookie ${sessionCookie}</p>${formPage}`);
  const browser = await start({ form: () => leak });
  const { message } = await failure(browser);
  const log = JSON.stringify(browser.test.records);
  for (const secret of [nonce, "5f0c-77/aa+b="]) expect(message).not.toContain(secret);
  const pageLog = browser.test.records[0]?.replyBody ?? "";
  expect(pageLog).toContain("vmware-session-nonce");
  expect(pageLog).not.toContain(nonce);
  const bodies = browser.test.records.flatMap(({ requestBody }) => requestBody ?? []);
  expect(bodies).toEqual(["vmware-session-nonce=***"]);
  expect(log).not.toContain(Buffer.from(`${user}:${password}`).toString("base64"));
});

test("a logout that fails spoils nothing", async () => {
  const browser = await start({ logout: "reset" });
  expect(await invokeInBrowser(browser.ports, wipe)).toBe("task-123");
});

test("a time limit that has passed sends nothing", async () => {
  const browser = await start();
  const error = await failure(browser, { ...wipe, deadlineMs: 1 });
  expect(error).toMatchObject({ kind: "timeout", effect: "none" });
  expect(browser.requests()).toEqual([]);
});

test("a user that Basic cannot carry", async () => {
  const browser = await start({ user: "a:b" });
  expect(await failure(browser)).toMatchObject({ kind: "invalid", effect: "none" });
  expect(browser.requests()).toEqual([]);
});
