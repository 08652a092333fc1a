/**
 * A session that travels gives what the session at the site gives: of the daemon, over real HTTP,
 * and of one that answers whatever the test says.
 */

import { afterEach, describe, expect, test } from "vitest";
import { RemoteError } from "../../../src/model/operation/remote-error.ts";
import type { ProviderSession, View } from "../../../src/model/provider/provider.ts";
import type { BeginEntry } from "../../../src/model/recorded/begin-entry.ts";
import type { Value } from "../../../src/model/value/value.ts";
import { daemonProvider } from "../../../src/providers/daemon/provider.ts";
import { providerPorts } from "../../helpers/http-ports.ts";
import {
  type Daemon,
  html,
  missingFile,
  operation,
  type Script,
  startDaemon,
  vix,
  vm,
} from "../providers/daemon/daemon-server.ts";
import { startThere, type There } from "./there.ts";

let there: There | undefined;
let daemon: Daemon | undefined;
afterEach(async () => {
  await there?.close();
  await daemon?.close();
  there = undefined;
  daemon = undefined;
});

/** What a call gives or throws. */
async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return { gives: await work() };
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { kind, effect, message, status, retryAfterMs, attributes } = error;
    // Each server has a port of its own.
    const words = message.replaceAll(/:\d{4,5}/g, ":PORT");
    return { kind, effect, message: words, status, retryAfterMs, attributes };
  }
}

const anyLimit = Date.parse("2100-01-01T00:00:00Z");

describe("of the daemon", () => {
  const script: Script = {
    "GET /api/vms": { json: [{ id: "a" }, { id: "b" }] },
    "GET /api/vms/a": { json: { id: "a", cpu: { processors: 2 }, memory: 512 } },
    "GET /api/vms/a/power": { json: { power_state: "poweredOn" } },
    "GET /api/vms/b": missingFile,
    "GET /api/vms/b/power": vix("The virtual machine is busy", 3006, "power"),
    "POST /api/vms": { json: { id: "c", name: "C", tag: "" } },
    "PATCH /api/vms/power/a": { json: { code: 200, message: "The VM is on." } },
    "PATCH /api/vms/power/b": vix("Insufficient permissions", 13, "power"),
    "PATCH /api/vms/power/c": html,
    "PATCH /api/vms/power/d": "reset",
  };
  const calls = {
    read: (session) => session.read([vm("a", "power"), vm("b", "power"), vm("none", "power")]),
    "read nothing": (session) => session.read([]),
    list: async (session) => session.list?.("daemon_vm"),
    "list of another": async (session) => session.list?.("daemon_shared_folder"),
    create: (session) => session.send(operation("create", "c", { id: "c", name: "C" }), anyLimit),
    on: (session) => session.send(operation("on", "a"), anyLimit),
    "refused by the server": (session) => session.send(operation("on", "b"), anyLimit),
    "answered by a portal": (session) => session.send(operation("on", "c"), anyLimit),
    "not answered": (session) => session.send(operation("on", "d"), anyLimit),
    "a data source": async (session) => session.readData?.("daemon_vms", {}),
  } satisfies { readonly [name: string]: (session: ProviderSession) => Promise<unknown> };

  test.each(Object.entries(calls))("%s", async (_, call) => {
    const own = await startDaemon(script);
    const expected = await outcomeOf(() => call(own.session));
    await own.close();
    daemon = await startDaemon(script);
    const { ports } = daemon;
    there = startThere((_provider, settings) =>
      daemonProvider.create(providerPorts(ports)).open(settings),
    );
    const session = await there.open({ url: daemon.server.origin });
    expect(await outcomeOf(() => call(session))).toEqual(expected);
    expect(daemon.requests()).toEqual(own.requests());
  });

  test("it has the methods of the real one, and its address carries the site of loopback", async () => {
    daemon = await startDaemon(script);
    const { ports, session: own } = daemon;
    there = startThere((_provider, settings) =>
      daemonProvider.create(providerPorts(ports)).open(settings),
    );
    const session = await there.open({ url: daemon.server.origin });
    const methodsOf = (one: ProviderSession): readonly string[] =>
      Object.keys(one)
        .filter((name) => name !== "url")
        .toSorted();
    expect(methodsOf(session)).toEqual(methodsOf(own));
    expect(session.url).toBe(`${own.url}#site-a`);
  });
});

