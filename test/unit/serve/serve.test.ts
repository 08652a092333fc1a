/** The board over HTTP, without a browser: who gets in, what is refused, and what is done. */

import { afterEach, describe, expect, test } from "vitest";
import { StoreError } from "../../../src/model/recorded/store.ts";
import { createSessions, sessionMs } from "../../../src/serve/sessions.ts";
import { boardRun, boardState } from "../../helpers/memory-board.ts";
import { buildPlan } from "../../helpers/plan-builder.ts";
import { browse, loggedIn, type Serving, serveBoard } from "./browsing.ts";

let serving: Serving;
afterEach(() => serving.stop());

const needy = () =>
  boardRun({
    id: "run-needy",
    status: "needs-approval",
    plan: buildPlan(),
    need: { planId: "plan-1", kinds: [{ kind: "power-cycle", addresses: ["daemon_vm.web"] }] },
    planId: "plan-1",
    mayDecline: true,
  });

describe("without a login configured", () => {
  test("only who has the printed address gets in", async () => {
    serving = await serveBoard();
    const other = browse(serving);
    for (const path of ["/", "/states", "/run?id=x", "/audit", "/nothing"]) {
      const { status, body } = await other.get(path);
      expect([path, status]).toEqual([path, 401]);
      expect(body).not.toContain("<nav");
    }
    expect((await other.get("/login?token=guess")).status).toBe(401);
    expect(serving.board.all.audits[0]).toMatchObject({ action: "login refused" });
    expect(other.cookies.size).toBe(0);
    const owner = await loggedIn(serving);
    expect((await owner.get("/states")).body).toContain("kim (operate)");
    expect(serving.board.all.audits[0]).toMatchObject({ action: "login", who: "kim" });
  });

  test("the cookie is kept from scripts and other sites, and ends with the logout", async () => {
    serving = await serveBoard();
    const { pathname, search } = new URL(serving.address);
    const owner = browse(serving);
    const entered = await owner.get(`${pathname}${search}`);
    const [cookie = ""] = entered.headers["set-cookie"] ?? [];
    expect(cookie).toMatch(/^vmform_\d+=/);
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Strict");
    expect(entered.body).toContain('content="0; url=states"');
    const kept = new Map(owner.cookies);
    await owner.get("/states");
    expect((await owner.post("/logout", [])).body).toContain("Logged out");
    for (const [name, value] of kept) owner.cookies.set(name, value);
    expect((await owner.get("/states")).status).toBe(401);
  });

  test("guesses do not fill the audit", async () => {
    serving = await serveBoard();
    const other = browse(serving);
    for (let guess = 0; guess < 50; guess += 1) await other.get(`/login?token=${guess}`);
    const noted = serving.board.all.audits.length;
    expect(noted).toBeGreaterThan(0);
    expect(noted).toBeLessThanOrEqual(40);
  });
});

