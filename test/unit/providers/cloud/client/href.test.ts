/** Links: what stays of them, and which are equal. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseXml } from "../../../../../src/lib/xml/xml-reader.ts";
import { hrefOf, pathOf, sameHref } from "../../../../../src/providers/cloud/client/href.ts";

describe("paths", () => {
  test.each([
    ["https://cloud.example.com/api/vApp/vm-1", "/api/vApp/vm-1"],
    ["HTTP://10.0.0.1:8443/api/vApp/vm-1/", "/api/vApp/vm-1"],
    ["https://host/base/api/org/", "/api/org"],
    ["https://host/api/cloud/api/task/1", "/api/task/1"],
    ["http://https://10.0.0.1/api/vApp/vm-1", "/api/vApp/vm-1"],
    ["https://user:secret@host/api/vApp/vm-1#x", "/api/vApp/vm-1"],
    ["/api/query?type=vm&page=2", "/api/query?type=vm&page=2"],
    ["/api/a/../vApp/vm-1", "/api/vApp/vm-1"],
    ["/api/vApp/vm-a%20b", "/api/vApp/vm-a%20b"],
  ])("of %s", (href, path) => {
    expect(pathOf(href)).toBe(path);
  });

  test.each([
    "",
    "api/vApp/vm-1",
    "https://host/",
    "https://host/api",
    "https://host/apiary/vm-1",
    "https://host/api/../secret",
    "https://host/x?y=/api/vApp/vm-1",
    "ftp://host/api/vApp/vm-1",
    "javascript:/api/vApp/vm-1",
    "https://[bad/api/x",
  ])("outside of the API: %j", (href) => {
    expect(() => pathOf(href)).toThrow(/outside of its API/);
  });

  test("host, scheme, port and base path do not matter, the rest does", () => {
    const base = fc.tuple(
      fc.constantFrom("http", "https", "HTTPS"),
      fc.domain(),
      fc.constantFrom("", ":443", ":8080"),
      fc.constantFrom("", "/base", "/a/api", "/api"),
    );
    const text = ([scheme, host, port, path]: readonly string[]): string =>
      `${scheme}://${host}${port}${path}`;
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/).filter((one) => one !== "api");
    fc.assert(
      fc.property(base, base, id, id, (left, right, one, other) => {
        const path = `/api/vApp/vm-${one}`;
        expect(pathOf(text(left) + path)).toBe(path);
        expect(pathOf(pathOf(text(left) + path))).toBe(path);
        expect(sameHref(text(left) + path, text(right) + path)).toBe(true);
        expect(sameHref(`${text(left)}/api/vApp/vm-${one}`, `/api/vApp/vm-${other}`)).toBe(
          one === other,
        );
      }),
    );
  });

  test("nothing is the same as something outside", () => {
    expect(sameHref("https://a/x", "https://a/x")).toBe(false);
  });

  test("an element without href is an error", () => {
    expect(hrefOf(parseXml('<Owner href="http://h/api/vApp/vm-1"/>'))).toBe("/api/vApp/vm-1");
    expect(() => hrefOf(parseXml("<Owner/>"))).toThrow(/a Owner without href/);
  });
});
