/** What goes out for each operation, and what each reply says of its effect. */

import { afterEach, describe, expect, test } from "vitest";
import { stringifyJson } from "../../../../src/lib/json.ts";
import { RemoteError } from "../../../../src/model/operation/remote-error.ts";
import { type Attributes, isKnown } from "../../../../src/model/value/value.ts";
import { daemonProvider } from "../../../../src/providers/daemon/provider.ts";
import { folderType, folderTypeName } from "../../../../src/providers/daemon/shared-folder.ts";
import { vmType } from "../../../../src/providers/daemon/vm.ts";
import { providerPorts, testEpochMs, testPorts } from "../../../helpers/http-ports.ts";
import { closedOrigin } from "../../../helpers/scripted-server.ts";
import {
  type Daemon,
  html,
  missingFile,
  ok,
  operation,
  type Scripted,
  startDaemon,
  vix,
} from "./daemon-server.ts";

let daemon: Daemon | undefined;
afterEach(async () => {
  await daemon?.close();
  daemon = undefined;
});

const deadlineMs = testEpochMs + 600_000;

type Case = {
  readonly type?: string;
  readonly verb: string;
  readonly identity: string;
  readonly inputs?: Attributes;
  readonly wire: string;
  readonly body: string;
  readonly reply: Scripted;
};

const cases: readonly Case[] = [
  {
    verb: "create",
    identity: "a",
    inputs: { id: "a", name: "A", tag: "t" },
    wire: "POST /api/vms",
    body: '{"id":"a","name":"A","tag":"t"}',
    reply: { json: { id: "a", name: "A", tag: "t" } },
  },
  {
    verb: "create",
    identity: "a b/ü",
    inputs: { id: "a b/ü" },
    wire: "POST /api/vms",
    body: '{"id":"a b/ü"}',
    reply: { json: { id: "a b/ü", name: "", tag: "" } },
  },
  {
    verb: "clone",
    identity: "b",
    inputs: { id: "b", parent_id: "a" },
    wire: "POST /api/vms",
    body: '{"id":"b","parentid":"a"}',
    reply: { json: { id: "b", name: "b" } },
  },
  ...["on", "off", "shutdown", "suspend", "pause", "unpause"].map((verb) => ({
    verb,
    identity: "a b/ü",
    wire: "PATCH /api/vms/power/a%20b%2F%C3%BC",
    body: verb,
    reply: ok("The VM is whatever."),
  })),
  {
    verb: "share",
    identity: "a",
    wire: "PATCH /api/vms/a/folders",
    body: "true",
    reply: ok("true"),
  },
  {
    verb: "unshare",
    identity: "a",
    wire: "PATCH /api/vms/a/folders",
    body: "false",
    reply: ok("false"),
  },
  { verb: "delete", identity: "a", wire: "DELETE /api/vms/a", body: "", reply: { status: 204 } },
  {
    type: folderTypeName,
    verb: "add",
    identity: "a/src",
    inputs: { vm_id: "a", guest_path: "src", host_path: "/srv", writable: true },
    wire: "POST /api/vms/a/folders",
    body: '{"guestPath":"src","hostPath":"/srv","flags":4}',
    reply: { json: { guestPath: "src", hostPath: "/srv", flags: 4 } },
  },
  {
    type: folderTypeName,
    verb: "add",
    identity: "a/my docs",
    inputs: { vm_id: "a", guest_path: "my docs", host_path: "/srv", writable: false },
    wire: "POST /api/vms/a/folders",
    body: '{"guestPath":"my docs","hostPath":"/srv","flags":0}',
    reply: { json: { guestPath: "my docs", hostPath: "/srv", flags: 0 } },
  },
  {
    type: folderTypeName,
    verb: "remove",
    identity: "a/b/my docs",
    wire: "DELETE /api/vms/a%2Fb/folders/my%20docs",
    body: "",
    reply: { status: 204 },
  },
];

