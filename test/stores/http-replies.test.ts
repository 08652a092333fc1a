/** What replies of a server mean, and what becomes of writes whose reply is lost. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { initialState } from "../../src/state/initial.ts";
import { entries, entry, problemOf } from "../unit/store/local/fixtures.ts";
import { type OpenedStore, openHttpStore, placeAt } from "./http-place.ts";
import {
  type Meddle,
  type RunningStateServer,
  type Seen,
  type StateServerRules,
  startStateServer,
} from "./state-server.ts";

const initial = initialState("6f1d6a51-0f3c-4d8e-9b7a-3d1f0c5e2a10", "journal-1", false);
const page = "<!DOCTYPE html><html><body>Sign in</body></html>";
const html = { "content-type": "text/html; charset=utf-8" };

let server: RunningStateServer;
let opened: OpenedStore[];

async function start(rules: StateServerRules, options = {}): Promise<void> {
  await server?.stop();
  server = await startStateServer(rules, options);
}
const open = (host = "host-a", optional = false): OpenedStore["store"] => {
  const one = openHttpStore(placeAt(server, optional), host);
  opened.push(one);
  return one.store;
};
beforeEach(async () => {
  opened = [];
  await start("gitlab");
});
afterEach(async () => {
  server.meddle = () => undefined;
  for (const { store } of opened) await store.close();
  await server.stop();
});

type Kind = "read" | "write" | "lock" | "unlock";

function kindOf({ method, path }: Seen): Kind {
  if (method === "GET") return "read";
  if (method === "UNLOCK" || method === "DELETE") return "unlock";
  return method === "LOCK" || path.endsWith("/lock") ? "lock" : "write";
}

/** Every request of this kind meets it, or the first `times`. */
function meddling(kind: Kind, how: ReturnType<Meddle>, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  server.meddle = (seen) => {
    if (kindOf(seen) !== kind || left <= 0) return undefined;
    left -= 1;
    return how;
  };
}

type Case = readonly [
  name: string,
  reply: {
    readonly status: number;
    readonly text?: string;
    readonly headers?: { readonly [name: string]: string };
  },
  code: string,
  words: readonly string[],
];

describe("a read that is answered", () => {
  test.each<Case>([
    [
      "by a login page",
      { status: 200, text: page, headers: html },
      "STO022",
      ["a page for people"],
    ],
    ["by a page that has no type", { status: 200, text: page }, "STO022", ["a page for people"]],
    ["by a page for 404", { status: 404, text: page, headers: html }, "STO022", ["status 404"]],
    [
      "for another project",
      { status: 404, text: '{"message":"404 Project Not Found"}' },
      "STO022",
      ["404 Project Not Found", "Correct the address"],
    ],
    [
      "401",
      { status: 401, text: '{"message":"401 Unauthorized"}' },
      "STO021",
      ["TF_HTTP_PASSWORD"],
    ],
    ["403", { status: 403, text: '{"message":"403 Forbidden"}' }, "STO021", ["Developer"]],
    ["500", { status: 500, text: '{"message":"500 Internal"}' }, "STO028", ["500 Internal"]],
    ["503", { status: 503, text: "busy" }, "STO028", ["status 503"]],
    ["400", { status: 400, text: '{"error":"name is missing"}' }, "STO031", ["name is missing"]],
    [
      "elsewhere",
      { status: 302, headers: { location: "https://login.example/?to=state" } },
      "STO022",
      ["moved to https://login.example/"],
    ],
    [
      "by Terraform's state",
      { status: 200, text: '{"version":4,"terraform_version":"1.9.0","serial":7,"lineage":"x"}' },
      "STO024",
      ["a state of Terraform (of version 1.9.0)"],
    ],
    ["by other JSON", { status: 200, text: "[1]" }, "STO024", ["JSON of something else"]],
    ["by half a document", { status: 200, text: '{"version":4,' }, "STO024", ["not JSON"]],
    [
      "by a later version",
      { status: 200, text: '{"version":4,"serial":1,"lineage":"x","vmform":{"format":2}}' },
      "STO003",
      ["a later version of vmform"],
    ],
    [
      "by a document that was changed",
      {
        status: 200,
        text:
          '{"version":4,"serial":1,"lineage":"x","vmform":{"format":1,"write":"w",' +
          '"checksum":"0","snapshot":"{}","journal":null}}',
      },
      "STO025",
      ["wrong checksum"],
    ],
  ])("%s", async (_name, reply, code, words) => {
    meddling("read", reply);
    const refused = await problemOf(open().read());
    expect(refused.code).toBe(code);
    for (const word of words) expect(`${refused.message} ${refused.fix}`).toContain(word);
    expect(refused.message).not.toContain("<");
    // Nor is anything locked or written there.
    const taken = await problemOf(open("host-b").lock("apply", 0));
    expect(taken.code).toBe(code);
    expect(server.lock()).toBeUndefined();
    expect(server.versions).toEqual([]);
  });

  test.each([
    ["204", { status: 204 }],
    ["200 without a body", { status: 200, text: "" }],
    ["404 of the state itself", { status: 404, text: '{"message":"404 Not Found"}' }],
    ["404 without a body", { status: 404 }],
  ])("%s: nothing is recorded yet", async (_name, reply) => {
    meddling("read", reply);
    expect(await open().read()).toEqual({ snapshot: undefined, journal: [] });
  });
});

