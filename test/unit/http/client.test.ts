/** The client against real servers: what goes out how often, and what an error says. */

import { setImmediate } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CallClass, HttpCall, HttpPorts, HttpTarget } from "../../../src/http/call.ts";
import { createHttpClients } from "../../../src/http/client.ts";
import { readJson, statusError } from "../../../src/http/reply.ts";
import { createSecretMask } from "../../../src/lib/mask.ts";
import { type TestPorts, testEpochMs, testPorts, testTarget } from "../../helpers/http-ports.ts";
import {
  type Answer,
  closedOrigin,
  type Reply,
  reply,
  type ScriptedServer,
  startServer,
} from "../../helpers/scripted-server.ts";
import { failure } from "./remote-failure.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(answer: Answer): Promise<ScriptedServer> {
  const server = await startServer(answer);
  cleanups.push(() => server.close());
  return server;
}

/** Answers in order; the last one stays. */
function inOrder(...replies: readonly Reply[]): Answer {
  return (_request, response, count) =>
    reply(response, replies[Math.min(count, replies.length - 1)] ?? {});
}

type Asked = Partial<HttpCall> & { readonly target?: Partial<HttpTarget> };

function openClient(origin: string, ports: TestPorts, target: Partial<HttpTarget> = {}) {
  const client = createHttpClients(ports)(testTarget(origin, target));
  cleanups.push(() => client.close());
  return client;
}

function ask(origin: string, ports: TestPorts, asked: Asked = {}): Promise<string> {
  const { target, ...call } = asked;
  return openClient(origin, ports, target).call(
    { class: "read", method: "GET", path: "/x", ...call },
    (answer) => {
      if (answer.status >= 300) throw statusError(answer, call.class ?? "read");
      return answer.text;
    },
  );
}

const post: Asked = { class: "mutate", method: "POST", body: "{}" };