/** A session of which the test says what it does. */
function scripted(parts: Partial<ProviderSession>): ProviderSession {
  return {
    read: () => Promise.reject(new Error("not scripted")),
    send: () => Promise.resolve({}),
    close: () => Promise.resolve(),
    ...parts,
  };
}

describe("of any provider", () => {
  test("what is optional is there exactly where it is", async () => {
    there = startThere(async () => scripted({ poll: async () => ({ status: "vanished" }) }));
    const session = await there.open();
    expect(Object.keys(session).toSorted()).toEqual(["close", "poll", "read", "send"]);
    expect(session.url).toBeUndefined();
  });

  test("a server that is no loopback has the address that it has without a site", async () => {
    there = startThere(async () => scripted({ url: "https://esx1.lab" }));
    expect((await there.open()).url).toBe("https://esx1.lab");
  });

  test("a look is the same one for the session there, and expects what it expects here", async () => {
    const seen: { readonly view: View | undefined; readonly count: number | undefined }[] = [];
    const list = async (_type: string, view?: View) => {
      seen.push({ view, count: view?.expected("daemon_vm") });
      return [];
    };
    there = startThere(async () => scripted({ list }));
    const session = await there.open();
    let count = 3;
    const view: View = { expected: (type) => (type === "daemon_vm" ? count : 0) };
    await session.list?.("daemon_vm", view);
    count = 40;
    await session.list?.("daemon_vm", view);
    await session.list?.("daemon_vm", { expected: () => 1 });
    await session.list?.("daemon_vm");
    expect(seen.map((one) => one.count)).toEqual([3, 40, 1, undefined]);
    expect(seen[1]?.view).toBe(seen[0]?.view);
    expect(seen[2]?.view).not.toBe(seen[0]?.view);
  });

  test("each session here has one there, kept between calls and ended with it", async () => {
    let [opened, closed] = [0, 0];
    there = startThere(async () => {
      opened += 1;
      return scripted({ version: async () => "5.1", close: async () => void (closed += 1) });
    });
    const one = await there.open();
    const other = await there.open();
    await one.version?.();
    await one.version?.();
    expect(opened).toBe(2);
    await one.close();
    expect(closed).toBe(1);
    await other.version?.();
    await there.close();
    expect(closed).toBe(2);
  });

  test("values that JSON does not know arrive", async () => {
    const handle: Value = { big: 2n ** 60n, small: 5n, $: "x", text: "\u0000\ud800" };
    const polled: Value[] = [];
    const poll: ProviderSession["poll"] = async (value) => {
      polled.push(value);
      return { status: "success", attributes: { handle: value } };
    };
    there = startThere(async () => scripted({ poll }));
    const session = await there.open();
    expect(await session.poll?.(handle)).toEqual({ status: "success", attributes: { handle } });
    expect(polled).toEqual([handle]);
  });

  test("nothing found is undefined, as it is there", async () => {
    there = startThere(async () => scripted({ findTask: async () => undefined }));
    const session = await there.open();
    expect(await session.findTask?.({} as BeginEntry)).toBeUndefined();
  });

  test("a fault there is an error here, and the agent goes on", async () => {
    const fault = (): never => {
      throw new TypeError("x is not a function");
    };
    there = startThere(async () => scripted({ version: async () => fault(), send: fault }));
    const session = await there.open();
    expect(await outcomeOf(async () => session.version?.())).toMatchObject({
      kind: "protocol",
      effect: "none",
      message: "a fault at the site: x is not a function",
    });
    const sent = await outcomeOf(() => session.send(operation("on", "a"), anyLimit));
    expect(sent).toMatchObject({ kind: "protocol", effect: "unknown" });
  });

  test("a ticket does not travel", async () => {
    const ticket: ProviderSession["ticket"] = () => Promise.reject(new Error("asked"));
    there = startThere(async () => scripted({ ticket }));
    const session = await there.open();
    expect(await outcomeOf(async () => session.ticket?.("t", "i"))).toMatchObject({
      kind: "forbidden",
      effect: "none",
    });
  });
});
