/** Which ways to serve the board are refused before anything listens. */

import { describe, expect, test } from "vitest";
import { type ServeOptions, settingsOf } from "../../../src/serve/settings.ts";

const plain: ServeOptions = {
  ...{ listen: "127.0.0.1:8340", trustedProxies: [], roles: [], oidcRolesClaim: "groups" },
};
const oidc = { oidcIssuer: "https://login.example.org", oidcClient: "vmform" };
const url = "https://vmform.example.org";

describe("refused", () => {
  test.each<readonly [string, Partial<ServeOptions>, string]>([
    ["everybody without a login", { listen: "0.0.0.0:8340" }, "for everybody"],
    ["one network without a login", { listen: "10.0.0.5:8340" }, "for everybody"],
    ["all of IPv6 without a login", { listen: "[::]:8340" }, "for everybody"],
    ["no port", { listen: "127.0.0.1" }, "nothing to listen at"],
    ["a port too high", { listen: "127.0.0.1:70000" }, "nothing to listen at"],
    [
      "a header that anybody could write",
      { listen: "10.0.0.5:8340", userHeader: "X-User" },
      "could write the header",
    ],
    ["roles without users", { rolesHeader: "X-Groups" }, "Nothing says who"],
    ["proxies without users", { trustedProxies: ["10.0.0.1"] }, "Nothing says who"],
    ["no proxy", { userHeader: "X-User", trustedProxies: ["proxy"] }, "no address of a proxy"],
    ["no network", { userHeader: "X-User", trustedProxies: ["10.0.0.0/33"] }, "no address"],
    ["no header", { userHeader: "X User:" }, "no name of a header"],
    ["no role", { userHeader: "X-User", roles: ["ops=root"] }, "gives nobody a role"],
    ["roles of nobody", { roles: ["ops=see"] }, "no groups"],
    ["two logins", { ...oidc, url, userHeader: "X-User" }, "Two kinds"],
    ["OIDC without an address", oidc, "back to an address"],
    ["OIDC without a client", { oidcIssuer: oidc.oidcIssuer, url }, "by an id"],
    ["OIDC in plain text", { ...oidc, url, oidcIssuer: "http://login.example.org" }, "by https"],
    ["a client of no server", { oidcClient: "vmform" }, "which server"],
    ["plain http for people", { url: "http://vmform.example.org" }, "take over logins"],
    ["no address", { url: "vmform.example.org" }, "no address of a page"],
    ["more than an address", { url: `${url}/?x=1` }, "more than a host"],
    ["all addresses without a name", { listen: "0.0.0.0:1", userHeader: "X-User" }, "could write"],
    [
      "all addresses, with proxies and without a name",
      { listen: "0.0.0.0:1", userHeader: "X-User", trustedProxies: ["10.0.0.1"] },
      "by which name",
    ],
  ])("%s", (_, options, message) => {
    expect(() => settingsOf({ ...plain, ...options })).toThrow(message);
  });
});

test.each<readonly [string, Partial<ServeOptions>, string]>([
  ["loopback", {}, "token"],
  ["loopback of IPv6", { listen: "[::1]:8340" }, "token"],
  ["a proxy beside it", { userHeader: "X-User" }, "header"],
  [
    "a proxy elsewhere",
    { listen: "0.0.0.0:1", userHeader: "U", trustedProxies: ["::1"], url },
    "header",
  ],
  ["OIDC for everybody", { listen: "0.0.0.0:1", ...oidc, url }, "oidc"],
])("%s is served", (_, options, kind) => {
  expect(settingsOf({ ...plain, ...options }).login.kind).toBe(kind);
});

test("proxies are trusted by network, also as IPv4 within IPv6", () => {
  const { login } = settingsOf({
    ...plain,
    ...{ userHeader: "X-User", trustedProxies: ["10.1.0.0/16", "fd00::/8"] },
  });
  const trusts = login.kind === "header" ? login.trusts : () => false;
  const believed = ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1"].map(trusts);
  expect(believed).toEqual([true, true, true]);
  const others = ["10.2.0.1", "127.0.0.1", "::1", "", "fe80::1", "10.1.2.3.evil"].map(trusts);
  expect(others.some(Boolean)).toBe(false);
});