describe("a reply", () => {
  test("has status, joined headers, cookies apart, and text", async () => {
    const server = await serve((_request, response) =>
      reply(response, {
        status: 202,
        headers: { "X-Two": ["a", "b"], "Set-Cookie": ["c=1", "d=2"], "Retry-After": "3" },
        body: "é",
      }),
    );
    const answer = await openClient(server.origin, testPorts()).call(
      { class: "read", method: "GET", path: "/x?y=%20" },
      (given) => given,
    );
    expect(answer).toMatchObject({ status: 202, text: "é", retryAfterMs: 3000 });
    expect(answer.headers["x-two"]).toBe("a, b");
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(answer.setCookies).toEqual(["c=1", "d=2"]);
    expect(server.seen[0]?.url).toBe("/x?y=%20");
  });

  test.each([
    ["invalid UTF-8", { body: Buffer.from([0x22, 0xff, 0x22]) }, "not UTF-8"],
    ["no gzip", { headers: { "content-encoding": "gzip" }, body: "x" }, "encoding gzip"],
    [
      "half of a gzip",
      { headers: { "content-encoding": "gzip" }, body: gzipSync("[1, 2]").subarray(0, 12) },
      "encoding gzip, which was declined and cannot be decoded",
    ],
    ["an unknown encoding", { headers: { "content-encoding": "zstd" }, body: "[]" }, "zstd"],
  ] as const)("with %s is a protocol error", async (_name, given, words) => {
    const server = await serve(inOrder(given));
    const error = await failure(ask(server.origin, testPorts()));
    expect(error).toMatchObject({ kind: "protocol", effect: "none", status: 200 });
    expect(error.message).toContain(words);
    const changed = await failure(ask(server.origin, testPorts(), post));
    expect(changed).toMatchObject({ kind: "protocol", effect: "unknown" });
  });

  test.each([
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", (body: Buffer) => body],
  ] as const)("in %s is read although it was declined", async (encoding, encode) => {
    const body = encode(Buffer.from('["é"]'));
    const server = await serve(inOrder({ headers: { "content-encoding": encoding }, body }));
    expect(await ask(server.origin, testPorts())).toBe('["é"]');
    expect(server.seen[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test("a small body that unfolds beyond the limit is refused", async () => {
    const body = gzipSync("x".repeat(100_000));
    const server = await serve(inOrder({ headers: { "content-encoding": "gzip" }, body }));
    const target = { bodyBytesMax: 50_000 };
    const error = await failure(ask(server.origin, testPorts(), { target }));
    expect(error.message).toContain("encoding gzip, which was declined and cannot be decoded");
  });

  test("larger than the limit is a protocol error", async () => {
    const server = await serve(inOrder({ body: "x".repeat(2000) }));
    const error = await failure(
      ask(server.origin, testPorts(), { target: { bodyBytesMax: 1000 } }),
    );
    expect(error).toMatchObject({ kind: "protocol", effect: "none" });
    expect(error.message).toContain("larger than 1000 bytes");
    expect(await ask(server.origin, testPorts(), { target: { bodyBytesMax: 2000 } })).toHaveLength(
      2000,
    );
  });

  const unreadable: readonly (readonly [string, Reply, string])[] = [
    ["an HTML page", { body: "<!DOCTYPE html><p>Sign in" }, "an HTML page: <!DOCTYPE html>"],
    ["nothing", { body: "" }, "empty body instead of JSON"],
    ["white space", { body: " \n" }, "empty body instead of JSON"],
    ["half a document", { body: '{"a":' }, 'body: {"a": instead of JSON'],
    ["a key given twice", { body: '{"a":1,"a":2}' }, "instead of JSON"],
  ];
  test.each(unreadable)("%s instead of JSON keeps status and text", async (_name, given, words) => {
    const server = await serve(inOrder(given));
    const client = openClient(server.origin, testPorts());
    const call = (callClass: CallClass) =>
      client.call({ class: callClass, method: "GET", path: "/x" }, (r) => readJson(r, callClass));
    const error = await failure(call("read"));
    expect(error).toMatchObject({ kind: "protocol", effect: "none", status: 200 });
    expect(error.message).toContain(words);
    expect(await failure(call("mutate"))).toMatchObject({ effect: "unknown" });
  });

  test("is quoted with at most 200 characters on one line", async () => {
    const body = `a\r\n\u001b[31m${"é".repeat(500)}`;
    const server = await serve(inOrder({ status: 500, body }));
    const error = await failure(ask(server.origin, testPorts()));
    const quoted = error.message.slice(error.message.indexOf("body: ") + 6);
    expect(Array.from(quoted)).toHaveLength(200);
    expect(quoted).toMatch(/^a \[31mé+…$/);
  });
});

describe("a failed connection", () => {
  test.each(["read", "session", "mutate"] as const)(
    "refused, %s: no effect, no repeat",
    async (callClass) => {
      const origin = await closedOrigin();
      const ports = testPorts();
      const error = await failure(ask(origin, ports, { class: callClass }));
      expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
      expect(error.message).toBe(`GET /x: connection refused by ${origin.slice("http://".length)}`);
      expect(ports.retries).toEqual([]);
    },
  );

  test("unknown host: no effect", async () => {
    const error = await failure(ask("http://no-such-host.invalid", testPorts(), post));
    expect(error).toMatchObject({ kind: "unavailable", effect: "none" });
    expect(error.message).toContain("host name of no-such-host.invalid cannot be resolved");
  });

  test("reset after a change was sent: sent once, effect unknown", async () => {
    const server = await serve((_request, response) => response.destroy());
    const ports = testPorts();
    const error = await failure(ask(server.origin, ports, post));
    expect(error).toMatchObject({ kind: "unavailable", effect: "unknown" });
    expect(error.message).toContain("(if it expects TLS, use https:// in its URL)");
    expect(server.seen).toHaveLength(1);
    expect(ports.retries).toEqual([]);
  });

  test("reset during a login: repeated twice, since each may have left a session", async () => {
    const server = await serve((_request, response) => response.destroy());
    const error = await failure(
      ask(server.origin, testPorts(), { class: "session", method: "POST" }),
    );
    expect(error).toMatchObject({ kind: "unavailable", effect: "unknown" });
    expect(server.seen).toHaveLength(3);
  });

  test("reset during a read: repeated, and visible", async () => {
    const server = await serve((_request, response, count) => {
      if (count < 2) response.destroy();
      else reply(response, { body: "ok" });
    });
    const ports = testPorts();
    expect(await ask(server.origin, ports)).toBe("ok");
    expect(
      ports.retries.map((notice) => [notice.repeat, notice.repeatMax, notice.pauseMs]),
    ).toEqual([
      [1, 4, 375],
      [2, 4, 750],
    ]);
  });

  const cuts: readonly (readonly [string, { readonly [name: string]: string }])[] = [
    ["with a length", { "content-length": "100" }],
    ["in chunks", { "transfer-encoding": "chunked" }],
  ];
  test.each(cuts)(
    "cut within a body %s: a read asks again, a change does not",
    async (_name, headers) => {
      const server = await serve((_request, response) => {
        response.writeHead(200, headers);
        response.write('["web-a"', () => response.destroy());
      });
      const read = await failure(ask(server.origin, testPorts()));
      expect(read).toMatchObject({ kind: "unavailable", effect: "none", status: 200 });
      expect(read.message).toContain('after status 200 and 8 bytes of body: ["web-a"');
      expect(server.seen).toHaveLength(5);
      const change = await failure(ask(server.origin, testPorts(), post));
      expect(change).toMatchObject({ kind: "protocol", effect: "unknown", status: 200 });
      expect(server.seen).toHaveLength(6);
    },
  );

  test("an idle connection that the server gave up is invisible", async () => {
    // The second request on a connection is answered by hanging up.
    const used = new Set<number>();
    const server = await serve((request, response) => {
      if (used.has(request.connection)) return void response.destroy();
      used.add(request.connection);
      reply(response, { body: "ok" });
    });
    const client = openClient(server.origin, testPorts());
    const call = (callClass: CallClass) =>
      client.call({ class: callClass, method: "GET", path: "/x" }, ({ text }) => text);
    for (const callClass of ["read", "mutate", "read", "mutate"] as const) {
      expect(await call(callClass)).toBe("ok");
      // Let the pool take its connection back, so that it would be used again.
      for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    }
    // The second read met the dead connection and went out again; no change ever shares one.
    expect(server.seen).toHaveLength(5);
    const closing = server.seen.filter(({ headers }) => headers.connection === "close");
    expect(closing).toHaveLength(2);
  });
});

describe("limits", () => {
  // The limits run on the test's own time, which passes only once the request has arrived.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test("a change without a reply ends at its deadline, effect unknown", async () => {
    const server = await serve(() => void vi.advanceTimersByTime(90_000));
    const deadlineMs = testEpochMs + 90_000;
    const error = await failure(ask(server.origin, testPorts(), { ...post, deadlineMs }));
    expect(error).toMatchObject({ kind: "timeout", effect: "unknown" });
    expect(error.message).toMatch(/^POST \/x: no reply from 127\.0\.0\.1:\d+ within 90 s$/);
    expect(server.seen).toHaveLength(1);
  });

  test("a read ends at the request timeout and is not repeated", async () => {
    const server = await serve(() => void vi.advanceTimersByTime(1500));
    const target = { requestTimeoutMs: 1500 };
    const error = await failure(ask(server.origin, testPorts(), { target }));
    expect(error).toMatchObject({ kind: "timeout", effect: "none" });
    expect(error.message).toContain("within 1.5 s");
    expect(server.seen).toHaveLength(1);
  });

  test("neither the request timeout nor five minutes end a change with a deadline", async () => {
    const server = await serve((_request, response) => {
      vi.advanceTimersByTime(599_000);
      reply(response, { body: "cloned" });
    });
    const deadlineMs = testEpochMs + 600_000;
    expect(await ask(server.origin, testPorts(), { ...post, deadlineMs })).toBe("cloned");
  });

  test("a deadline that has passed sends nothing", async () => {
    const server = await serve(inOrder({}));
    const error = await failure(
      ask(server.origin, testPorts(), { ...post, deadlineMs: testEpochMs }),
    );
    expect(error).toMatchObject({ kind: "timeout", effect: "none" });
    expect(server.seen).toEqual([]);
  });

  test("reads in flight are limited, in order; changes are not counted", async () => {
    const waiting: (() => void)[] = [];
    let inFlight = 0;
    let inFlightMax = 0;
    const server = await serve((request, response) => {
      if (request.method === "POST") return reply(response, { body: "changed" });
      inFlight += 1;
      inFlightMax = Math.max(inFlightMax, inFlight);
      waiting.push(() => {
        inFlight -= 1;
        reply(response, {});
      });
      // Both slots are taken: only now may they be given back.
      if (inFlight === 2) for (const answer of waiting.splice(0)) answer();
    });
    const client = openClient(server.origin, testPorts(), { parallelReads: 2 });
    const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
    const reads = paths.map((path) =>
      client.call({ class: "read", method: "GET", path }, () => path),
    );
    const change = await client.call({ class: "mutate", method: "POST", path: "/" }, (r) => r.text);
    expect(change).toBe("changed");
    expect(await Promise.all(reads)).toEqual(paths);
    expect(inFlightMax).toBe(2);
  });
});

describe("a busy server", () => {
  const dates = (ms: number) => new Date(testEpochMs + ms).toUTCString();
  test.each([
    ["seconds", "2", 2000],
    ["a date", dates(7000), 7000],
    ["a date in the past", dates(-7000), 0],
    ["a day", "86400", 120_000],
    ["no header", undefined, 375],
    ["nonsense", "later", 375],
  ])("503 with %s: a read waits and asks again", async (_name, header, pauseMs) => {
    const headers = header === undefined ? {} : { "retry-after": header };
    const server = await serve(inOrder({ status: 503, headers }, { body: "ok" }));
    for (const callClass of ["read", "session"] as const) {
      const ports = testPorts();
      server.seen.length = 0;
      expect(await ask(server.origin, ports, { class: callClass })).toBe("ok");
      expect(ports.retries.map((notice) => notice.pauseMs)).toEqual([pauseMs]);
      expect(ports.retries[0]?.message).toContain("status 503");
      expect(server.seen).toHaveLength(2);
    }
  });

  test.each([429, 502, 503, 504])("%i: a change is never repeated", async (status) => {
    const server = await serve(inOrder({ status, headers: { "retry-after": "1" } }));
    const error = await failure(ask(server.origin, testPorts(), post));
    expect(error).toMatchObject({ status, retryAfterMs: 1000 });
    // "Come again then" is no answer of one that has begun.
    expect(error.effect).toBe(status === 429 || status === 503 ? "none" : "unknown");
    expect(server.seen).toHaveLength(1);
  });

  test("repeats end", async () => {
    const server = await serve(inOrder({ status: 503 }));
    const ports = testPorts();
    expect(await failure(ask(server.origin, ports))).toMatchObject({ kind: "unavailable" });
    expect(server.seen).toHaveLength(5);
    expect(ports.retries.map(({ repeat }) => repeat)).toEqual([1, 2, 3, 4]);
  });

  test("no repeat that would start after the deadline", async () => {
    const server = await serve(inOrder({ status: 503, headers: { "retry-after": "10" } }));
    const deadlineMs = testEpochMs + 9000;
    expect(await failure(ask(server.origin, testPorts(), { deadlineMs }))).toMatchObject({
      status: 503,
    });
    expect(server.seen).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 409, 500])("%i is not repeated", async (status) => {
    const server = await serve(inOrder({ status }));
    expect(await failure(ask(server.origin, testPorts()))).toMatchObject({ status });
    expect(server.seen).toHaveLength(1);
  });
});

describe("redirects", () => {
  test("a read follows within the origin", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/x") reply(response, { status: 302, headers: { location: "y/z?q=1" } });
      else if (request.url === "/y/z?q=1") {
        reply(response, { status: 308, headers: { location: `${server.origin}/end` } });
      } else reply(response, { body: request.url });
    });
    expect(await ask(server.origin, testPorts())).toBe("/end");
  });

  test("not for ever", async () => {
    const server = await serve(inOrder({ status: 301, headers: { location: "/x" } }));
    const error = await failure(ask(server.origin, testPorts()));
    expect(error).toMatchObject({ kind: "protocol", effect: "none" });
    expect(error.message).toContain("more than 5 redirects");
    expect(server.seen).toHaveLength(6);
  });

  const statuses = [301, 302, 303, 307, 308] as const;
  test.each(statuses)("%i never leads to another origin", async (status) => {
    const other = await serve(inOrder({ body: "foreign" }));
    const location = `${other.origin}/path?token=abc`;
    const server = await serve(inOrder({ status, headers: { location } }));
    for (const asked of [{}, post]) {
      const error = await failure(
        ask(server.origin, testPorts(), { ...asked, headers: { authorization: "Bearer t" } }),
      );
      expect(error).toMatchObject({ kind: "protocol", status });
      expect(error.message).toContain(
        `server moved to ${other.origin}/path (status ${status}); set url`,
      );
      expect(error.message).not.toContain("token");
    }
    expect(other.seen).toEqual([]);
    expect(server.seen.map(({ method }) => method)).toEqual(["GET", "POST"]);
  });

  test.each(statuses)("%i never moves a change, not even within the origin", async (status) => {
    const server = await serve(inOrder({ status, headers: { location: "/elsewhere" } }));
    const error = await failure(ask(server.origin, testPorts(), post));
    // 302 and 303 may be the answer to a request that was carried out.
    expect(error.effect).toBe(status === 302 || status === 303 ? "unknown" : "none");
    expect(server.seen.map(({ url }) => url)).toEqual(["/x"]);
  });
});

