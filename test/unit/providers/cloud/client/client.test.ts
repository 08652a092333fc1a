/** The client over real HTTP: requests, replies, pages, time, and what never leaves it. */

import { afterEach, describe, expect, test } from "vitest";
import { createHttpClients } from "../../../../../src/http/client.ts";
import { parseXml } from "../../../../../src/lib/xml/xml-reader.ts";
import { writeXml } from "../../../../../src/lib/xml/xml-writer.ts";
import type { CloudClient } from "../../../../../src/providers/cloud/client/client.ts";
import { openCloud } from "../../../../../src/providers/cloud/open.ts";
import { testEpochMs, testPorts } from "../../../../helpers/http-ports.ts";
import { remoteErrorOf } from "../../../../helpers/remote-error.ts";
import {
  type Answered,
  type CloudScript,
  neutralWords,
  type ScriptedCloud,
  startCloud,
  vendorWords,
} from "../scripted-cloud.ts";

let cloud: ScriptedCloud;
afterEach(() => cloud.close());

async function open(script: CloudScript = {}): Promise<CloudClient> {
  cloud = await startCloud(script);
  return cloud.connection.client();
}

/** One answer to every request below `/api/vApp`. */
function answering(answer: Answered): CloudScript {
  return { handle: ({ url }) => (url.includes("/api/vApp/") ? answer : undefined) };
}

const { namespace } = neutralWords;
const vm = `<Vm xmlns="${namespace}" name="web" id="urn:cloud:vm:1" href="https://x/api/vApp/vm-1"/>`;

describe("reading", () => {
  test("below the base path, whatever the server prints", async () => {
    const client = await open({
      basePath: "/base",
      printed: "https://internal.example/other",
      ...answering({ body: vm }),
    });
    await client.get("/api/vApp/vm-1", { root: "Vm", mediaType: "vm+xml" });
    expect(cloud.requests()).toEqual(["GET /base/api/vApp/vm-1"]);
    expect(cloud.server.seen.map(({ url }) => url).slice(0, 2)).toEqual([
      "/base/api/versions",
      "/base/api/sessions",
    ]);
    expect(cloud.server.seen.at(-1)?.headers.accept).toBe(
      "application/vnd.vendor.cloud.vm+xml;version=5.1",
    );
  });

  test("prefixes are the server's own business", async () => {
    const body = `<ns6:Vm xmlns:ns6="${namespace}" xmlns="urn:other" status="4"/>`;
    const client = await open(answering({ body }));
    expect((await client.get("/api/vApp/vm-1", { root: "Vm" })).root.local).toBe("Vm");
  });

  test.each([
    ["another element", `<VApp xmlns="${namespace}"/>`],
    ["another namespace", `<Vm xmlns="urn:other"/>`],
    ["HTML", "<html><body>Sign in</body></html>"],
    ["nothing", ""],
    ["a cut body", vm.slice(0, 60)],
  ])("%s is an error that keeps the status", async (_what, body) => {
    const client = await open(answering({ body }));
    const error = await remoteErrorOf(client.get("/api/vApp/vm-1", { root: "Vm" }));
    expect(error).toMatchObject({ kind: "protocol", effect: "none", status: 200 });
    expect(error.message).toMatch(/^GET \/api\/vApp\/vm-1: status 200, /);
  });

  test("the prefix of ids is learned when one is seen", async () => {
    const client = await open(answering({ body: vm }));
    expect(client.dialect).not.toHaveProperty("urnPrefix");
    await client.get("/api/vApp/vm-1");
    expect(client.dialect.urnPrefix).toBe("urn:cloud:");
  });

  test("the server's clock is followed, not read again", async () => {
    const date = new Date(testEpochMs + 90_000).toUTCString();
    const client = await open(answering({ body: vm, headers: { date } }));
    await client.get("/api/vApp/vm-1");
    expect(client.serverTimeMs()).toBe(testEpochMs + 90_000);
    await cloud.ports.clock.sleep(5000);
    expect(client.serverTimeMs()).toBe(testEpochMs + 95_000);
  });

  test("a path outside of the API is a fault of ours", async () => {
    const client = await open();
    await expect(client.get("https://elsewhere/api/x")).rejects.toThrow(/no path of the API/);
    expect(cloud.requests()).toEqual([]);
  });
});