describe("a lock that is answered", () => {
  test.each<Case>([
    ["401", { status: 401 }, "STO021", ["does not know who asks"]],
    ["403", { status: 403, text: '{"message":"403 Forbidden"}' }, "STO021", ["Maintainer"]],
    ["404", { status: 404, text: '{"error":"404 Not Found"}' }, "STO023", ["lock_address"]],
    ["405", { status: 405 }, "STO023", ["without_lock"]],
    ["501", { status: 501 }, "STO023", ["status 501"]],
    ["400", { status: 400, text: '{"error":"Info is missing"}' }, "STO031", ["Info is missing"]],
    ["by a page", { status: 200, text: page, headers: html }, "STO022", ["perhaps a login"]],
    ["423 without a body", { status: 423 }, "STO009", ["does not say by whom"]],
    ["409 with a text", { status: 409, text: "locked, sorry" }, "STO009", ["does not say by whom"]],
    [
      "423 by Terraform",
      {
        status: 423,
        text:
          '{"ID":"2844dfe8","Operation":"OperationTypeApply","Info":"","Who":"bob@ci-1",' +
          '"Version":"1.11.4","Created":"2026-11-29T20:08:10Z","Path":""}',
      },
      "STO009",
      ["bob on ci-1 (OperationTypeApply, lock 2844dfe8)", "vmform force-unlock 2844dfe8"],
    ],
    ["502, again and again", { status: 502, text: "bad gateway" }, "STO028", ["status 502"]],
  ])("%s", async (_name, reply, code, words) => {
    meddling("lock", reply);
    const refused = await problemOf(open().lock("apply", 0));
    expect(refused.code).toBe(code);
    for (const word of words) expect(`${refused.message} ${refused.fix}`).toContain(word);
  });

  test("by Terraform's lock on GitLab, which repeats what was asked: that is not told of it", async () => {
    server.setLock({ ID: "2844dfe8", Who: "bob", Created: "2026-11-29 20:08:10 UTC" });
    const refused = await problemOf(open().lock("apply", 0));
    expect(refused.message).toContain("is locked by bob (lock 2844dfe8) since");
    expect(refused.message).not.toContain("apply");
  });

  test.each(["before", "after"] as const)("by nothing: cut %s it was taken", async (cut) => {
    meddling("lock", { cut }, 1);
    const store = open();
    const held = await store.lock("apply", 0);
    expect(server.lock()).toMatchObject({ ID: held.lockId });
    await store.unlock(held);
    expect(server.lock()).toBeUndefined();
  });
});