describe("requests that are sent", () => {
  test("are told one by one: repeats, and hops of redirects", async () => {
    const server = await serve(
      inOrder({ status: 503 }, { status: 302, headers: { location: "/y?p=w0rd" } }, { body: "ok" }),
    );
    const ports = testPorts({ mask: createSecretMask(["w0rd"]) });
    expect(await ask(server.origin, ports)).toBe("ok");
    await ask(server.origin, ports, post);
    await ask(server.origin, ports, { class: "session", method: "DELETE", path: "/session" });
    expect(ports.sent).toEqual([
      { class: "read", method: "GET", path: "/x" },
      { class: "read", method: "GET", path: "/x" },
      { class: "read", method: "GET", path: "/y?p=***" },
      { class: "mutate", method: "POST", path: "/x" },
      { class: "session", method: "DELETE", path: "/session" },
    ]);
    expect(server.seen).toHaveLength(5);
  });

  test("are told when no reply comes, too", async () => {
    const server = await serve((_request, response) => response.destroy());
    const ports = testPorts();
    await failure(ask(server.origin, ports, post));
    expect(ports.sent).toEqual([{ class: "mutate", method: "POST", path: "/x" }]);
  });

  test("are not those that found no connection, no time or no permission", async () => {
    const ports = testPorts({ readOnly: true });
    await failure(ask(await closedOrigin(), ports));
    await failure(ask(await closedOrigin(), ports, { deadlineMs: testEpochMs }));
    await expect(ask(await closedOrigin(), ports, post)).rejects.toThrow("only reads");
    expect(ports.sent).toEqual([]);
  });
});