describe("changing", () => {
  const task = `<Task xmlns="${namespace}" status="running" id="urn:cloud:task:1"/>`;

  test.each([neutralWords, vendorWords])("with a body of the dialect's type", async (words) => {
    const location = "https://internal/base/api/task/1";
    const client = await open({
      words,
      ...answering({ status: 202, headers: { location }, body: task }),
    });
    const body = writeXml({
      namespace: client.dialect.namespace,
      local: "RelocateParams",
      attributes: [],
      children: [],
    });
    const sent = await client.send({
      method: "POST",
      path: "/api/vApp/vm-1/action/relocate",
      mediaType: "relocateVmParams+xml",
      body,
    });
    expect(sent).toMatchObject({ status: 202, location: "/api/task/1" });
    expect(sent.document?.root.local).toBe("Task");
    const request = cloud.server.seen.at(-1);
    expect(request?.headers["content-type"]).toBe(`${words.media}relocateVmParams+xml`);
    expect(parseXml(request?.body ?? "").namespace).toBe(words.namespace);
  });

  test("without a body: no type, length 0; an empty reply is no document", async () => {
    const client = await open(answering({ status: 204 }));
    const path = "/api/vApp/vm-1/power/action/powerOn";
    expect(await client.send({ method: "POST", path })).toEqual({ status: 204 });
    const headers = cloud.server.seen.at(-1)?.headers;
    expect(headers).toMatchObject({ "content-length": "0" });
    expect(headers).not.toHaveProperty("content-type");
  });

  test.each<[string, Answered]>([
    ["no reply", "reset"],
    ["a reply that cannot be read", { status: 202, body: "<Task" }],
    [
      "a foreign address",
      { status: 202, headers: { location: "https://elsewhere/x" }, body: task },
    ],
    ["an error of a front end", { status: 502, body: "<html>Bad gateway</html>" }],
  ])("%s leaves the effect open, and nothing is sent twice", async (_what, answer) => {
    const client = await open(answering(answer));
    const error = await remoteErrorOf(
      client.send({ method: "POST", path: "/api/vApp/vm-1/action/x" }),
    );
    expect(error.effect).toBe("unknown");
    expect(cloud.count("POST /api/vApp/")).toBe(1);
  });

  test("is refused where only reading is allowed; the session is not", async () => {
    cloud = await startCloud();
    const ports = testPorts({ readOnly: true });
    const readTextFile = (): Promise<string> => Promise.reject(new Error("unused"));
    const { connection } = await openCloud(
      { http: createHttpClients(ports), clock: ports.clock, readTextFile },
      { url: cloud.server.origin, user: "admin@system", password: "p" },
    );
    const client = await connection.client();
    await expect(client.send({ method: "POST", path: "/api/vApp/x" })).rejects.toThrow(
      /only reads/,
    );
    await connection.close();
    expect(cloud.requests()).toEqual(["DELETE /api/session"]);
  });
});