describe("a lock given back", () => {
  test.each(["before", "after"] as const)("is given back once: reply cut %s", async (cut) => {
    const store = open();
    const held = await store.lock("apply", 0);
    meddling("unlock", { cut }, 1);
    await store.unlock(held);
    expect(server.lock()).toBeUndefined();
  });

  test("that is another's by now says so", async () => {
    const store = open();
    const held = await store.lock("apply", 0);
    server.setLock({ ID: "else", Who: "bob", Created: "2026-11-29T20:08:10Z" });
    expect((await problemOf(store.unlock(held))).code).toBe("STO010");
    expect(server.lock()).toMatchObject({ ID: "else" });
  });

  test("while it is being taken, by closing", async () => {
    const store = open();
    const taking = store.lock("apply", 0);
    await store.close();
    await taking;
    expect(server.lock()).toBeUndefined();
  });
});

describe("a write", () => {
  test.each([
    ["cut before it was stored", { cut: "before" }],
    ["cut after it was stored", { cut: "after" }],
    ["stored, and answered 502", { answer: 502 }],
    ["stored, and answered 204", { answer: 204 }],
    ["stored, and answered by a page", { answer: 200, text: page }],
    ["put off", { status: 503, headers: { "retry-after": "1" } }],
    ["throttled", { status: 429 }],
  ] as const)("%s is there once, with the next serial", async (_name, how) => {
    const { store, held } = await begun();
    meddling("write", how, 1);
    expect(await store.append(entries(1, 2), held)).toBe(2);
    expect(await store.append([entry(3)], held)).toBe(3);
    expect(server.versions.map(({ serial }) => serial)).toEqual([1, 2, 3]);
    expect((await open().read()).journal).toEqual(entries(1, 3));
  });

  test("is not sent again while the server cannot be asked what became of it", async () => {
    const { store, held } = await begun();
    let writes = 0;
    let reads = 0;
    server.meddle = (seen) => {
      const kind = kindOf(seen);
      if (kind === "write") return (writes += 1) === 1 ? { cut: "after" } : undefined;
      if (kind === "read") return (reads += 1) <= 7 ? { status: 502 } : undefined;
      return undefined;
    };
    expect(await store.append([entry(1)], held)).toBe(1);
    expect(writes).toBe(1);
  });

  test("that cannot be made ends the writing, and names the way out", async () => {
    const { store, held } = await begun();
    server.meddle = () => ({ cut: "before" });
    const failed = await problemOf(store.append([entry(1)], held));
    expect(failed.code).toBe("STO028");
    expect((await problemOf(store.append([entry(2)], held))).code).toBe("STO008");
    const saved = await store.writeEmergencyCopy(initial, failed);
    expect(saved.code).toBe("STO014");
    expect(saved.fix).toContain("vmform state push /");
  });

  test.each<readonly [number, string, string]>([
    [401, "STO021", "username"],
    [403, "STO021", "Maintainer"],
    [404, "STO022", "Correct the address"],
    [409, "STO027", "status 409"],
    [412, "STO027", "status 412"],
    [413, "STO026", "max_terraform_state_size_bytes"],
    [422, "STO027", "status 422"],
    [423, "STO027", "status 423"],
    [400, "STO031", "status 400"],
    [418, "STO031", "status 418"],
  ])("refused by status %d while the lock is ours", async (status, code, words) => {
    const { store, held } = await begun();
    meddling("write", { status });
    const refused = await problemOf(store.append([entry(1)], held));
    expect(refused.code).toBe(code);
    expect(`${refused.message} ${refused.fix}`).toContain(words);
    server.meddle = () => undefined;
    expect(server.versions).toHaveLength(1);
  });

  test("too large for the server tells its size, and loses nothing", async () => {
    await start("gitlab", { sizeMax: 3000 });
    const { store, held } = await begun();
    await store.append([entry(1)], held);
    const refused = await problemOf(store.append(entries(2, 60), held));
    expect(refused.code).toBe("STO026");
    expect(refused.message).toMatch(/ \d{4,} bytes/);
    expect((await open().read()).journal).toEqual([entry(1)]);
  });

  test("by somebody without the lock is never written over", async () => {
    await start("lenient");
    const { store, held } = await begun();
    const other = JSON.parse(server.versions[0]?.text ?? "{}");
    meddling("write", { cut: "before" }, 1);
    server.versions.push({
      serial: 2,
      text: JSON.stringify({ ...other, serial: 2, vmform: { ...other.vmform, write: "theirs" } }),
    });
    const refused = await problemOf(store.append([entry(1)], held));
    expect(refused.code).toBe("STO027");
    expect(server.versions).toHaveLength(2);
  });

  test("after the document is gone is an error, and makes no new one", async () => {
    const { store, held } = await begun();
    server.versions.splice(0);
    meddling("write", { cut: "before" }, 1);
    expect((await problemOf(store.append([entry(1)], held))).code).toBe("STO004");
    expect(server.versions).toEqual([]);
  });
});