test("a client that only reads refuses changes before sending", async () => {
  const server = await serve(inOrder({ body: "ok" }));
  const ports = testPorts({ readOnly: true });
  await expect(ask(server.origin, ports, post)).rejects.toThrow("this run only reads");
  expect(await ask(server.origin, ports)).toBe("ok");
  expect(await ask(server.origin, ports, { class: "session", method: "POST" })).toBe("ok");
  expect(server.seen.map(({ method }) => method)).toEqual(["GET", "POST"]);
});

describe("dialling another origin", () => {
  const configured = "https://cloud.example.com";

  test("keeps the configured name towards the server", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/x") {
        reply(response, { status: 302, headers: { location: `${configured}/y` } });
      } else reply(response, { body: `${request.headers.host}${request.url}` });
    });
    const dial = new Map([[configured, server.origin]]);
    expect(await ask(configured, testPorts({ dial }))).toBe("cloud.example.com/y");
  });

  test("names the configured host in errors and in the log", async () => {
    const dial = new Map([[configured, await closedOrigin()]]);
    const ports = testPorts({ dial });
    const error = await failure(ask(`${configured}/`, ports, post));
    expect(error.message).toBe("POST /x: connection refused by cloud.example.com");
    expect(ports.records[0]?.url).toBe(`${configured}/x`);
  });
});

