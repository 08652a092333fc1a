/** Settings: what is accepted, which one an error names, and whom the client trusts. */

import { describe, expect, test } from "vitest";
import type { HttpTarget } from "../../../../../src/http/call.ts";
import type { Value } from "../../../../../src/model/value/value.ts";
import { openAppliance } from "../../../../../src/providers/appliance/client/connection.ts";
import { readSettings, urlEnding } from "../../../../../src/providers/appliance/client/settings.ts";
import { endpointKeyOf } from "../../../../../src/providers/kit/endpoint.ts";
import { testPorts } from "../../../../helpers/http-ports.ts";

const print = "aa".repeat(20);
const given = { url: "https://vcsa.example.com", user: "admin@local", password: "p" };

test("defaults", () => {
  expect(readSettings(given)).toEqual({
    origin: "https://vcsa.example.com",
    basePath: "",
    credentials: { user: "admin@local", password: "p" },
    login: "session",
    allowUnverified: false,
    requestTimeoutMs: 60_000,
    connectTimeoutMs: 30_000,
    parallelReads: 4,
  });
});

test.each([
  ["https://VCSA.example.com:443/", "https://vcsa.example.com", ""],
  ["https://vcsa.example.com/rest", "https://vcsa.example.com", ""],
  ["https://vcsa.example.com/api/", "https://vcsa.example.com", ""],
  ["https://vcsa.example.com:5480/rest/", "https://vcsa.example.com:5480", ""],
  ["https://proxy.example.com/vcsa/rest", "https://proxy.example.com", "/vcsa"],
])("%s", (url, origin, basePath) => {
  expect(readSettings({ ...given, url })).toMatchObject({ origin, basePath });
  expect(endpointKeyOf("appliance", { url }, urlEnding)).toBe(`${origin}${basePath}`);
});

test("locks of settings that cannot be read are their own", () => {
  expect(endpointKeyOf("appliance", { url: "nonsense" }, urlEnding)).toBe("nonsense");
  expect(endpointKeyOf("appliance", null, urlEnding)).toBe("");
});

test.each<[Value, RegExp]>([
  [null, /url is not set/],
  [{ ...given, user: null }, /user is not set/],
  [{ ...given, password: "" }, /password must not be empty/],
  [{ ...given, user: "al:ice" }, /colon/],
  [{ ...given, password: "a\nb" }, /control characters/],
  [{ ...given, url: "vcsa.example.com" }, /url must begin with http/],
  [{ ...given, url: "https://u:topsecret@h" }, /url must .* hold no login/],
  [{ ...given, url: "http://vcsa.example.com" }, /plain http: the password would be readable/],
  [{ ...given, release: "8.0" }, /release is none of 6\.5, 6\.7, 7\.0/],
  [{ ...given, login: "cookie" }, /login is none of session, basic/],
  [{ ...given, request_timeout: "0s" }, /request_timeout/],
  [{ ...given, connect_timeout: "soon" }, /connect_timeout/],
  [{ ...given, parallel_reads: 0 }, /parallel_reads/],
])("%j is refused", (settings, message) => {
  expect(() => readSettings(settings)).toThrow(message);
  expect(() => readSettings(settings)).toThrow(/^provider appliance: (?!.*topsecret)/);
});

test.each([
  { url: "http://127.0.0.1:80" },
  { url: "http://localhost:8080" },
  { url: "http://vcsa.example.com", allow_unverified_ssl: true },
])("%j may be plain http", (changes) => {
  expect(readSettings({ ...given, ...changes }).origin).toMatch(/^http:/);
});

async function targetOf(changes: { readonly [name: string]: Value }): Promise<HttpTarget> {
  const targets: HttpTarget[] = [];
  const http = (target: HttpTarget) => {
    targets.push(target);
    const call = () => Promise.reject(new Error("nothing is sent by opening"));
    return { origin: target.origin, call, close: () => Promise.resolve() };
  };
  const { clock } = testPorts();
  const readTextFile = (path: string): Promise<string> =>
    path === "ca.pem" ? Promise.resolve("PEM") : Promise.reject(new Error(`no ${path}`));
  const appliance = await openAppliance({ http, clock, readTextFile }, { ...given, ...changes });
  await appliance.close();
  const [target] = targets;
  if (target === undefined || targets.length > 1) throw new Error("not one HTTP client was made");
  return target;
}

describe("the HTTP client", () => {
  test.each([
    [{}, {}],
    [{ ca_file: "ca.pem" }, { ca: "PEM" }],
    [{ thumbprint: print }, { thumbprint: print }],
    [{ allow_unverified_ssl: true }, { allowUnverified: true }],
    [{ allow_unverified_ssl: false }, {}],
  ])("of %j trusts by %j", async (changes, tls) => {
    expect(await targetOf(changes)).toEqual({
      origin: "https://vcsa.example.com",
      tls,
      requestTimeoutMs: 60_000,
      connectTimeoutMs: 30_000,
      parallelReads: 4,
    });
  });

  test("is not made when the file of certificates cannot be read", async () => {
    await expect(targetOf({ ca_file: "other.pem" })).rejects.toThrow("no other.pem");
  });
});