describe("one request per operation, the previewed one", () => {
  test.each(cases)(
    "$verb $identity",
    async ({ type, verb, identity, inputs, wire, body, reply }) => {
      daemon = await startDaemon({ [wire]: reply });
      await daemon.session.send(operation(verb, identity, inputs, type), deadlineMs);
      expect(daemon.requests()).toEqual([wire]);
      expect(daemon.server.seen[0]?.body).toBe(body);
      expect(daemon.ports.records.map((record) => record.class)).toEqual(["mutate"]);

      const preview = (type === undefined ? vmType : folderType).request(
        verb,
        identity,
        inputs ?? {},
      );
      expect(`${preview?.method} ${preview?.path}`).toBe(wire);
      expect(daemon.server.seen[0]?.headers["content-type"]).toBe(preview?.contentType);
      const previewed = preview?.body;
      if (previewed !== undefined && isKnown(previewed)) {
        expect(typeof previewed === "string" ? previewed : stringifyJson(previewed)).toBe(body);
      }
    },
  );

  test("a create tells the name that the daemon gave", async () => {
    daemon = await startDaemon({
      "POST /api/vms": { json: { id: "a", name: "default", tag: "", parentId: "" } },
    });
    expect(await daemon.session.send(operation("create", "a", { id: "a" }), deadlineMs)).toEqual({
      attributes: { name: "default" },
    });
  });

  test.each(["", "/", "/api", "/api/", "/lab", "/lab/api/"])(
    "below the path of url: %j",
    async (path) => {
      const base = path.startsWith("/lab") ? "/lab" : "";
      daemon = await startDaemon({
        [`PATCH ${base}/api/vms/power/a`]: ok("done"),
        [`GET ${base}/api/vms`]: { json: [] },
      });
      const { ports, server } = daemon;
      const provider = daemonProvider.create(providerPorts(ports));
      const session = await provider.open({ url: `${server.origin}${path}` });
      await session.send(operation("on", "a"), deadlineMs);
      expect(await session.list?.("daemon_vm")).toEqual([]);
      await session.close();
    },
  );

  test("a wait, or a verb of another type, has no request to send", async () => {
    daemon = await startDaemon({});
    for (const sent of [operation("wait-tools", "a"), operation("on", "a/b", {}, folderTypeName)]) {
      await expect(daemon.session.send(sent, deadlineMs)).rejects.toThrow("has no request");
    }
    expect(daemon.requests()).toEqual([]);
  });
});

async function fail(sent: ReturnType<typeof operation>, wire: string, reply: Scripted) {
  daemon = await startDaemon({ [wire]: reply });
  const error: unknown = await daemon.session.send(sent, deadlineMs).then(
    () => new Error("the operation succeeded"),
    (cause: unknown) => cause,
  );
  if (!(error instanceof RemoteError)) throw error;
  expect(daemon.requests()).toEqual([wire]);
  return error;
}

const power = (reply: Scripted) => fail(operation("on", "a"), "PATCH /api/vms/power/a", reply);

describe("refusals in the daemon's own words have no effect", () => {
  const numbers: readonly (readonly [number, string])[] = [
    [3, "invalid"],
    [4, "not-found"],
    [5, "busy"],
    [13, "precondition"],
    [15, "busy"],
    [23, "conflict"],
    [25, "not-found"],
    [31, "busy"],
    [2000, "not-found"],
    [3000, "precondition"],
    [3006, "precondition"],
    [3007, "precondition"],
    [3011, "precondition"],
    [3016, "precondition"],
    [3041, "precondition"],
    [4000, "not-found"],
    [1, "protocol"],
    [99999, "protocol"],
  ];
  test.each(numbers)("VIX %i is %s", async (number, kind) => {
    const error = await power(vix("Some words, with commas", number, "vm.PowerOn"));
    expect(error).toMatchObject({ kind, effect: "none", status: 500 });
    expect(error.message).toContain(
      `on VM a: the daemon answered 500: VIX Error: Some words, with commas, code: ${number}, ` +
        "operation: vm.PowerOn",
    );
  });

  test.each([
    [500, "lstat /vms/a/a.vmx: no such file or directory", "not-found"],
    [500, "open /vms/a/a.vmx: no such file or directory", "not-found"],
    [500, "EOF", "invalid"],
    [500, "The op name is not supported.", "invalid"],
    [500, "code: 5, but not at the end", "protocol"],
    [400, "bad request", "invalid"],
    [401, "login", "unauthorized"],
    [403, "no", "forbidden"],
    [404, "no such VM", "not-found"],
    [409, "exists", "conflict"],
    [503, "starting", "unavailable"],
  ])("%i %s is %s", async (code, message, kind) => {
    expect(await power({ status: code, json: { code, message } })).toMatchObject({
      kind,
      effect: "none",
      status: code,
    });
  });

  test("a refusal inside of a 200", async () => {
    const error = await power({ json: { code: 500, message: "EOF" } });
    expect(error).toMatchObject({ kind: "invalid", effect: "none" });
  });

  test("except that 408 means it only gave up waiting", async () => {
    const timeout = { status: 408, json: { code: 408, message: "Request timeout" } };
    expect(await power(timeout)).toMatchObject({ kind: "timeout", effect: "unknown" });
  });

  test("a hint where the words explain nothing", async () => {
    const error = await power(vix("One of the parameters was invalid", 3, "vix.Connect"));
    expect(error.message).toContain(
      "One of the parameters was invalid, code: 3, operation: vix.Connect",
    );
    expect(error.message).toContain("(The daemon could not reach its own hypervisor.)");
  });
});