describe("secrets", () => {
  const secret = 'pass&word"<1>';
  const forms = [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64"),
    JSON.stringify(secret).slice(1, -1),
    "pass&amp;word&quot;&lt;1&gt;",
  ];
  const shared: Partial<HttpPorts> = { mask: createSecretMask([secret]) };

  test("stand neither in errors nor in the log, in any form", async () => {
    const server = await serve((_request, response) =>
      reply(response, {
        status: 403,
        headers: {
          "set-cookie": "session=abc",
          "x-cloud-authorization": "tok-1",
          "x-echo": secret,
        },
        body: `refused ${forms.join(" ")}`,
      }),
    );
    const ports = testPorts(shared);
    const error = await failure(
      ask(server.origin, ports, {
        ...post,
        path: `/login?password=${encodeURIComponent(secret)}`,
        headers: { authorization: "Basic Zm9v", "x-note": secret },
        body: JSON.stringify({ secret }),
      }),
    );
    const records = ports.records.map((record) => JSON.stringify(record));
    const text = [error.message, ...records].join(" ");
    for (const hidden of [...forms, "Zm9v", "session=abc", "tok-1"]) {
      expect(text).not.toContain(hidden);
      expect(text).not.toContain(JSON.stringify(hidden).slice(1, -1));
    }
    expect(error.message).toContain("refused *** ***");
    expect(server.seen[0]?.headers["x-note"]).toBe(secret);
  });

  test("a path of thousands of characters is cut in a message, and never within a secret", async () => {
    const server = await serve((_request, response) => reply(response, { status: 503 }));
    const ports = testPorts(shared);
    const start = `/query?filter=${"x".repeat(100)}`;
    const path = `${start}${encodeURIComponent(secret)}${"y".repeat(4000)}`;
    const error = await failure(ask(server.origin, ports, { path }));
    expect(error.message).toMatch(/^GET \/query\?filter=x{100}\*\*\*y*…: status 503/);
    expect(ports.retries[0]?.path).toHaveLength(120);
    expect(ports.retries[0]?.message).toBe(error.message);
    expect(server.seen[0]?.url).toBe(path);
  });

  test("the log hides what the caller knows to be secret, in request and reply", async () => {
    const server = await serve(inOrder({ body: "a ticket=abc here" }));
    const ports = testPorts(shared);
    const redact = (body: string): string => body.replace(/ticket=\w+/, "ticket=***");
    const sent = { method: "POST", class: "mutate", body: "ticket=abd&more" } as const;
    expect(await ask(server.origin, ports, { ...sent, redact })).toBe("a ticket=abc here");
    expect(server.seen[0]?.body).toBe("ticket=abd&more");
    expect(ports.records).toMatchObject([
      { requestBody: "ticket=***&more", replyBody: "a ticket=*** here" },
    ]);
  });

  test("the log has one record for each exchange", async () => {
    const server = await serve(inOrder({ status: 503 }, { body: "ok" }));
    const ports = testPorts(shared);
    await ask(server.origin, ports);
    expect(ports.records).toMatchObject([
      { class: "read", method: "GET", url: `${server.origin}/x`, status: 503, atMs: testEpochMs },
      { status: 200, replyBody: "ok" },
    ]);
  });
});