describe("a paused holder", () => {
  test.each(["gitlab", "gitea", "plain"] as const)("writes nothing more (%s)", async (rules) => {
    await start(rules);
    const { store, held } = await begun();
    await store.append([entry(1)], held);
    let resume: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    // Its write is on the way while its lock is taken away, and arrives after the next one's.
    meddling("write", { after: paused }, 1);
    const late = problemOf(store.append([entry(9)], held));
    await expect
      .poll(() => server.requests.filter((one) => kindOf(one) === "write").length)
      .toBe(3);
    server.meddle = () => undefined;
    const next = open("host-b");
    await next.forceUnlock(held.lockId);
    const theirs = await next.lock("apply", 0);
    expect(await next.append([entry(2)], theirs)).toBe(2);
    resume();
    const refused = await late;
    expect(refused.code).toBe("STO010");
    expect(refused.message).toContain("ann on host-b");
    expect((await open().read()).journal).toEqual(entries(1, 2));
    expect(server.lock()).toMatchObject({ ID: theirs.lockId });
  });
});

describe("a server that checks nothing", () => {
  const told = async (store: OpenedStore["store"]): Promise<readonly string[]> =>
    ((await store.read()).remarks ?? []).map(({ code }) => code);

  test.each([
    ["lenient", ["STO029"]],
    ["plain", []],
    ["gitea", []],
    ["gitlab", []],
  ] as const)("%s: whether it fences is tried out once", async (rules, codes) => {
    await start(rules);
    const { store, held } = await begun();
    await store.append([entry(1)], held);
    await store.unlock(held);
    const before = (await open().read()).journal;
    const next = open();
    const theirs = await next.lock("apply", 0);
    expect(await told(next)).toEqual(codes);
    // What was tried has changed nothing.
    expect((await open().read()).journal).toEqual(before);
    await next.append([entry(2)], theirs);
    await next.unlock(theirs);
    const tried = server.requests.filter(({ query }) => query.endsWith("-not")).length;
    const third = open();
    await third.lock("apply", 0);
    expect(await told(third)).toEqual(codes);
    expect(server.requests.filter(({ query }) => query.endsWith("-not"))).toHaveLength(tried);
  });

  test("one without locks is used where the settings say so, with a warning", async () => {
    await start("without locks");
    expect((await problemOf(open().lock("apply", 0))).code).toBe("STO023");
    const store = open("host-a", true);
    const held = await store.lock("apply", 0);
    expect(await told(store)).toEqual(["STO030"]);
    await store.compact(initial, held);
    expect(await store.append([entry(1)], held)).toBe(1);
    await store.unlock(held);
    expect((await open().read()).journal).toEqual([entry(1)]);
  });
});

async function begun(): Promise<{
  readonly store: OpenedStore["store"];
  readonly held: { readonly lockId: string };
}> {
  const store = open();
  const held = await store.lock("apply", 0);
  await store.compact(initial, held);
  return { store, held };
}

test("a read asks for no copy that a proxy keeps, and takes one of whatever size", async () => {
  const store = open();
  const held = await store.lock("apply", 0);
  await store.compact(initial, held);
  await store.unlock(held);
  const padding = " ".repeat(70 * 1024 * 1024);
  const text = `${server.versions.at(-1)?.text}${padding}`;
  server.meddle = ({ method }) => (method === "GET" ? { status: 200, text } : undefined);
  expect((await store.read()).snapshot).toEqual(initial);
  const reads = server.requests.filter(({ method }) => method === "GET");
  expect(reads.length).toBeGreaterThan(1);
  expect(new Set(reads.map(({ cacheControl }) => cacheControl))).toEqual(new Set(["no-cache"]));
});
