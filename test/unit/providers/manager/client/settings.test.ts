/** Settings: which endpoint they name, what is refused, and how the client below is opened. */

import { describe, expect, test } from "vitest";
import type { HttpTarget } from "../../../../../src/http/call.ts";
import type { RemoteError } from "../../../../../src/model/operation/remote-error.ts";
import type { Value } from "../../../../../src/model/value/value.ts";
import { endpointKeyOf } from "../../../../../src/providers/kit/endpoint.ts";
import { limitOf } from "../../../../../src/providers/kit/schema/settings.ts";
import { openManager } from "../../../../../src/providers/manager/client/open.ts";
import { readSettings, urlEnding } from "../../../../../src/providers/manager/client/settings.ts";
import { testPorts } from "../../../../helpers/http-ports.ts";

const base = { url: "https://m.example.com", user: "DOMAIN\\admin", password: "secret" };

test("defaults", () => {
  expect(readSettings(base)).toEqual({
    origin: "https://m.example.com",
    basePath: "",
    user: "DOMAIN\\admin",
    password: "secret",
    allowUnverified: false,
    requestTimeoutMs: 60_000,
    connectTimeoutMs: 120_000,
    parallelReads: 4,
    pageSize: 100,
  });
});

test.each([
  ["https://m.example.com/", "https://m.example.com", ""],
  ["https://m.example.com/sdk", "https://m.example.com", ""],
  ["https://M.example.com:8443//sdk//", "https://m.example.com:8443", ""],
  ["https://gate/site/sdk", "https://gate", "/site"],
  ["http://127.0.0.1:8989/sdk", "http://127.0.0.1:8989", ""],
  ["http://[::1]:8989", "http://[::1]:8989", ""],
  ["http://localhost", "http://localhost", ""],
])("%s is one endpoint", (url, origin, basePath) => {
  expect(readSettings({ ...base, url })).toMatchObject({ origin, basePath });
  expect(endpointKeyOf("manager", { url }, urlEnding)).toBe(`${origin}${basePath}`);
});

test.each([
  [{ url: "http://m.example.com" }, /plain http: the password would be readable/],
  [{ url: "ftp://m.example.com" }, /url must begin with http:/],
  [{ url: "https://u:topsecret@m" }, /url must .* hold no login/],
  [{ url: "https://m/sdk?x=1" }, /url must .* hold no login/],
  [{ url: "m.example.com" }, /url must begin/],
  [{ url: null }, /url is not set/],
  [{ user: "" }, /user must not be empty/],
  [{ password: null }, /password is not set/],
  [{ password: "a\nb" }, /control characters/],
  [{ user: "a\ud800" }, /control characters/],
  [{ password: "a\ufffe" }, /control characters/],
  [{ page_size: 0 }, /page_size must be >= 1/],
  [{ parallel_reads: 1.5 }, /parallel_reads must be integer/],
  [{ request_timeout: "soon" }, /request_timeout must be a number with its unit/],
  [{ connect_timeout: "0s" }, /connect_timeout is not a duration/],
])("%j is refused", (change, message) => {
  const settings: Value = { ...base, ...change };
  let error: RemoteError | undefined;
  try {
    readSettings(settings);
  } catch (caught) {
    error = caught as RemoteError;
  }
  expect(error).toMatchObject({ kind: "invalid", effect: "none" });
  expect(error?.message).toMatch(message);
  expect(error?.message).toContain("provider manager: ");
  expect(error?.message).not.toContain("topsecret");
});

test("plain http to elsewhere is a decision of its own", () => {
  const settings = { ...base, url: "http://m.example.com", allow_unverified_ssl: true };
  expect(readSettings(settings).origin).toBe("http://m.example.com");
});

test.each([
  [{ limits: { relocates_per_datastore: 3 } }, 3],
  [{ limits: { relocates_per_datastore: 0 } }, undefined],
  [{ limits: {} }, undefined],
  [{}, undefined],
  [null, undefined],
])("the limit of %j is %s", (settings, limit) => {
  expect(limitOf(settings, "relocates_per_datastore")).toBe(limit);
});

describe("opening", () => {
  const targetOf = async (settings: Value): Promise<HttpTarget> => {
    const targets: HttpTarget[] = [];
    await openManager(
      {
        http: (target) => {
          targets.push(target);
          return {
            origin: target.origin,
            call: () => Promise.reject(new Error()),
            close: async () => {},
          };
        },
        clock: testPorts().clock,
        readTextFile: async (path) => `contents of ${path}`,
      },
      settings,
    );
    const [target, ...more] = targets;
    if (target === undefined || more.length > 0) throw new Error("one client is opened");
    return target;
  };

  test("limits and the trust in certificates go to the client", async () => {
    const thumbprint = "AA".repeat(20);
    const settings = { ...base, ca_file: "ca.pem", thumbprint, request_timeout: "5s" };
    expect(await targetOf(settings)).toEqual({
      origin: "https://m.example.com",
      tls: { ca: "contents of ca.pem", thumbprint },
      requestTimeoutMs: 5000,
      connectTimeoutMs: 120_000,
      parallelReads: 4,
    });
    expect((await targetOf(base)).tls).toEqual({});
    const blind = { ...base, allow_unverified_ssl: true };
    expect((await targetOf(blind)).tls).toEqual({ allowUnverified: true });
  });
});