test("every answer forbids scripts, frames and keeping it", async () => {
  serving = await serveBoard();
  const owner = await loggedIn(serving);
  for (const path of ["/states", "/nothing", "/run?id=nobody", "/state?name=%00"]) {
    const { headers } = await owner.get(path);
    const policy = headers["content-security-policy"];
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("same-origin");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test.each(["evil.example", "127.0.0.1.evil.example:80", "localhost:1"])(
  "the host %j is not answered",
  async (host) => {
    serving = await serveBoard();
    const owner = await loggedIn(serving);
    const { status } = await owner.get("/states", { host });
    expect([400, 421]).toContain(status);
  },
);

describe("an approval", () => {
  test("is given by a form, with the consent to each kind, and shown", async () => {
    serving = await serveBoard();
    serving.board.all.runs = [needy()];
    const owner = await loggedIn(serving);
    const page = await owner.get("/run?id=run-needy");
    expect(page.body).toContain('name="kind" value="power-cycle"');
    const fields = [["id", "run-needy"] as const, ["plan", "plan-1"] as const];
    const without = await owner.post("/run-approve", fields);
    expect(without.status).toBe(303);
    expect((await owner.get("/run?id=run-needy")).body).toContain("Nothing was done");
    const sent = await owner.post("/run-approve", [...fields, ["kind", "power-cycle"]]);
    expect([sent.status, sent.headers.location]).toEqual([303, "run?id=run-needy"]);
    const after = await owner.get("/run?id=run-needy");
    expect(after.body).toContain("Approved.");
    expect(after.body).toContain("power-cycle");
    expect(after.body).not.toContain("run-approve");
    expect(serving.board.all.audits[0]).toMatchObject({ action: "approve", who: "kim" });
  });

  test("of another plan than the one that was shown is none", async () => {
    serving = await serveBoard();
    serving.board.all.runs = [needy()];
    const owner = await loggedIn(serving);
    await owner.get("/run?id=run-needy");
    const fields = [["id", "run-needy"] as const, ["plan", "plan-0"] as const];
    await owner.post("/run-approve", [...fields, ["kind", "power-cycle"]]);
    expect(serving.board.all.runs[0]?.status).toBe("needs-approval");
  });

  test.each([
    ["from another origin", { origin: "https://evil.example" }, 403],
    ["from nowhere", { origin: "null" }, 403],
    ["as JSON", { "content-type": "application/json" }, 415],
    ["as text", { "content-type": "text/plain" }, 415],
  ])("%s is refused", async (_, headers, status) => {
    serving = await serveBoard();
    serving.board.all.runs = [needy()];
    const owner = await loggedIn(serving);
    await owner.get("/run?id=run-needy");
    const fields = [["id", "run-needy"] as const, ["plan", "plan-1"] as const];
    const sent = await owner.post("/run-approve", [...fields, ["kind", "power-cycle"]], headers);
    expect(sent.status).toBe(status);
    expect(serving.board.all.runs[0]?.status).toBe("needs-approval");
  });

  test("with the token of another session is refused", async () => {
    serving = await serveBoard();
    serving.board.all.runs = [needy()];
    const [one, other] = [await loggedIn(serving), await loggedIn(serving)];
    await one.get("/run?id=run-needy");
    for (const [name, value] of other.cookies) one.cookies.set(name, value);
    const fields = [["id", "run-needy"] as const, ["plan", "plan-1"] as const];
    const sent = await one.post("/run-approve", [...fields, ["kind", "power-cycle"]]);
    expect(sent.status).toBe(403);
  });

  test.each([
    ["", {}],
    [", though nothing says how long it is,", { "transfer-encoding": "chunked" }],
  ])("that is too long%s is refused", async (_, headers) => {
    serving = await serveBoard();
    const owner = await loggedIn(serving);
    await owner.get("/states");
    const sent = await owner.post("/run-approve", [["id", "x".repeat(100_000)]], headers);
    expect(sent.status).toBe(413);
  });

  test("whose length a proxy does not say is taken as any other", async () => {
    serving = await serveBoard();
    serving.board.all.runs = [needy()];
    const owner = await loggedIn(serving);
    await owner.get("/run?id=run-needy");
    const fields = [["id", "run-needy"] as const, ["plan", "plan-1"] as const];
    const chunked = { "transfer-encoding": "chunked" };
    const sent = await owner.post("/run-approve", [...fields, ["kind", "power-cycle"]], chunked);
    expect(sent.status).toBe(303);
    expect(serving.board.all.runs[0]?.status).not.toBe("needs-approval");
  });
});

describe("behind a proxy that says who it is", () => {
  const options = { userHeader: "X-Forwarded-User", rolesHeader: "X-Groups" };
  const as = (user: string, groups: string) => ({ "x-forwarded-user": user, "x-groups": groups });

  test.each([
    ["see", ["run-approve", "run-decline", "run-cancel"], []],
    ["approve", ["run-cancel"], ["run-approve", "run-decline"]],
    ["operate", [], ["run-approve", "run-decline", "run-cancel"]],
  ])("who may %s is not shown nor allowed %j", async (role, refused, allowed) => {
    serving = await serveBoard(options);
    const browser = browse(serving, as("ada", role));
    for (const path of [...refused, ...allowed]) {
      serving.board.all.runs = [{ ...needy(), mayCancel: true }];
      const page = await browser.get("/run?id=run-needy");
      expect(page.body.includes(`action="${path}"`)).toBe(allowed.includes(path));
      const fields = [["id", "run-needy"] as const, ["plan", "plan-1"] as const];
      const sent = await browser.post(`/${path}`, [...fields, ["kind", "power-cycle"]]);
      const before = serving.board.all.runs[0]?.status === "needs-approval";
      expect([path, sent.status, before]).toEqual(
        refused.includes(path) ? [path, 403, true] : [path, 303, false],
      );
    }
  });

  test("what is refused again and again does not fill the audit", async () => {
    serving = await serveBoard(options);
    serving.board.all.runs = [needy()];
    const browser = browse(serving, as("ada", "approve"));
    await browser.get("/run?id=run-needy");
    for (let tried = 0; tried < 60; tried += 1) {
      expect((await browser.post("/run-cancel", [["id", "x".repeat(900)]])).status).toBe(403);
    }
    const noted = serving.board.all.audits.filter(({ action }) => action === "refused");
    expect(noted.length).toBeGreaterThan(0);
    // Two minutes may have a part in it.
    expect(noted.length).toBeLessThanOrEqual(40);
    expect(noted[0]?.detail.length).toBeLessThanOrEqual(200);
  });

  test("groups are mapped, and nobody without a role gets in", async () => {
    const roles = ["ops team=approve", "admins=operate", "*=see"];
    serving = await serveBoard({ ...options, roles });
    const role = async (groups: string): Promise<string | undefined> => {
      const { body } = await browse(serving, as("ada", groups)).get("/states");
      return /ada \((\w+)\)/.exec(body)?.[1];
    };
    expect(await role("ops team, others")).toBe("approve");
    expect(await role("admins;ops team")).toBe("operate");
    expect(await role("others")).toBe("see");
    await serving.stop();
    serving = await serveBoard(options);
    expect((await browse(serving, as("ada", "others")).get("/states")).status).toBe(403);
    expect((await browse(serving, {}).get("/states")).status).toBe(401);
  });

  test("the name is who is logged in now, not who was before", async () => {
    serving = await serveBoard(options);
    const browser = browse(serving);
    expect((await browser.get("/states", as("ada", "operate"))).body).toContain("ada (operate)");
    expect((await browser.get("/states", as("ada", "see"))).body).toContain("ada (see)");
    expect((await browser.get("/states", as("bob", "see"))).body).toContain("bob (see)");
    const utf8 = Buffer.from("Zoë", "utf8").toString("latin1");
    expect((await browser.get("/states", as(utf8, "see"))).body).toContain("Zoë (see)");
  });

  test("a header that came twice is not believed", async () => {
    serving = await serveBoard(options);
    const both = { "x-forwarded-user": ["root", "ada"], "x-groups": "operate" };
    expect((await browse(serving, both).get("/states")).status).toBe(400);
  });

  test("nor is one of an address that is no proxy", async () => {
    serving = await serveBoard({ ...options, trustedProxies: ["10.0.0.0/24"] });
    expect((await browse(serving, as("ada", "operate")).get("/states")).status).toBe(403);
  });
});

describe("pages", () => {
  const evil = `<script>alert("x")</script>'"&\u202e`;

  test("hold names as text, whatever they are", async () => {
    serving = await serveBoard();
    const { all } = serving.board;
    all.states = [boardState({ name: evil, lastRun: boardRun({ command: evil, who: evil }) })];
    const need = { planId: "plan-1", kinds: [{ kind: evil, addresses: [evil] }] };
    const record = {
      ...{ id: evil, command: evil, who: evil, host: evil, version: evil, lockId: evil },
      ...{ beganMs: 0, position: 0, changes: [], said: [evil] },
      operations: [],
    };
    const events = [{ atMs: 0, text: evil }];
    const status = "needs-approval" as const;
    all.runs = [
      boardRun({
        ...{ id: evil, state: evil, command: evil, who: evil, what: evil, message: evil },
        ...{ need, record, events, status, mayDecline: true, mayCancel: true },
        approvals: [{ who: evil, atMs: 0, kinds: [evil] }],
      }),
    ];
    const one = { seenMs: 0, detail: evil, now: "present" as const };
    all.agents = [{ kind: "agent", name: evil, version: evil, ...one }];
    all.drifts.set(evil, {
      reports: [{ createdMs: 0, objects: 1, found: 1 }],
      found: [{ address: evil, verdict: "drifted" }],
    });
    const owner = await loggedIn(serving);
    all.audits = [{ atMs: 0, who: evil, via: evil, action: evil, subject: evil, detail: evil }];
    const named = encodeURIComponent(evil);
    const paths = ["/states", "/runs", "/approvals", "/agents", "/audit"];
    const of = [`/state?name=${named}`, `/run?id=${named}`, `/runs?state=${named}&text=${named}`];
    for (const path of [...paths, ...of, `/states?text=${named}`]) {
      const { status: code, body } = await owner.get(path);
      expect([path, code]).toEqual([path, 200]);
      expect(body).not.toContain("<script");
      expect(body).not.toContain("\u202e");
      expect(body).toContain("&lt;script&gt;");
    }
  });

  test("of 10,000 runs are told apart by fifty", async () => {
    serving = await serveBoard();
    serving.board.all.runs = Array.from({ length: 10_000 }, (_, at) =>
      boardRun({ id: `run-${at}`, state: at % 2 === 0 ? "a/b c" : "other" }),
    );
    const owner = await loggedIn(serving);
    const first = await owner.get("/runs");
    expect(first.body.match(/<tr>/g)?.length).toBe(51);
    expect(first.body).toContain("1 to 50 of 10000");
    expect(first.body).toContain("runs?from=50");
    const last = await owner.get("/runs?from=9950");
    expect(last.body).toContain("9951 to 10000 of 10000");
    expect(last.body).not.toContain("Further rows");
    expect((await owner.get("/runs?from=99999")).body).toContain("none beyond 10000");
    expect((await owner.get("/runs?from=-1")).status).toBe(200);
    const narrowed = await owner.get("/runs?state=a%2Fb+c");
    expect(narrowed.body).toContain("runs?state=a%2Fb+c&amp;from=50");
    expect(narrowed.body).toContain("of 5000");
  });

  test("a state whose name has slashes has an address", async () => {
    serving = await serveBoard();
    serving.board.all.states = [boardState({ name: "infra/prod/eu #1?" })];
    const owner = await loggedIn(serving);
    const [, href = ""] = /href="(state\?[^"]+)"/.exec((await owner.get("/states")).body) ?? [];
    expect((await owner.get(`/${href}`)).body).toContain("<span>infra/prod/eu #1?</span>");
  });

  test("that is encrypted says so and shows nothing of it", async () => {
    serving = await serveBoard();
    serving.board.all.states = [boardState({ sealed: true, objects: 17_000_017 })];
    const owner = await loggedIn(serving);
    const { body } = await owner.get("/state?name=infra%2Fprod");
    expect(body).toContain("does not have its key");
    // More digits than any random text of a page has in a row.
    expect(body).not.toMatch(/17\D?000\D?017/);
  });

  test("what is not there is told with a way on", async () => {
    serving = await serveBoard();
    const owner = await loggedIn(serving);
    for (const path of ["/state?name=x", "/run?id=x", "/nothing", "/run"]) {
      const { status, body } = await owner.get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(body).toContain("All states");
    }
    for (const path of ["/run?id=%00", `/state?name=${"x".repeat(1001)}`]) {
      expect((await owner.get(path)).status).toBe(400);
    }
    expect((await owner.get("/run?id=%ff%fe")).status).toBe(404);
  });

  test("when the database is down, they say so and how to go on", async () => {
    serving = await serveBoard();
    const owner = await loggedIn(serving);
    const diagnostic = {
      ...{ severity: "error" as const, code: "STO000", summary: "Not reached" },
      ...{ detail: "Nobody listens at db.lab.", fix: "Start it." },
    };
    serving.board.fail(new StoreError(diagnostic));
    const { status, body } = await owner.get("/states");
    expect(status).toBe(503);
    expect(body).toContain("Nobody listens at db.lab.");
    expect(body).toContain("Start it.");
    serving.board.fail(undefined);
    expect((await owner.get("/states")).status).toBe(200);
  });

  test("a fault of ours is told by a number, and not what it was", async () => {
    serving = await serveBoard();
    const owner = await loggedIn(serving);
    serving.board.fail(new Error("inner words"));
    const { status, body } = await owner.get("/states");
    expect(status).toBe(500);
    expect(body).not.toContain("inner words");
    expect(serving.faults).toHaveLength(1);
  });
});

test("a link from elsewhere is followed once more, with the cookie", async () => {
  serving = await serveBoard();
  const other = browse(serving);
  const came = await other.get("/run?id=run-1", { "sec-fetch-site": "cross-site" });
  expect(came.body).toContain('content="0; url=run?id=run-1"');
  const evil = await other.get("//evil.example/", { "sec-fetch-site": "cross-site" });
  expect(evil.body).not.toContain("evil.example");
});

describe("a cookie of a session", () => {
  const cookieAt = async (url?: string): Promise<string> => {
    serving = await serveBoard(url === undefined ? {} : { url });
    const { pathname, search } = new URL(serving.address);
    const path = `/${pathname.split("/").at(-1)}${search}`;
    const host = url === undefined ? `127.0.0.1:${serving.port}` : new URL(url).host;
    const { headers } = await browse(serving).get(path, { host });
    return headers["set-cookie"]?.[0] ?? "";
  };

  test.each([
    [undefined, /^vmform_\d+=[^;]+;.*; Path=\/;(?!.*Secure)/],
    ["https://vmform.example.org/", /^__Host-vmform-session=[^;]+;.*; Path=\/;.*Secure/],
    // Other applications of that host are not sent it.
    ["https://example.org/vmform/", /^__Secure-vmform-session=[^;]+;.*; Path=\/vmform\/;.*Secure/],
  ])("at %s", async (url, expected) => {
    expect(await cookieAt(url)).toMatch(expected);
  });

  test("is another one after each login, and the one before is none any more", async () => {
    serving = await serveBoard();
    const owner = await loggedIn(serving);
    const before = new Map(owner.cookies);
    const { pathname, search } = new URL(serving.address);
    await owner.get(`${pathname}${search}`);
    expect([...owner.cookies]).not.toEqual([...before]);
    const other = browse(serving);
    for (const [name, value] of before) other.cookies.set(name, value);
    expect((await other.get("/states")).status).toBe(401);
    // One that somebody else has chosen is not taken on.
    const [name = ""] = before.keys();
    const chosen = browse(serving);
    chosen.cookies.set(name, "chosen");
    await chosen.get(`${pathname}${search}`);
    expect(chosen.cookies.get(name)).not.toBe("chosen");
  });
});

test("who begins many sessions ends none of somebody else's", async () => {
  const options = { userHeader: "X-Forwarded-User", rolesHeader: "X-Groups" };
  serving = await serveBoard(options);
  serving.board.all.runs = [needy()];
  const ada = browse(serving, { "x-forwarded-user": "ada", "x-groups": "approve" });
  await ada.get("/run?id=run-needy");
  const program = { "x-forwarded-user": "probe", "x-groups": "see" };
  for (let asked = 0; asked < 120; asked += 1) await browse(serving, program).get("/agents");
  const fields = [["id", "run-needy"] as const, ["plan", "plan-1"] as const];
  const sent = await ada.post("/run-approve", [...fields, ["kind", "power-cycle"]]);
  expect(sent.status).toBe(303);
});

test.each(["/states/", "/run/x", "/a/b/c", "//evil.example/x"])(
  "below a page there is none, and links are right all the same: %s",
  async (path) => {
    serving = await serveBoard();
    const owner = await loggedIn(serving);
    const { status, headers } = await owner.get(path);
    expect(status).toBe(303);
    const to = new URL(headers.location ?? "", `http://host/vmform${path}`);
    expect([to.origin, to.pathname]).toEqual(["http://host", "/vmform/not-found"]);
    expect((await owner.get("/not-found")).status).toBe(404);
  },
);

test("sessions end when they are old, and of one person the oldest first", () => {
  let nowMs = 0;
  const sessions = createSessions(() => nowMs);
  const [ada, bob] = ["ada", "bob"].map((who) => ({ who, role: "see", via: "oidc" }) as const);
  if (ada === undefined || bob === undefined) throw new Error("there are two");
  const first = sessions.begin(ada);
  const other = sessions.begin(bob);
  const more = Array.from({ length: 49 }, () => sessions.begin(ada));
  expect([first, other, ...more].every(({ id }) => sessions.find(id) !== undefined)).toBe(true);
  sessions.begin(ada);
  expect(sessions.find(first.id)).toBeUndefined();
  expect([other, ...more].every(({ id }) => sessions.find(id) !== undefined)).toBe(true);
  nowMs = sessionMs - 1;
  expect(sessions.find(other.id)).toBeDefined();
  nowMs = sessionMs;
  expect(sessions.find(other.id)).toBeUndefined();
});
