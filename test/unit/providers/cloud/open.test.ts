/** Opening: which endpoint the HTTP client is made for, and whom it trusts. */

import { describe, expect, test } from "vitest";
import type { HttpTarget } from "../../../../src/http/call.ts";
import type { Value } from "../../../../src/model/value/value.ts";
import { openCloud } from "../../../../src/providers/cloud/open.ts";
import { testPorts } from "../../../helpers/http-ports.ts";

const given = { url: "https://cloud.example.com/base/", user: "admin@system", password: "p" };

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
  const { connection } = await openCloud({ http, clock, readTextFile }, { ...given, ...changes });
  await connection.close();
  const [target] = targets;
  if (target === undefined || targets.length > 1) throw new Error("not one HTTP client was made");
  return target;
}

describe("the HTTP client", () => {
  test("is made for the origin, with the limits of the settings", async () => {
    expect(await targetOf({ request_timeout: "5s", parallel_reads: 2 })).toEqual({
      origin: "https://cloud.example.com",
      tls: {},
      requestTimeoutMs: 5000,
      connectTimeoutMs: 120_000,
      parallelReads: 2,
    });
  });

  test.each([
    [{ ca_file: "ca.pem" }, { ca: "PEM" }],
    [{ thumbprint: "aa".repeat(20) }, { thumbprint: "aa".repeat(20) }],
    [{ allow_unverified_ssl: true }, { allowUnverified: true }],
    [{ allow_unverified_ssl: false }, {}],
  ])("of %j trusts by %j", async (changes, tls) => {
    expect((await targetOf(changes)).tls).toEqual(tls);
  });

  test("is not made when the file of certificates cannot be read", async () => {
    await expect(targetOf({ ca_file: "other.pem" })).rejects.toThrow("no other.pem");
  });
});