describe("querying", () => {
  /** 300 VMs on pages of at most 128, the vendor's way. */
  function page(url: string): string {
    const query = new URL(url, "http://x").searchParams;
    const size = Math.min(Number(query.get("pageSize")), 128);
    const number = Number(query.get("page"));
    const ids = Array.from({ length: 300 }, (_, index) => index).slice(
      (number - 1) * size,
      number * size,
    );
    const records = ids.map(
      (id) =>
        `<VMRecord name="0${id}" href="https://internal/api/vApp/vm-${id}" isVAppTemplate="false"/>`,
    );
    const next =
      number * size < 300
        ? `<Link rel="nextPage" href="https://internal/api/query?a=1&amp;page=2"/>`
        : "";
    return `<QueryResultRecords xmlns="${namespace}" total="300" page="${number}" pageSize="${size}" name="vm">${next}<Link rel="alternate" href="x"/>${records.join("")}</QueryResultRecords>`;
  }

  test("reads every page, values as the text they are", async () => {
    const client = await open({
      handle: ({ url }) => (url.startsWith("/api/query") ? { body: page(url) } : undefined),
    });
    const records = await client.query({ type: "vm", fields: ["name"] });
    expect(records).toHaveLength(300);
    expect(new Set(records.map(({ href }) => href)).size).toBe(300);
    expect(records[0]).toEqual({
      element: "VMRecord",
      href: "/api/vApp/vm-0",
      key: "/api/vApp/vm-0",
      attributes: { href: "https://internal/api/vApp/vm-0", name: "00" },
    });
    expect(cloud.count("GET /api/query")).toBe(3);
  });

  test.each([
    ["0 records", "QueryResultRecords", "", []],
    [
      "1 record",
      "QueryResultRecords",
      '<VMRecord href="https://h/api/vApp/vm-1"/>',
      ["/api/vApp/vm-1"],
    ],
    [
      "references",
      "VMReferences",
      '<VMReference href="https://h/api/vApp/vm-1" id="i"/>',
      ["/api/vApp/vm-1"],
    ],
    ["idrecords", "QueryResultRecords", '<VMRecord id="urn:cloud:vm:1"/>', ["urn:cloud:vm:1"]],
  ])("%s", async (_what, root, records, keys) => {
    const body = `<n:${root} xmlns:n="${namespace}" xmlns="${namespace}"><n:Link rel="alternate"/>${records}</n:${root}>`;
    const client = await open({
      handle: ({ url }) => (url.startsWith("/api/query") ? { body } : undefined),
    });
    expect((await client.query({ type: "vm" })).map(({ key }) => key)).toEqual(keys);
  });

  test.each([
    ["a total that is no number", `<QueryResultRecords xmlns="${namespace}" total="many"/>`],
    ["a negative total", `<QueryResultRecords xmlns="${namespace}" total="-1"/>`],
    ["page 0", `<QueryResultRecords xmlns="${namespace}" page="0"/>`],
    ["another document", `<QueryList xmlns="${namespace}"/>`],
    ["another namespace", `<QueryResultRecords xmlns="urn:other"/>`],
    [
      "a foreign address",
      `<QueryResultRecords xmlns="${namespace}"><VMRecord href="https://h/x"/></QueryResultRecords>`,
    ],
    ["HTML", "<html><body>Sign in</body></html>"],
  ])("%s is an error, never nothing found", async (_what, body) => {
    const client = await open({
      handle: ({ url }) => (url.startsWith("/api/query") ? { body } : undefined),
    });
    expect((await remoteErrorOf(client.query({ type: "vm" }))).kind).toBe("protocol");
  });
});

describe("secrets", () => {
  test("no error tells a token, a password or a ticket", async () => {
    const token = "C6De1/+x==";
    const leaks = [
      `<Broken token="${token}" `,
      `<html><a href="?t=${encodeURIComponent(token)}">${Buffer.from("admin@system:pass&word").toString("base64")}</a>`,
      "<T>pass&amp;word</T",
      `<ScreenTicket xmlns="${namespace}">mks://h/vm-1?ticket=cst-Secret%2F</ScreenTick`,
      "<AdminPassword>Secret</AdminPasswor",
    ];
    for (const body of leaks) {
      const client = await open(answering({ body }));
      const failures = [
        await remoteErrorOf(client.get("/api/vApp/vm-1")),
        await remoteErrorOf(
          client.send({ method: "POST", path: "/api/vApp/vm-1/x", class: "session" }),
        ),
      ];
      for (const { message } of failures) {
        expect(message).toContain("***");
        for (const secret of [
          token,
          encodeURIComponent(token),
          "pass&",
          "cGFzcyZ3b3Jk",
          "Secret",
        ]) {
          expect(message).not.toContain(secret);
        }
      }
      await cloud.close();
    }
  });

  test("no log record tells a token or a password", async () => {
    const client = await open(answering({ body: vm }));
    await client.get("/api/vApp/vm-1");
    await cloud.connection.close();
    const { records } = cloud.ports;
    expect(records).toHaveLength(4);
    const log = JSON.stringify(records);
    for (const secret of ["C6De1", "pass&", "Basic", "cGFzcyZ3b3Jk"]) {
      expect(log).not.toContain(secret);
    }
  });

  test("the token goes to no other origin", async () => {
    const seen: string[] = [];
    const client = await open({
      handle: ({ url, headers }) => {
        seen.push(`${String(headers.host)}${url}`);
        if (!url.startsWith("/api/vApp/")) return undefined;
        return { status: 302, headers: { location: "http://127.0.0.1:1/api/vApp/vm-1" } };
      },
    });
    const error = await remoteErrorOf(client.get("/api/vApp/vm-1"));
    expect(error.message).toMatch(/server moved to http:\/\/127\.0\.0\.1:1/);
    const host = new URL(cloud.server.origin).host;
    expect(seen.every((one) => one.startsWith(host))).toBe(true);
  });
});