describe("anything else may have had an effect", () => {
  test.each<readonly [string, Scripted, string]>([
    ["a 500 HTML page", { status: 500, body: "<html>oops" }, "protocol"],
    ["an empty 500", { status: 500, body: "" }, "protocol"],
    ["a 502 HTML page", { status: 502, body: "<html>bad gateway" }, "unavailable"],
    ["a 504", { status: 504, body: "gateway timeout" }, "unavailable"],
    ["a 404 that is not the daemon's", { status: 404, body: "404 page not found" }, "not-found"],
    ["200 with HTML", html, "protocol"],
    ["200 with nothing", { body: "" }, "protocol"],
    ["200 with half an envelope", { body: '{"code":200,' }, "protocol"],
    ["200 with a text", { json: "done" }, "protocol"],
    ["a reset", "reset", "unavailable"],
  ])("%s", async (_name, reply, kind) => {
    const error = await power(reply);
    expect(error).toMatchObject({ kind, effect: "unknown" });
    expect(error.message).toContain("PATCH /api/vms/power/a");
  });

  test.each<readonly [string, Scripted]>([
    ["an answer for another VM", { json: { id: "b", name: "b" } }],
    ["a list", { json: ["a"] }],
    ["nothing", { status: 204 }],
  ])("a create answered with %s", async (_name, reply) => {
    const error = await fail(operation("create", "a", { id: "a" }), "POST /api/vms", reply);
    expect(error).toMatchObject({ kind: "protocol", effect: "unknown" });
  });

  test("an added folder answered with another one", async () => {
    const sent = operation("add", "a/src", { host_path: "/srv" }, folderTypeName);
    const error = await fail(sent, "POST /api/vms/a/folders", { json: { guestPath: "x" } });
    expect(error).toMatchObject({ kind: "protocol", effect: "unknown" });
  });

  test("a delete answered with a page", async () => {
    expect(await fail(operation("delete", "a"), "DELETE /api/vms/a", html)).toMatchObject({
      kind: "protocol",
      effect: "unknown",
    });
  });
});

test.each<readonly [string, Scripted]>([
  ["refused by its envelope", { json: { code: 500, message: "EOF" } }],
  ["refused", missingFile],
])("a delete %s is no success", async (_name, reply) => {
  expect(await fail(operation("delete", "a"), "DELETE /api/vms/a", reply)).toMatchObject({
    effect: "none",
  });
});

test("a delete may answer with an envelope", async () => {
  daemon = await startDaemon({ "DELETE /api/vms/a": ok("deleted") });
  expect(await daemon.session.send(operation("delete", "a"), deadlineMs)).toEqual({});
});

test("nothing listens: no effect, and the address is named", async () => {
  const url = await closedOrigin();
  const ports = testPorts();
  const provider = daemonProvider.create(providerPorts(ports));
  const session = await provider.open({ url });
  await expect(session.send(operation("on", "a"), deadlineMs)).rejects.toMatchObject({
    kind: "unavailable",
    effect: "none",
    message:
      `PATCH /api/vms/power/a: connection refused by ${url.slice(7)}; ` +
      "is the daemon running? Start it, or set url",
  });
  await session.close();
});

test("a read-only session refuses to send", async () => {
  daemon = await startDaemon({});
  const ports = testPorts({ readOnly: true });
  const provider = daemonProvider.create(providerPorts(ports));
  const session = await provider.open({ url: daemon.server.origin });
  await expect(session.send(operation("on", "a"), deadlineMs)).rejects.toThrow("only reads");
  expect(daemon.requests()).toEqual([]);
  await session.close();
});
