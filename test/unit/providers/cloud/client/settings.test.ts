/** Settings: what is accepted, and which one an error names. */

import { describe, expect, test } from "vitest";
import type { Value } from "../../../../../src/model/value/value.ts";
import { readSettings, urlEnding } from "../../../../../src/providers/cloud/client/settings.ts";
import { endpointKeyOf } from "../../../../../src/providers/kit/endpoint.ts";

const given = { url: "https://cloud.example.com", user: "admin", org: "system", password: "p" };

describe("what is read", () => {
  test("defaults", () => {
    expect(readSettings(given)).toEqual({
      origin: "https://cloud.example.com",
      basePath: "",
      credentials: { user: "admin", org: "system", password: "p" },
      allowUnverified: false,
      requestTimeoutMs: 60_000,
      connectTimeoutMs: 120_000,
      parallelReads: 4,
      pageSize: 128,
    });
  });

  test("everything", () => {
    const settings = {
      ...given,
      url: "https://Cloud.example.com:443/base/api/",
      api_version: "5.10",
      ca_file: "ca.pem",
      allow_unverified_ssl: true,
      request_timeout: "5s",
      connect_timeout: "500ms",
      parallel_reads: 2,
      page_size: 25,
      limits: { relocates_per_datastore: 2 },
    };
    expect(readSettings(settings)).toMatchObject({
      origin: "https://cloud.example.com",
      basePath: "/base",
      apiVersion: "5.10",
      caFile: "ca.pem",
      allowUnverified: true,
      requestTimeoutMs: 5000,
      connectTimeoutMs: 500,
      parallelReads: 2,
      pageSize: 25,
    });
    const other = { url: "https://cloud.example.com/base" };
    expect(endpointKeyOf("cloud", settings, urlEnding)).toBe(
      endpointKeyOf("cloud", other, urlEnding),
    );
  });

  test.each([
    [
      { user: "alice@Org1", org: null },
      { user: "alice", org: "Org1" },
    ],
    [
      { user: "a@b.org@Org1", org: null },
      { user: "a@b.org", org: "Org1" },
    ],
    [
      { user: "a@b.org", org: "Org1" },
      { user: "a@b.org", org: "Org1" },
    ],
  ])("%j is %j", (changes, credentials) => {
    expect(readSettings({ ...given, ...changes }).credentials).toMatchObject(credentials);
  });

  test.each([
    "http://127.0.0.1:80",
    "http://127.3.2.1",
    "http://localhost:8080",
    "http://[::1]:80",
  ])("%s may be plain http", (url) => {
    expect(readSettings({ ...given, url }).origin).toMatch(/^http:/);
  });

  test("so may any host, on request", () => {
    const settings = { ...given, url: "http://cloud.example.com", allow_unverified_ssl: true };
    expect(readSettings(settings).origin).toBe("http://cloud.example.com");
  });
});

describe("what is refused", () => {
  test.each<[Value, RegExp]>([
    [null, /url is not set/],
    [{ ...given, url: null }, /url is not set/],
    [{ ...given, user: null }, /user is not set/],
    [{ ...given, password: null }, /password is not set/],
    [{ ...given, password: "" }, /password must not be empty/],
    [{ ...given, org: null }, /org is not set/],
    [{ ...given, user: "alice@", org: null }, /user and org must not be empty/],
    [{ ...given, user: "@Org1", org: null }, /user and org must not be empty/],
    [{ ...given, user: "al:ice" }, /colon/],
    [{ ...given, org: "a@b" }, /org must not hold an @/],
    [{ ...given, password: "a\nb" }, /control characters/],
    [{ ...given, url: "cloud.example.com" }, /url must begin with http/],
    [{ ...given, url: "https://u:topsecret@h" }, /url must .* hold no login/],
    [{ ...given, url: "https://:" }, /url is not an http/],
    [{ ...given, colour: "red" }, /there is no colour/],
    [{ ...given, url: "http://cloud.example.com" }, /plain http: the password would be readable/],
    [{ ...given, url: "http://127.0.0.1.example.com" }, /plain http/],
    [{ ...given, request_timeout: "0s" }, /request_timeout/],
    [{ ...given, connect_timeout: "soon" }, /connect_timeout/],
    [{ ...given, parallel_reads: 0 }, /parallel_reads/],
    [{ ...given, page_size: 1.5 }, /page_size/],
    [{ ...given, limits: { relocates_per_datastore: 0 } }, /limits\.relocates_per_datastore/],
    [{ ...given, limits: 3 }, /limits must be object/],
  ])("%j", (settings, message) => {
    expect(() => readSettings(settings)).toThrow(message);
    expect(() => readSettings(settings)).toThrow(/^provider cloud: (?!.*topsecret)/);
  });
});
